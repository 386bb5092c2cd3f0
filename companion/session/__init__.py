"""One table, one evening: the single writer, its journal, and what the tray says turned into lines."""
