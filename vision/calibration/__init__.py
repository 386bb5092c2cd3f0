"""From a printed sheet to the rig's geometry, and its store."""
