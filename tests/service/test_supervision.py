"""Supervision: a part whose thread ends is reported and restarted; the watchdog is notified only while all respond."""

from __future__ import annotations

import gc
import shutil
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from companion.app import App
from companion.errors import DeviceError
from companion.service import supervision
from companion.service.parts import Part
from companion.service.serving import LastingServer
from companion.service.supervision import Supervisor
from companion.table.commands import EndSitting
from companion.table.journal.recovery import REPORT
from tests.system.restarts import count, health, kill, running_app, waits
from tests.table.acting import Clock, table_in
from tests.waiting import PATIENCE_S, until
from web.catalogue import texts

# An exception that comes up anywhere in a thread, in an import too, leaves things open.
pytestmark = [
    pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


class Unheard(BaseException):
    """Nobody catches this on purpose."""


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    supervision.CHECK_EVERY_S, supervision.SHOWN_AFTER_RESTART_S = 0.2, 0.8
    with running_app(tmp_path_factory.mktemp("data")) as app:
        yield app
    supervision.CHECK_EVERY_S, supervision.SHOWN_AFTER_RESTART_S = 1.0, 6.0
    del app
    gc.collect()


@pytest.fixture(autouse=True)
def _left_here() -> Iterator[None]:
    """What a killed thread leaves behind is told when it is collected: here, and not in the middle of another test."""
    yield
    gc.collect()


@pytest.mark.parametrize("with_", [ValueError, SystemExit, Unheard], ids=lambda e: e.__name__)
@pytest.mark.parametrize(("thread", "part"), [("table", "table"), ("observer", "camera"), ("board", "strip")])
def test_supervision_reports_and_restarts_a_part_whose_thread_is_killed(
    app: App, thread: str, part: str, with_: type[BaseException]
) -> None:
    assert until(lambda: health(app)[part]["ok"])
    falls = count(health(app)[part]["says"])

    def told() -> bool:
        found = health(app)[part]
        return not found["ok"] or count(found["says"]) > falls  # a slow machine may see it only when it runs again

    kill(thread, with_)
    assert until(told), health(app)
    assert until(lambda: health(app)[part]["ok"]), health(app)
    assert any(one.name == thread and one.is_alive() for one in threading.enumerate())
    assert "started again" in health(app)[part]["says"]


@pytest.mark.parametrize("with_", [RuntimeError, SystemExit, Unheard], ids=lambda e: e.__name__)
def test_a_crashed_web_server_is_restarted_and_its_old_threads_end(app: App, with_: type[BaseException]) -> None:
    crashes = count(health(app)["pages"]["says"])
    theirs = [thread for thread in threading.enumerate() if thread.name == "server" or thread.name.startswith("WSGI_")]
    kill("server", with_)
    assert until(lambda: count(health(app)["pages"]["says"]) > crashes)
    assert until(lambda: not any(thread.is_alive() for thread in theirs))


def test_the_helper_that_kills_idle_threads_does_not_count_a_thread_waiting_for_a_lock_as_idle() -> None:
    lock = threading.Condition()

    def take() -> None:
        with lock:
            pass

    thread = threading.Thread(target=take)
    with lock:
        thread.start()
        assert thread.ident is not None
        assert until(lambda: sys._current_frames()[thread.ident or 0].f_code.co_name == "__enter__")
        assert not waits(thread.ident)
    thread.join()


def test_healthz_shows_why_a_supervised_part_could_not_start(app: App) -> None:
    def refuse(cause: str) -> None:
        raise OSError(cause)

    causes = {part.name: f"a probe of {part.name}" for part in app.parts if part.alive is not None}
    assert causes.keys() >= {"table", "board", "observer"}
    for part in app.parts:
        if part.name in causes:
            app.supervisor.begin(replace(part, start=partial(refuse, causes[part.name]), needed=False))

    def told() -> set[str]:
        says = " ".join(each["says"] for each in health(app).values())
        return {name for name, cause in causes.items() if cause in says}

    assert until(lambda: told() == causes.keys()), causes.keys() - told()


def test_english_page_texts_include_a_name_for_every_part_in_the_health_check(app: App) -> None:
    assert {f"part.{name}" for name in health(app)} - texts("en").keys() == set()


def test_an_unreviewed_journal_recovery_fails_its_own_health_check_but_not_the_journals(app: App) -> None:
    """An update waits for a journal that is well, and nobody need have looked over the recovered one by then."""
    aside = app.settings.data.folder / "damaged-1"
    aside.mkdir()
    (aside / REPORT).write_text("Entry 7 is missing.")
    found = health(app)
    shutil.rmtree(aside)
    assert found["journal"]["ok"]
    assert not found["recovery"]["ok"]
    assert "Entry 7 is missing." in found["recovery"]["says"]
    assert health(app)["recovery"]["ok"]


def test_a_submitted_command_gets_an_error_when_the_writer_thread_crashes(tmp_path: Path) -> None:
    table = table_in(tmp_path)
    table.start()
    assert table.answers(PATIENCE_S)

    def fall(*_: object) -> None:
        raise Unheard

    with pytest.MonkeyPatch.context() as fallen:
        fallen.setattr("companion.table.writer.decide", fall)
        with pytest.raises(DeviceError, match="crashed"):
            table.submit(EndSitting(number=0))
    assert not table.answers(0.2)
    with pytest.raises(DeviceError, match="not running"):
        table.submit(EndSitting(number=0))
    table.start()
    assert table.submit(EndSitting(number=0)).number == 1
    table.stop()


def test_table_health_reports_a_failing_snapshot_subscriber_until_it_works_again(tmp_path: Path) -> None:
    table = table_in(tmp_path)
    table.start()
    ill = [True]

    def read(*_: object) -> None:
        if ill:
            raise ZeroDivisionError("no lights")

    table.subscribe(read)
    table.submit(EndSitting(number=0))
    assert not table.health()[0]
    assert "ZeroDivisionError: no lights" in table.health()[1]
    ill.clear()
    table.submit(EndSitting(number=1))
    assert table.health()[0]
    table.stop()


def test_the_systemd_watchdog_is_notified_only_while_all_parts_respond(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervision, "CHECK_EVERY_S", 1.0)
    clock, fed = Clock(), list[float]()
    lives = {"the table": True, "the camera": True, "the pages": True}
    must_respond = {name: (lambda name=name: lives[name]) for name in lives}
    supervisor = Supervisor((), must_respond, lambda: fed.append(clock.now_s), 5.0, clock)
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


def test_supervision_reports_a_components_restart_error_until_it_runs_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervision, "SHOWN_AFTER_RESTART_S", 6.0)
    clock, alive, refuse = Clock(), [True], ["The disk is gone. Put it back."]

    def start() -> None:
        if refuse:
            raise DeviceError(*refuse[0].split(". "))
        alive[0] = True

    supervisor = Supervisor((Part("table", start, lambda: None, lambda: alive[0]),), {}, lambda: None, None, clock)
    check = supervisor.supervised("table", lambda: (True, "at entry 3"))
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
    assert "started again 1 time," in check()[1]


