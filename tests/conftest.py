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


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin each worker's share with slow tests: what is left at the end is then short enough to be shared."""
    workers = getattr(config, "workerinput", {}).get("workercount", 1)
    slow = [item for item in items if item.get_closest_marker("slow")]
    quick = [item for item in items if not item.get_closest_marker("slow")]
    share = -(-len(quick) // workers)
    items[:] = [one for at in range(workers) for one in (*slow[at::workers], *quick[at * share : (at + 1) * share])]


def patient(opening: Callable[..., Any]) -> Callable[..., Any]:
    """Opens a page, or a context for pages, that waits with patience for whatever is looked for on it."""

    def opened(**options: Any) -> Any:
        made = opening(**options)
        made.set_default_timeout(PATIENCE_MS)
        return made

    return opened


def lending(browser: Any) -> Any:
    """Have a browser lend a closed context again, wiped: its next page costs less than half of one in a new context.

    A blank page in each keeps its processes alive. A context with the attribute `spent` is closed for good.
    """
    make, idle = browser.new_context, dict[str, list[Any]]()

    def new_context(**options: Any) -> Any:
        alike = idle.setdefault(repr(sorted(options.items())), [])
        if alike:
            return alike.pop()
        context = make(**options)
        close, blank = context.close, context.new_page()

        def closed() -> None:
            if getattr(context, "spent", False):
                close()
            elif context not in alike:
                wipe(context, blank)
                alike.append(context)

        context.close = closed
        return context

    def new_page(**options: Any) -> Any:
        page = new_context(**options).new_page()
        page.close = page.context.close
        return page

    browser.new_context, browser.new_page = new_context, new_page
    return browser


def wipe(context: Any, blank: Any) -> None:
    """Close the pages of a context but `blank`, and remove the cookies and all else that they have stored."""
    for page in context.pages:
        if page is blank:
            continue
        if page.url.startswith("http"):
            origin = "/".join(page.url.split("/")[:3])
            stored = {"origin": origin, "storageTypes": "all"}
            context.new_cdp_session(page).send("Storage.clearDataForOrigin", stored)
        type(page).close(page)
    context.clear_cookies()


@contextlib.contextmanager
def chromium_browser() -> Iterator[Any]:
    """Run Chromium, headless, with patient pages."""
    from playwright import sync_api

    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
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
        yield lending(browser)
