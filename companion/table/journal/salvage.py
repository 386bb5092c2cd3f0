"""A damaged journal: what can be read of it, put together from both copies; the folder as it was, set aside whole.

What is missing is an entry of the journal itself, `lost`, so that no number ever means two things, and a report in the
folder `damaged-N`, which is told until somebody has taken that folder away.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path

import msgspec

from companion.table.atomic import sync
from companion.table.journal.chain import LOST, START, Row, follows, linked, relinked

ASIDE = "damaged-"
REPORT = "REPORT.json"
PHOTOS = "photos"
ENOUGH_ORPHANS = 2
"""A photo is on the disk before its entry: the power may leave one without, never two."""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What was found and mended.

    Attributes:
        why: What was wrong, in a few words.
        found_s: When it was found, seconds since 1970.
        missing: First and last numbers of the entries that are lost.
        since_s: The time of the last good entry before the first of them; None where there is none.
        entries: How many could be read.
        photos: Throws that have a photo and no entry.
    """

    why: str
    found_s: float
    missing: tuple[tuple[int, int], ...] = ()
    since_s: float | None = None
    entries: int = 0
    photos: tuple[int, ...] = ()

    def in_words(self) -> str:
        """What is missing, one sentence."""
        if not self.missing:
            return f"The journal was damaged ({self.why}); every entry could be read again, nothing is missing."
        which = ", ".join(f"{first} to {last}" if first < last else f"{first}" for first, last in self.missing)
        since = f"since {at(self.since_s)}" if self.since_s is not None else "from the very beginning"
        return f"The journal was damaged ({self.why}): entries {which} are missing, {since}."


def at(wall_s: float) -> str:
    """A time for people."""
    return f"{datetime.fromtimestamp(wall_s).astimezone():%Y-%m-%d %H:%M}"


def put_together(database: Mapping[int, Row], mirror: Mapping[int, Row]) -> list[Row]:
    """The entries that can be believed, in order: proven by the chain, or, after a gap, read the same in all copies.

    Args:
        database: What could be read of the database, by number.
        mirror: What could be read of the second copy.
    """
    found: list[Row] = []
    before: bytes | None = START
    number, last = 1, max((*database, *mirror), default=0)
    while number <= last:
        row = _believed(number, before, database, mirror)
        if row is None:
            number, before = number + 1, None
            continue
        found.append(row)
        number, before = row.following, bytes.fromhex(row.link)
    return found


def _believed(number: int, before: bytes | None, *copies: Mapping[int, Row]) -> Row | None:
    rows = [copy[number] for copy in copies if number in copy]
    for row in rows:
        if not row.link or (before is not None and follows(before, row)):
            return row
    for row in rows:  # only its link may be spoilt: then what follows was chained to the right one
        right = row if before is None else _relinked(before, row)
        after = [copy[row.following] for copy in copies if row.following in copy]
        if any(follows(bytes.fromhex(right.link), later) for later in after):
            return right
    alike = all(row == rows[0] for row in rows)
    return rows[0] if rows and before is None and alike else None


def _relinked(before: bytes, row: Row) -> Row:
    return linked(before, row.number, row.kind, bytes(row.body), row.wall_s, row.throw)


def mended(
    rows: Iterable[Row], orphans: Iterable[int], why: str, now_s: float, last: int = 0
) -> tuple[list[Row], Report]:
    """The journal to go on with, its gaps as entries of their own, and the report.

    Behind a gap nothing is played until the next game begins: a line that fits by chance would be another's turn.

    Args:
        rows: What can be believed, in order.
        orphans: Throws that have a photo; those above the last known one prove a loss.
        why: What was wrong.
        now_s: Seconds since 1970.
        last: The highest number that the journal is known to have had.
    """
    rows = list(rows)
    kept: list[Row] = []
    missing: list[tuple[int, int]] = []
    skipped: list[Row] = []
    for row in rows:
        expected = kept[-1].following if kept else 1
        if row.number > expected and row.kind != "game":
            skipped.append(row)
            continue
        if row.number > expected:
            missing.append((expected, row.number - 1))
            kept.append(_lost(missing[-1], kept, skipped))
            skipped = []
        kept.append(row)
    seen = max((row.throw or 0 for row in rows), default=0)
    unknown = tuple(sorted(number for number in orphans if number > seen))
    expected = kept[-1].following if kept else 1
    gone = max(last, *(row.following - 1 for row in skipped)) if skipped else last
    if len(unknown) >= ENOUGH_ORPHANS:
        gone = max(gone, expected - 1 + len(unknown))
    if gone >= expected:
        missing.append((expected, gone))
        kept.append(_lost(missing[-1], kept, skipped, max(unknown, default=0)))
    since_s = next((row.wall_s for row in reversed(kept) if missing and row.number < missing[0][0]), None)
    report = Report(why=why, found_s=now_s, missing=tuple(missing), since_s=since_s,
                    entries=len(rows), photos=unknown)  # fmt: skip
    return relinked(kept), report


def _lost(gone: tuple[int, int], kept: list[Row], skipped: list[Row], photo: int = 0) -> Row:
    throw = max((photo, *(row.throw or 0 for row in skipped)))
    body = msgspec.json.encode({"through": gone[1]})
    return linked(START, gone[0], LOST, body, kept[-1].wall_s if kept else 0.0, throw or None)


def set_aside(folder: Path, report: Report) -> Path:
    """Copy the whole folder as it is into `damaged-N` in it, with the report; photos are linked. Raises OSError."""
    number = 1
    while (folder / f"{ASIDE}{number}").exists():
        number += 1
    part, aside = folder / f"{ASIDE}{number}.part", folder / f"{ASIDE}{number}"
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir()
    for path in sorted(folder.iterdir()):
        if path.is_file() and path.suffix != ".lock":
            shutil.copy2(path, part / path.name)
    if (folder / PHOTOS).is_dir():
        shutil.copytree(folder / PHOTOS, part / PHOTOS, copy_function=_linked)
    (part / REPORT).write_bytes(msgspec.json.format(msgspec.json.encode(report)))
    for path in part.iterdir():
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())
    sync(part)
    part.rename(aside)
    sync(folder)
    return aside


def _linked(source: str, to: str) -> None:
    try:
        os.link(source, to)
    except OSError:  # a file system without links
        shutil.copy2(source, to)


def reports(folder: Path) -> dict[Path, str]:
    """The damage that nobody has taken away yet: each folder set aside, oldest first, and its report in words."""
    found = sorted((path for path in folder.glob(f"{ASIDE}*") if path.is_dir() and path.suffix != ".part"), key=_number)
    return {aside: _report(aside / REPORT) for aside in found}


def _number(aside: Path) -> int:
    number = aside.name.removeprefix(ASIDE)
    return int(number) if number.isdecimal() else 0


def _report(file: Path) -> str:
    try:
        return msgspec.json.decode(file.read_bytes(), type=Report).in_words()
    except (OSError, msgspec.MsgspecError):
        return "The journal was damaged."
