"""Judge the decisions of a game: what each one that mattered cost against the best option."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise
from math import log, sqrt

from companion.errors import RulesError
from companion.games.advice.luck import goal_for, steps_of
from companion.games.advice.odds import values_of
from companion.games.engine.game import Spend, Throw
from companion.games.engine.transcript import Transcript
from companion.games.registry import game_named

LEAST_AT_STAKE = {"win": 0.005, "games": 0.01, "points": 0.1}
"""Least difference between the best and the worst option of a decision that matters: a share of a win, games, or, for
points, a share of the mistakes of careless players (`Rulebook.mistakes`)."""
MIN_DECISIONS = 30
"""Decisions from which a player is compared with the computer's levels. With fewer, chance decides."""
STANDARD_ERRORS = 1.96
"""Standard errors on either side of a mean that hold 95 % of a normal distribution."""
USUAL_REGRETS = "usual_regrets.json"
"""File of the computer levels' mean regrets, written by `make levels`."""


@dataclass(frozen=True, slots=True)
class Rating:
    """How well somebody decides in one game.

    Attributes:
        goal: What regrets are measured in: `win`, `games` or `points`.
        decisions: Number of decisions that mattered.
        regret: Mean regret of a decision.
        low: Lower end of its 95 % confidence interval; at least 0.
        high: Upper end.
        like: Level of the computer player with the nearest mean regret; None with too few decisions.
    """

    goal: str
    decisions: int
    regret: float
    low: float
    high: float
    like: str | None


def regrets_of(transcript: Transcript, goal: str) -> tuple[tuple[float, ...], ...]:
    """Return for each seat the regrets of its decisions that mattered, in order; 0 where the best option was taken.

    Raises RulesError where no values are known.
    """
    found: list[list[float]] = [[] for _ in transcript.header.players]
    unit = game_named(transcript.header.game).mistakes[0] if goal == "points" else 1.0
    steps = steps_of(transcript)
    for before, after in pairwise(steps):
        seat, state = before.state.standing.to_play, before.state
        if seat is None or len(state.options()) + len(state.throw_sizes) < 2:
            continue
        values, action = values_of(state, goal), after.last
        taken = len(action.dice) if isinstance(action, Throw) else action
        worth = [value for option, value in values if option == taken or _both_spend(option, taken)]
        ranked = [value for _, value in values]
        if worth and max(ranked) - min(ranked) >= LEAST_AT_STAKE[goal] * unit:
            found[seat].append(max(ranked) - worth[0])
    return tuple(map(tuple, found))


def rating(game: str, goal: str, regrets: Sequence[float]) -> Rating:
    """Rate decisions from their regrets.

    Args:
        game: Name of the game.
        goal: What the regrets are measured in.
        regrets: One for each decision that mattered; at least one.
    """
    count = len(regrets)
    mean = sum(regrets) / count
    spread = sqrt(sum((each - mean) ** 2 for each in regrets) / max(1, count - 1) / count) * STANDARD_ERRORS
    usual = usual_regrets().get(f"{game} {goal}", {})
    like = _nearest(mean, usual) if usual and count >= MIN_DECISIONS else None
    return Rating(goal, count, mean, max(0.0, mean - spread), mean + spread, like)


def judged(transcript: Transcript) -> tuple[str, tuple[tuple[float, ...], ...]] | None:
    """Return the goal of a finished game and the regrets of each seat; None where its decisions can't be judged."""
    if not transcript.state.standing.over or transcript.state.standing.left:
        return None
    goal = goal_for(transcript.header)
    try:
        return goal, regrets_of(transcript, goal)
    except RulesError:
        return None


@cache
def usual_regrets() -> Mapping[str, Mapping[str, float]]:
    """Return the mean regret of each computer level, by game and goal: `{"GAME points": {"steady": 0.0}}`."""
    file = files(__package__).joinpath(USUAL_REGRETS)
    found: Mapping[str, Mapping[str, float]] = json.loads(file.read_text(encoding="utf-8"))
    return found


def _nearest(mean: float, usual: Mapping[str, float]) -> str:
    """Return the level whose mean regret has the nearest ratio to `mean`."""
    least = max(usual.values()) / 100  # a level that never errs has no ratio
    return min(usual, key=lambda level: abs(log(max(mean, least) / max(usual[level], least))))


def _both_spend(first: object, second: object) -> bool:
    """Whether both options give up points: only two of the amounts are listed, and all have the same value."""
    return isinstance(first, Spend) and isinstance(second, Spend)
