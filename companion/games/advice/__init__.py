"""Advice for every game: odds, win chances, luck, regret and the stored tables."""
