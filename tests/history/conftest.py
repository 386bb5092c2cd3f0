"""The table and clock fixtures of `tests/table`, for tests of past games."""

from tests.table.conftest import clock, evening, table

__all__ = ["clock", "evening", "table"]
