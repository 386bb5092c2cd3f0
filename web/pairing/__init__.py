"""Pairing of phones: roles, PIN, code and button, limits on guesses, and the file of tokens."""
