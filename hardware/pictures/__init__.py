"""Pictures of the board: as it glows, as it is wired, as it is drilled. OpenCV is needed for the glowing ones only."""
