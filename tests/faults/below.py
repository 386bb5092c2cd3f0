"""Faults below the adapters: write calls that fail and power that goes, by a shim before the C library; kills.

Run as a program, under the shim, `below.py calls|power|kills FOLDER COUNT` prints one JSON object: how many came out
how.
"""

from __future__ import annotations

import ctypes
import errno
import json
import logging
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
HUNG_S = 60.0
SECTOR = 512
NEVER = 1 << 60


def run(kind: str, folder: Path, count: int) -> Counter[str] | None:
    """Run `count` faults of a kind in a process with the shim; None if there is no compiler for it."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        return None
    folder.mkdir(parents=True, exist_ok=True)
    shim = folder / "shim.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", shim, HERE / "shim.c", "-lpthread"], check=True)
    path = str(ROOT)
    environment = {**os.environ, "LD_PRELOAD": str(shim), "PYTHONPATH": path}
    command = [sys.executable, "-m", "tests.faults.below", kind, str(folder), str(count)]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
    return Counter(json.loads(done.stdout.splitlines()[-1]))


def calls(folder: Path, count: int) -> Counter[str]:
    """Fail each write call of an evening in turn (at most `count` of them, evenly), once, and once for good."""
    shim, found = ctypes.CDLL(None), Counter[str]()
    total = _in_child(lambda: _armed(folder / "whole", shim, NEVER, NEVER, errno.EIO), answer=shim.faults_count)
    assert total is not None
    for place in sorted({1 + step * total // count for step in range(count)}):
        for number, to in ((errno.EIO, place + 1), (errno.ENOSPC, place + 1), (errno.EROFS, NEVER)):
            where = folder / f"at-{place}-{number}"
            hung = _in_child(partial(_armed, where, shim, place, to, number)) is None
            found["hung" if hung else _outcome(where / "data", (where / "acks").read_bytes())] += 1
            shutil.rmtree(where)
    return found


def power(folder: Path, count: int) -> Counter[str]:
    """Cut the power at `count` moments of an evening; what was not synced is dropped, torn or out of order."""
    shim, found, chance = ctypes.CDLL(None), Counter[str](), random.Random(1)
    where, log = folder / "logged", folder / "calls.log"

    def logged() -> None:
        shim.faults_arm(str(where).encode(), ctypes.c_long(NEVER), ctypes.c_long(NEVER), 0, str(log).encode())
        _played(where)

    assert _in_child(logged) is not None
    records = list(_records(log.read_bytes()))
    for number in range(count):
        disk = _Disk(where)
        for record in records[: chance.randrange(1, len(records) + 1)]:
            disk.happens(record)
        left = folder / f"cut-{number}"
        acks = disk.lost_power(left, chance)
        found[_outcome(left / "data", acks)] += 1
        shutil.rmtree(left)
    return found


def kills(folder: Path, count: int) -> Counter[str]:
    """Kill the program at `count` random moments of an evening with photos, always in the same folder."""
    from tests.faults.evening import play

    where, chance, found = folder / "killed", random.Random(2), Counter[str]()
    (where / "data").mkdir(parents=True)
    for number in range(count):
        child = os.fork()
        if child == 0:
            play(where / "data", where / "acks", turns=1000, seed=number)
            os._exit(0)
        time.sleep(chance.uniform(0.01, 0.3))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        acks = (where / "acks").read_bytes() if (where / "acks").exists() else b""
        found[_outcome(where / "data", acks)] += 1
    return found


def _armed(where: Path, shim: ctypes.CDLL, first: int, to: int, number: int) -> None:
    data = str(where / "data").encode()
    shim.faults_arm(data, ctypes.c_long(first), ctypes.c_long(to), number, b"")
    _played(where)


def _played(where: Path) -> None:
    from tests.faults.evening import play

    (where / "data").mkdir(parents=True)
    play(where / "data", where / "acks", turns=8, seed=3)


def _in_child(do: Callable[[], None], answer: Callable[[], int] = lambda: 0) -> int | None:
    """Run a function in a fork; return its answer, or None if it hung."""
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            do()
            os.write(writes, str(answer()).encode())
        finally:
            os._exit(0)
    os.close(writes)
    ends_s = time.monotonic() + HUNG_S
    while os.waitpid(child, os.WNOHANG)[0] == 0:
        if time.monotonic() > ends_s:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            os.close(reads)
            return None
        time.sleep(0.005)
    with os.fdopen(reads, "rb") as pipe:
        return int(pipe.read() or b"0")


def _outcome(data: Path, acks: bytes) -> str:
    """Start a table on the folder and compare it with the acknowledged notes; return the outcome."""
    from companion.errors import CompanionError
    from companion.table.journal.recovery import reports
    from tests.faults.evening import last_told
    from tests.table.acting import table_in

    told, table = last_told(acks), table_in(data)
    data.mkdir(parents=True, exist_ok=True)
    try:
        table.start()
    except CompanionError:
        return "refused and told"
    snapshot = table.snapshot()
    table.stop()
    if reports(data):
        return "told"
    if snapshot.number == told["number"]:
        same = json.loads(json.dumps(snapshot.state)) == told["state"]
        return "the same" if same else "ANOTHER STATE, SILENT"
    assert isinstance(told["number"], int)
    return "the same, and what was under way" if snapshot.number > told["number"] else "LOST, SILENT"


@dataclass(frozen=True)
class Record:
    """A recorded call: `w`rite, `s`ync, `t`runcate, `r`ename, `u`nlink."""

    call: str
    path: str
    second: bytes
    offset: int


def _records(log: bytes) -> Iterator[Record]:
    at = 0
    while at < len(log):
        call, length, size, offset = struct.unpack_from("<cQQq", log, at)
        at += 25
        path, second = log[at : at + length].decode(), log[at + length : at + length + size]
        at += length + size
        yield Record(call.decode(), path, second, offset)


class _Disk:
    """A folder rebuilt from calls: synced content, and content that a power cut may lose."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._durable: dict[str, bytes] = {}
        self._waiting: dict[str, list[Record]] = {}
        self._acks = b""

    def happens(self, record: Record) -> None:
        if record.path.endswith("/acks"):
            self._acks += record.second
        elif record.call in "wt":
            self._waiting.setdefault(record.path, []).append(record)
        elif record.call == "s":
            self._write_out(record.path, self._waiting.pop(record.path, []))
        elif record.call == "r":
            to = record.second.decode()
            self._waiting.pop(to, None)
            self._durable[to] = self._durable.pop(record.path, b"")
            moved = self._waiting.pop(record.path, [])
            self._waiting[to] = moved
        else:
            self._waiting.pop(record.path, None)
            self._durable.pop(record.path, None)

    def lost_power(self, to: Path, chance: random.Random) -> bytes:
        """Write the folder as a power cut leaves it; return the notes acknowledged before."""
        for path, waiting in self._waiting.items():
            some = [record for record in waiting if chance.random() < 0.5]
            if chance.random() < 0.5:
                chance.shuffle(some)
            if some and chance.random() < 0.5:
                torn = some[-1]
                size = len(torn.second) // SECTOR * SECTOR if len(torn.second) > SECTOR else len(torn.second) // 2
                some[-1] = Record(torn.call, torn.path, torn.second[:size], torn.offset)
            self._write_out(path, some)
        (to / "data").mkdir(parents=True)
        for path, content in self._durable.items():
            file = to / Path(path).relative_to(self._root)
            file.parent.mkdir(parents=True, exist_ok=True)
            if not file.is_dir():
                file.write_bytes(content)
        return self._acks

    def _write_out(self, path: str, records: list[Record]) -> None:
        content = bytearray(self._durable.get(path, b""))
        for record in records:
            if record.call == "t":
                content = content[: record.offset].ljust(record.offset, b"\0")
                continue
            end = record.offset + len(record.second)
            content = content.ljust(end, b"\0") if len(content) < end else content
            content[record.offset : end] = record.second
        if records or path in self._durable:
            self._durable[path] = bytes(content)


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    result = {"calls": calls, "power": power, "kills": kills}[sys.argv[1]](Path(sys.argv[2]), int(sys.argv[3]))
    print(json.dumps(result))
