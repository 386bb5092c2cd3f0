"""A clean end: while a picture is read, on a full disk, at a time limit, and by a signal to another thread."""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from companion.cli import main
from companion.commands.watch import command as watch
from companion.errors import DeviceError
from hardware.buttons.keys import KeyButtons
from tests.system.running import PEGPIP, Running
from tests.waiting import PATIENCE_S, until

SLOW_LOOK = """
    import threading, time
    import cv2
    import numpy as np
    from companion.adapters import tray_observer
    from vision.cameras import Frame
    from vision.reading.reading import Reading
    from vision.watching.watcher import Watcher

    began, picture = threading.Event(), np.full((480, 640, 3), 90, np.uint8)

    class Still:
        name, number = "still", 0

        def start(self): ...

        def stop(self): ...

        def frame(self):
            self.number += 1
            return Frame(picture, self.number / 10)

    def slow(*_):
        began.set()
        until_s = time.monotonic() + 1.5
        while time.monotonic() < until_s:
            cv2.GaussianBlur(picture, (0, 0), 20)
        return Reading((), None)

    tray_observer.JOIN_TIMEOUT_S = 0.1
    observer = tray_observer.TrayObserver("slow", Watcher(Still(), slow), lambda command: None)
    observer.start()
    assert began.wait(120)
    observer.stop()
    print("stopped", flush=True)
"""


def test_a_tray_reading_still_running_at_exit_does_not_abort_the_program() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(SLOW_LOOK)], capture_output=True, text=True, timeout=600, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "stopped\n", "")


def test_a_command_writing_to_a_full_disk_exits_1_with_an_error_sentence() -> None:
    words = [sys.executable, "-c", "from companion.cli import main; main()", "rules", "crag"]
    with open("/dev/full", "w") as full:
        ended = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    said = "pegpip: The output: No space left on device. Free some space, then run it again.\n"
    assert (ended.returncode, ended.stderr) == (1, said)


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("replay", "-"), 1, "pegpip: -, line 1: The line is blank."),
        (("doctor", "--first-evening", "--out", "report"), 130, "Stopped early."),
    ],
)
def test_a_command_started_with_standard_input_closed_finds_it_empty(
    words: tuple[str, ...], status: int, said: str, tmp_path: Path
) -> None:
    closed = f"import os, subprocess, sys; os.close(0); sys.exit(subprocess.call({[PEGPIP, *words]!r}))"
    ended = subprocess.run(
        [sys.executable, "-c", closed],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
        env={**os.environ, "XDG_CONFIG_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)},
    )
    assert (ended.returncode, said in ended.stdout + ended.stderr) == (status, True), ended.stderr


def test_keyboard_buttons_without_standard_input_say_they_need_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    monkeypatch.setattr(sys, "argv", ["pegpip", "--version"])
    with pytest.raises(SystemExit):
        main()
    with pytest.raises(DeviceError, match="need a terminal"):
        KeyButtons().start(print)
    sys.stdin.close()


def test_the_watch_command_without_a_camera_exits_1_at_its_time_limit() -> None:
    begun_s = time.monotonic()
    done = CliRunner().invoke(watch, ["--limit-s", "1.2", "opencv:61"], standalone_mode=False)
    assert 1.2 <= time.monotonic() - begun_s < PATIENCE_S
    assert done.return_value == 1
    assert "opencv:61: There is no camera 61" in done.stderr


def test_ctrl_c_while_a_simulation_starts_its_workers_exits_130_without_a_traceback() -> None:
    """A terminal sends the signal to the workers, too. A batch of theirs would take a minute."""
    with simulating("") as running:
        assert until(Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text)
        os.killpg(running.pid, signal.SIGINT)
        out, _ = running.communicate(timeout=PATIENCE_S)
    assert (running.returncode, out.strip()) == (130, b"")


def test_ctrl_c_while_a_simulation_acquires_its_futures_locks_exits_130() -> None:
    """KeyboardInterrupt would be raised between two locks of `concurrent.futures`, and leave the first one held."""
    interrupted = """
import os
from concurrent.futures import _base
def enter(self):
    self.futures[0]._condition.acquire()
    os.kill(os.getpid(), signal.SIGINT)
    for future in self.futures[1:]:
        future._condition.acquire()
_base._AcquireFutures.__enter__ = enter
"""
    with simulating(interrupted) as running:
        out, _ = running.communicate(timeout=PATIENCE_S)
    assert (running.returncode, out.strip()) == (130, b"")


@contextmanager
def simulating(prepared: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start a simulation of ten million games in a process group of its own; kill the group at the end.

    `prepared` is Python code that the process runs first.
    """
    words = ["simulate", "crag", "--players", "steady,steady", "--games", "10000000"]
    heard = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)"  # a shell's job ignores it
    command = [sys.executable, "-c", f"{heard}\n{prepared}\nfrom companion.cli import main\nmain()", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True) as running:
        try:
            yield running
        finally:
            if running.poll() is None:
                os.killpg(running.pid, signal.SIGKILL)


def test_a_sigint_delivered_to_a_worker_thread_ends_the_table_with_130(tmp_path: Path) -> None:
    """The kernel may deliver a process's signal to any of its threads; Python handles it in the main one."""
    tgkill = 234 if platform.machine() == "x86_64" else 131
    with Running(tmp_path, program=(PEGPIP,)) as running:
        pid = running.process.pid
        others = [int(task.name) for task in Path(f"/proc/{pid}/task").iterdir() if int(task.name) != pid]
        libc = ctypes.CDLL(None, use_errno=True)
        assert any(libc.syscall(tgkill, pid, other, signal.SIGINT) == 0 for other in others)  # one may have ended
        assert running.ended() == 130
