"""How soon health tells that a part of the table has fallen, and how soon it works again: `make restarts`.

    python -m tests.system.restarts

The table runs in this process. Prints seconds for each part; exit status 1 when one is told later than 5 s or is back
later than 10 s.
"""

from __future__ import annotations

import contextlib
import ctypes
import http.client
import json
import re
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from companion.app import App, build
from companion.settings import load as config
from companion.settings.starting import Starting
from tests.waiting import PATIENCE_S, until

THREADS = {"table": "table", "observer": "camera", "board": "strip"}
"""Name of a thread, and of the part in /healthz that it runs."""
TOLD_WITHIN_S, BACK_WITHIN_S = 5.0, 10.0
RAISED_AGAIN_S = 1.0
"""Time in seconds that a thread has to end before its exception is raised again."""
WAITS_IN = frozenset({"_next", "frame", "select", "wait"})
"""Functions in which a thread waits for work and holds no lock. An exception while a thread waits for a lock comes when
it has it: raised in `Condition.__enter__`, before the `with` begins, it would leave the lock taken for ever."""
LOOKS, LOOK_S = 3, 0.002
"""Looks at a thread, and seconds between two, that must find it at the same instruction."""


@contextlib.contextmanager
def running_app(folder: Path) -> Iterator[App]:
    """Run a table with its data in `folder`, and stop it at the end."""
    settings = config.load(None, {
        "web": {"host": "127.0.0.1", "port": 0},
        "data": {"dir": str(folder)},
        "sound": {"effects": True},
    })  # fmt: skip
    app = build(Starting(settings, config.Origin(folder / "pegpip.toml")))
    ready = threading.Event()
    running = threading.Thread(target=app.run, args=(ready.set,), name="main of the app")
    running.start()
    try:
        assert ready.wait(PATIENCE_S)
        yield app
    finally:
        app.server.stop()
        running.join(PATIENCE_S)
    assert not running.is_alive()


def kill(name: str, with_: type[BaseException]) -> threading.Thread:
    """End the thread of that name with an exception of this type, raised where it waits for work.

    The exception is raised again while the thread lives: code that outlives faults on purpose may have caught it.
    Raises AssertionError, with the thread's stack, if it lives on for PATIENCE_S.
    """
    thread = next(thread for thread in threading.enumerate() if thread.name == name)
    ident = thread.ident
    assert ident is not None

    def ended() -> bool:
        if waits(ident):
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), ctypes.py_object(with_))
            thread.join(RAISED_AGAIN_S)
        return not thread.is_alive()

    if not until(ended):
        stack = "".join(traceback.format_stack(sys._current_frames().get(ident)))
        raise AssertionError(f"The thread {name} survives {with_.__name__}; it is at\n{stack}")
    return thread


def waits(thread: int) -> bool:
    """Return whether a thread stays at one instruction of `WAITS_IN`, as in a blocking call, for `LOOKS` looks."""
    seen = set[tuple[int, int]]()
    for _ in range(LOOKS):
        frame = sys._current_frames().get(thread)
        if frame is None or frame.f_code.co_name not in WAITS_IN:
            return False
        seen.add((id(frame), frame.f_lasti))
        time.sleep(LOOK_S)
    return len(seen) == 1


def health(app: App) -> dict[str, Any]:
    """Return the parts of the table as /healthz tells them."""
    link = http.client.HTTPConnection("127.0.0.1", app.door.port, timeout=PATIENCE_S)
    link.request("GET", "/healthz")
    found: dict[str, Any] = json.loads(link.getresponse().read())["parts"]
    link.close()
    return found


def count(says: str) -> int:
    """Return how often a part was started again, from what its health says."""
    found = re.search(r"started again (\d+) time", says)
    return int(found[1]) if found else 0


def measured(app: App, thread: str, part: str) -> dict[str, float]:
    """Kill a thread, and return after how many seconds its part is told to be ill (`told_s`) and well (`back_s`)."""
    assert until(lambda: health(app)[part]["ok"])
    begun_s = time.monotonic()
    kill(thread, ValueError)
    assert until(lambda: not health(app)[part]["ok"])
    told_s = time.monotonic() - begun_s
    assert until(lambda: health(app)[part]["ok"] or "was started again" in health(app)[part]["says"])
    return {"told_s": round(told_s, 2), "back_s": round(time.monotonic() - begun_s, 2)}


def main() -> int:
    """Measure every part; 1 when one is told or back too late."""
    with tempfile.TemporaryDirectory() as folder, running_app(Path(folder)) as app:
        found = {part: measured(app, thread, part) for thread, part in THREADS.items()}
    print(json.dumps(found))
    late = any(took["told_s"] > TOLD_WITHIN_S or took["back_s"] > BACK_WITHIN_S for took in found.values())
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
