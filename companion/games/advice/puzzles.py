"""Puzzles: positions whose best option is only a little better than the next, or that good players often miss.

The positions come from games between computer players. The same dice give the same puzzles on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import cycle
from math import exp
from typing import Any

from companion.errors import RulesError
from companion.games.advice.luck import Option, goal_for
from companion.games.advice.odds import is_exact, option_line, values_in_points, values_of
from companion.games.engine.dice import FACES
from companion.games.engine.game import Header, Throw
from companion.games.engine.notation import header_line, line_of
from companion.games.engine.players import LEVELS, Dice
from companion.games.engine.transcript import Transcript
from companion.games.registry import game_named

PLAYERS = ("Ann", "Ben")
"""Names of the two players in the transcript of a puzzle."""
LEAST_GAP = {"win": 0.01, "points": 0.2}
"""Least gap in value between a puzzle's two best options, by goal: win probability, or, for `points`, a multiple of the
noise of the bot's level `careless` (`Rulebook.mistakes[0]`). Lower: choices that hardly matter. Higher: more obvious
choices, as MAX_GAP is a multiple of it."""
MAX_GAP = 6.0
"""Largest gap between a puzzle's two best options, in multiples of LEAST_GAP. Higher: obvious puzzles, too.

A larger gap is allowed where steady players miss the best option often (HARD_MISSES)."""
GRADES = ("easy", "medium", "hard")
"""Grades of puzzles, easiest first, by how often the computer's levels miss the best option."""
MEDIUM_MISSES = 1 / 3
"""A puzzle is `medium` instead of `easy` if a careless player misses the best option with at least this probability.
Higher: fewer medium puzzles, more easy ones."""
HARD_MISSES = 1 / 2
"""A puzzle is `hard` if a steady player misses the best option with at least this probability. MAX_GAP does not apply
to it. Higher: fewer hard puzzles."""
SKIPPED_POSITIONS = 4
"""Number of positions skipped at the start of a game and after each puzzle. Higher: fewer puzzles from a game.

Lower: two puzzles of a game are alike."""
MAX_EMPTY_GAMES = 20
"""Number of games in a row without a puzzle after which the search is given up. Higher: giving up takes longer.

Lower: a game with few choices is said to have no puzzles."""


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position and the value of each option.

    Attributes:
        transcript: The game up to the position.
        goal: Unit of the values: `win` or `points`.
        options: Each option with its value, best first.
        careless_misses: Probability that a player of the level `careless` chooses a worse option.
        steady_misses: Probability that a player of the level `steady` chooses a worse option.
    """

    transcript: Transcript
    goal: str
    options: tuple[tuple[Option, float], ...]
    careless_misses: float
    steady_misses: float

    @property
    def grade(self) -> str:
        """Difficulty of the puzzle, `easy`, `medium` or `hard`: by how often the bot's levels miss the best option."""
        return GRADES[2 if self.steady_misses >= HARD_MISSES else self.careless_misses >= MEDIUM_MISSES]

    def view(self) -> dict[str, Any]:
        """Return the puzzle and its answer as JSON values.

        Returns:
            `game` and `player` to play, by name; `state` of the position; `goal`: what the values count, `win` or
            `points`; `grade`: `easy`, `medium` or `hard`; `options`: each as `{"line", "value"}`, best first;
            `transcript`: the lines up to the position, the header included.
        """
        lines = [header_line(self.transcript.header), *map(line_of, self.transcript.actions)]
        return {
            "game": self.transcript.header.game,
            "player": self.transcript.state.standing.player,
            "state": self.transcript.view(),
            "goal": self.goal,
            "grade": self.grade,
            "options": [{"line": option_line(option), "value": value} for option, value in self.options],
            "transcript": lines,
        }


