"""A dead part is a told part: whatever ends its thread, health says so and it runs again; the watchdog wants proofs."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import http.client
import json
import os
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.app import App, build
from companion.errors import DeviceError
from companion.service import supervision
from companion.service.parts import Part
from companion.service.serving import LastingServer
from companion.service.supervision import Fall, Supervisor
from companion.settings import load as config
from companion.table.commands import EndSitting
from companion.table.writer import Table
from web.catalogue import texts

# An exception that comes up anywhere in a thread, in an import too, leaves things open.
pytestmark = [
    pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

FAULTS = bool(os.environ.get("PEGPIP_FAULTS"))
"""`make faults` takes the real times; elsewhere the machine may be busy."""
TOLD_WITHIN_S, BACK_WITHIN_S = (5.0, 10.0) if FAULTS else (30.0, 60.0)


class Unheard(BaseException):
    """Nobody catches this on purpose."""


def kill(name: str, with_: type[BaseException]) -> threading.Thread:
    """Have that exception come up in the thread of that name, wherever it is."""
    thread = next(thread for thread in threading.enumerate() if thread.name == name)
    assert thread.ident is not None
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(with_))
    return thread


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    if not FAULTS:
        supervision.LOOK_S, supervision.REPORTED_S = 0.2, 0.8
    settings = config.load(None, {
        "web": {"host": "127.0.0.1", "port": 0},
        "data": {"dir": str(tmp_path_factory.mktemp("data"))},
        "sound": {"effects": True},
    })  # fmt: skip
    app = build(settings, config.Origin(tmp_path_factory.mktemp("settings") / "pegpip.toml"))
    ready = threading.Event()
    running = threading.Thread(target=app.run, args=(ready.set,), name="main of the app")
    running.start()
    assert ready.wait(120)
    yield app
    app.server.stop()
    running.join(120)
    supervision.LOOK_S, supervision.REPORTED_S = 1.0, 6.0
    assert not running.is_alive()
    del app, running
    gc.collect()


@pytest.fixture(autouse=True)
def _left_here() -> Iterator[None]:
    """What a killed thread leaves behind is told when it is collected: here, and not in the middle of another test."""
    yield
    gc.collect()


def health(app: App) -> dict[str, Any]:
    link = http.client.HTTPConnection("127.0.0.1", app.door.port, timeout=BACK_WITHIN_S)
    link.request("GET", "/healthz")
    found: dict[str, Any] = json.loads(link.getresponse().read())["parts"]
    link.close()
    return found


def count(says: str) -> int:
    """How often a part was started again, as its health tells."""
    found = re.search(r"started again (\d+) times", says)
    return int(found[1]) if found else 0


def within(seconds: float, met: Callable[[], bool]) -> bool:
    ends_s = time.monotonic() + seconds
    while time.monotonic() < ends_s:
        try:
            if met():
                return True
        except OSError:
            pass
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("with_", [ValueError, SystemExit, Unheard], ids=lambda e: e.__name__)
@pytest.mark.parametrize(("thread", "part"), [("table", "table"), ("observer", "camera"), ("board", "strip")])
def test_a_part_that_is_killed_is_told_and_comes_back(
    app: App, thread: str, part: str, with_: type[BaseException]
) -> None:
    assert within(BACK_WITHIN_S, lambda: health(app)[part]["ok"])
    falls = count(health(app)[part]["says"])

    def told() -> bool:
        found = health(app)[part]
        return not found["ok"] or count(found["says"]) > falls  # a slow machine may see it only when it runs again

    killed = kill(thread, with_)
    assert within(TOLD_WITHIN_S, told), health(app)
    assert not killed.is_alive()
    assert within(BACK_WITHIN_S, lambda: health(app)[part]["ok"]), health(app)
    assert any(one.name == thread and one.is_alive() for one in threading.enumerate())
    assert "started again" in health(app)[part]["says"]


@pytest.mark.parametrize("with_", [RuntimeError, SystemExit, Unheard], ids=lambda e: e.__name__)
def test_the_pages_server_is_killed_and_comes_back(app: App, with_: type[BaseException]) -> None:
    before = threading.active_count()
    killed = kill("server", with_)
    while not within(1.0, lambda: not killed.is_alive()):
        with contextlib.suppress(StopIteration):  # it has ended just now
            kill("server", with_)  # it came up in a task, which kept it to itself
    assert within(BACK_WITHIN_S, lambda: "started again" in health(app)["pages"]["says"])
    assert within(BACK_WITHIN_S, lambda: threading.active_count() <= before + 2)


def test_every_part_that_can_fall_has_its_place_in_healthz(app: App) -> None:
    for part in app.parts:
        if part.alive is not None:
            app.supervisor._falls[part.name] = Fall(f"a probe of {part.name}", 1)
    causes = {f"a probe of {part.name}" for part in app.parts if part.alive is not None}

    def told() -> set[str]:
        says = " ".join(each["says"] for each in health(app).values())
        return {cause for cause in causes if cause in says}

    assert within(BACK_WITHIN_S, lambda: told() == causes), causes - told()


def test_every_part_in_healthz_has_a_name_on_the_page(app: App) -> None:
    assert {f"part.{name}" for name in health(app)} - texts("en").keys() == set()


def test_who_waits_for_a_writer_that_falls_is_told(tmp_path: Path) -> None:
    from companion.table.journal import Journal
    from companion.table.photos import Photos

    table = Table(Journal(tmp_path), Photos(tmp_path))
    table.start()
    assert table.answers(20.0)

    def fall(_: object) -> None:
        raise Unheard

    table._play.apply = fall  # type: ignore[method-assign]
    with pytest.raises(DeviceError, match="fallen"):
        table.submit(EndSitting(number=0))
    assert not table.answers(0.2)
    with pytest.raises(DeviceError, match="not running"):
        table.submit(EndSitting(number=0))
    del table._play.apply
    table.start()
    assert table.submit(EndSitting(number=0)).number == 1
    table.stop()


def test_a_reader_that_fails_is_told_until_it_can_follow_again(tmp_path: Path) -> None:
    from companion.table.journal import Journal
    from companion.table.photos import Photos

    table = Table(Journal(tmp_path), Photos(tmp_path))
    table.start()
    ill = [True]

    def read(*_: object) -> None:
        if ill:
            raise ZeroDivisionError("no lights")

    table.subscribe(read)
    table.submit(EndSitting(number=0))
    assert "ZeroDivisionError: no lights" in table.health()[1]
    ill.clear()
    table.submit(EndSitting(number=1))
    assert table.health()[0]
    table.stop()


class Clock:
    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def test_the_watchdog_is_fed_only_while_all_give_proof_of_life(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervision, "LOOK_S", 1.0)
    clock, fed = Clock(), list[float]()
    lives = {"the table": True, "the camera": True, "the pages": True}
    proofs = {name: (lambda name=name: lives[name]) for name in lives}
    supervisor = Supervisor((), proofs, lambda: fed.append(clock.now_s), 5.0, clock)
    for _ in range(10):
        clock.now_s += 1.0
        supervisor.step()
    assert fed == [4.0, 8.0]
    for name in lives:
        fed.clear()
        lives[name] = False
        for _ in range(10):
            clock.now_s += 1.0
            supervisor.step()
        assert fed == []
        lives[name] = True
        supervisor.step()
        assert len(fed) == 1


def test_a_part_that_cannot_be_started_again_is_told_why_until_it_can(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervision, "REPORTED_S", 6.0)
    clock, alive, refuse = Clock(), [True], ["The disk is gone. Put it back."]

    def start() -> None:
        if refuse:
            raise DeviceError(*refuse[0].split(". "))
        alive[0] = True

    supervisor = Supervisor((Part("table", start, lambda: None, lambda: alive[0]),), {}, lambda: None, None, clock)
    check = supervisor.telling("table", lambda: (True, "at entry 3"))
    supervisor.step()
    assert check() == (True, "at entry 3")
    alive[0] = False
    supervisor.step()
    assert check()[0] is False
    assert "The disk is gone" in check()[1]
    refuse.clear()
    supervisor.step()
    supervisor.step()
    assert "was started again" in check()[1]
    clock.now_s += 7.0
    assert check()[0]
    assert "started again 1 times" in check()[1]


def test_a_server_that_falls_is_followed_by_another_until_it_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.service.serving.PAUSE_S", 0.0)
    made = list[int]()

    class Falling:
        def run(self) -> None:
            if len(made) == 3:
                server._stopped.set()
            elif len(made) == 2:
                raise OSError("no socket")

        def stop(self) -> None:
            pass

        def answers(self, _: float) -> bool:
            return True

    def make(listening: socket.socket) -> Falling:
        listening.close()
        made.append(1)
        return Falling()

    server = LastingServer(socket.socket())
    server.run(make)
    assert len(made) == 3
    assert "started again 2 times" in server.health()[1]
