"""The virtual tray: simulated dice, rendered as a camera would see them."""
