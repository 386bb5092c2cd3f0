"""Geometry of a calibrated tray: the rig, the floor's view, the empty reference picture."""
