"""Rules and odds of the games. Pure functions of frozen states; standard library only (odds may load NumPy)."""
