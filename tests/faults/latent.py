"""Latent damage: lines of one copy are spoilt, later others of the second; foreign, older or swapped files.

Each journal is scrubbed as a running table does it, or started again. Every case must be reported, and no entry that
survived in one copy may be lost.
"""

from __future__ import annotations

import random
import shutil
from collections import Counter
from pathlib import Path

from companion.diagnostics.machine import check_recovery
from companion.errors import CompanionError
from companion.table.journal import FIRST, SECOND, Entry, Journal, examined, read_entries
from companion.table.journal.recovery import reports
from companion.table.photos import digest_of
from tests.faults.damaged import played_folder

SWAPS = ("foreign", "older", "rolled back", "pair", "photos", "photo")


def run(folder: Path, count: int, seed: int = 1) -> Counter[str]:
    """Spoil `count` journals, each copy in a different part; returns the outcomes."""
    chance, found = random.Random(seed), Counter[str]()
    played = [played_folder(folder / f"latent-{turns}", turns, turns).folder for turns in (6, 40)]
    for number in range(count):
        case, anchors = folder / f"latent-case-{number}", folder / f"latent-anchor-{number}"
        shutil.copytree(chance.choice(played), case)
        found[_latent(case, anchors, chance)] += 1
        shutil.rmtree(case)
    return found


def swaps(folder: Path, count: int, seed: int = 2) -> Counter[str]:
    """Put foreign, older or swapped files into `count` journals; returns the outcomes."""
    chance, found = random.Random(seed), Counter[str]()
    names = {"ours": 30, "other": 12, "longer": 60}
    played = {name: played_folder(folder / f"swap-{name}", turns, turns).folder for name, turns in names.items()}
    for number in range(count):
        kind = SWAPS[number % len(SWAPS)]
        case, anchors = folder / f"swap-case-{number}", folder / f"swap-anchor-{number}"
        shutil.copytree(played["ours"], case)
        came = _swapped(kind, case, anchors, played, chance)
        found[came if came.isupper() else f"{came}: {kind}"] += 1
        shutil.rmtree(case)
    return found


def scrub(journal: Journal, now_s: float = 1e6) -> None:
    """Run one whole scrub at that time, as a table does while nobody plays."""
    due_s = now_s
    while due_s - now_s < 1.0:
        due_s = journal.upkeep(now_s)


def _latent(folder: Path, anchors: Path, chance: random.Random) -> str:
    meant = _anchored(folder, anchors)
    numbers = [entry.number for entry in meant]
    chance.shuffle(numbers)
    cut = chance.randrange(1, len(numbers))
    parts = dict(zip(chance.sample((FIRST, SECOND), 2), (numbers[:cut], numbers[cut:]), strict=True))
    between, at_start = chance.random() < 0.5, chance.random() < 0.5
    journal = Journal(folder, anchors=anchors)
    journal.open()
    told = 0
    for step, (name, part) in enumerate(parts.items()):
        _spoil(folder / name, chance.sample(part, chance.randint(1, len(part))), chance)
        if step == 0 and not between:
            continue
        if step and at_start:
            journal.close()
            journal = Journal(folder, anchors=anchors)
            journal.open()
        else:
            scrub(journal, 1e6 * (step + 1))
        if (journal.health()[0] and check_recovery(folder).ok) or len(reports(folder)) == told:
            return "SILENT"
        told = len(reports(folder))
    journal.close()
    if read_entries(folder) != meant or examined(folder) != (len(meant), None):
        return "LOST"
    return "told, nothing missing"


def _spoil(file: Path, numbers: list[int], chance: random.Random) -> None:
    """Spoil lines by a flipped bit, a run of zeros, or a run of inverted bytes."""
    lines = file.read_bytes().splitlines(keepends=True)
    for number in numbers:
        line = bytearray(lines[number - 1])
        at = chance.randrange(len(line))
        if (how := chance.randrange(3)) == 0:
            line[at] ^= 1 << chance.randrange(8)
        else:
            end = min(len(line), at + chance.randint(1, 60))
            line[at:end] = bytes(end - at) if how == 1 else bytes(255 - byte for byte in line[at:end])
        lines[number - 1] = bytes(line)
    file.write_bytes(b"".join(lines))


def _anchored(folder: Path, anchors: Path) -> tuple[Entry, ...]:
    """Open the journal once, so that it has an anchor; returns its entries."""
    journal = Journal(folder, anchors=anchors)
    journal.open()
    journal.close()
    return read_entries(folder)


def _swapped(kind: str, folder: Path, anchors: Path, played: dict[str, Path], chance: random.Random) -> str:
    meant, photos = _anchored(folder, anchors), _photos(folder)
    match kind:
        case "foreign":
            source = played[chance.choice(("other", "longer"))]
            shutil.copy(source / FIRST, folder / chance.choice((FIRST, SECOND)))
        case "older":
            _shorten(folder / chance.choice((FIRST, SECOND)), chance.randint(1, len(meant) - 2))
        case "rolled back":
            left = chance.randint(1, len(meant) - 2)
            _shorten(folder / FIRST, left)
            _shorten(folder / SECOND, left)
            meant = meant[:left]
            photos = {throw: jpeg for throw, jpeg in photos.items() if throw in {entry.throw for entry in meant}}
        case "pair":
            for name in (FIRST, SECOND):
                shutil.copy(played["longer"] / name, folder / name)
            meant, photos = read_entries(played["longer"]), {}
        case "photos":
            one, other = chance.sample(sorted(photos), 2)
            (folder / "photos" / f"{one}.jpg").write_bytes(photos[other])
            (folder / "photos" / f"{other}.jpg").write_bytes(photos[one])
        case _:
            gone = chance.choice(sorted(photos))
            (folder / "photos" / f"{gone}.jpg").write_bytes(b"\xff\xd8 of elsewhere")
            del photos[gone]
    journal = Journal(folder, anchors=anchors)
    try:
        journal.open()
    except CompanionError:
        return "REFUSED"
    scrub(journal)
    well = journal.health()[0] and check_recovery(folder).ok
    journal.close()
    if well:
        return "SILENT"
    if read_entries(folder)[: len(meant)] != meant or (kind != "pair" and _photos(folder) != photos):
        return "LOST"
    return "told, the whole one wins"


def _shorten(file: Path, count: int) -> None:
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:count]))


def _photos(folder: Path) -> dict[int, bytes]:
    """Return the photos whose hash an entry names, by throw."""
    named = {entry.throw: entry.body["photo"] for entry in read_entries(folder) if entry.body.get("photo")}
    files = {int(file.stem): file.read_bytes() for file in (folder / "photos").glob("*.jpg") if file.stem.isdecimal()}
    return {throw: jpeg for throw, jpeg in files.items() if named.get(throw) == digest_of(jpeg)}
