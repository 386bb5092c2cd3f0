"""Parts that all games share: the contract of a game, transcripts, notation, players and tray policy."""
