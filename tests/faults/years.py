"""`make years`: a data folder with years of play in it, 100,000 entries; how soon and how small a table starts from it.

    python tests/faults/years.py --entries 100000

Prints figures; exit 1 when a start took more than 2 s or 120 MB, the evening's page more than 100 ms, or an export made
while lines were played was not whole.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import msgspec
from click.testing import CliRunner

from companion.commands.export import command as export
from companion.commands.import_ import command as import_
from companion.games.engine.game import Throw
from companion.games.engine.notation import header_of, line_of
from companion.games.engine.transcript import Transcript
from companion.table.journal import read_entries
from companion.table.journal.chain import START, Head, Row, chained
from companion.table.journal.copies import write_anew
from tests.system.running import PEGPIP, Running

START_S, READY_MB, EVENING_S, ARCHIVES = 2.0, 120, 0.1, 20

HEADERS: tuple[dict[str, Any], ...] = (
    {"transcript": 1, "game": "crib_dice", "players": ["Ann", "Ben"]},
    {"transcript": 1, "game": "crag", "players": ["Ann", "Ben"]},
    {"transcript": 1, "game": "crapola", "players": ["Ann", "Ben"]},
)


def played_out(header: dict[str, Any], chance: random.Random) -> list[dict[str, Any]]:
    """Return the lines of a random game, played to its end."""
    transcript, lines = Transcript.begin(header_of(header)), list[dict[str, Any]]()
    while not transcript.state.standing.over:
        options, sizes = transcript.state.options(), transcript.state.throw_sizes
        if sizes and (not options or chance.random() < 0.5):
            action: Any = Throw(tuple(chance.randint(1, 6) for _ in range(sizes[0])))
        else:
            action = chance.choice(options)
        transcript = transcript.then(action)
        lines.append(line_of(action))
    return lines


def seen(dice: list[int] | None, throw: int) -> dict[str, Any]:
    """Return the reading in a throw's entry; every fiftieth throw was in doubt."""
    if dice is None:
        return {"source": "camera"}
    boxes = [{"box_xywh": [90 * at, 200, 64, 64], "read": value, "confidence": 0.99, "kept": False}
             for at, value in enumerate(dice, start=1)]  # fmt: skip
    doubt = None if throw % 50 else "disagree"
    source = "answered" if doubt else "camera"
    return {"source": source, "photo": True, "seen": {"doubt": doubt, "dice": boxes}}


def fill(folder: Path, entries: int, *, one_sitting: bool = True, seed: int = 1) -> int:
    """Write a journal of at least `count` entries; return the number of its games."""
    chance = random.Random(seed)
    templates = [(header, played_out(header, chance)) for header in HEADERS for _ in range(6)]
    templates = [template for template in templates if len(template[1]) < 2000]
    rows: list[Row] = []
    games = throw = 0
    head = Head("0123456789abcdef", 0, START)

    def add(kind: str, body: dict[str, Any], thrown: int | None = None) -> None:
        nonlocal head
        number = len(rows) + 1
        row = chained(head, number, kind, msgspec.json.encode(body), 1_600_000_000.0 + 20 * number, thrown)
        rows.append(row)
        head = Head(head.identity, number, row.link)

    while len(rows) < entries:
        header, lines = chance.choice(templates)
        number = len(rows) + 1
        sitting = 1 if one_sitting else number
        add("game", {"header": header, "sitting": sitting, "horizon": sitting, "colours": {}})
        games += 1
        for line in lines:
            thrown = line.get("throw")
            throw += thrown is not None
            add("line", {"line": line, **seen(thrown, throw)}, throw if thrown is not None else None)
    folder.mkdir(parents=True, exist_ok=True)
    write_anew(folder, rows)
    return games


def main() -> int:
    """Fill a folder, start a table on it, measure it and export it."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--entries", type=int, default=100_000)
    entries = words.parse_args().entries
    with tempfile.TemporaryDirectory(prefix="pegpip-years-") as scratch:
        folder = Path(scratch) / "data"
        print(f"{fill(folder, entries)} games, {entries} entries")
        ill = [name for name, well in _figures(folder).items() if not well]
    print("; ".join(f"WRONG: {name}" for name in ill) or "as soon, as small and as whole as it must be")
    return 1 if ill else 0


def _figures(folder: Path) -> dict[str, bool]:
    first_s, *_ = _started(folder)
    print(f"first start, the past games put down: {first_s:.2f} s")
    start_s, ready_mb, evening_s = (min(each) for each in zip(*(_started(folder) for _ in range(3)), strict=True))
    print(f"best of three starts: {start_s:.2f} s, {ready_mb:.0f} MB; its first /api/evening {1000 * evening_s:.0f} ms")
    whole = _exported(folder)
    print(f"exports made while lines were played, imported elsewhere: {whole} of {ARCHIVES} whole")
    return {
        "slow start": start_s <= START_S,
        "memory": ready_mb <= READY_MB,
        "slow evening": evening_s <= EVENING_S,
        "an export": whole == ARCHIVES,
    }


def _started(folder: Path) -> tuple[float, float, float]:
    """Return the seconds until the table answers, its MB then, and the seconds for the evening's page."""
    began_s = time.monotonic()
    with Running(folder, program=(PEGPIP,)) as table:
        assert table.ask("/healthz")[0] == 200
        ready_s = time.monotonic()
        status = Path(f"/proc/{table.process.pid}/status").read_text()
        held_kb = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
        asked_s = time.monotonic()
        assert table.ask("/api/evening")[0] == 200
        evening_s = time.monotonic() - asked_s
        table.stop()
    return ready_s - began_s, held_kb * 1024 / 1e6, evening_s


def _exported(folder: Path) -> int:
    """Return how many of twenty archives, made during play, contain every line acknowledged before."""
    done, whole = threading.Event(), 0
    with Running(folder) as table:
        table.pair()
        player = threading.Thread(target=_play, args=(table, done))
        player.start()
        for number in range(ARCHIVES):
            file, there = folder.parent / f"{number}.zip", folder.parent / f"{number}"
            told = table.state()["number"]
            made = CliRunner().invoke(export, ["--data", str(folder), str(file)])
            taken = CliRunner().invoke(import_, ["--data", str(there), str(file)])
            whole += not made.exit_code and not taken.exit_code and read_entries(there)[-1].number >= told
        done.set()
        player.join()
        table.stop()
    return whole


def _play(table: Running, done: threading.Event) -> None:
    chance, snapshot = random.Random(1), table.state()
    while not done.is_set():
        state, options = snapshot["state"], snapshot["options"]
        if state is None or state["over"]:
            snapshot = table.ask("/api/games", HEADERS[0])[1]
        elif state["throw_sizes"] and (not options or chance.random() < 0.5):
            snapshot = table.play({"throw": [chance.randint(1, 6) for _ in range(state["throw_sizes"][0])]})
        else:
            snapshot = table.play(chance.choice(options))


if __name__ == "__main__":
    sys.exit(main())
