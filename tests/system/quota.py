"""Programs that get only a part of one processor core: by a control group, or by stopping and continuing them."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

PERIOD_US = 100_000
"""Period of the kernel's CPU bandwidth control: a program that has used its share waits for the next period."""
SLICE_S = 0.01
"""Length of a step of the throttle that stops and continues a program where there is no control group."""
GROUPS = Path("/sys/fs/cgroup")


@contextlib.contextmanager
def limited(command: Sequence[str], core: float, **options: Any) -> Iterator[subprocess.Popen[str]]:
    """Run a program with a part of one core, and end it at the end.

    Args:
        command: The program and its arguments.
        core: Share of one core, as 0.22, of all threads and children together.
        options: For `subprocess.Popen`.
    """
    done = threading.Event()
    with contextlib.ExitStack() as stack:
        group = stack.enter_context(_group(core))
        enter = None if group is None else _entering(group)
        program = stack.enter_context(subprocess.Popen(command, text=True, preexec_fn=enter, **options))
        if group is None:
            throttle = threading.Thread(target=_throttle, args=(program, core, done))
            throttle.start()
            stack.callback(throttle.join)
            stack.callback(done.set)
        stack.callback(program.kill)
        yield program


def method() -> str:
    """Return how programs are limited on this machine."""
    with _group(0.5) as group:
        return "control group" if group is not None else "stopped and continued every 10 ms: less exact"


@contextlib.contextmanager
def _group(core: float) -> Iterator[Path | None]:
    """Make a control group (cgroup v1 or v2) with this share of a core; None where the kernel or a right is missing."""
    name, quota_us = f"pegpip-{os.getpid()}", round(core * PERIOD_US)
    limits = {"cpu/": {"cpu.cfs_period_us": f"{PERIOD_US}", "cpu.cfs_quota_us": f"{quota_us}"},
              "": {"cpu.max": f"{quota_us} {PERIOD_US}"}}  # fmt: skip
    for place, files in limits.items():
        group = GROUPS / place / name
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            for file, value in files.items():
                with (group / file).open("r+") as setting:
                    setting.write(value)
        except OSError:
            group.rmdir()
            continue
        try:
            yield group
        finally:
            group.rmdir()
        return
    yield None


def _entering(group: Path) -> Callable[[], None]:
    def enter() -> None:
        (group / "cgroup.procs").write_text(str(os.getpid()))

    return enter


def _throttle(program: subprocess.Popen[str], core: float, done: threading.Event) -> None:
    """Stop the program whenever it is ahead of its share, until it has ended."""
    ticks, allowed_s = os.sysconf("SC_CLK_TCK"), 0.0
    while program.poll() is None and not done.wait(SLICE_S):
        with contextlib.suppress(OSError):
            spent = Path(f"/proc/{program.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
            allowed_s += core * SLICE_S
            ahead = sum(map(int, spent)) / ticks > allowed_s
            program.send_signal(signal.SIGSTOP if ahead else signal.SIGCONT)
    if program.poll() is None:
        program.send_signal(signal.SIGCONT)
