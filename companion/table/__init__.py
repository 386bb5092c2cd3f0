"""One table: commands become entries of a journal, entries become the next state."""
