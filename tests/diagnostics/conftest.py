"""Fixture of the diagnostics: a guided first evening whose person skips the throws."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnostics.guided import Someone, Table


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path, person=Someone(skips=("Throws",)))
