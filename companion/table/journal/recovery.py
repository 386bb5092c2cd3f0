"""Recovery of a damaged journal: join the entries that survive in either copy, and set the whole folder aside.

A gap becomes an entry of its own, so that no number ever means two things. A report in the folder `damaged-N` is shown
until somebody moves that folder away.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
from collections import deque
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

import msgspec

from companion.errors import DeviceError
from companion.table.atomic import sync
from companion.table.journal.chain import LOST, START, Head, Loss, Row, chained, row_of
from companion.table.journal.copies import FIRST, SECOND

ASIDE = "damaged-"
"""Beginning of the names of folders that were set aside."""
REPORT = "REPORT.txt"
"""File in such a folder: what was wrong and what is missing, one or two sentences."""
_NOT_COPIED = shutil.ignore_patterns(f"{ASIDE}*", "replaced-*", "*.lock", "*.part")
PHOTOS = "photos"
"""Name of the folder of photos in a data folder."""
MOVE_ASIDE = "Move it to another folder (keep it: it holds your games) and start again, or give another --data folder."
MIN_ORPHANS = 2
"""Photos without an entry that prove a loss. A power cut may leave one, as a photo is written before its entry."""
"""Advice when no line of the journal can be read."""
_BEGINNING = re.compile(rb"^\[(\d{1,12}),", re.MULTILINE)
_LINE = re.compile(rb'(?=(\[\d+,"[^\n]*?"[0-9a-f]{32}"\]))')


def at(wall_s: float) -> str:
    """Return a time as people write it."""
    return f"{datetime.fromtimestamp(wall_s).astimezone():%Y-%m-%d %H:%M}"


def recovered(folder: Path, photos: Iterable[int], head: Head | None, why: str) -> tuple[list[Row], str]:
    """Return the rows of the recovered journal, and a report in words.

    The rows are the longest chain that survives, with an entry for each gap. The folder is only read.

    Args:
        folder: The data folder.
        photos: Throws that have a photo. Two or more without an entry prove a loss.
        head: Last known end of the journal; None if unknown.
        why: What was wrong, in a few words.

    Raises:
        DeviceError: There are files, and no line in them is an entry.
    """
    rows, spoilt = survivors(folder)
    if not rows and any((folder / name).exists() and (folder / name).stat().st_size for name in (FIRST, SECOND)):
        raise DeviceError(f"The journal {folder / FIRST} is damaged or no journal: nothing can be read.", MOVE_ASIDE)
    chain = longest_chain(rows, head)
    identity = chain[-1].identity if chain else head.identity if head else secrets.token_hex(8)
    last = max((row.last for row in rows if row.identity == identity), default=0)
    while last + 1 in spoilt:
        last += 1
    last_throw = max((row.throw or 0 for row in chain), default=0)
    orphans = [number for number in photos if number > last_throw]
    if len(orphans) >= MIN_ORPHANS:
        last = max(last, (chain[-1].last if chain else 0) + len(orphans))
    if head and head.identity == identity:
        last = max(last, head.number)
    filled, missing = with_losses(chain, Head(identity, last, ""), max(orphans, default=0))
    if not missing:
        return filled, f"The journal was damaged ({why}); every entry could be read again, nothing is missing."
    which = ", ".join(_range(first, last) for first, last, _ in missing)
    since = next((f"since {at(row.wall_s)}" for row in reversed(chain) if row.number < missing[0][0]), None)
    gaps = {through: last + 1 for _, last, through in reversed(missing) if through > last}
    kept = ", ".join(_range(first, through) for through, first in sorted(gaps.items()))
    unplayed = f" Entries {kept} are kept but can't be played without them." if kept else ""
    since = since or "from the very beginning"
    return filled, f"The journal was damaged ({why}): entries {which} are missing, {since}.{unplayed}"


def survivors(folder: Path) -> tuple[list[Row], set[int]]:
    """Return every row that is intact in either copy, and the numbers of the damaged lines.

    A row may begin anywhere: a damaged line does not hide the rows after it.
    """
    rows: dict[str, Row] = {}
    spoilt: set[int] = set()
    for name in (FIRST, SECOND):
        with contextlib.suppress(OSError):
            content = (folder / name).read_bytes()
            found = [row for each in _LINE.finditer(content) if (row := row_of(each[1])) and row.line[:-1] == each[1]]
            rows |= {row.link: row for row in found}
            spoilt |= {int(each[1]) for each in _BEGINNING.finditer(content)} - {row.number for row in found}
    return list(rows.values()), spoilt


def longest_chain(rows: Iterable[Row], head: Head | None) -> list[Row]:
    """Return the longest chain among intact rows, in order. A gap may interrupt it.

    Args:
        rows: Rows of any journal, in any order.
        head: Last known end of the journal. Only rows of its identity count, and the chain that contains it wins.
    """
    rows = list(rows)
    if head and any(row.identity == head.identity for row in rows):
        rows = [row for row in rows if row.identity == head.identity]
    length: dict[str, int] = {"": 0}
    back: dict[str, Row | None] = {}
    end: Row | None
    ends: dict[str, Row] = {}  # by the previous hash that the next row names
    far: dict[str, Row] = {}  # longest chain of each identity that ends at least one number before the row at hand
    near = deque[Row]()
    for row in sorted(rows, key=lambda each: each.number):
        while near and near[0].last < row.number - 1:
            end = near.popleft()
            far[end.identity] = max(far.get(end.identity, end), end, key=lambda each: length[each.link])
        before = back[row.link] = ends.get(row.before) or (far.get(row.identity) if row.before != START else None)
        weight = len(rows) if head and row.link == head.link else row.kind != LOST
        length[row.link] = length[before.link if before else ""] + weight
        if row.leads_to not in ends or length[ends[row.leads_to].link] < length[row.link]:
            ends[row.leads_to] = row
        near.append(row)
    chain: list[Row] = []
    end = max(rows, key=lambda each: (length[each.link], each.number), default=None)
    while end is not None:
        chain.append(end)
        end = back[end.link]
    return chain[::-1]


def with_losses(chain: list[Row], head: Head, orphan: int) -> tuple[list[Row], tuple[tuple[int, int, int], ...]]:
    """Return the chain with an entry for each gap, and the gaps. The rows of the chain do not change.

    Args:
        chain: Surviving rows in order.
        head: Identity of the journal and the highest number that it is known to have had.
        orphan: Highest throw that has a photo and no entry; 0 without one.

    Returns:
        The rows; and of each gap the first and last missing number, and the last number that can't be played without
            them.
    """
    filled: list[Row] = []
    missing: list[tuple[int, int, int]] = []
    games = [row.number for row in chain if row.kind == "game"]

    def fill(last: int, then: str, throw: int | None = None) -> None:
        """Fill the gap after `filled` up to the entry `last`."""
        tail = filled[-1] if filled else None
        first = tail.last + 1 if tail else 1
        through = next((number - 1 for number in games if number > last), head.number)
        missing.append((first, last, through))
        before = Head(head.identity, first - 1, tail.leads_to if tail else START)
        body = msgspec.json.encode(Loss(last, through, then))
        filled.append(chained(before, first, LOST, body, tail.wall_s if tail else 0.0, throw))

    for row in chain:
        if row.number > (filled[-1].last if filled else 0) + 1:
            fill(row.number - 1, row.before)
        filled.append(row)
    if head.number > (filled[-1].last if filled else 0):
        fill(head.number, "", orphan or None)
    return filled, tuple(missing)


def set_aside(folder: Path, report: str) -> Path:
    """Copy the whole data folder into a new folder `damaged-N` in it, with the report. Raises OSError."""
    number = 1
    while (folder / f"{ASIDE}{number}").exists():
        number += 1
    part, aside = folder / f"{ASIDE}{number}.part", folder / f"{ASIDE}{number}"
    shutil.rmtree(part, ignore_errors=True)
    shutil.copytree(folder, part, ignore=_NOT_COPIED, copy_function=_linked)
    (part / REPORT).write_text(report)
    for path in part.iterdir():
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())
    sync(part)
    part.rename(aside)
    sync(folder)
    return aside


def reports(folder: Path) -> dict[Path, str]:
    """Return the report of each folder that was set aside and not moved away yet, oldest first."""
    files = sorted(folder.glob(f"{ASIDE}*[0-9]/{REPORT}"), key=lambda each: (len(each.parent.name), each))
    found = {file.parent: "The journal was damaged." for file in files}
    for file in files:
        with contextlib.suppress(OSError):
            found[file.parent] = file.read_text(errors="replace")
    return found


def _range(first: int, last: int) -> str:
    """Write a range of numbers, `3 to 5`, or the one number."""
    return f"{first} to {last}" if first < last else f"{first}"


def _linked(source: str, to: str) -> None:
    """Hard-link a photo, whose content never changes; copy any other file, or where links are not possible."""
    try:
        (os.link if source.endswith(".jpg") else shutil.copy2)(source, to)
    except OSError:
        shutil.copy2(source, to)
