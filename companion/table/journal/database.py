"""The journal's database: one SQLite table that only grows. What was committed lies in the file itself.

A rollback journal and synchronous=EXTRA: a commit returns once the entry is in the database and that is on the disk.
Rows are read as bytes, so that damage is found by comparing and not by a decoder that fails over it.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path

import msgspec

from companion.errors import DeviceError
from companion.table.atomic import sync
from companion.table.journal.chain import Row

SCHEMA = 2
BEFORE_CHAINS = 1
"""The schema of journals whose entries were not chained yet: they are rewritten when they are opened."""
APPLICATION_ID = 0x50656750  # "PegP": tells our files from other people's
FILE_NAME = "journal.sqlite3"
BESIDE = ("-journal", "-wal", "-shm")
"""Files that SQLite keeps beside a database and takes for its own."""

_TABLE = """CREATE TABLE entries (
    number INTEGER PRIMARY KEY, kind TEXT NOT NULL, body TEXT NOT NULL, wall_s REAL NOT NULL, throw INTEGER{}
) STRICT"""
_STAY = "CREATE TRIGGER entries_stay BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'the journal only grows'); END"
_HOLD = "CREATE TRIGGER entries_hold BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'the journal only grows'); END"
_STATEMENTS = {
    SCHEMA: {_TABLE.format(", link TEXT NOT NULL"), _STAY, _HOLD},
    BEFORE_CHAINS: {
        _TABLE.format(""),
        "CREATE INDEX entries_kind ON entries (kind, number)",
        "CREATE INDEX entries_throw ON entries (throw) WHERE throw IS NOT NULL",
        _STAY,
        _HOLD,
    },
}
_ROWS = "SELECT number, kind, body, wall_s, throw, link FROM entries WHERE number >= ? ORDER BY number"
_PLAIN_ROWS = "SELECT number, kind, body, wall_s, throw, '' FROM entries WHERE number >= ? ORDER BY number"
_DAMAGE = frozenset({sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_FORMAT})
UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
"""What reading a damaged database raises: SQLite's messages quote it, and Python would read them as text."""
PATIENCE_S = 5.0
AT_ONCE = 2000
"""Rows read in one go."""
MISSES = 2000
"""After so many numbers in a row that can't be read, a damaged database is taken to hold no more."""

MOVE_ASIDE = "Move it to another folder (keep it: it holds your games) and start again, or give another --data folder."


class Damaged(Exception):
    """The journal is not as it was written; why, in a few words."""


