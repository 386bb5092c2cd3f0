"""LEDs and buttons: knows colours and holes, no game."""
