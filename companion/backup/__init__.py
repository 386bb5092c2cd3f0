"""A table in one file: exporting everything it has, and importing it again."""
