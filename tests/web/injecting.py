"""A page in Chromium that shows the snapshots that a test injects; a real server gives it only its files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from companion.table.snapshot import Snapshot
from tests.waiting import RETRIES
from tests.web.pub import PIN, Pub

PHOTO = Path(__file__).resolve().parents[2] / "fixtures" / "images" / "blurred.jpg"
FED = """
(() => {
  const fetched = window.fetch, later = window.setTimeout, coder = new TextEncoder();
  let open = null, pulse = 1000;
  window.fetch = (what, options) => {
    if (what !== "/api/events") return fetched(what, options);
    if (window.lost) return Promise.reject(new TypeError("lost"));
    return Promise.resolve(new Response(new ReadableStream({ start(controller) { open = controller; } })));
  };
  setInterval(() => { try { open?.enqueue(coder.encode(": alive\\n\\n")); } catch { open = null; } }, 500);
  const told = (snapshot) => `data: ${JSON.stringify({ ...snapshot, pulse: pulse += 1 })}\\n\\n`;
  const quiet = (snapshot) => told({ ...snapshot, events: [{ number: snapshot.number, code: "undone", args: {} }] });
  window.show = async (snapshot, happens) => {
    const root = document.documentElement.dataset;
    delete root.shownMs; // the page says it anew when it has drawn
    const calm = { ...snapshot, events: snapshot.events.map((each) => ({ ...each, cheered: false })) };
    const taken = document.querySelector("#moment:not([hidden])"); // what still holds the stage is taken back first
    const before = happens ? quiet({ ...snapshot, number: snapshot.number - 1 }) : taken ? quiet(snapshot) : "";
    open.enqueue(coder.encode(before + told(happens ? snapshot : calm)));
    while (root.shownMs === undefined) await new Promise((done) => later(done));
  };
  window.lose = (lost) => { window.lost = lost; if (lost) { open?.error(new Error("lost")); open = null; } };
})();
"""
WATCH_STAGE = """() => { const box = document.getElementById("moment");
  const words = (part) => box.querySelector(part).innerText;
  const look = () => {
    if (!box.hidden) window.staged ??= { cried: words(".cried"), dice: box.querySelector(".dice").ariaLabel,
      boxes: [...document.querySelectorAll("#moment, #wood")].map((each) => each.getBoundingClientRect().toJSON()) }; };
  window.staged = null;
  new MutationObserver(look).observe(box, { attributes: true }); }"""


def stop_clock(page: Any) -> None:
    """Stop the timers of a page and of later pages in its context; `page.clock.run_for` moves them on."""
    page.clock.install(time=0)
    page.clock.pause_at(1)


def watch_stage(page: Any) -> None:
    """Make a page record the next moment on its stage, which may be over before a test looks; `staged` returns it."""
    page.evaluate(WATCH_STAGE)


def staged(page: Any) -> Any:
    """Wait for the moment that `watch_stage` records: its headline `cried`, its `dice`, `boxes` of stage and track."""
    return page.wait_for_function("() => window.staged").json_value()


class FedPage:
    """A page that shows the snapshots that a test injects.

    Attributes:
        page: Playwright's page.
        problems: Exceptions that its scripts have raised.

    Args:
        paired: Whether its phone is paired, by PIN as a player.
        owner_of: A pub that makes its paired phones owners before the page opens.
    """

    def __init__(
        self,
        chromium: Any,
        address: str,
        path: str,
        language: str = "en",
        paired: bool = False,
        owner_of: Pub | None = None,
    ) -> None:
        self.problems: list[str] = []
        context = chromium.new_context(reduced_motion="reduce")
        context.add_cookies([{"name": "lang", "value": language, "url": address}])
        if paired:
            assert context.request.post(
                f"{address}/api/pair", data={"pin": PIN, "name": "Host"}, max_retries=RETRIES
            ).ok
        if owner_of is not None:
            owner_of.make_owners()
        self.page = context.new_page()
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.add_init_script(FED)
        for photo in ("**/api/throws/*.jpg", "**/api/question.jpg*", "**/api/tray.jpg"):
            self.page.route(photo, lambda route: route.fulfill(path=PHOTO))
        self.page.route("**/api/throws", lambda route: route.abort())  # of a game that the table does not know
        self.go(address + path)

    def go(self, url: str) -> None:
        """Go to a page, and wait until it is live."""
        self.page.goto(url)
        self.page.wait_for_selector('#live[data-live="yes"]')

    def show(self, snapshot: Snapshot, *, happens: bool = False) -> None:
        """Make the page draw a snapshot. Its events appear on the stage only if `happens`: they are new then."""
        json = msgspec.json.encode(snapshot).decode()  # Playwright passes a text much faster than a dict
        self.page.evaluate("([json, happens]) => show(JSON.parse(json), happens)", [json, happens])

    def lose(self) -> None:
        """Cut the page off from the table until `find`, and wait until it shows that."""
        self.page.evaluate("lose(true)")
        self.page.wait_for_selector('#live[data-live="no"]')

    def find(self) -> None:
        """Let a page that was cut off reach the table again, and wait until it does."""
        self.page.evaluate("lose(false); dispatchEvent(new Event('online'))")
        self.page.wait_for_selector('#live[data-live="yes"]')

    def close(self) -> None:
        """Close the page and its context."""
        self.page.context.close()
