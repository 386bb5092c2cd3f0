"""The league: a table's outbox and sender, and the server that counts the games of many tables in PostgreSQL."""
