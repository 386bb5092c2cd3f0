"""Recovery of a damaged journal: join the entries that survive in either copy, and set the whole folder aside.

A gap becomes an entry of its own, so that no number ever means two things. A report in the folder `damaged-N` is shown
until somebody moves that folder away.
"""

from __future__ import annotations

import contextlib
import filecmp
import os
import re
import secrets
import shutil
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import msgspec

from companion.errors import DeviceError, explained
from companion.table.atomic import free_path, sync, write_file
from companion.table.journal.chain import LOST, Head, Loss, Row, chained, row_of
from companion.table.journal.copies import FIRST, SECOND

ASIDE = "damaged-"
"""Start of the name of a folder, `damaged-N`. Recovery copies the data folder there before it repairs the journal."""
REPORT = "REPORT.txt"
"""Report in a `damaged-N` folder. One or two sentences say what was wrong with the journal and what is missing."""
_NOT_COPIED = shutil.ignore_patterns(f"{ASIDE}*", "replaced-*", "*.lock", "*.part")
"""Function for `shutil.copytree` that leaves out older copies, locks and unfinished files."""
MIN_ORPHANS = 2
"""Least number of photos newer than the last entry that prove a loss of entries. At 1 a power cut, which may leave one,
would look like a loss. Higher: a real loss of fewer throws goes unnoticed."""
MOVE_ASIDE = "Move it to another folder (keep it: it holds your games) and start again, or give another --data folder."
"""Advice when no line of the journal can be read."""
_BEGINNING = re.compile(rb"^\[(\d{1,12}),", re.MULTILINE)
"""Beginning of a journal line, intact or damaged; group 1 is the entry's number, to list damaged entries."""
_LINE = re.compile(rb'(?=(\[\d+,"[^\n]*?"[0-9a-f]{32}"\]))')
"""Whole line of the journal, from its entry's number to its hash, by which `survivors` finds intact entries. It may
begin anywhere in the file: damage before it may have swallowed the line break."""


def date_text(wall_s: float) -> str:
    """Return a wall time, in seconds since 1970, as local date and time for people: `2026-11-25 09:18`."""
    return f"{datetime.fromtimestamp(wall_s).astimezone():%Y-%m-%d %H:%M}"


def recovered(folder: Path, photos: Iterable[int], head: Head | None, why: str) -> tuple[list[Row], str]:
    """Return the rows of the recovered journal, and a report of what was damaged and lost, one or two sentences.

    The rows are the longest chain that survives in the two copies, with an entry of kind `LOST` for each gap. The
    folder is only read. `photos` are the numbers of the throws that have a photo: two or more without an entry prove a
    loss. `head` is the last known end of the journal, or None. `why` says what was wrong.

    If both copies are missing or empty, the rows are one `LOST` entry where `head` or `photos` prove a loss, else none.
    Raises DeviceError if a copy has content, but no entry can be read.
    """
    rows, spoilt = survivors(folder)
    if not rows and any((folder / name).exists() and (folder / name).stat().st_size for name in (FIRST, SECOND)):
        raise DeviceError(f"The journal {folder / FIRST} is damaged or no journal: nothing can be read.", MOVE_ASIDE)
    chain = longest_chain(rows, head)
    identity = chain[-1].identity if chain else head.identity if head else secrets.token_hex(8)
    last = max((row.head.number for row in rows if row.identity == identity), default=0)
    while last + 1 in spoilt:
        last += 1
    last_throw = max((row.throw or 0 for row in chain), default=0)
    orphans = [number for number in photos if number > last_throw]
    if len(orphans) >= MIN_ORPHANS:
        last = max(last, (chain[-1].head.number if chain else 0) + len(orphans))
    if head and head.identity == identity:
        last = max(last, head.number)
    filled, missing = with_losses(chain, Head(identity, last), max(orphans, default=0))
    if not missing:
        return filled, f"The journal was damaged ({why}); every entry could be read again, nothing is missing."
    which = ", ".join(_range(first, loss.missing) for first, loss in missing)
    known = [row for row in chain if row.number < missing[0][0]]
    since = f"since {date_text(known[-1].wall_s)}" if known else "from the very beginning"
    gaps = {loss.through: loss.missing + 1 for _, loss in reversed(missing) if loss.through > loss.missing}
    kept = ", ".join(_range(first, through) for through, first in sorted(gaps.items()))
    unplayed = f" Entries {kept} are kept but can't be played without them." if kept else ""
    return filled, f"The journal was damaged ({why}): entries {which} are missing, {since}.{unplayed}"


