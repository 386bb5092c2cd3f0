"""Lets tests import the project from the repository root, begins with the slow ones, and opens Chromium."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import hypothesis
import pytest

EXPLORING = bool(os.environ.get("PEGPIP_EXPLORE"))
hypothesis.settings.register_profile(
    "alike",  # a busy machine is no failure, and what fails fails for everybody: `make explore` tries other examples
    deadline=None,
    database=None,
    derandomize=not EXPLORING,
    max_examples=1000 if EXPLORING else 100,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("alike")

PATIENCE_MS = 120_000
"""Far more than a busy machine needs: the tests in Chromium say what happens, not how fast."""
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture(scope="session", autouse=True)
def own_state(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep what tables remember outside their data folders out of the home of whoever tests."""
    os.environ["XDG_STATE_HOME"] = str(tmp_path_factory.mktemp("state"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Slow tests first: what is left at the end is then short enough to be shared between the workers."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def patient(opening: Callable[..., Any]) -> Callable[..., Any]:
    """Opens a page, or a context for pages, that waits with patience for whatever is looked for on it."""

    def opened(**options: Any) -> Any:
        made = opening(**options)
        made.set_default_timeout(PATIENCE_MS)
        return made

    return opened


@contextlib.contextmanager
def chromium_browser() -> Iterator[Any]:
    """Run Chromium, headless, with patient pages."""
    from playwright import sync_api

    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for opener in ("new_context", "new_page"):
            setattr(browser, opener, patient(getattr(browser, opener)))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A running Chromium. Without one the test is skipped; in CI (`CI=true`) that is a failure."""
    if CHROMIUM is None:
        if os.environ.get("CI") == "true":
            pytest.fail("Chromium is missing; .ci/run installs it.")
        pytest.skip("needs Chromium on the PATH")
    pytest.importorskip("playwright.sync_api")
    with chromium_browser() as browser:
        yield browser
