"""Events for the home."""
