"""Pictures of the board: lit scenes, wiring, drilling templates, and test lights. Only lit scenes need OpenCV."""
