"""The table and clock fixtures of `tests/table`, for tests of the bot."""

from tests.table.conftest import clock, evening, table

__all__ = ["clock", "evening", "table"]