def puzzles(game: str, dice: Dice, rules: Mapping[str, bool | int] | None = None) -> Iterator[Puzzle]:
    """Yield puzzles without end from games that the computer plays against itself.

    The throws come from `dice`: `random.Random` objects with the same seed yield the same puzzles. `rules` are house
    rules; None alternates, game by game, between the default rules and each preset with exact win probabilities.

    Raises:
        RulesError: There is no such game or rule, the values of its options are not known, or MAX_EMPTY_GAMES games
            in a row had no puzzle.
    """
    book = game_named(game)
    defaults = {switch.key: switch.default for switch in book.switches}
    headers = [Header(game, PLAYERS, {**defaults, **(rules or {})})]
    if rules is None:
        presets = [Header(game, PLAYERS, {**defaults, **preset}) for preset in book.presets.values() if preset]
        headers += [header for header in presets if goal_for(header) == "win"]
    coming, empty = cycle(headers), 0
    while empty < MAX_EMPTY_GAMES:
        empty += 1
        for puzzle in _in_game(next(coming), dice):
            empty = 0
            yield puzzle
    raise RulesError(f"There are no puzzles for {game!r}: {MAX_EMPTY_GAMES} games had no choice that is hard enough.")


def choice_chances(values: tuple[tuple[Option, float], ...], temperature: float) -> dict[Option, float]:
    """Return the probability that a player chooses each option, by logit quantal response.

    The probability is proportional to `exp(value / temperature)`, so worse options are chosen less often. With the
    temperature 0 only the best options are chosen, all equally often. The temperature is in units of the values.
    There must be at least one option.
    """
    most = max(value for _, value in values)
    if not temperature:
        best = [option for option, value in values if value == most]
        return {option: (option in best) / len(best) for option, _ in values}
    weights = {option: exp((value - most) / temperature) for option, value in values}
    total = sum(weights.values())
    return {option: weight / total for option, weight in weights.items()}


def _in_game(header: Header, dice: Dice) -> Iterator[Puzzle]:
    """Play one game between the levels `steady` and `careless` to its end, and yield the positions that are puzzles.

    SKIPPED_POSITIONS are passed over at the start and after each puzzle. `dice` also choose which level plays seat 0.
    """
    goal, levels = goal_for(header), (LEVELS["steady"], LEVELS["careless"])
    if dice.choices((0, 1), k=1) == [1]:
        levels = levels[::-1]
    transcript, since = Transcript.begin(header), 0
    while (seat := transcript.state.standing.to_play) is not None:
        state, since = transcript.state, since + 1
        if since > SKIPPED_POSITIONS and (puzzle := _puzzle_at(transcript, goal)) is not None:
            yield puzzle
            since = 0
        choice = levels[seat](state)
        action = Throw(tuple(dice.choices(FACES, k=choice))) if isinstance(choice, int) else choice
        transcript = transcript.then(action)


def _puzzle_at(transcript: Transcript, goal: str) -> Puzzle | None:
    """Return the position at the end of a transcript as a puzzle; None if the choice is too easy or too close.

    The choice is too close if the two best options differ by less than LEAST_GAP[goal]. For `points` this limit is
    multiplied by the game's `Rulebook.mistakes[0]`. The choice is too easy if they differ by more than MAX_GAP times
    the limit, unless steady players often miss the best option (HARD_MISSES). Also None with fewer than two options.
    With the goal `points`, also None if the position's exact win probabilities are known, for example in a last turn.
    Raises RulesError if the values are not known.
    """
    state, book = transcript.state, game_named(transcript.header.game)
    if len(state.options()) + len(state.throw_sizes) < 2 or (goal == "points" and is_exact(state)):
        return None
    ranked = values_of(state, goal)
    least = LEAST_GAP[goal] * (book.mistakes[0] if goal == "points" else 1.0)
    gap = ranked[0][1] - ranked[1][1]
    if gap < least:
        return None
    points = values_in_points(state)  # the levels choose by points, whatever the goal of the puzzle is
    careless, steady = (1.0 - choice_chances(points, level)[ranked[0][0]] for level in book.mistakes)
    if steady < HARD_MISSES and gap > MAX_GAP * least:
        return None
    return Puzzle(transcript, goal, ranked, careless, steady)
