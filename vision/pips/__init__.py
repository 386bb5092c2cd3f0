"""Pips found and fitted to the six layouts: the witness."""
