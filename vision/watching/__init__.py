"""Watching: stillness detection, agreement of readings, and which settled readings are new throws."""
