"""From frames to readings: finds dice and reads their pips; knows dice, no game."""
