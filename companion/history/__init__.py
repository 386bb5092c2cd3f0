"""Finished games: export, review of throws, fairness of the dice and the story of a game."""
