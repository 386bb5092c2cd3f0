"""Moving house: everything there is in one file, and back."""
