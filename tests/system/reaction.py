"""How soon a throw is on the page: `make reaction`. From when the last die lay still to when Chromium has drawn it.

    python -m tests.system.reaction --throws 50 [--load] [--set data.evidence_percent=0 mqtt.host=127.0.0.1]

The table runs in this process, so that the moment of rest is taken from the simulated dice themselves: the middle of
the last frame's time in which one moved by a tenth of a millimetre or half a degree. The page notes when the frame that
shows the throw is drawn. With `--load` another process keeps asking for figures, and fifty phones listen.
`--set` measures the table with other settings, for example with its MQTT broker and its league.
"""

from __future__ import annotations

import argparse
import json
import platform
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import sync_playwright

from companion.app import App, build
from companion.settings.load import Origin, load
from companion.settings.starting import Starting
from companion.table.commands import Answer, PlayLine
from companion.table.writer import Table
from vision.cameras.simulated.tray import Pose, VirtualTray

PROMISED_S = 0.25
PATIENCE_MS = 30_000
VIEWERS = 50
LOAD = (sys.executable, "-m", "tests.system.reaction", "--be-load")
HEAVY = ("/api/evening/players", "/api/evening/dice", "/api/evening", "/api/advice")
MOVED_MM, TURNED = 0.1, 0.01
NOTE = """() => { window.drawn = {}; const root = document.documentElement;
new MutationObserver(() => { const number = root.dataset.number;
  requestAnimationFrame(() => setTimeout(() => { drawn[number] ??= performance.timeOrigin + performance.now(); })); })
  .observe(root, { attributes: true, attributeFilter: ["data-number"] }); }"""


class Rest:
    """When the dice of a tray last moved, in seconds since 1970."""

    def __init__(self, tray: VirtualTray) -> None:
        self.at_s = 0.0
        self._advance, self._before = tray.advance, tuple[Pose, ...]()
        self._from_s = time.time()
        tray.advance = self._noted  # type: ignore[method-assign]

    def _noted(self, seconds: float) -> tuple[Pose, ...]:
        poses, now_s = self._advance(seconds), time.time()
        if len(poses) != len(self._before) or any(map(_moved, self._before, poses)):
            self.at_s = now_s - seconds / 2
        self._before = poses
        return poses


def _moved(one: Pose, other: Pose) -> bool:
    apart_mm, turned = np.abs(one.at_mm - other.at_mm).max(), np.abs(one.rotation - other.rotation).max()
    return bool(apart_mm > MOVED_MM or turned > TURNED)


def measured(throws: int, *, loaded: bool, changed: Sequence[str] = ()) -> list[float]:
    """Seconds from rest to the page, of each throw that was read without a question.

    Args:
        throws: How many such throws are measured.
        loaded: Whether another process asks for figures meanwhile, and fifty phones listen.
        changed: Settings that differ from their defaults, each as `section.key=value`.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        web = {"host": "127.0.0.1", "port": 0}
        tree = _with(changed, {"web": web, "data": {"dir": str(folder)}, "table": {"players": ["Ann", "Ben"]}})
        settings = load(None, tree)
        app = build(Starting(settings, Origin(folder / "pegpip.toml")))
        table, tray = _parts_of(app)
        ready = threading.Event()
        serving = threading.Thread(target=app.run, args=(ready.set,))
        serving.start()
        stack.callback(serving.join)
        stack.callback(app.server.stop)
        assert ready.wait(60)
        if loaded:
            load_from = subprocess.Popen([*LOAD, str(app.door.port)])
            stack.callback(load_from.wait)
            stack.callback(load_from.terminate)
        browser = stack.enter_context(sync_playwright()).chromium.launch(executable_path=shutil.which("chromium"))
        stack.callback(browser.close)
        page = browser.new_page(viewport={"width": 390, "height": 844})
        page.goto(f"http://127.0.0.1:{app.door.port}/")
        page.wait_for_selector('#live[data-live="yes"]', timeout=PATIENCE_MS)
        page.evaluate(NOTE)
        return _thrown(table, tray, page, throws)


def _with(changed: Sequence[str], tree: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Settings by section and key, with each `section.key=value` added; a value is JSON, or else text."""
    for setting in changed:
        name, _, text = setting.partition("=")
        section, _, key = name.partition(".")
        try:
            value = json.loads(text)
        except ValueError:
            value = text
        tree = {**tree, section: {**tree.get(section, {}), key: value}}
    return tree


def _thrown(table: Table, tray: VirtualTray, page: Any, throws: int) -> list[float]:
    rest, took_s = Rest(tray), list[float]()
    while len(took_s) < throws:
        number = table.snapshot().number
        tray.lift()
        tray.throw()
        deadline_s = time.monotonic() + PATIENCE_MS / 1000
        while table.snapshot().number == number and table.snapshot().question is None:
            assert time.monotonic() < deadline_s, table.snapshot().notice
            page.wait_for_timeout(20)
        now = table.snapshot()
        if now.question is not None:
            table.submit(Answer(question=now.question.id, values=None))  # a doubt is no figure
            continue
        page.wait_for_function("(number) => number in drawn", arg=str(now.number), timeout=PATIENCE_MS)
        took_s.append(page.evaluate("(number) => drawn[number]", str(now.number)) / 1000 - rest.at_s)
        table.submit(PlayLine(number=now.number, line={"undo": 1}))
        print(
            f"\r{len(took_s)} of {throws} throws", end="" if len(took_s) < throws else "\n", file=sys.stderr, flush=True
        )
    return took_s


def _parts_of(app: App) -> tuple[Table, VirtualTray]:
    """The table and the virtual tray inside it."""
    observer = next(part for part in app.parts if part.name == "observer").start.__self__  # type: ignore[attr-defined]
    table = next(part for part in app.parts if part.name == "table").start.__self__  # type: ignore[attr-defined]
    return table, observer._watcher._camera.source.tray


def be_load(port: int) -> None:
    """Fifty phones that listen, and one that asks for figures again and again; until terminated."""
    ask = b"GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
    streams = [socket.create_connection(("127.0.0.1", port)) for _ in range(VIEWERS)]
    for stream in streams:
        stream.sendall(ask % b"/api/events")
        threading.Thread(target=_drained, args=(stream,), daemon=True).start()
    while True:
        for path in HEAVY:
            with socket.create_connection(("127.0.0.1", port)) as link:
                link.sendall(ask % path.encode())
                _drained(link)


def _drained(link: socket.socket) -> None:
    while link.recv(65536):
        pass


def main(arguments: Sequence[str]) -> int:
    """Exit status 1 when the median of a quiet machine is over what is promised."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--throws", type=int, default=50)
    words.add_argument("--load", action="store_true")
    words.add_argument("--set", nargs="+", default=[], metavar="SECTION.KEY=VALUE")
    words.add_argument("--be-load", type=int, metavar="PORT", help=argparse.SUPPRESS)
    given = words.parse_args(arguments)
    if given.be_load:
        be_load(given.be_load)
    took_s = sorted(measured(given.throws, loaded=given.load, changed=given.set))
    median_s = statistics.median(took_s)
    figures = {"throws": len(took_s), "median_s": median_s, "fastest_s": took_s[0], "slowest_s": took_s[-1]}
    told = {key: round(value, 3) for key, value in figures.items()}
    print(json.dumps({**told, "load": given.load, "machine": f"{platform.machine()}, {platform.system()}"}))
    return 0 if given.load or median_s <= PROMISED_S else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
