"""What a page's hands do with the simulated tray."""
