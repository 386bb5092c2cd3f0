"""The journal: every entry of every evening, append-only, on disk before anyone is told of it.

Two copies, a database and a text, in one chain of hashes: what is damaged in one is read from the other, and what is
gone from both is told. Entries are ordered by their number alone; the wall time is for display (a Pi without a network
starts in the past).
"""

from __future__ import annotations

import fcntl
import logging
import sqlite3
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import msgspec

from companion.errors import DeviceError
from companion.table.journal import database, salvage
from companion.table.journal.chain import START, Row, follows, linked, relinked
from companion.table.journal.database import FILE_NAME, MOVE_ASIDE, SCHEMA, Damaged
from companion.table.journal.mirror import Mirror
from companion.table.journal.salvage import Report

log = logging.getLogger(__name__)

LEFT_BEHIND = (f"{FILE_NAME}-journal", f"{FILE_NAME}-wal", "games.jsonl")
"""SQLite's own files beside the database, and the games that were filed from it."""

_FREE_SPACE = "Free some space on the disk, or give another --data folder; nothing that was entered is lost."
_START_ONCE = "Start the table once: it mends what can be read and tells what is missing."
_CHECK_DISK = "Check that the disk is well and the folder writable, then start again; what was entered stands."


class InUse(DeviceError):
    """Another table uses the data folder."""


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One entry: its number (from 1; only a loss leaves gaps), kind, body (JSON), time by the wall, throw's number."""

    number: int
    kind: str
    body: dict[str, Any]
    wall_s: float
    throw: int | None = None


@dataclass(frozen=True, slots=True)
class Tail:
    """Where the journal stands.

    Attributes:
        number: Of the last entry; a loss counts to the end of what it stands for.
        link: Of the last entry.
        last_throw: The highest number of a throw.
        last_game: The entry that started the last game.
    """

    number: int = 0
    link: bytes = START
    last_throw: int = 0
    last_game: Row | None = field(default=None, repr=False)

    def then(self, row: Row) -> Tail:
        """After one more row. Raises Damaged when that is not the one that follows."""
        if row.number != self.number + 1:
            raise Damaged(f"entry {self.number + 1} is missing")
        if not follows(self.link, row):
            raise Damaged(f"entry {row.number} is not as it was written")
        return self.after(row)

    def after(self, row: Row) -> Tail:
        """After one more row that was linked to this tail."""
        last_game = row if row.kind == "game" else self.last_game
        return Tail(row.following - 1, bytes.fromhex(row.link), max(self.last_throw, row.throw or 0), last_game)


