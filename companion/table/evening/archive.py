"""The archive of finished games: their figures and their compressed lines, in a file beside the journal.

With it a start replays only the game on the table. A file that is damaged, or does not fit the journal, is made anew.
"""

from __future__ import annotations

import gzip
import logging
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from companion.games.engine.game import Header, Outcome
from companion.games.engine.notation import header_of
from companion.table.atomic import write_file
from companion.table.evening.statistics import Best, Tally
from companion.table.journal import row_at
from companion.table.journal.chain import Head
from companion.table.journal.journal import ARCHIVE
from companion.table.snapshot import Thrown
from companion.table.terms import USUAL, Terms

log = logging.getLogger(__name__)

FILE_NAME = ARCHIVE
"""File of the archive in the data folder: an `ArchiveContent` as gzipped JSON. The checksum of gzip reveals damage."""

T = TypeVar("T")
"""Type that the compressed values are decoded to."""


class Line(msgspec.Struct, frozen=True, array_like=True):
    """A transcript line that was not taken back, with the number of its journal entry, and its throw, if it is one."""

    number: int
    line: dict[str, Any]
    thrown: Thrown | None


class ArchivedGame(msgspec.Struct, frozen=True, kw_only=True):
    """A game that is no longer on the table, with statistics and best results of its players by name.

    Attributes:
        number: Number of the entry that started it.
        sitting: Number of the game that began its sitting.
        started_s: Wall time of its start, seconds since 1970; wrong where a Pi had no network.
        sides: Players or teams, in the order of their scores.
        colours: Colours of its players, and of those who played before them.
        lines_read: Lines of its transcript, with undos and lines taken back.
        lines: Its lines (`Line`) that were not taken back, `packed`.
        log: Last events, `packed`.
        doubted: Its lines whose throws the camera doubted or a person corrected.
        last_throw: Number of the last throw that stands, as `first_throw` of the first; 0 without any.
    """

    number: int
    sitting: int
    started_s: float
    header_line: dict[str, Any]
    sides: tuple[str, ...]
    outcome: Outcome | None
    abandoned: bool
    colours: dict[str, int]
    lines_read: int
    lines: bytes
    log: bytes
    doubted: tuple[Line, ...]
    throw_count: int
    first_throw: int
    last_throw: int
    tallies: dict[str, Tally]
    bests: dict[str, Best]
    terms: Terms = USUAL

    @property
    def header(self) -> Header:
        """The game's header."""
        return header_of(self.header_line)

    @property
    def played(self) -> bool:
        """Whether anything was played after it was set up."""
        return self.throw_count > 0 or self.outcome is not None

    @property
    def throws(self) -> tuple[Thrown, ...]:
        """Throws that were not taken back, oldest first."""
        return tuple(line.thrown for line in self.archived_lines() if line.thrown)

    def archived_lines(self) -> list[Line]:
        """Return the lines that were not taken back, oldest first."""
        return unpacked(self.lines, list[Line])

    def text(self) -> bytes:
        """Return the game's transcript as JSON Lines: the header and the lines that were not taken back."""
        lines = [self.header_line, *(each.line for each in self.archived_lines())]
        return b"".join(msgspec.json.encode(line) + b"\n" for line in lines)


class ArchiveContent(msgspec.Struct, frozen=True):
    """Content of the archive's file: every game, oldest first, before the entry that started the game on the table.

    That entry, `next`, ties the archive to its journal.
    """

    next: Head
    games: tuple[ArchivedGame, ...]


class Archive:
    """The archive of a data folder's finished games. One thread writes it; any program may read it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._games = dict[int, ArchivedGame]()

    def load(self) -> tuple[int, tuple[ArchivedGame, ...]]:
        """Read the archive's file; return the number of the first entry to replay, and the games before it.

        A file that is missing, unreadable, damaged or of another journal counts as empty: the result is `(1, ())`.
        Raises DeviceError if the journal can't be read.
        """
        try:
            stored = msgspec.json.decode(gzip.decompress((self._folder / FILE_NAME).read_bytes()), type=ArchiveContent)
        except FileNotFoundError:
            return 1, ()
        except (OSError, EOFError, zlib.error, msgspec.MsgspecError, UnicodeDecodeError) as damage:
            log.warning("%s can't be read (%s): it is rebuilt from the journal", self._folder / FILE_NAME, damage)
            return 1, ()
        row = row_at(self._folder, stored.next.number)
        if row is None or row.head != stored.next:
            return 1, ()
        self._games = {game.number: game for game in stored.games}
        return stored.next.number, stored.games

    def note(self, games: Iterable[object]) -> None:
        """Update the archive in memory with the `ArchivedGame` objects in `games`; only `write` changes the file.

        Stored games from the number of the oldest new one on are dropped, then the new games are added: a stored game
        that is missing in `games` was taken back. Earlier games stay. Other objects in `games` (`PlayedGame`) are
        skipped.
        Without an `ArchivedGame` in `games` nothing changes.
        """
        fresh = {game.number: game for game in games if isinstance(game, ArchivedGame)}
        if fresh:
            self._games = {number: game for number, game in self._games.items() if number <= min(fresh)} | fresh

    def write(self, next_game: Head) -> None:
        """Write the games in memory to the archive's file; the next start replays the journal from `next_game`.

        An OSError is only logged: the older file stays valid, and the next start replays more of the journal.
        """
        stored = ArchiveContent(next_game, tuple(self._games[number] for number in sorted(self._games)))
        content = gzip.compress(msgspec.json.encode(stored), 0)  # the games are compressed already
        try:
            write_file(self._folder / FILE_NAME, (content,))
        except OSError as refused:
            log.warning("%s can't be written (%s)", self._folder / FILE_NAME, refused)


def packed(values: Sequence[object]) -> bytes:
    """Return values as zlib-compressed JSON, so that years of games fit in memory."""
    return zlib.compress(msgspec.json.encode(values), 1)


def unpacked(compressed: bytes, kind: type[T]) -> T:
    """Return the values that `packed` compressed, decoded as `kind`."""
    return msgspec.json.decode(zlib.decompress(compressed), type=kind)