def survivors(folder: Path) -> tuple[list[Row], set[int]]:
    """Return every row intact in either copy of the journal, in no particular order, and the damaged entries' numbers.

    An entry counts as damaged even if the other copy has it intact, but only if its number can be read. Rows are found
    anywhere in a file, so damage to one line does not hide the next. A copy that can't be read adds nothing.
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


def longest_chain(rows: Collection[Row], head: Head | None) -> list[Row]:
    """Return the chain of rows that ends at the highest number, in ascending order; it may have gaps.

    Each row names the hash of its predecessor. If the predecessor is missing, the chain goes on at the nearest number
    below it. Only rows of one identity count: that of `head`, the last known end of the journal, if a row has it, else
    that of most rows. If the row of `head` survives, only a chain that contains it is returned. Empty without rows.
    """
    counts = Counter(row.identity for row in rows)
    identity = head.identity if head and head.identity in counts else max(counts, key=counts.__getitem__, default="")
    ours = sorted((row for row in rows if row.identity == identity), key=lambda row: (row.number, row.kind != LOST))
    numbers = [row.number for row in ours]
    by_link = {row.head.link: row for row in ours}  # an entry replaces the loss that stands for it
    chain = list[Row]()
    for end in reversed(ours):
        row: Row | None = end
        chain = []
        while row is not None:
            chain.append(row)
            gap = row.number - 1
            below = map(ours.__getitem__, range(bisect_left(numbers, gap) - 1, -1, -1))
            row = by_link.get(row.before) or next((each for each in below if each.head.number < gap), None)
        if head is None or head.link not in by_link or any(row.head == head for row in chain):
            break
    return chain[::-1]


def with_losses(chain: list[Row], head: Head, orphan: int) -> tuple[list[Row], list[tuple[int, Loss]]]:
    """Return a journal's chain with each gap filled by one entry of kind `LOST`, and the gaps, both in order.

    A gap is a pair: the number of its first missing entry, and its `Loss`. The `Loss` makes a replay skip all entries
    from the gap to the next game.

    Args:
        chain: The surviving rows, in order.
        head: The last known end of the journal. If the chain ends at a lower number, the missing end is a gap, too.
        orphan: Highest number of a throw that has a photo and no entry, 0 for none. The `LOST` entry for a missing end
            records it as its throw.
    """
    filled: list[Row] = []
    missing: list[tuple[int, Loss]] = []
    games = [row.number for row in chain if row.kind == "game"]
    for before, after in pairwise((None, *chain, None)):
        end, wall_s = (before.head, before.wall_s) if before else (Head(head.identity), 0.0)
        last = after.number - 1 if after else head.number
        if last > end.number:
            through = next((number - 1 for number in games if number > last), head.number)
            loss = Loss(last, through, after.before if after else "")
            throw = None if after else orphan or None
            filled.append(chained(end, end.number + 1, LOST, msgspec.json.encode(loss), wall_s, throw))
            missing.append((end.number + 1, loss))
        filled += [after] if after else []
    return filled, missing


def set_aside(folder: Path, report: str) -> Path:
    """Copy the data folder into a new folder `damaged-N` inside it, add the report, and return the new folder.

    Older copies, locks and unfinished files are left out. Photos and zips are hard-linked where possible: copying up to
    a gigabyte would stop the table for minutes. Raises OSError or DeviceError. A failed copy is deleted, but a complete
    copy whose final flush fails stays.
    """
    aside = free_path(folder, ASIDE)
    part = folder / f"{aside.name}.part"
    shutil.rmtree(part, ignore_errors=True)
    try:
        shutil.copytree(folder, part, ignore=_NOT_COPIED, copy_function=_link_or_copy)
        write_file(part / REPORT, (report.encode(),))
        for copied, _, _ in os.walk(part):
            sync(Path(copied))
        part.rename(aside)
    except (OSError, DeviceError):
        shutil.rmtree(part, ignore_errors=True)
        raise
    sync(folder)
    return aside


def reports(folder: Path) -> dict[Path, str]:
    """Return the reports of the journal's earlier recoveries, folder `damaged-N` -> text, oldest first.

    The text of a report that can't be read is one general sentence. A folder without a report is left out.
    """
    files = sorted(folder.glob(f"{ASIDE}*[0-9]/{REPORT}"), key=lambda each: (len(each.parent.name), each))
    texts = {file.parent: "The journal was damaged." for file in files}
    for file in files:
        with contextlib.suppress(OSError):
            texts[file.parent] = file.read_text(errors="replace")
    return texts


def unrepaired(folder: Path) -> str:
    """Return the report of the newest failed recovery of the journal; empty if none failed.

    Each recovery copies the journal to a folder `damaged-N` before the repair. A recovery failed if this copy still
    equals the journal. A copy that can't be read counts as different.
    """
    found = ""
    for aside, report in reports(folder).items():
        there = [name for name in (FIRST, SECOND) if (folder / name).exists() or (aside / name).exists()]
        if filecmp.cmpfiles(folder, aside, there, shallow=False)[0] == there:
            found = report
    return found


def _range(first: int, last: int) -> str:
    """Write a range of numbers, `3 to 5`, or the one number."""
    return f"{first} to {last}" if first < last else f"{first}"


def _link_or_copy(source: str, to: str) -> None:
    """Hard-link the photo (.jpg) or zip `source` to `to`; copy any other file, or one that can't be linked.

    Links are safe because photos and zips are never changed in place. Copies are flushed to the disk here; the caller
    flushes the folders.

    Raises DeviceError instead of OSError: `shutil.copytree` goes on after an OSError, even on a full disk.
    """
    with contextlib.suppress(OSError):
        if source.endswith((".jpg", ".zip")):
            os.link(source, to)
            return
    cure = "Free some space on the disk, or make the data folder writable."
    with explained("The damaged journal can't be copied aside before its repair", cure):
        shutil.copy2(source, to)
        sync(Path(to))
