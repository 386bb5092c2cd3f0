"""Things to print, saw and cut: tray, camera arm, lights and LED board. Build tools, not in the installed package."""
