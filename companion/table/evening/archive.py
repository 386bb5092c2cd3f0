"""Games that others have followed, put down small: what is asked of them often, and their lines to be replayed from.

They are kept in a file beside the journal, so that a start replays the game on the table and no other. The file is
derived: what is wrong with it, or does not fit the journal, is thrown away and made anew.
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
from companion.games.registry import game_named
from companion.table.evening.statistics import Best, Tally
from companion.table.snapshot import Thrown
from companion.table.terms import USUAL, Terms

log = logging.getLogger(__name__)

FILE_NAME = "games.jsonl"
_SUM_BYTES = 8

T = TypeVar("T")


class FiledLine(msgspec.Struct, frozen=True, array_like=True):
    """A line that stands: the number of its entry, the line, and the throw when it is one."""

    number: int
    line: dict[str, Any]
    thrown: Thrown | None


class FiledGame(msgspec.Struct, frozen=True, kw_only=True):
    """A game that is no longer on the table.

    Attributes:
        number: Of the entry that started it.
        sitting: Number of the game that began its sitting.
        started_s: When by the wall, seconds since 1970; a Pi without a network may have thought it was long ago.
        header_line: Its header, as a transcript has it.
        sides: Players or teams, in the order of their scores.
        outcome: How it ended, None when it did not.
        abandoned: Whether it was ended without a result.
        colours: Of its players, and of those who played here before them.
        lines_read: As in its transcript.
        lines: A list of `FiledLine`, `packed`.
        log: Its last events, `packed`.
        doubted: Those lines whose throws the camera doubted or a person corrected.
        throw_count: How many throws stand.
        first_throw: The number of the first of them, 0 without any.
        last_throw: The number of the last of them.
        tallies: Each player in figures.
        bests: Each player's best.
        terms: What was agreed on it besides its rules.
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
    doubted: tuple[FiledLine, ...]
    throw_count: int
    first_throw: int
    last_throw: int
    tallies: dict[str, Tally]
    bests: dict[str, Best]
    terms: Terms = USUAL

    @property
    def header(self) -> Header:
        """The set-up."""
        return header_of(self.header_line)

    @property
    def played(self) -> bool:
        """Whether there is anything to tell of it: it was not only set up."""
        return self.throw_count > 0 or self.outcome is not None

    @property
    def throws(self) -> tuple[Thrown, ...]:
        """The throws that stand, oldest first."""
        return tuple(line.thrown for line in self.filed_lines() if line.thrown)

    def filed_lines(self) -> list[FiledLine]:
        """The lines that stand, oldest first."""
        return unpacked(self.lines, list[FiledLine])

    def text(self) -> bytes:
        """Its transcript, JSON Lines: the header and the lines that stand."""
        lines = [self.header_line, *(filed.line for filed in self.filed_lines())]
        return b"".join(msgspec.json.encode(line) + b"\n" for line in lines)

    def summary(self) -> dict[str, Any]:
        """The game in short.

        `game`, `title`, `players`, `colours` (of each side), `over`, `abandoned`, `winners`, `games_lost`, `throws`
        (how many), `dice`, `bests` (of each player: `score`, `turn`, `loss`).
        """
        outcome = self.outcome
        lost = dict(zip(self.sides, outcome.games_lost, strict=True)) if outcome else {}
        return {
            "game": self.header_line["game"],
            "title": game_named(self.header_line["game"]).title,
            "players": self.header_line["players"],
            "colours": [self.colours[name] for name in self.header_line["players"][: len(self.sides)]],
            "over": outcome is not None,
            "abandoned": self.abandoned,
            "winners": [self.sides[side] for side in outcome.winners] if outcome else [],
            "games_lost": lost,
            "throws": self.throw_count,
            "dice": self.terms.dice,
            "bests": self.bests,
        }


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """How far the file goes: up to the game that entry `next` started.

    Attributes:
        next: That entry's number.
        link: Its link in the journal's chain: the file is of that journal and no other.
        gone: Games that were taken back since the mark before.
    """

    next: int
    link: str
    gone: tuple[int, ...] = ()


class Filing:
    """The file of a data folder's past games: one writes, any may read."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME
        self._known: dict[int, FiledGame] = {}
        self._waiting: list[FiledGame] = []
        self._gone: list[int] = []
        self._anew = True

    def load(self) -> tuple[Mark, dict[int, FiledGame]] | None:
        """The last mark, and every game before it; None where there is no such file."""
        games, fresh = dict[int, FiledGame](), dict[int, FiledGame]()
        mark: Mark | None = None
        try:
            with self._path.open("rb") as file:
                for line in file:
                    content = _checked(line)
                    if content.startswith(b'{"next"'):
                        mark = msgspec.json.decode(content, type=Mark)
                        games |= fresh
                        fresh = {}
                        for number in mark.gone:
                            games.pop(number, None)
                    else:
                        game = msgspec.json.decode(content, type=FiledGame)
                        fresh[game.number] = game
        except FileNotFoundError:
            return None
        except (OSError, ValueError, msgspec.MsgspecError) as spoilt:
            log.warning("%s can't be read (%s): it is made anew", self._path, spoilt)
            return None
        if mark is None:
            return None
        self._known, self._anew = dict(games), bool(fresh)
        return mark, games

    def forget(self) -> None:
        """The file is of another journal: it is made anew."""
        self._known, self._anew = {}, True

    def note(self, games: Iterable[object]) -> None:
        """A game has begun: those before it, as they stand, are to be filed, and those taken back to be forgotten."""
        standing = {game.number: game for game in games if isinstance(game, FiledGame)}
        for number, game in standing.items():
            if self._known.get(number) is not game:
                self._known[number] = game
                self._waiting.append(game)
        oldest = min(standing, default=None)
        if oldest is not None:
            self._gone += [number for number in self._known if number > oldest and number not in standing]
            for number in self._gone:
                self._known.pop(number, None)

    def write(self, mark: Mark) -> None:
        """Write what was noted. What fails is no loss: the file is made anew at the next start."""
        mark = msgspec.structs.replace(mark, gone=tuple(self._gone))
        games = list(self._known.values()) if self._anew else self._waiting
        content = b"".join(_line(msgspec.json.encode(each)) for each in (*games, mark))
        try:
            with self._path.open("wb" if self._anew else "ab") as file:
                file.write(content)
        except OSError as refused:
            log.warning("%s can't be written (%s)", self._path, refused)
            with contextlib.suppress(OSError):
                self._path.unlink(missing_ok=True)
            self._anew = True
            return
        self._waiting, self._gone, self._anew = [], [], False


def packed(values: Sequence[object]) -> bytes:
    """Values small: years of play stay in memory."""
    return zlib.compress(msgspec.json.encode(values), 1)


def unpacked(small: bytes, kind: type[T]) -> T:
    """What was `packed`."""
    return msgspec.json.decode(zlib.decompress(small), type=kind)


def _line(content: bytes) -> bytes:
    return _sum(content) + b" " + content + b"\n"


def _checked(line: bytes) -> bytes:
    link, _, content = line.removesuffix(b"\n").partition(b" ")
    if link != _sum(content):
        raise ValueError("a line of it is not as it was written")
    return content


def _sum(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=_SUM_BYTES).hexdigest().encode()
