"""What a table was taught about a set of dice: labelled faces, and the witness that compares a reading with them."""
