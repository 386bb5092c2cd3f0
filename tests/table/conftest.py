"""Fixtures: a table in a folder of its own, its clock, and an evening."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.table.writer import Table
from tests.table.acting import Clock, Evening, table_in


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def table(tmp_path: Path, clock: Clock) -> Iterator[Table]:
    table = table_in(tmp_path, clock)
    table.start()
    yield table
    table.stop()


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    evening = Evening(tmp_path)
    yield evening
    evening.table.stop()