def test_supervision_counts_each_crash_of_a_part_that_crashes_again_before_the_next_check(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fault: the owner saw the first cause for good, counted once."""
    monkeypatch.setattr(supervision, "SHOWN_AFTER_RESTART_S", 6.0)
    clock, causes, alive = Clock(), [KeyError("a"), ValueError("b"), ValueError("b")], [False]

    def start() -> None:
        alive[0] = not causes
        if causes:
            fallen = threading.Thread(target=raising, args=(causes.pop(0),), name="table")
            fallen.start()
            fallen.join()

    supervisor = Supervisor((Part("table", start, lambda: None, lambda: alive[0]),), {}, lambda: None, None, clock)
    monkeypatch.setattr(threading, "excepthook", supervisor._fell)
    monkeypatch.setattr(supervisor, "_hook", lambda _: None)
    for _ in range(5):
        supervisor.step()
    clock.now_s += 7.0
    says = supervisor.supervised("table", lambda: (True, "at entry 3"))()[1]
    assert says == "at entry 3; started again 4 times, last after ValueError: b"
    told = [record.getMessage() for record in caplog.records if "has stopped" in record.getMessage()]
    assert len(told) == 4
    assert "KeyError: 'a'" in told[1]


def raising(error: Exception) -> None:
    raise error


def test_the_page_server_is_made_anew_after_an_end_or_crash_until_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.service.serving.PAUSE_S", 0.0)
    made = list[int]()

    class Falling:
        def run(self) -> None:
            if len(made) == 3:
                server.stop()
            elif len(made) == 2:
                raise OSError("no socket")

        def stop(self) -> None:
            pass

        def answers(self, _: float) -> bool:
            return True

    def make(listening: socket.socket) -> Any:
        listening.close()
        assert len(made) < 3, "it was stopped"
        made.append(1)
        return Falling()

    server = LastingServer(socket.socket())
    server.run(make)
    assert len(made) == 3
    assert "started again 2 times" in server.health()[1]


@pytest.mark.parametrize("alive", [None, lambda: True], ids=["no thread", "its thread runs"])
def test_supervision_retries_a_failed_start_until_it_works(alive: Callable[[], bool] | None) -> None:
    """A part whose thread runs does not hear the table yet: `following` subscribes after the start of the thread."""
    tries: list[str] = []

    def start() -> None:
        tries.append("start")
        if len(tries) < 3:
            raise RuntimeError("can't start new thread")

    part = Part("taught", start, lambda: None, alive)
    supervisor = Supervisor((part,), {}, lambda: None, None, Clock())
    health = supervisor.supervised("taught", lambda: (True, "well"))
    supervisor.step()
    assert tries == []
    supervisor.begin(part)
    supervisor.step()
    assert "can't start new thread" in health()[1]
    for _ in range(3):
        supervisor.step()
    assert tries == ["start"] * 3
    assert "was started again" in health()[1]


def test_a_failed_start_is_reported_and_retried_but_raised_if_the_part_is_needed() -> None:
    """The exception of a part that is needed is raised instead."""
    clock = Clock()
    tries: list[str] = []

    def start() -> None:
        tries.append("start")
        if len(tries) == 1:
            raise ValueError("a driver's own error")

    part = Part("board", start, lambda: None, lambda: len(tries) > 1)
    supervisor = Supervisor((part,), {}, lambda: None, None, clock)
    supervisor.begin(part)
    health = supervisor.supervised("board", lambda: (True, "well"))
    assert health() == (False, "It has stopped (ValueError: a driver's own error) and is being started again.")
    supervisor.step()
    supervisor.step()
    assert tries == ["start", "start"]
    clock.now_s += supervision.SHOWN_AFTER_RESTART_S + 1
    assert health()[0]
    tries.clear()
    with pytest.raises(ValueError, match="own error"):
        supervisor.begin(Part("table", start, lambda: None, needed=True))
