"""Routes about sets of dice."""
