"""The journal: every entry of every evening, append-only, on disk before anyone is told of it.

SQLite in WAL mode with synchronous=FULL: a commit returns after the log is on the disk. Entries are ordered by their
number alone; the wall time is for display (a Pi without a network starts in the past).
"""

from __future__ import annotations

import fcntl
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import msgspec

from companion.errors import DeviceError

SCHEMA = 1
APPLICATION_ID = 0x50656750  # "PegP": tells our files from other people's
FILE_NAME = "journal.sqlite3"

_TABLES = """
CREATE TABLE entries (
    number INTEGER PRIMARY KEY, kind TEXT NOT NULL, body TEXT NOT NULL, wall_s REAL NOT NULL, throw INTEGER
) STRICT;
CREATE INDEX entries_kind ON entries (kind, number);
CREATE INDEX entries_throw ON entries (throw) WHERE throw IS NOT NULL;
CREATE TRIGGER entries_stay BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'the journal only grows'); END;
CREATE TRIGGER entries_hold BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'the journal only grows'); END;
"""
_COLUMNS = "SELECT number, kind, body, wall_s, throw FROM entries"
_FROM = f"{_COLUMNS} WHERE number >= ? ORDER BY number"

_MOVE_ASIDE = "Move it to another folder (keep it: it holds your games) and start again, or give another --data folder."
_FREE_SPACE = "Free some space on the disk, or give another --data folder; nothing that was entered is lost."


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One entry: its number (from 1, no gaps), its kind, its body (JSON), when by the wall, and its throw's number."""

    number: int
    kind: str
    body: dict[str, Any]
    wall_s: float
    throw: int | None = None


class Journal:
    """The journal of a data folder. Open, append and close it in one thread; that thread owns the connection."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME
        self._lock: IO[bytes] | None = None
        self._connection: sqlite3.Connection | None = None

    def open(self) -> None:
        """Open it, or make it where there is none. Raises DeviceError: not writable, damaged, foreign, in use."""
        if self._connection is not None:
            return
        self._lock = _locked(self.path.with_suffix(".lock"))
        try:
            with _told(self.path):
                self._connection = _opened(self.path)
        except DeviceError:
            self.close()
            raise

    def close(self) -> None:
        """Close it; it may be opened again."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def append(self, entry: Entry) -> None:
        """Put the entry on the disk. Raises DeviceError, and the journal is as it was."""
        body = msgspec.json.encode(entry.body).decode()
        row = (entry.number, entry.kind, body, entry.wall_s, entry.throw)
        with _told(self.path), self._open_connection() as transaction:
            transaction.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?)", row)

    def entries(self, first: int = 1) -> Iterator[Entry]:
        """The entries from number `first` on, in order. Raises DeviceError."""
        with _told(self.path):
            for row in self._open_connection().execute(_FROM, (first,)):
                yield _entry(row)

    def last(self, kind: str) -> Entry | None:
        """The newest entry of that kind."""
        query = f"{_COLUMNS} WHERE kind = ? ORDER BY number DESC LIMIT 1"
        with _told(self.path):
            row = self._open_connection().execute(query, (kind,)).fetchone()
        return _entry(row) if row else None

    def last_throw(self) -> int:
        """The highest number of a throw, 0 before the first."""
        with _told(self.path):
            (throw,) = self._open_connection().execute("SELECT max(throw) FROM entries").fetchone()
        return int(throw or 0)

    def _open_connection(self) -> sqlite3.Connection:
        if self._connection is None:
            raise DeviceError(f"The journal {self.path} is closed.", "Start the table first.")
        return self._connection


def read_entries(folder: Path, first: int = 1) -> tuple[Entry, ...]:
    """A data folder's entries from number `first` on, for export and past games; a table may be writing meanwhile.

    Raises DeviceError. A folder without a journal has none.
    """
    path = folder / FILE_NAME
    if not path.exists():
        return ()
    with _told(path):
        connection = sqlite3.connect(path, timeout=5.0)
        try:
            connection.execute("PRAGMA query_only = ON")
            _check_ours(connection, path)
            return tuple(
                _entry(row) for row in connection.execute(f"{_COLUMNS} WHERE number >= ? ORDER BY number", (first,))
            )
        finally:
            connection.close()


def _entry(row: tuple[Any, ...]) -> Entry:
    number, kind, body, wall_s, throw = row
    return Entry(number=number, kind=kind, body=msgspec.json.decode(body), wall_s=wall_s, throw=throw)


def _opened(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=5.0)
    try:
        _prepare(connection, path)
    except (sqlite3.Error, DeviceError):
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    # Looked at before anything is written, so that a foreign file is left as it is.
    if connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,):
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.executescript(
            f"BEGIN; PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {SCHEMA}; {_TABLES} COMMIT;"
        )
        return
    _check_ours(connection, path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    if connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
        raise DeviceError(f"The journal {path} is damaged.", _MOVE_ASIDE)


def _check_ours(connection: sqlite3.Connection, path: Path) -> None:
    if connection.execute("PRAGMA application_id").fetchone() != (APPLICATION_ID,):
        raise DeviceError(f"{path} is a database of another program.", _MOVE_ASIDE)
    (schema,) = connection.execute("PRAGMA user_version").fetchone()
    if schema != SCHEMA:
        raise DeviceError(f"The journal {path} has schema {schema}; this version reads {SCHEMA}.", "Update pegpip.")


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
        raise DeviceError(
            f"Another table uses the data folder {path.parent}.", "Stop it, or give another folder with --data."
        ) from taken
    return lock


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """SQLite's errors in our tree, each with its cure."""
    try:
        yield
    except sqlite3.DatabaseError as wrong:
        code = getattr(wrong, "sqlite_errorcode", None)
        if code == sqlite3.SQLITE_FULL:
            raise DeviceError("The disk is full: the journal can't grow.", _FREE_SPACE) from wrong
        if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
            raise DeviceError(f"The journal {path} is damaged or no journal.", _MOVE_ASIDE) from wrong
        cure = "Check that the disk is well and the folder writable, then start again; what was entered stands."
        raise DeviceError(f"The journal {path} can't be used ({wrong}).", cure) from wrong
