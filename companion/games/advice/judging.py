"""Judge the decisions of a game: the regret of each one that counts. A decision counts if its options differ enough."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise
from math import log, sqrt

from companion.errors import RulesError
from companion.games.advice.luck import goal_for, regret_of, steps_of, value_taken
from companion.games.advice.odds import is_exact, values_of
from companion.games.engine.transcript import Transcript
from companion.games.registry import game_named

LEAST_AT_STAKE = {"win": 0.005, "games": 0.01, "points": 0.1}
"""Least difference in value between the best and the worst option for a decision to count in a player's rating. By
goal: in win probability, in games, or for `points` in multiples of the careless bot's temperature
(`Rulebook.mistakes`). Higher: fewer decisions count; lower: trivial ones lower the mean regret."""
MIN_DECISIONS = 30
"""Fewest decisions from which a player is compared with the bot's levels. Higher: the level is shown later.

Lower: chance decides the level."""
STANDARD_ERRORS = 1.96
"""Half the width of a confidence interval of a mean, in standard errors: 1.96 gives 95 %. Higher: a wider interval."""
USUAL_REGRETS = "usual_regrets.json"
"""Name of the file with the mean regret of each level of the computer player; `make levels` writes it."""


@dataclass(frozen=True, slots=True)
class Rating:
    """How well somebody decides in one game.

    Attributes:
        goal: What regrets are measured in: `win`, `games` or `points`.
        decisions: Number of decisions that count.
        regret: Mean regret of a decision.
        low: Lower end of the 95 % confidence interval of `regret`; at least 0. None with a single decision.
        high: Upper end of that interval; None with a single decision.
        like: Level of the computer player with the nearest mean regret; None with fewer than `MIN_DECISIONS`
            decisions, or if no level was measured for the goal.
    """

    goal: str
    decisions: int
    regret: float
    low: float | None
    high: float | None
    like: str | None


def regrets_of(transcript: Transcript, goal: str) -> tuple[tuple[float, ...], ...]:
    """Return, by seat, the regrets of the decisions that count, in the order of play.

    A regret is the value of the best option less that of the option taken, in the unit of `goal`: win probability,
    games or points. A decision, also one to throw, counts if its best and worst options differ by at least
    LEAST_AT_STAKE[goal]. For `points` this threshold is multiplied by the game's `Rulebook.mistakes[0]`.

    The roll-off is left out. Where `points` is the goal and also the game's default goal (`goal_for`), positions with
    exact win probabilities, such as last turns, are left out, too.

    Raises:
        RulesError: The values of the game's options are not known for the goal, or a player left while somebody had
            a choice.
    """
    found: list[list[float]] = [[] for _ in transcript.header.players]
    unit = game_named(transcript.header.game).mistakes[0] if goal == "points" else 1.0
    last_turns_too = goal != "points" or goal_for(transcript.header) != "points"
    for before, after in pairwise(steps_of(transcript)):
        seat, values = before.state.standing.to_play, values_of(before.state, goal)
        assert seat is not None, "nothing happens after the end"
        assert after.last is not None, "it has a line"
        counts = last_turns_too or not is_exact(before.state)
        if counts and values[0][1] - values[-1][1] >= LEAST_AT_STAKE[goal] * unit:
            taken = value_taken(values, before.state, after.last, after.state, goal)
            found[seat].append(regret_of(values, taken)[1])
    return tuple(map(tuple, found))


def rating(game: str, goal: str, regrets: Sequence[float]) -> Rating:
    """Return a player's mean regret, its 95 % confidence interval, and the bot level with the nearest mean regret.

    The ends of the interval are None for a single regret. The nearest level is the one whose mean differs by the
    smallest factor. The level is None with fewer than MIN_DECISIONS regrets, or if no level was measured for the game
    and goal.

    Args:
        game: Name of the game.
        goal: Unit of the regrets: `win`, `games` or `points`.
        regrets: Regret of each decision that counts; at least one.
    """
    count = len(regrets)
    mean = sum(regrets) / count
    low = high = None  # a single decision says nothing about the spread
    if count > 1:
        spread = sqrt(sum((each - mean) ** 2 for each in regrets) / (count - 1) / count) * STANDARD_ERRORS
        low, high = max(0.0, mean - spread), mean + spread
    usual = usual_regrets().get(f"{game} {goal}", {})
    like = None
    if usual and count >= MIN_DECISIONS:
        least = max(usual.values()) / 100  # a level that never errs has no ratio
        like = min(usual, key=lambda level: abs(log(max(mean, least) / max(usual[level], least))))
    return Rating(goal, count, mean, low, high, like)


def judged(transcript: Transcript) -> tuple[str, tuple[tuple[float, ...], ...]] | None:
    """Return a finished game's default goal, and for each seat the regrets of its decisions that count (`regrets_of`).

    A regret is the value of the best option less that of the option taken, in the unit of the goal, `win` or `points`.
    Return None if the game is not over, a player has left it, or the values of the game's options are not known.
    """
    if not transcript.state.standing.over or transcript.state.standing.left:
        return None
    goal = goal_for(transcript.header)
    try:
        return goal, regrets_of(transcript, goal)
    except RulesError:
        return None


@cache
def usual_regrets() -> Mapping[str, Mapping[str, float]]:
    """Read the mean regret of each level, by name of the game and goal: `{"GAME points": {"steady": 0.1}}`. Cached."""
    file = files(__package__).joinpath(USUAL_REGRETS)
    found: Mapping[str, Mapping[str, float]] = json.loads(file.read_bytes())
    return found
