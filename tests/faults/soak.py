"""`make soak`: a table that plays on and on, watched by phones, exported in between: what grows, slows or is lost.

    python tests/faults/soak.py --throws 2000 --viewers 50
    python tests/faults/soak.py --throws 2000 --by-phone

Dice are thrown in the virtual tray, which the camera sees and the reader reads, in real time: an hour. By phone they
are entered as fast as they are answered: minutes. Prints figures; exit 1 when memory of the last half grew by 3 % or
more, threads or files grew, a throw was lost or doubled, or the last hundred throws took more than half as long again
as the first. A throw waits for the disk, and a disk that others use as well is slower at times: throws entered by phone
are compared in times of a write of our own beside each.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from companion.table.journal import read_entries
from tests.system.running import PEGPIP, Running, pegpip

GROWTH = 0.03
LOOKS, APART_S = 10, 0.05
PATIENCE_S = 120.0
PLAYERS = ["Ann", "Ben", "Cat"]
BY_PHONE: dict[str, Any] = {
    "transcript": 1, "game": "crapola", "players": PLAYERS, "rules": {"target": 1000, "entry": 100},
}  # fmt: skip
"""Played at random a game to 15,000 would never end."""
BY_TRAY: dict[str, Any] = {"transcript": 1, "game": "crag", "players": PLAYERS}


def main() -> int:
    """Play for the given time and compare memory, speed and entries with the beginning."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--throws", type=int, default=2000)
    words.add_argument("--viewers", type=int, default=50)
    words.add_argument("--by-phone", action="store_true")
    given = words.parse_args()
    header, play = (BY_PHONE, _entered) if given.by_phone else (BY_TRAY, _thrown)
    with tempfile.TemporaryDirectory(prefix="pegpip-soak-") as scratch:
        data = Path(scratch) / "data"
        data.mkdir()
        with Running(data, "--game", header["game"], "--players", ",".join(PLAYERS), program=(PEGPIP,)) as table:
            return _soaked(table, data, given.throws, given.viewers, header, play)


def _soaked(
    table: Running,
    data: Path,
    throws: int,
    viewers: int,
    header: dict[str, Any],
    play: Callable[[Running, dict[str, Any], random.Random], dict[str, Any]],
) -> int:
    table.pair()
    for _ in range(viewers):
        threading.Thread(target=_view, args=(table,), daemon=True).start()
    chance, took_s, writes_s, sizes = random.Random(1), list[float](), list[float](), list[tuple[int, int, int]]()
    snapshot = table.ask("/api/games", header)[1]
    with click.progressbar(length=throws, label="throwing", show_pos=True) as bar:
        while len(took_s) < throws:
            if snapshot["state"] is None or snapshot["state"]["over"]:
                snapshot = table.ask("/api/games", header)[1]
                continue
            began_s, line = time.monotonic(), snapshot["state"]["line"]
            due = snapshot["state"]["throw_sizes"]
            if snapshot["options"] and (not due or header is BY_TRAY or chance.random() < 0.4):
                # In the tray all three are thrown anew each turn: only the reader knows which die shows what.
                scores = [line for line in snapshot["options"] if line["do"] == "score"]
                snapshot = table.play(chance.choice(scores or snapshot["options"]))
                continue
            snapshot = play(table, snapshot, chance)
            assert snapshot["state"]["line"] == line + 1, snapshot
            took_s.append(time.monotonic() - began_s)
            writes_s.append(_write_s(data.parent / "beside"))
            bar.update(1)
            if len(took_s) % max(1, throws // 20) == 0:
                sizes.append(_sizes(table.process.pid))
            if len(took_s) % max(1, throws // 4) == 0:
                _export(data, len(took_s))
    kept = [entry.throw for entry in read_entries(data) if entry.throw]
    return _judged(took_s, writes_s, sizes, kept, by_phone=header is BY_PHONE)


def _entered(table: Running, snapshot: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """Enter a throw by phone; return the snapshot."""
    return table.play({"throw": [chance.randint(1, 6) for _ in range(snapshot["state"]["throw_sizes"][0])]})


def _thrown(table: Running, snapshot: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """Throw all dice in the virtual tray and answer a question by phone; return the snapshot."""
    number, line = snapshot["state"]["throw_sizes"][0], snapshot["state"]["line"]
    status, answer = table.ask("/api/tray/throw", {"ids": list(range(number)), "strength": chance.uniform(0.3, 0.9)})
    assert status == 200, answer
    after = table.until("/api/state", lambda now: now["question"] or now["state"]["line"] > line, PATIENCE_S)
    if after["question"]:
        values = [chance.randint(1, 6) for _ in range(number)]
        status, after = table.ask("/api/answers", {"question": after["question"]["id"], "values": values})
        assert status == 200, after
    return dict(after)


def _judged(
    took_s: list[float], writes_s: list[float], sizes: list[tuple[int, int, int]], kept: list[int], *, by_phone: bool
) -> int:
    half = sizes[len(sizes) // 2 :]
    growth = max(size[0] for size in half) / half[0][0] - 1
    first, last = statistics.median(took_s[:100]), statistics.median(took_s[-100:])
    slower = last / first
    if by_phone:
        slower *= statistics.median(writes_s[:100]) / statistics.median(writes_s[-100:])
    wrong = [
        told
        for told, ill in (
            (f"memory of the last half grew by {growth:.1%}", growth >= GROWTH),
            ("threads grew", half[-1][1] > half[0][1]),
            ("open files grew", half[-1][2] > half[0][2] + 1),
            ("throws lost or doubled", kept != list(range(1, len(took_s) + 1))),
            ("slower", slower > 1.5),
        )
        if ill
    ]
    print(f"{len(took_s)} throws, {len(kept)} kept; first hundred {1000 * first:.1f} ms, last {1000 * last:.1f} ms")
    print(f"the last by the first, for the same disk: {slower:.2f}")
    print(f"MB after each twentieth: {' '.join(str(size[0] // 1024) for size in sizes)}")
    print(f"memory kB, threads, files: {half[0]} at half time, {half[-1]} at the end ({growth:+.1%} at most)")
    print("; ".join(wrong) or "nothing grew, slowed or was lost")
    return 1 if wrong else 0


def _write_s(beside: Path) -> float:
    """Return the seconds that one synced write takes now."""
    began_s = time.monotonic()
    with beside.open("ab") as file:
        file.write(b"x")
        file.flush()
        os.fsync(file.fileno())
    return time.monotonic() - began_s


def _view(table: Running) -> None:
    try:
        for _ in table.news(86_400):
            pass
    except OSError:
        return  # the table has ended


def _sizes(pid: int) -> tuple[int, int, int]:
    """Return resident memory in kB, threads and open files: the minimum of several samples."""
    looks = list[tuple[int, int, int]]()
    for _ in range(LOOKS):
        told = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
        files = len(list(Path(f"/proc/{pid}/fd").iterdir()))
        looks.append((int(told["VmRSS"].split()[0]), int(told["Threads"]), files))
        time.sleep(APART_S)
    memory, threads, files = (min(each) for each in zip(*looks, strict=True))
    return memory, threads, files


def _export(data: Path, number: int) -> None:
    pegpip("export", "--data", str(data), str(data.parent / f"{number}.zip")).check_returncode()


if __name__ == "__main__":
    sys.exit(main())
