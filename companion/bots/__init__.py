"""The computer player and the adviser."""
