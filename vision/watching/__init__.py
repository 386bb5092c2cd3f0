"""When a tray is at rest and a throw is new."""
