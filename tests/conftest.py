"""Shared by all tests: the settings of Hypothesis, the order of tests, and a running Chromium."""

from __future__ import annotations

import contextlib
import gc
import os
import shutil
from collections.abc import Callable, Generator, Iterator
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
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as `pegpip` does; NumPy, which reads it, is imported later
os.environ.setdefault("OPENCV_FOR_THREADS_NUM", "1")  # the same for OpenCV: each worker has one core at most

PATIENCE_MS = 120_000
"""Longest wait in Chromium, in milliseconds: far more than a busy machine needs, as these tests claim no speed."""
UNUSED = (
    "AimEnabled", "AvoidCorsURLLoaderRestartOnRedirect", "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose", "HttpsFirstBalancedModeAutoEnable", "HttpsUpgrades", "LensOverlay", "MediaRouter",
    "NetworkTimeServiceQuerying", "OptimizationHints", "PaintHolding", "PreconnectToSearch",
    "ThirdPartyStoragePartitioning", "SpareRendererForSitePerProcess", "WebUIOmniboxAimPopup", "WebUIOmniboxPopup",
)  # fmt: skip
"""Features of Chromium to turn off: those of Playwright's list, which this one replaces, and three that cost each new
phone as much time as its page: the two pages of the address bar, which no test sees, and a process to spare."""
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture(scope="session", autouse=True)
def own_state(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Let tables keep their state outside the data folder (XDG_STATE_HOME) in a temporary folder, not in the home."""
    os.environ["XDG_STATE_HOME"] = str(tmp_path_factory.mktemp("state"))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect the tests with Python's garbage collector off; from then on it leaves out what exists already.

    Else it would search the modules, tables and thousands of tests again and again while they are made, and later.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put slow tests at the beginning of each xdist worker's share, so that all workers end at about the same time."""
    workers = getattr(config, "workerinput", {}).get("workercount", 1)
    slow = [item for item in items if item.get_closest_marker("slow")]
    quick = [item for item in items if not item.get_closest_marker("slow")]
    share = -(-len(quick) // workers)
    items[:] = [one for at in range(workers) for one in (*slow[at::workers], *quick[at * share : (at + 1) * share])]


def patient(opening: Callable[..., Any]) -> Callable[..., Any]:
    """Return `opening` (Playwright's `new_page` or `new_context`) with a timeout of `PATIENCE_MS` for what it opens."""

    def opened(**options: Any) -> Any:
        made = opening(**options)
        made.set_default_timeout(PATIENCE_MS)
        return made

    return opened


@contextlib.contextmanager
def chromium_browser() -> Iterator[Any]:
    """Yield a headless Chromium whose pages wait for up to `PATIENCE_MS`; close it afterwards."""
    from playwright import sync_api

    with sync_api.sync_playwright() as playwright:
        args = ["--no-sandbox", "--disable-gpu", "--in-process-gpu", f"--disable-features={','.join(UNUSED)}"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=args)
        for opener in ("new_context", "new_page"):
            setattr(browser, opener, patient(getattr(browser, opener)))
        yield browser
        browser.close()


@pytest.fixture
def chromium(browser: Any) -> Iterator[Any]:
    """Yield the running Chromium; close the pages that the test has opened in it."""
    before = list(browser.contexts)
    yield browser
    for context in [each for each in browser.contexts if each not in before]:
        context.close()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Yield a running Chromium. Skip the test if none is installed; fail it then in CI (`CI=true`)."""
    if CHROMIUM is None:
        if os.environ.get("CI") == "true":
            pytest.fail("Chromium is missing; .ci/run installs it.")
        pytest.skip("needs Chromium on the PATH")
    pytest.importorskip("playwright.sync_api")
    with chromium_browser() as running:
        yield running
