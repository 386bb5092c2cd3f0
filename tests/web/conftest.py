"""Fixtures of the web's tests: a pub, and one with a long name and its own Wi-Fi that a real server serves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.history.export import PastGames
from companion.history.review import Review
from tests.web.measuring import ADDRESSES, TABLE_NAME
from tests.web.pub import Pub, opened, served


@pytest.fixture
def pub(tmp_path: Path) -> Iterator[Pub]:
    with opened(tmp_path) as place:
        yield place


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Pub]]:
    folder = tmp_path_factory.mktemp("layout")
    having: dict[str, Any] = {"evening": PastGames(folder), "review": Review(folder)}
    with opened(folder, addresses=ADDRESSES, name=TABLE_NAME, **having) as pub, served(pub) as address:
        pub.host()
        yield address, pub
