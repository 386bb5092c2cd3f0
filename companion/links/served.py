"""What the pages are given of the other rooms: the board with its shape, photos, and the games of past evenings."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from companion.errors import CompanionError
from companion.rules.notation import header_line, line_of
from companion.session.journal import read_entries
from companion.session.record import PlayedGame, Record, after_entry
from hardware.board import Board, BoardFrame
from hardware.track import Layout


class BoardOnPage:
    """The board as the page draws it: its newest frame, and where each LED is."""

    def __init__(self, board: Board, layout: Layout) -> None:
        self._board = board
        self._spots = spots(layout)

    def latest(self) -> BoardFrame:
        """The newest frame."""
        return self._board.latest()

    def spots(self) -> Sequence[tuple[float, float]]:
        """Where each LED is, in hole spacings."""
        return self._spots


def spots(layout: Layout) -> tuple[tuple[float, float], ...]:
    """Places of the LEDs with the distance of two neighbours on the strip as the unit."""
    places = layout.places_mm
    steps = [distance for a, b in itertools.pairwise(places) if (distance := math.dist(a, b)) > 0]
    unit_mm = min(steps, default=1.0)
    return tuple((x / unit_mm, y / unit_mm) for x, y in places)


class Photographs:
    """Photos of throws and of the open question, as bytes."""

    def __init__(self, path_of: Callable[[int], Path | None], question: Callable[[int], bytes | None]) -> None:
        self._path_of = path_of
        self._question = question

    def throw_jpeg(self, number: int) -> bytes | None:
        """The photo of a throw, or None when there is none (any more)."""
        path = self._path_of(number)
        try:
            return path.read_bytes() if path is not None else None
        except OSError:
            return None

    def question_jpeg(self, number: int) -> bytes | None:
        """The photo that the open question is about."""
        return self._question(number)


class Evenings:
    """All games of the journal, read anew at each call: nobody asks often, and the table may be writing."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def games(self) -> Sequence[dict[str, Any]]:
        """Newest first."""
        return [_card(game, wall_s) for game, wall_s in reversed(self._played())]

    def transcript(self, game: int) -> Sequence[dict[str, Any]] | None:
        """The lines of a game that stand, the header first."""
        found = self._game(game)
        return None if found is None else [header_line(found.header), *map(line_of, found.transcript.actions)]

    def moves(self, game: int) -> Sequence[dict[str, Any]] | None:
        """Each line that stands, the state after it, and its throw's number."""
        found = self._game(game)
        if found is None:
            return None
        transcript = type(found.transcript).begin(found.header)
        told = []
        for action, line in zip(found.transcript.actions, found.lines, strict=True):
            transcript = transcript.then(action)
            throw = line.thrown.number if line.thrown else None
            told.append({"line": line_of(action), "state": transcript.view(), "throw": throw})
        return told

    def _game(self, number: int) -> PlayedGame | None:
        return next((game for game, _ in self._played() if game.number == number), None)

    def _played(self) -> list[tuple[PlayedGame, float]]:
        record, games, started = Record(), dict[int, PlayedGame](), dict[int, float]()
        for entry in read_entries(self._folder):
            try:
                record = after_entry(record, entry)
            except CompanionError:
                continue  # an entry that today's rules refuse: the games before and after it are still worth showing
            if entry.kind == "withdrawn":
                games.pop(max(games, default=0), None)
            if record.game is not None:
                games[record.game.number] = record.game
                started.setdefault(record.game.number, entry.wall_s)
        return [(game, started[number]) for number, game in sorted(games.items())]


def _card(game: PlayedGame, wall_s: float) -> dict[str, Any]:
    outcome = game.view["outcome"] or {}
    return {
        "id": game.number,
        "game": game.header.game,
        "players": list(game.header.players),
        "winners": list(outcome.get("winners", [])),
        "games_lost": dict(outcome.get("games_lost", {})),
        "over": bool(game.view["over"]),
        "throws": len(game.throws),
        "started": time.strftime("%Y-%m-%d %H:%M", time.localtime(wall_s)),
    }
