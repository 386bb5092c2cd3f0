"""`make soak`: a table that plays on and on, watched by phones, exported in between: what grows, slows or is lost.

    python tests/faults/soak.py --throws 2000 --viewers 50

Throws are entered by phone, as fast as they are answered: time is pressed together, the virtual camera runs all the
while. Prints figures; exit 1 when memory of the last half grew by 3 % or more, threads or files grew, a throw was lost
or doubled, or the last hundred throws took more than half as long again as the first. A throw waits for the disk, and a
disk that others use as well is slower at times: throws are told in times of a write of our own beside each.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "system"))

from running import Running

from companion.session.journal import read_entries

GROWTH = 0.03
HEADER: dict[str, Any] = {
    "transcript": 1, "game": "crapola", "players": ["Ann", "Ben", "Cat"], "rules": {"target": 1000, "entry": 100},
}  # fmt: skip
"""Played at random a game to 15,000 would never end."""


def main() -> int:
    """Play, look, compare."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--throws", type=int, default=2000)
    words.add_argument("--viewers", type=int, default=50)
    given = words.parse_args()
    with tempfile.TemporaryDirectory(prefix="pegpip-soak-") as scratch:
        data = Path(scratch) / "data"
        data.mkdir()
        with Running(data, "--game", "crapola", "--players", "Ann,Ben,Cat") as table:
            return _soaked(table, data, given.throws, given.viewers)


def _soaked(table: Running, data: Path, throws: int, viewers: int) -> int:
    table.pair()
    for _ in range(viewers):
        threading.Thread(target=_view, args=(table,), daemon=True).start()
    chance, took_s, writes_s, sizes = random.Random(1), list[float](), list[float](), list[tuple[int, int, int]]()
    snapshot = table.ask("/api/games", HEADER)[1]
    while len(took_s) < throws:
        if snapshot["state"] is None or snapshot["state"]["over"]:
            snapshot = table.ask("/api/games", HEADER)[1]
            continue
        line = _line(snapshot, chance)
        began_s = time.monotonic()
        status, snapshot = table.ask("/api/lines", {"number": snapshot["number"], "line": line})
        assert status == 200, snapshot
        if "throw" in line:
            took_s.append(time.monotonic() - began_s)
            writes_s.append(_write_s(data.parent / "beside"))
            if len(took_s) % max(1, throws // 20) == 0:
                sizes.append(_sizes(table.process.pid))
            if len(took_s) % max(1, throws // 4) == 0:
                _export(data, len(took_s))
    kept = [entry.throw for entry in read_entries(data) if entry.throw]
    return _judged(took_s, writes_s, sizes, kept)


def _judged(took_s: list[float], writes_s: list[float], sizes: list[tuple[int, int, int]], kept: list[int]) -> int:
    half = sizes[len(sizes) // 2 :]
    growth = max(size[0] for size in half) / half[0][0] - 1
    first, last = statistics.median(took_s[:100]), statistics.median(took_s[-100:])
    first_writes, last_writes = first / statistics.median(writes_s[:100]), last / statistics.median(writes_s[-100:])
    wrong = [
        told
        for told, ill in (
            (f"memory of the last half grew by {growth:.1%}", growth >= GROWTH),
            ("threads grew", half[-1][1] > half[0][1]),
            ("open files grew", half[-1][2] > half[0][2] + 1),
            ("throws lost or doubled", kept != list(range(1, len(took_s) + 1))),
            ("slower", last_writes > 1.5 * first_writes),
        )
        if ill
    ]
    print(f"{len(took_s)} throws, {len(kept)} kept; first hundred {1000 * first:.1f} ms, last {1000 * last:.1f} ms")
    print(f"in writes to the disk: {first_writes:.1f}, {last_writes:.1f}")
    print(f"memory kB, threads, files: {half[0]} at half time, {half[-1]} at the end ({growth:+.1%} at most)")
    print("; ".join(wrong) or "nothing grew, slowed or was lost")
    return 1 if wrong else 0


def _write_s(beside: Path) -> float:
    """How long a write that is waited for takes now."""
    began_s = time.monotonic()
    with beside.open("ab") as file:
        file.write(b"x")
        file.flush()
        os.fsync(file.fileno())
    return time.monotonic() - began_s


def _line(snapshot: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    state, options = snapshot["state"], snapshot["options"]
    if state["throw_sizes"] and (not options or chance.random() < 0.6):
        return {"throw": [chance.randint(1, 6) for _ in range(state["throw_sizes"][0])]}
    line: dict[str, Any] = chance.choice(options)
    return line


def _view(table: Running) -> None:
    try:
        for _ in table.news(3600):
            pass
    except OSError:
        return  # the table has ended


def _sizes(pid: int) -> tuple[int, int, int]:
    """Resident memory in kB, threads, open files."""
    told = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return int(told["VmRSS"].split()[0]), int(told["Threads"]), len(list(Path(f"/proc/{pid}/fd").iterdir()))


def _export(data: Path, number: int) -> None:
    command = [str(Path(sys.executable).with_name("pegpip")), "export", "--data", str(data)]
    subprocess.run([*command, str(data.parent / f"{number}.zip")], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    sys.exit(main())
