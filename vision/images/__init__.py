"""Pictures loaded from files, and drawn on."""