class Journal:
    """The journal of a data folder. Open, append and close it in one thread; that thread owns the connection.

    Args:
        folder: The data folder.
        wall: Seconds since 1970, for reports of damage.
    """

    def __init__(self, folder: Path, wall: Callable[[], float] = time.time) -> None:
        self.path = folder / FILE_NAME
        self.tail = Tail()
        self._wall = wall
        self._mirror = Mirror(folder)
        self._lock: IO[bytes] | None = None
        self._connection: sqlite3.Connection | None = None

    def open(self, photographed: Iterable[int] = ()) -> Report | None:
        """Open it, or make it where there is none; an older one is rewritten, a damaged one mended.

        Args:
            photographed: Throws of which there is a photo: more than one that the journal does not know proves a loss.

        Returns:
            What was damaged, if anything was.

        Raises:
            DeviceError: It can't be written, is foreign, newer, in use, or the disk is ill.
        """
        if self._connection is not None:
            return None
        self._lock = _locked(self.path.with_suffix(".lock"))
        try:
            with _as_device_error(self.path):
                report = self._made_whole(tuple(photographed))
                self._connection = database.connected(self.path)
        except BaseException:
            self.close()
            raise
        return report

    def close(self) -> None:
        """Close it; it may be opened again."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        self._mirror.close()
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def append(self, entry: Entry) -> None:
        """Put the entry on the disk. Raises DeviceError, and the journal is as it was."""
        connection = self._open_connection()
        body = msgspec.json.encode(entry.body)
        row = linked(self.tail.link, entry.number, entry.kind, body, float(entry.wall_s), entry.throw)
        if entry.number != self.tail.number + 1:
            raise DeviceError(f"Entry {entry.number} can't follow entry {self.tail.number}.", "Start the table again.")
        with _as_device_error(self.path):
            try:
                database.insert(connection, row)
            except sqlite3.Error:
                if not self._is_there_all_the_same(row):
                    raise
        self.tail = self.tail.after(row)
        self._mirror.append(row)

    def entries(self, first: int = 1) -> Generator[Entry, None, None]:
        """The entries from number `first` on, in order; to be closed. Raises DeviceError."""
        self._open_connection()
        yield from _entries(self.path, first)  # not all at once: years of play take 200 MB

    @property
    def illness(self) -> str | None:
        """What is wrong with the second copy, and what to do."""
        return self._mirror.illness

    def _open_connection(self) -> sqlite3.Connection:
        if self._connection is None:
            raise DeviceError(f"The journal {self.path} is closed.", "Start the table first.")
        return self._connection

    def _is_there_all_the_same(self, row: Row) -> bool:
        """A disk may fail when all is written and only the last word is missing: who looks again sees the entry."""
        with suppress(sqlite3.Error):
            return database.holds(self._open_connection(), row)
        return False

    # ---- opening --------------------------------------------------------------------------------------------------

    def _made_whole(self, photographed: tuple[int, ...]) -> Report | None:
        """Have both copies on the disk, whole and alike."""
        if not (self.path.exists() and self.path.stat().st_size) and not self._mirror.path.exists():
            if len(photographed) < salvage.ENOUGH_ORPHANS and not self._was_there():
                self._write_anew([])
                self._mirror.open(self._verified())
                return None
            return self._mend(photographed, "it is missing, and something else of its games is there")
        try:
            if self._is_of_before_chains():
                self._write_anew(relinked(_in_order(database.rows_of(self.path))))
            behind = self._verified()
            orphans = [number for number in photographed if number > self.tail.last_throw]
            if len(orphans) >= salvage.ENOUGH_ORPHANS:
                raise Damaged(f"there are photos of {len(orphans)} throws that it does not know")
        except Damaged as damage:
            return self._mend(photographed, str(damage))
        except database.UNREADABLE as wrong:
            if not database.is_damage(wrong):
                raise
            return self._mend(photographed, "its database can't be read")
        except DeviceError:
            if not self._is_surely_ours():
                raise
            return self._mend(photographed, "its database no longer says what it is")
        self._mirror.open(behind)
        return None

    def _was_there(self) -> bool:
        """Whether anything is left that only a journal leaves."""
        return any(self.path.with_name(name).exists() for name in LEFT_BEHIND)

    def _is_of_before_chains(self) -> bool:
        if not self.path.exists():
            raise Damaged("its database is missing")
        with closing(database.careful(self.path)) as connection:
            if database.schema_of(connection, self.path) == SCHEMA:
                return False
            # What a log still holds is taken in first; then there is none beside the file.
            connection.execute("PRAGMA journal_mode = DELETE")
        if not database.is_whole(self.path):
            raise Damaged("its database is damaged")
        return True

    def _verified(self) -> list[Row]:
        """Go through the database, link by link; returns the rows that the second copy does not have yet."""
        head, tail = self._mirror.head(), Tail()
        if not database.is_whole(self.path):
            raise Damaged("its database is damaged")
        reached = head is None
        behind: list[Row] = []
        for row in database.rows_of(self.path):
            tail = tail.then(row)
            if reached:
                behind.append(row)
            elif head is not None and row.number == head.number:
                if row.link != head.link:
                    raise Damaged("its two copies differ")
                reached = True
        if not reached and head is not None:
            raise Damaged(f"it ends at entry {tail.number}, and had {head.number}")
        self.tail = tail
        return behind

    def _is_surely_ours(self) -> bool:
        """Whether the second copy is ours and of this version, whatever the database says."""
        with suppress(Damaged):
            return self._mirror.head() is not None
        return False

    def _mend(self, photographed: tuple[int, ...], why: str) -> Report:
        copied = {row.number: row for row in self._mirror.rows()}
        stored = database.readable_rows(self.path, self._mirror.reach())
        if not stored and not copied and self.path.exists() and self.path.stat().st_size:
            raise DeviceError(f"The journal {self.path} is damaged or no journal: nothing can be read.", MOVE_ASIDE)
        believed = salvage.put_together(stored, copied)
        last = max(self._mirror.reach(), *(row.following - 1 for row in (*stored.values(), *copied.values())), 0)
        rows, report = salvage.mended(believed, photographed, why, self._wall(), last)
        aside = salvage.set_aside(self.path.parent, report)
        log.error("%s What lay there is in %s.", report.in_words(), aside)
        self._write_anew(rows)
        self._mirror.open(self._verified())
        return report

    def _write_anew(self, rows: list[Row]) -> None:
        # The second copy first: of two that differ the database is the one that is believed.
        self._mirror.write_anew(rows)
        database.write_anew(self.path, rows)


def read_entries(folder: Path, first: int = 1) -> tuple[Entry, ...]:
    """A data folder's entries from number `first` on, for export and past games; a table may be writing meanwhile.

    Raises DeviceError. A folder without a journal has none.
    """
    path = folder / FILE_NAME
    return tuple(_entries(path, first)) if path.exists() else ()


def entries_at(folder: Path, numbers: Sequence[int]) -> tuple[Entry, ...]:
    """A data folder's entries of those numbers, as far as there are such. Raises DeviceError."""
    path = folder / FILE_NAME
    if not numbers or not path.exists():
        return ()
    with _as_device_error(path):
        return tuple(entry_of(row) for row in database.rows_at(path, numbers))


