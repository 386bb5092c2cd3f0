"""Which phones may do what: roles, pairing by PIN, code or button, limits on guesses, and where tokens are kept."""
