"""Puzzles: positions whose best option is only a little better than the next, or that good players often miss.

The positions come from games between computer players. The same dice give the same puzzles on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import exp
from typing import Any

from companion.games.advice.luck import Option, goal_for
from companion.games.advice.odds import values_in_points, values_of
from companion.games.engine.dice import FACES
from companion.games.engine.game import Header, State, Throw
from companion.games.engine.notation import header_line, line_of
from companion.games.engine.players import LEVELS, Dice
from companion.games.engine.transcript import Transcript
from companion.games.registry import game_named

PLAYERS = ("Ann", "Ben")
"""Names of the two players in the transcript of a puzzle."""
LEAST_GAP = {"win": 0.01, "games": 0.02, "points": 0.2}
"""Least gap in value between the best and the second-best option of a puzzle, by goal: in win probability, games, or
for `points` multiples of the careless level's temperature (`Rulebook.mistakes`). With less, any choice will do."""
MAX_GAP = 6.0
"""Largest gap of a puzzle, in multiples of LEAST_GAP, unless steady players miss it often: larger ones are obvious."""
GRADES = ("easy", "medium", "hard")
"""Grades of puzzles, easiest first, by how often the computer's levels miss the best option."""
MEDIUM_MISSES = 1 / 3
"""Probability that a careless player misses the best option from which a puzzle is `medium` instead of `easy`."""
HARD_MISSES = 1 / 2
"""Probability that a steady player misses the best option from which a puzzle is `hard`."""
SKIPPED_POSITIONS = 4
"""Positions skipped at the start of a game and after each puzzle, so that two puzzles of one game are not alike."""


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position and the value of each option.

    Attributes:
        transcript: The game up to the position.
        goal: Unit of the values: `win`, `games` or `points`.
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
        """Difficulty: one of GRADES."""
        return GRADES[2 if self.steady_misses >= HARD_MISSES else self.careless_misses >= MEDIUM_MISSES]

    def view(self) -> dict[str, Any]:
        """Return the puzzle as JSON values: `game`, `player`, `state`, `goal`, `grade`, `options` and `transcript`.

        `options` are `{"line", "value"}`, best first. `transcript` is the list of its lines.
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


def option_line(option: Option) -> dict[str, Any]:
    """Return an option as JSON: `{"throw": 4}` for throwing four dice, else the transcript line of the decision."""
    return {"throw": option} if isinstance(option, int) else line_of(option)


def puzzles(game: str, dice: Dice, rules: Mapping[str, bool | int] | None = None) -> Iterator[Puzzle]:
    """Yield puzzles of a game without end; the same dice yield the same puzzles.

    Args:
        game: Name of the game.
        dice: Source of the throws.
        rules: House rules; None alternates, game by game, between the default rules and each preset that is solved.

    Raises:
        RulesError: There is no such game or rule.
    """
    book, number = game_named(game), 0
    usual: list[Mapping[str, bool | int]] = [{}, *(p for p in book.presets.values() if _is_solved(game, p))]
    while True:
        yield from _in_game(_header(game, usual[number % len(usual)] if rules is None else rules), dice)
        number += 1


def choice_chances(values: tuple[tuple[Option, float], ...], temperature: float) -> dict[Option, float]:
    """Return the probability of each option for a player who makes mistakes by logit quantal response.

    Args:
        values: Each option with its value.
        temperature: Scale of the mistakes, in units of the values; 0 for a player who makes none. Equally good options
            are then equally likely.
    """
    most = max(value for _, value in values)
    if not temperature:
        best = [option for option, value in values if value == most]
        return {option: (option in best) / len(best) for option, _ in values}
    weights = {option: exp((value - most) / temperature) for option, value in values}
    total = sum(weights.values())
    return {option: weight / total for option, weight in weights.items()}


def _header(game: str, rules: Mapping[str, bool | int]) -> Header:
    """Return the header of a game between PLAYERS with these house rules; the others have their defaults."""
    defaults = {switch.key: switch.default for switch in game_named(game).switches}
    return Header(game, PLAYERS, {**defaults, **rules})


def _is_solved(game: str, rules: Mapping[str, bool | int]) -> bool:
    """Whether a game between two players is solved for the win under these house rules."""
    book = game_named(game)
    return book.solved(book.start(_header(game, rules)))


def _in_game(header: Header, dice: Dice) -> Iterator[Puzzle]:
    """Play one game between a `steady` and a `careless` player, and yield the puzzles in it.

    Args:
        header: Set-up of the game.
        dice: Source of the throws, and of which player sits first.
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
    """Return the position after a transcript as a puzzle for a goal: `win` or `points`.

    None with fewer than two options, with a gap between the best two below LEAST_GAP, or with one above MAX_GAP. The
    last does not hold where steady players miss the best option often (HARD_MISSES).
    """
    state = transcript.state
    if len(state.options()) + len(state.throw_sizes) < 2:
        return None
    ranked = tuple(sorted(values_of(state, goal), key=lambda each: -each[1]))
    unit = game_named(transcript.header.game).mistakes[0] if goal == "points" else 1.0
    least = LEAST_GAP[goal] * unit
    gap = ranked[0][1] - ranked[1][1]
    if gap < least:
        return None
    careless, steady = (_misses(state, ranked[0][0], place) for place in (0, 1))
    if steady < HARD_MISSES and gap > MAX_GAP * least:
        return None
    return Puzzle(transcript, goal, ranked, careless, steady)


def _misses(state: State, best: Option, place: int) -> float:
    """Return the probability that a level of play does not choose `best`.

    Args:
        state: The position.
        best: The option with the highest value.
        place: Index of the level in `Rulebook.mistakes`: 0 for `careless`, 1 for `steady`.
    """
    temperature = game_named(state.standing.header.game).mistakes[place]
    return 1.0 - choice_chances(values_in_points(state), temperature).get(best, 0.0)
