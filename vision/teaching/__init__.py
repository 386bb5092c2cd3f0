"""Learning a set of dice: labelled faces, and the witness that compares a reading with them."""
