"""The table and clock fixtures of `tests/table`, for what is told of its games."""

from tests.table.conftest import clock, evening, table

__all__ = ["clock", "evening", "table"]
