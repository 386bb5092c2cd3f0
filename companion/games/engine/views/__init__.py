"""What the other rooms show of a game: its track, its panels, its words."""
