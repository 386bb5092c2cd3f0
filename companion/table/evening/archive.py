"""The archive of finished games: their figures and their compressed lines, in a file beside the journal.

With it a start replays only the game on the table. The file is derived: when it is damaged, or does not fit the
journal, it is made anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from companion.games.engine.game import Header, Outcome
from companion.games.engine.notation import header_of
from companion.table.evening.statistics import Best, Tally
from companion.table.snapshot import Thrown
from companion.table.terms import USUAL, Terms

log = logging.getLogger(__name__)

FILE_NAME = "games.jsonl"
"""File of the archive in the data folder."""
_SUM_BYTES = 8
"""Length of each line's checksum in bytes: finds damage, not forgery."""

T = TypeVar("T")
"""Type that the compressed values are decoded to."""


class ArchivedLine(msgspec.Struct, frozen=True, array_like=True):
    """A line that stands.

    Attributes:
        number: Number of its journal entry.
        line: The line, as in a transcript.
        thrown: Its throw; None for a decision.
    """

    number: int
    line: dict[str, Any]
    thrown: Thrown | None


class ArchivedGame(msgspec.Struct, frozen=True, kw_only=True):
    """A game that is no longer on the table.

    Attributes:
        number: Number of the entry that started it.
        sitting: Number of the game that began its sitting.
        started_s: Wall time of its start, seconds since 1970; wrong where a Pi had no network.
        header_line: Header, as a transcript has it.
        sides: Players or teams, in the order of their scores.
        outcome: How it ended; None when it did not.
        abandoned: Whether it was ended without a result.
        colours: Colours of its players, and of those who played before them.
        lines_read: Lines read, as in its transcript.
        lines: The lines that stand, `packed`.
        log: Last events, `packed`.
        doubted: Lines whose throws the camera doubted or a person corrected.
        throw_count: Throws that stand.
        first_throw: Number of the first of them; 0 without any.
        last_throw: Number of the last of them.
        tallies: Figures of each player.
        bests: Best of each player.
        terms: Terms besides its rules.
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
    doubted: tuple[ArchivedLine, ...]
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
        """Throws that stand, oldest first."""
        return tuple(line.thrown for line in self.archived_lines() if line.thrown)

    def archived_lines(self) -> list[ArchivedLine]:
        """Return the lines that stand, oldest first."""
        return unpacked(self.lines, list[ArchivedLine])

    def text(self) -> bytes:
        """Return its transcript as JSON Lines: the header and the lines that stand."""
        lines = [self.header_line, *(each.line for each in self.archived_lines())]
        return b"".join(msgspec.json.encode(line) + b"\n" for line in lines)


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """Position in the journal that the archive reaches: it holds every game before the one that entry `next` started.

    Attributes:
        next: Number of that entry.
        link: Hash of that entry in the journal's chain; ties the archive to its journal.
        gone: Numbers of games taken back since the previous mark.
    """

    next: int
    link: str
    gone: tuple[int, ...] = ()


class Archive:
    """The archive of a data folder's finished games. One thread writes it; any program may read it.

    Args:
        folder: Data folder.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME
        self._games: dict[int, ArchivedGame] = {}
        self._written: dict[int, ArchivedGame] | None = None  # games in the file; None if it must be written whole

    def load(self) -> tuple[Mark, dict[int, ArchivedGame]] | None:
        """Return the last mark and the games before it, by number; None if the file is missing or damaged."""
        games, fresh = dict[int, ArchivedGame](), dict[int, ArchivedGame]()
        mark: Mark | None = None
        try:
            with self._path.open("rb") as file:
                for line in file:
                    content = _checked(line)
                    if content.startswith(b'{"next"'):
                        mark = msgspec.json.decode(content, type=Mark)
                        games = {number: game for number, game in (games | fresh).items() if number not in mark.gone}
                        fresh = {}
                    else:
                        game = msgspec.json.decode(content, type=ArchivedGame)
                        fresh[game.number] = game
        except FileNotFoundError:
            return None
        except (OSError, ValueError, msgspec.MsgspecError) as spoilt:
            log.warning("%s can't be read (%s): it is rebuilt from the journal", self._path, spoilt)
            return None
        if mark is None:
            return None
        # Games after the last mark: their write was cut off.
        self._games, self._written = dict(games), None if fresh else dict(games)
        return mark, games

    def forget(self) -> None:
        """Drop all games, so that the next `write` replaces the file; for an archive of another journal."""
        self._games, self._written = {}, None

    def note(self, games: Iterable[object]) -> None:
        """Store the archived games among `games`, and drop later games that are missing there: they were taken back."""
        fresh = {game.number: game for game in games if isinstance(game, ArchivedGame)}
        if fresh:
            self._games = {number: game for number, game in self._games.items() if number <= min(fresh)} | fresh

    def write(self, mark: Mark) -> None:
        """Append what has changed since the last mark, and the mark. A failure is logged; a start remakes the file."""
        before = self._written or {}
        mark = msgspec.structs.replace(mark, gone=tuple(number for number in before if number not in self._games))
        changed = [game for number, game in self._games.items() if before.get(number) is not game]
        content = b"".join(_line(msgspec.json.encode(each)) for each in (*changed, mark))
        try:
            with self._path.open("wb" if self._written is None else "ab") as file:
                file.write(content)
        except OSError as refused:
            log.warning("%s can't be written (%s)", self._path, refused)
            with contextlib.suppress(OSError):
                self._path.unlink(missing_ok=True)
            self._written = None
            return
        self._written = dict(self._games)


def packed(values: Sequence[object]) -> bytes:
    """Return values as zlib-compressed JSON, so that years of games fit in memory."""
    return zlib.compress(msgspec.json.encode(values), 1)


def unpacked(compressed: bytes, kind: type[T]) -> T:
    """Return the values that `packed` compressed, decoded as `kind`."""
    return msgspec.json.decode(zlib.decompress(compressed), type=kind)


def _line(content: bytes) -> bytes:
    """Return a line of the file: a checksum, a space, the content."""
    return hashlib.blake2b(content, digest_size=_SUM_BYTES).hexdigest().encode() + b" " + content + b"\n"


def _checked(line: bytes) -> bytes:
    """Return the content of a line. Raises ValueError unless its checksum is right."""
    content = line[line.find(b" ") + 1 : -1]
    if line != _line(content):
        raise ValueError("a line has a wrong checksum")
    return content
