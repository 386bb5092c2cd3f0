"""Which phones may control the table: `Pairing`, guesses at the PIN, and where tokens are kept."""
