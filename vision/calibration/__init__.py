"""Calibration: measures the lens, the tray and the dice with a printed sheet, and stores the resulting rig."""
