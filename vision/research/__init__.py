"""Training and evaluation of the reader. Not in the installed package."""
