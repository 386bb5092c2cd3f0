"""Odds, win probabilities and luck of the game on the table; each is computed on request and cached."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from companion.errors import RulesError
from companion.games.advice.luck import steps_of
from companion.games.advice.odds import is_exact, odds_view, win_chances
from companion.games.engine.roll_off import RollOff
from companion.games.engine.transcript import Transcript
from companion.history.story import story_with_photos
from companion.table.evening.game_record import PlayedGame
from companion.table.state import TableState
from companion.table.terms import SERIOUS

Json = dict[str, Any]


class Advisor:
    """Answers questions about the current game. Thread-safe; never blocks the table's writer.

    `state` returns the table's current state.
    """

    def __init__(self, state: Callable[[], TableState]) -> None:
        self._state = state
        self._lock = threading.Lock()
        self._odds: tuple[Transcript, Json] | None = None
        self._chances: list[tuple[Transcript, tuple[float, ...]]] = []
        self._story: tuple[Transcript, Json] | None = None

    def odds(self) -> Json:
        """Return the options of the player to play, each with its value, as JSON values.

        The goal is `win` where win probabilities are exact (`Rulebook.solved`), else `points`. After the end there are
        no options. The result is cached until the game changes.

        Returns:
            `number` of the table's last entry, and the fields of `games.advice.odds.odds_view`.

        Raises:
            RulesError: No game has been started yet, a serious game (tournament mode) is not over, the game is in its
                roll-off, or its values are not known.
        """
        number, game = self._game()
        state = game.transcript.state
        if game.terms.serious and not state.standing.over:
            raise RulesError(SERIOUS)
        if isinstance(state, RollOff):
            raise RulesError("What is best is known once the roll-off is over.")
        with self._lock:
            if self._odds is None or self._odds[0] is not game.transcript:
                self._odds = game.transcript, odds_view(state, "win" if is_exact(state) else "points")
            return {"number": number, **self._odds[1]}

    def chances(self) -> Json:
        """Return each side's win probability over the course of the table's latest game, as JSON values.

        Results of earlier calls are cached.

        Returns:
            `number` of the table's last entry; `sides`: their names; `chances`: right after the roll-off and after
            each later line, a list with the probability of each side; `exact`: False if the probabilities are
            approximations, True if they hold exactly when all sides play every turn to win.

        Raises:
            RulesError: No game has been started yet, a serious game (tournament mode) or a roll-off is not over, or
                win probabilities are not known.
        """
        number, game = self._game()
        if game.terms.serious and not game.transcript.state.standing.over:
            raise RulesError(SERIOUS)
        with self._lock:
            steps, known = steps_of(game.transcript), {id(step): chances for step, chances in self._chances}
            self._chances = [(step, known.get(id(step)) or win_chances(step.state)) for step in steps]
            chances = [list(one) for _, one in self._chances]
            return {"number": number, "sides": list(game.sides), "chances": chances, "exact": is_exact(steps[0].state)}

    def story(self) -> Json:
        """Return how much of the finished game's result was luck and how much decisions, as JSON values.

        Cached until the game changes. Raises RulesError without a game, or if the game is not finished, a player left
        it, or the values of its options are not known.

        Returns:
            `number` of the journal's newest entry, and the fields of `Story.view`: `goal`, `players` (split of each
            result), `luckiest`, `dearest` and `moves`. Each move has `photo`: the number of the latest throw, or None
            if that throw has no photo.
        """
        number, game = self._game()
        with self._lock:
            if self._story is None or self._story[0] is not game.transcript:
                throws = [line.thrown for line in game.lines]
                self._story = game.transcript, story_with_photos(game.transcript, throws)
            return {"number": number, **self._story[1]}

    def _game(self) -> tuple[int, PlayedGame]:
        """Return the table's entry number and its game. Raises RulesError before the first game."""
        record = self._state().record
        if record.game is None:
            raise RulesError("No game has been started yet.")
        return record.number, record.game
