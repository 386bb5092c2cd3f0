"""LEDs, buttons and sounds: this package knows colours and holes, but no game."""