def link_of(folder: Path, number: int) -> str | None:
    """The link of that entry, None where there is no such entry. Raises DeviceError."""
    path = folder / FILE_NAME
    with _as_device_error(path), suppress(Damaged):
        return next((row.link for row in database.rows_at(path, [number])), None)
    return None


def verified(folder: Path) -> list[Row]:
    """Every row of a folder's database, its structure, its chain and its order looked at.

    Raises sqlite3.Error, Damaged, DeviceError.
    """
    path, tail = folder / FILE_NAME, Tail()
    with closing(database.careful(path)) as connection:  # before anything of it is run: what is not ours may never end
        chained = database.schema_of(connection, path) == SCHEMA
    if not database.is_whole(path):
        raise Damaged("its database is damaged")
    rows = list(database.rows_of(path))
    if not chained:
        return list(_in_order(rows))
    for row in rows:
        tail = tail.then(row)
    return rows


def examined(folder: Path) -> tuple[int, str | None]:
    """Look through both copies without changing anything: how many entries, and what is wrong with them, if anything.

    A table may be writing meanwhile. Raises DeviceError.
    """
    path, second = folder / FILE_NAME, Mirror(folder)
    if not path.exists():
        return 0, "its database is missing" if second.path.exists() else None
    tail, links = Tail(), dict[int, str]()
    with _as_device_error(path):
        try:
            for row in database.rows_of(path):
                tail = tail.then(row)
                links[row.number] = row.link
        except Damaged as damage:
            return tail.number, str(damage)
    copied = {row.number: row.link for row in second.rows()}
    if any(links.get(number, link) != link for number, link in copied.items()):
        return tail.number, "its two copies differ"
    short = sum(number not in copied for number in links)
    return tail.number, f"its second copy lacks {short} entries" if short > 1 else None


def _entries(path: Path, first: int) -> Generator[Entry, None, None]:
    with _as_device_error(path), closing(database.rows_of(path, first)) as rows:
        yield from map(entry_of, rows)


def entry_of(row: Row) -> Entry:
    """The entry that a row keeps."""
    body = msgspec.json.decode(row.body)
    return Entry(number=row.number, kind=row.kind, body=body, wall_s=row.wall_s, throw=row.throw)


def _in_order(rows: Iterable[Row]) -> Iterator[Row]:
    for number, row in enumerate(rows, start=1):
        if row.number != number:
            raise Damaged(f"entry {number} is missing")
        yield row


def _locked(path: Path) -> IO[bytes]:
    """A lock that ends with the process, however it ends: two tables must not write one journal."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.open("ab")
    except OSError as refused:
        raise DeviceError(
            f"The data folder {path.parent} can't be written ({refused.strerror}).",
            "Give another folder with --data, or make this one writable.",
        ) from refused
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as taken:
        lock.close()
        raise InUse(
            f"Another table uses the data folder {path.parent}.", "Stop it, or give another folder with --data."
        ) from taken
    return lock


@contextmanager
def _as_device_error(path: Path) -> Iterator[None]:
    """SQLite's and the system's errors in our tree, each with its cure."""
    try:
        yield
    except Damaged as damage:
        raise DeviceError(f"The journal {path} is damaged: {damage}.", _START_ONCE) from None
    except database.UNREADABLE as wrong:
        if getattr(wrong, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
            raise DeviceError("The disk is full: the journal can't grow.", _FREE_SPACE) from wrong
        if database.is_damage(wrong):
            raise DeviceError(f"The journal {path} is damaged or no journal.", MOVE_ASIDE) from wrong
        raise DeviceError(f"The journal {path} can't be used ({wrong}).", _CHECK_DISK) from wrong
    except OSError as refused:
        reason = f"The journal {path} can't be used ({refused.strerror or refused})."
        raise DeviceError(reason, _CHECK_DISK) from refused
