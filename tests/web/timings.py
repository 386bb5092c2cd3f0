"""How quick the pages are in Chromium: `make pages`.

    python -m tests.web.timings

Prints one JSON object in milliseconds; exit status 1 when a figure is over its limit in `LIMITS_MS`:

- `together_ms`: from the first to the last of four pages that show a change, at worst.
- `slow_phone_ms`: until a phone four times slower than this machine, on 1.6 Mbit/s, is ready; best of four.
- `update_ms`: to draw and lay out an update, at worst.
- `live_again_ms`: from the start of a table until a page that had lost it is live again.
- `first_throw_ms`: from the first start of a new table to the first scored throw, by phone.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.conftest import chromium_browser
from tests.system.running import Running
from tests.system.test_first_evening import first_throw
from tests.web.pub import ALONE, opened, served
from tests.web.test_whole_games import POINT_5, POINT_6, room, slow_phone, updated

LIMITS_MS = {
    "together_ms": 300,
    "slow_phone_ms": 1000,
    "update_ms": 1000 / 60,
    "live_again_ms": 5000,
    "first_throw_ms": 40_000,
}
PHONE = {"width": 390, "height": 844}
RELAID = """() => { const begun = performance.now(); document.body.offsetHeight;
  return [Number(document.documentElement.dataset.drawnMs), performance.now() - begun]; }"""


def together_ms(chromium: Any, folder: Path) -> float:
    """Play ten turns before four pages and return how far apart they showed a change, at worst."""
    with room(chromium, folder) as pub:
        pub.start("crib_dice")
        for _ in range(10):
            mine = pub.pub.table.snapshot().state["player"] == "Ann"  # type: ignore[index]
            pub.throw(*((6, 6, 6, 2, 2, 1, 4) if mine else (5, 5, 5, 2, 1, 4, 6)))
            pub.press(POINT_6 if mine else POINT_5)
            pub.press('{"do":"stop"}')
        return max(pub.apart_ms)


def slow_phone_ms(chromium: Any, folder: Path) -> float:
    """Open the scoreboard four times on a slow phone and return the shortest time until it is ready."""
    took_ms = []
    with opened(folder) as pub, served(pub) as address:
        pub.start()
        for _ in range(4):  # the best of them: what else the machine does meanwhile is no figure of the page
            page = slow_phone(chromium, address)
            took_ms.append(int(page.evaluate("document.documentElement.dataset.readyMs")))
            page.context.close()
    return min(took_ms)


def update_ms(chromium: Any, folder: Path) -> float:
    """Play some lines and return the longest time to draw and lay out one of them."""
    took_ms = []
    with opened(folder) as pub, served(pub) as address:
        number = pub.start()
        page = chromium.new_context(viewport=PHONE).new_page()
        page.goto(address)
        page.wait_for_selector('#live[data-live="yes"]')
        for _ in updated(page, pub, number):
            took_ms.append(sum(page.evaluate(RELAID)))
        page.context.close()
    return float(max(took_ms))


def live_again_ms(chromium: Any, folder: Path) -> float:
    """Stop a table and start another at its address; return the time from there until the page is live."""
    (folder / "a").mkdir()
    (folder / "b").mkdir()
    page = chromium.new_context(viewport=PHONE).new_page()
    with opened(folder / "a") as pub, served(pub, ALONE) as address:
        page.goto(address)
        page.wait_for_selector('#live[data-live="yes"]')
    page.wait_for_selector('#live[data-live="no"]')
    with opened(folder / "b") as again, served(again, (ALONE[0], int(address.rsplit(":", 1)[1]))):
        begun_s = time.monotonic()
        page.wait_for_selector('#live[data-live="yes"]')
        took_ms = 1000 * (time.monotonic() - begun_s)
    page.context.close()
    return took_ms


def first_throw_ms(chromium: Any, folder: Path) -> float:
    """Start a new table, set it up by phone and throw; return the time until the throw is scored."""
    begun_s = time.monotonic()
    with Running(folder) as table:
        host = first_throw(chromium, table)
        took_ms = 1000 * (time.monotonic() - begun_s)
        host.page.context.close()
    return took_ms


def main() -> int:
    """Measure everything; 1 when a figure is over its limit."""
    parts: tuple[Callable[[Any, Path], float], ...] = (
        together_ms, slow_phone_ms, update_ms, live_again_ms, first_throw_ms,
    )  # fmt: skip
    found = dict[str, float]()
    with chromium_browser() as chromium:
        for part in parts:
            with tempfile.TemporaryDirectory() as folder:
                found[part.__name__] = round(part(chromium, Path(folder)), 1)
    print(json.dumps(found))
    return 1 if any(found[name] > limit_ms for name, limit_ms in LIMITS_MS.items()) else 0


if __name__ == "__main__":
    sys.exit(main())
