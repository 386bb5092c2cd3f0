"""The games and the table: rules, sessions, settings and the command line."""
