"""The tray turned into lines: what was seen of it, what moved, what that means in the game."""
