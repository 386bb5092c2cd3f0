"""The table and clock fixtures of `tests/table`, for the players that sit at it."""

from tests.table.conftest import clock, evening, table

__all__ = ["clock", "evening", "table"]
