"""Fixtures of the web's tests: an open pub."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pub import Pub, opened


@pytest.fixture
def pub(tmp_path: Path) -> Iterator[Pub]:
    with opened(tmp_path) as place:
        yield place
