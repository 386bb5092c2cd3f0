"""Played folders, damaged at random: a table that starts on one has the same state, or reports what is missing."""

from __future__ import annotations

import random
import shutil
import threading
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from companion.errors import CompanionError
from companion.table.commands import Observe, PressButton
from companion.table.journal import FIRST, SECOND, read_entries
from companion.table.journal.recovery import ASIDE, REPORT
from companion.table.snapshot import Snapshot
from companion.table.writer import Table
from tests.table.acting import HEADER, Clock, Tray, played, started, table_in

SECTOR = 512
PATIENCE_S = 120.0
STATE_FILES = (FIRST, SECOND)


@dataclass(frozen=True)
class Evening:
    """A folder as a power cut leaves it, and the snapshot and entries before it."""

    folder: Path
    snapshot: Snapshot
    entries: int


def played_folder(folder: Path, turns: int, seed: int) -> Evening:
    """Play some turns with photos and copy the folder while the table runs, as if the power was cut."""
    chance = random.Random(seed)
    live = folder.with_name(folder.name + "-live")
    table, tray = table_in(live), Tray(seed)
    table.start()
    started(table, HEADER)
    for _ in range(turns):
        act_turn(table, tray, chance)
    shutil.copytree(live, folder)
    snapshot = table.snapshot()
    table.stop()
    shutil.rmtree(live)
    return Evening(folder, snapshot, len(read_entries(folder)))


def act_turn(table: Table, tray: Tray, chance: random.Random) -> None:
    tray.lift()
    state = table.snapshot().state
    assert state is not None
    if state["over"]:
        started(table, HEADER)
        return
    if not state["throw_sizes"]:
        played(table, [dict(table.snapshot().options[0])])
        return
    table.submit(Observe(tray.observation()))
    table.submit(Observe(tray.throw(*(chance.randint(1, 6) for _ in range(state["throw_sizes"][0])))))
    try:
        pairs = [v for v in {die.value for die in tray.thrown} if sum(d.value == v for d in tray.thrown) > 1]
        if "point" in (table.snapshot().state or {})["decisions"] and pairs:
            value = chance.choice(sorted(pairs))
            played(table, [{"do": "point", "value": value}])
            table.submit(PressButton(button="bank"))
    except CompanionError:
        pass  # not every throw can be banked


def damage(folder: Path, chance: random.Random) -> str:
    """Damage one of the files that hold the state; returns a description."""
    files = [folder / name for name in STATE_FILES if (folder / name).exists()]
    file = chance.choice(files)
    content = bytearray(file.read_bytes())
    kind = chance.choice(["bit", "bit", "cut", "sector", "missing", "bits", "garbage"])
    if kind == "missing" or not content:
        file.unlink()
        return f"missing {file.name}"
    at = chance.randrange(len(content))
    if kind == "bit":
        content[at] ^= 1 << chance.randrange(8)
    elif kind == "bits":
        for _ in range(8):
            content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    elif kind == "cut":
        del content[at:]
    else:
        start = at // SECTOR * SECTOR
        end = min(start + SECTOR, len(content))
        content[start:end] = bytes(end - start) if kind == "sector" else chance.randbytes(end - start)
    file.write_bytes(content)
    return f"{kind} {file.name} at {at}"


def outcome(evening: Evening) -> str:
    """Start a table on a damaged folder; returns `same`, `told`, `silent` or `hung`."""
    table = table_in(evening.folder, Clock())
    said: list[str] = []

    def start() -> None:
        try:
            table.start()
        except CompanionError as ill:
            said.append(str(ill))

    thread = threading.Thread(target=start, daemon=True)
    thread.start()
    thread.join(PATIENCE_S)
    if thread.is_alive():
        return "hung"
    if said:
        return "refused and told"
    snapshot = table.snapshot()
    table.stop()
    if any(evening.folder.glob(f"{ASIDE}*/{REPORT}")) and snapshot.notice and snapshot.notice.code == "ill":
        return "told, nothing missing" if _alike(snapshot, evening.snapshot) else "told"
    return "same" if _alike(snapshot, evening.snapshot) else "silent"


def _alike(one: Snapshot, other: Snapshot) -> bool:
    keys = ("number", "state", "header", "throws", "events", "sitting")
    return all(getattr(one, key) == getattr(other, key) for key in keys)


def run(folder: Path, count: int, seed: int = 1, *, twice: float = 0.2) -> Counter[str]:
    """Damage `count` folders, some of them twice; returns the outcomes, and how often photos disappeared."""
    chance = random.Random(seed)
    evenings = [played_folder(folder / f"played-{turns}", turns, turns) for turns in (0, 3, 12, 60)]
    found: Counter[str] = Counter()
    for number in range(count):
        whole = chance.choice(evenings)
        copy = folder / f"damaged-folder-{number}"
        shutil.copytree(whole.folder, copy)
        did = [damage(copy, chance)]
        if chance.random() < twice:
            did.append(damage(copy, chance))
        before = sorted(path.read_bytes() for path in (copy / "photos").glob("*.jpg"))
        came = outcome(Evening(copy, whole.snapshot, whole.entries))
        gone = before != sorted(path.read_bytes() for path in (copy / "photos").glob("*.jpg"))
        found[came] += 1
        if came in ("silent", "hung") or gone:
            found["photos gone"] += bool(gone)
            print(f"folder {number}: {came}; {did}; photos gone: {gone}")
        shutil.rmtree(copy)
    return found
