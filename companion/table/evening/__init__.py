"""The games of one evening as values: records, archive, sitting and statistics."""
