"""What joins the rooms for `companion.app`: the observer on the tray, the light on the board, health and addresses."""
