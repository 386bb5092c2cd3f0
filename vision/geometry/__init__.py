"""What calibration knows: the rig, the outlines of whole dice, the empty tray."""
