"""The games of the journal as transcripts, past ones too: for export, bug reports and the evening's pages."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from companion.games.notation import action_of, header_line, header_of, line_of
from companion.games.registry import game_named
from companion.games.transcript import Transcript
from companion.session.journal import Entry, read_entries
from companion.session.past.statistics import Tally, tallies
from companion.session.record import PlayedGame, Record, after_entry

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class KeptGame:
    """A game as it stands in the journal, put down small: years of them fit in memory.

    Attributes:
        number: Of the entry that started it.
        started_s: When by the wall, seconds since 1970; a Pi without a network may have thought it was long ago.
        summary: `game`, `title`, `players`, `over`, `abandoned`, `winners`, `games_lost`, `throws` (how many).
        text: Its transcript, JSON Lines: the header and the lines that stand.
        throws: For each line after the header the number of its throw, or None.
    """

    number: int
    started_s: float
    summary: Json
    text: bytes
    throws: tuple[int | None, ...]


class PastGames:
    """All games of a data folder, read from its journal as it grows; any thread may ask."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._record = Record()
        self._started_s: dict[int, float] = {}
        self._kept: dict[int, KeptGame] = {}
        self._tallies: dict[int, tuple[bytes, dict[str, Tally]]] = {}  # of a game, good for that text of it

    def games(self) -> list[Json]:
        """Newest first: `id`, `started` and what a `KeptGame.summary` has."""
        with self._lock:
            self._read_on()
            kept = sorted(self._kept.values(), key=lambda game: -game.number)
        return [{"id": game.number, "started": _told(game.started_s), **game.summary} for game in kept]

    def transcript(self, game: int) -> list[Json] | None:
        """The lines of a game that stand, its header first; None when there is no such game."""
        kept = self._game(game)
        return [msgspec.json.decode(line) for line in kept.text.splitlines()] if kept else None

    def text(self, game: int) -> bytes | None:
        """The same as JSON Lines, as `pegpip replay` reads them."""
        kept = self._game(game)
        return kept.text if kept else None

    def moves(self, game: int) -> list[Json] | None:
        """For each line after the header: `line`, `state` after it, and the number of its `throw` or None."""
        kept = self._game(game)
        if kept is None:
            return None
        header, *lines = (msgspec.json.decode(line) for line in kept.text.splitlines())
        transcript = Transcript.begin(header_of(header))
        moves = []
        for line, throw in zip(lines, kept.throws, strict=True):
            transcript = transcript.then(action_of(line))
            moves.append({"line": line, "state": transcript.view(), "throw": throw})
        return moves

    def tallies(self, game: int) -> dict[str, Tally] | None:
        """Each player of a game in figures; None when there is no such game."""
        kept = self._game(game)
        if kept is None:
            return None
        known = self._tallies.get(game)
        if known is None or known[0] != kept.text:
            header, moves = msgspec.json.decode(kept.text.splitlines()[0]), self.moves(game)
            known = self._tallies[game] = kept.text, tallies(header, moves or ())
        return known[1]

    def players(self) -> dict[str, Tally]:
        """Everyone who has played here, over all games, the latest to play first."""
        found: dict[str, Tally] = {}
        for game in self.games():
            for name, tally in (self.tallies(game["id"]) or {}).items():
                found[name] = found.get(name, Tally()) + tally
        return found

    def _game(self, number: int) -> KeptGame | None:
        with self._lock:
            self._read_on()
            return self._kept.get(number)

    def _read_on(self) -> None:
        changed: dict[int, PlayedGame] = {}
        for entry in read_entries(self._folder, self._record.number + 1):
            if entry.kind == "game":
                self._started_s[entry.number] = entry.wall_s
            if entry.kind == "withdrawn" and self._record.game:
                self._kept.pop(self._record.game.number, None)
            self._record = followed(self._record, entry, changed)
        for number, game in changed.items():
            self._kept[number] = _kept(game, self._started_s[number])


def transcripts(entries: Iterable[Entry]) -> list[tuple[int, bytes]]:
    """Each game of a journal: the number of the entry that started it, and its transcript as JSON Lines."""
    record, games = Record(), dict[int, PlayedGame]()
    for entry in entries:
        record = followed(record, entry, games)
    return [(number, transcript_text(game)) for number, game in sorted(games.items())]


def transcript_text(game: PlayedGame) -> bytes:
    """A game's header and the lines that stand, one JSON object a line."""
    lines = [header_line(game.header), *(line_of(action) for action in game.transcript.actions)]
    return b"".join(msgspec.json.encode(line) + b"\n" for line in lines)


def followed(record: Record, entry: Entry, games: dict[int, PlayedGame]) -> Record:
    """The record after the entry; `games` learns how each game that it changed stands, and forgets one taken back."""
    after = after_entry(record, entry)
    if entry.kind == "withdrawn" and record.game:
        games.pop(record.game.number, None)
    for game in after.games:
        if all(game is not known for known in record.games):
            games[game.number] = game
    return after


def _kept(game: PlayedGame, started_s: float) -> KeptGame:
    outcome = game.view["outcome"] or {"winners": [], "games_lost": {}}
    summary = {
        "game": game.header.game,
        "title": game_named(game.header.game).title,
        "players": list(game.header.players),
        "over": game.view["over"],
        "abandoned": game.abandoned,
        "winners": outcome["winners"],
        "games_lost": outcome["games_lost"],
        "throws": len(game.throws),
    }
    throws = tuple(line.thrown.number if line.thrown else None for line in game.lines)
    return KeptGame(game.number, started_s, summary, transcript_text(game), throws)


def _told(wall_s: float) -> str:
    return datetime.fromtimestamp(wall_s, UTC).isoformat(timespec="seconds")
