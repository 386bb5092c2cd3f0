"""Fixtures of the web's tests: a pub, its pages on phones, and a pub with a long name and its own Wi-Fi."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.web.injecting import FedPage
from tests.web.measuring import ADDRESSES, TABLE_NAME
from tests.web.phones import visit, with_a_past
from tests.web.pub import Pub, opened, served


@pytest.fixture
def pub(tmp_path: Path) -> Iterator[Pub]:
    with opened(tmp_path) as place:
        yield place


@pytest.fixture
def address(pub: Pub) -> Iterator[str]:
    """Serve `pub` by the real server, and yield its URL."""
    with served(pub) as url:
        yield url


@pytest.fixture
def visiting(chromium: Any, address: str) -> Callable[..., Any]:
    """Return a function that opens a path of `pub` on a new phone in Chromium, and returns the live page (`visit`)."""
    return lambda path, *how, **more: visit(chromium, address + path, *how, **more)


@pytest.fixture
def past(tmp_path: Path) -> Iterator[Pub]:
    """Yield a pub with past games. A module whose `pub` it is overrides that fixture."""
    with with_a_past(tmp_path) as place:
        yield place


@pytest.fixture(scope="module")
def fed_page(browser: Any, site: tuple[str, Pub]) -> Iterator[Callable[..., FedPage]]:
    """Return a function that returns the module's page of a path of `site`, for snapshots that tests inject.

    It opens the page only once for the same arguments, and scrolls it to the top.
    """
    pages: dict[Any, FedPage] = {}

    def opened_page(path: str, size: tuple[int, int], language: str = "en", paired: bool = False) -> FedPage:
        key = path, language, paired
        if key not in pages:
            pages[key] = FedPage(browser, site[0], *key)
        pages[key].page.set_viewport_size({"width": size[0], "height": size[1]})
        pages[key].page.evaluate("scrollTo(0, 0)")
        return pages[key]

    yield opened_page
    for each in pages.values():
        each.close()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Pub]]:
    """Yield the address of a served pub with a long name and its own Wi-Fi, and the pub."""
    folder = tmp_path_factory.mktemp("layout")
    with opened(folder, addresses=ADDRESSES, name=TABLE_NAME, evening=True, review=True) as pub, served(pub) as address:
        pub.host()
        yield address, pub
