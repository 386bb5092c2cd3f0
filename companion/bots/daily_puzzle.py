"""The puzzle of the day for pages: computed on the first request of a day, then kept."""

from __future__ import annotations

import contextlib
import random
import threading
from collections.abc import Callable
from dataclasses import asdict
from datetime import date
from itertools import islice
from typing import Any

import msgspec

from companion.errors import RulesError
from companion.games.advice.puzzles import GRADES, Puzzle, puzzles
from companion.games.advice.reasons import reasons_for
from companion.games.registry import GAMES, game_named

CANDIDATES = 3
"""Number of puzzles computed for a day; the hardest is shown. Higher: a harder puzzle, and a longer first request."""


def puzzle_of(day: date) -> Puzzle:
    """Return the puzzle of a day, the hardest of CANDIDATES. Every table gets the same puzzle for the day.

    The games take turns by day. A game without enough puzzles leaves the day to the next game. Raises RulesError if no
    game has enough.
    """
    names = list(GAMES)
    for turn in range(len(names)):
        game = names[(day.toordinal() + turn) % len(names)]
        with contextlib.suppress(RulesError):
            offered = islice(puzzles(game, random.Random(day.isoformat())), CANDIDATES)
            return max(offered, key=lambda puzzle: GRADES.index(puzzle.grade))
    raise RulesError(f"None of the games has puzzles: {', '.join(names)}.")


class DailyPuzzle:
    """Gives the puzzle of the day. Thread-safe. `today` returns the local date."""

    def __init__(self, today: Callable[[], date]) -> None:
        self._today, self._lock = today, threading.Lock()
        self._known: tuple[date, dict[str, Any]] | None = None

    def view(self) -> dict[str, Any]:
        """Return today's puzzle as JSON values.

        The first call of a day computes the puzzle; it is then cached until midnight, so do not change the result.
        Raises RulesError if no game has puzzles.

        Returns:
            The fields of `Puzzle.view` without `transcript`; `title` of the game, `day` (ISO 8601), the loose `dice`,
            the `kept` dice, the `track`, and `reasons`: phrases that explain the best option.
        """
        day = self._today()
        with self._lock:
            if self._known is None or self._known[0] != day:
                puzzle = puzzle_of(day)
                state, book, view = puzzle.transcript.state, game_named(puzzle.transcript.header.game), puzzle.view()
                del view["transcript"]
                panels = book.panels(state)
                self._known = (
                    day,
                    {
                        **view,
                        "title": book.title,
                        "day": day.isoformat(),
                        "dice": list(panels.dice),
                        "kept": list(panels.kept),
                        "track": asdict(book.track(state)),
                        "reasons": msgspec.to_builtins(reasons_for(state, puzzle.goal, puzzle.options)),
                    },
                )
            return self._known[1]