def connected(path: Path) -> sqlite3.Connection:
    """A connection to write with; the file must be ours. Raises sqlite3.Error, Damaged, DeviceError."""
    connection = careful(path)
    try:
        if schema_of(connection, path) != SCHEMA:
            raise Damaged("it was not made ready")
        _lasting(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def schema_of(connection: sqlite3.Connection, path: Path) -> int:
    """Which of our schemas a database has, to the letter.

    Raises:
        sqlite3.Error: It can't be read.
        DeviceError: It is another program's, or of a newer version.
        Damaged: It has tables, views or triggers that are not ours.
    """
    if connection.execute("PRAGMA application_id").fetchone() != (APPLICATION_ID,):
        raise DeviceError(f"{path} is a database of another program.", MOVE_ASIDE)
    (schema,) = connection.execute("PRAGMA user_version").fetchone()
    if schema not in _STATEMENTS:
        raise DeviceError(f"The journal {path} has schema {schema}; this version reads {SCHEMA}.", "Update pegpip.")
    found = {bytes(sql).decode(errors="replace") for (sql,) in connection.execute("SELECT sql FROM sqlite_master")}
    if found != _STATEMENTS[schema]:
        raise Damaged("it has tables, views or triggers that are not the journal's")
    return int(schema)


def rows_of(path: Path, first: int = 1) -> Generator[Row, None, None]:
    """The rows from number `first` on, in order, as far as they can be read; their links are not looked at.

    Raises sqlite3.Error, Damaged, DeviceError.
    """
    with contextlib.closing(_read_only(path)) as connection:
        query = _ROWS if schema_of(connection, path) == SCHEMA else _PLAIN_ROWS
        # Some at a time, each lot in one go: a reader that dawdles would keep the table from writing.
        while found := connection.execute(query + f" LIMIT {AT_ONCE}", (first,)).fetchall():
            for values in found:
                row = _row(values)
                if row is None:
                    raise Damaged(f"entry {values[0]} is not what an entry looks like")
                yield row
            first = found[-1][0] + 1


def rows_at(path: Path, numbers: Iterable[int]) -> Iterator[Row]:
    """The rows of those numbers, as far as there are such. Raises sqlite3.Error, Damaged, DeviceError."""
    with contextlib.closing(_read_only(path)) as connection:
        query = _ROWS if schema_of(connection, path) == SCHEMA else _PLAIN_ROWS
        for number in numbers:
            values = connection.execute(query.replace(">=", "="), (number,)).fetchone()
            row = _row(values) if values else None
            if row is not None:
                yield row


def last_written_s(folder: Path) -> float:
    """When a data folder's last entry was written, in seconds since 1970 by the clock of that day; 0 without one.

    What is wrong with the database others tell.
    """
    path = folder / FILE_NAME
    with contextlib.suppress(DeviceError, Damaged, *UNREADABLE):
        if path.exists():
            with contextlib.closing(_read_only(path)) as connection:
                schema_of(connection, path)
                found = connection.execute("SELECT wall_s FROM entries ORDER BY number DESC LIMIT 1").fetchone()
            return float(found[0]) if found and isinstance(found[0], float) else 0.0
    return 0.0


def is_whole(path: Path) -> bool:
    """Whether SQLite finds the database's structure sound. Raises sqlite3.Error."""
    with contextlib.closing(careful(path)) as connection:
        return bool(connection.execute("PRAGMA quick_check(1)").fetchone() == (b"ok",))


def readable_rows(path: Path, at_least: int) -> dict[int, Row]:
    """Every row of a damaged database that can still be read, asked for one by one, at least up to that number."""
    found: dict[int, Row] = {}
    if not path.exists():
        return found
    with contextlib.suppress(*UNREADABLE), contextlib.closing(_read_only(path)) as connection:
        columns = {bytes(values[1]) for values in connection.execute("PRAGMA table_info(entries)")}
        query = (_ROWS if b"link" in columns else _PLAIN_ROWS).replace(">= ? ORDER BY number", "= ?")
        number, misses = 0, 0
        while number < at_least or misses < MISSES:
            number, misses = number + 1, misses + 1
            with contextlib.suppress(*UNREADABLE):
                values = connection.execute(query, (number,)).fetchone()
                row = _row(values) if values else None
                if row is not None:
                    found[number], misses = row, 0
    return found


def write_anew(path: Path, rows: Iterable[Row]) -> None:
    """Put a database with just these rows in the place of the one there: whole or not at all.

    Raises sqlite3.Error, OSError.
    """
    fresh = path.with_suffix(".new")
    for leftover in (fresh, *(fresh.with_name(fresh.name + end) for end in BESIDE)):
        leftover.unlink(missing_ok=True)
    with contextlib.closing(careful(fresh)) as connection:
        _lasting(connection)
        connection.execute("BEGIN")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {SCHEMA}")
        for statement in (_TABLE.format(", link TEXT NOT NULL"), _STAY, _HOLD):
            connection.execute(statement)
        connection.executemany("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?)", (_values(row) for row in rows))
        connection.execute("COMMIT")
    fresh.with_name(fresh.name + "-journal").unlink(missing_ok=True)
    # A log left of the old database would be played back into the new one.
    for end in BESIDE:
        path.with_name(path.name + end).unlink(missing_ok=True)
    sync(path.parent)
    fresh.replace(path)
    sync(path.parent)


def insert(connection: sqlite3.Connection, row: Row) -> None:
    """Put a row on the disk. Raises sqlite3.Error; then it may be there all the same: see `holds`."""
    with connection:
        connection.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?)", _values(row))


def holds(connection: sqlite3.Connection, row: Row) -> bool:
    """Whether that very row is in the database. Raises sqlite3.Error."""
    found = connection.execute("SELECT link FROM entries WHERE number = ?", (row.number,)).fetchone()
    return bool(found and bytes(found[0]) == row.link.encode())


def is_damage(wrong: sqlite3.Error | UnicodeDecodeError) -> bool:
    """Whether that error says that the file is not what was written, rather than that it can't be reached."""
    if isinstance(wrong, UnicodeDecodeError):
        return True
    code = getattr(wrong, "sqlite_errorcode", 0)
    return code & 0xFF in _DAMAGE or code in (sqlite3.SQLITE_IOERR_SHORT_READ, sqlite3.SQLITE_IOERR_CORRUPTFS)


def careful(path: Path) -> sqlite3.Connection:
    """A connection that gives text as bytes and trusts nothing of a file that may be damaged. Raises sqlite3.Error."""
    connection = sqlite3.connect(path, timeout=PATIENCE_S)
    connection.text_factory = bytes
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    return connection


def _read_only(path: Path) -> sqlite3.Connection:
    connection = careful(path)
    connection.execute("PRAGMA query_only = ON")
    return connection


def _lasting(connection: sqlite3.Connection) -> None:
    # PERSIST: the rollback journal keeps its place on the disk, and a full disk finds it there.
    connection.execute("PRAGMA journal_mode = PERSIST")
    connection.execute("PRAGMA synchronous = EXTRA")


def _values(row: Row) -> tuple[object, ...]:
    return row.number, row.kind, bytes(row.body).decode(), row.wall_s, row.throw, row.link


def _row(values: tuple[object, ...]) -> Row | None:
    """A row of those values; None where they can't be an entry's."""
    number, kind, body, wall_s, throw, link = values
    if not (isinstance(number, int) and isinstance(wall_s, float) and isinstance(throw, int | None)):
        return None
    if not (isinstance(kind, bytes) and isinstance(body, bytes) and isinstance(link, bytes)):
        return None
    try:
        msgspec.json.decode(body, type=dict[str, msgspec.Raw])
        row = Row(number, kind.decode(), msgspec.Raw(body), wall_s, throw, link.decode())
        bytes.fromhex(row.link)
        row.following  # noqa: B018 - a loss that does not say how far it goes is none
    except (ValueError, KeyError, msgspec.MsgspecError):
        return None
    return row
