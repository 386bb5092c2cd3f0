"""How rare a lucky throw is: the probability of a throw that is at least as good for the player who threw."""

from __future__ import annotations

from companion.errors import RulesError
from companion.games.advice.luck import Story
from companion.games.advice.odds import values_in_points, win_chances
from companion.games.engine.dice import throws_of
from companion.games.engine.game import State, Throw
from companion.games.engine.transcript import Transcript

VALUE_TOLERANCE = 1e-9
"""Largest loss of value, in win probability, games or points (`Story.goal`), at which a throw still counts as equally
good. It covers rounding, as sums in another order differ; real differences are far larger. Higher: more throws count as
good."""


def chance_of_as_good(transcript: Transcript, story: Story) -> float:
    """Return the probability of throwing at least as well as the luckiest throw of a finished game.

    All throws of the same number of dice from the same position are compared. What counts is the value of the state
    after the throw, for the thrower. `story` is the game's split into luck and decisions. Raises RulesError if no throw
    was lucky.
    """
    if not story.luckiest:
        raise RulesError("No throw of this game was lucky.")
    move = story.luckiest[0]
    before = transcript.steps[move.line - 2].state
    assert isinstance(move.action, Throw), "only throws have luck"
    least, count = value_after(before, move.action, story.goal) - VALUE_TOLERANCE, len(move.action.dice)
    good = sum(ways for dice, ways in throws_of(count) if value_after(before, Throw(dice), story.goal) >= least)
    return float(good / 6**count)


def value_after(before: State, throw: Throw, goal: str) -> float:
    """Return the value of the state after a throw, for the player who threw, with best play from there on.

    `goal` is `win` (win probability), `games` (expected games) or `points`: expected points of this turn, or for a
    score sheet the expected final total. For `points`, a throw that ends the turn has the value 0. Raises RulesError if
    the value is not known, IllegalAction if the throw is not allowed.
    """
    after = before.after(throw)
    if goal != "points":
        side = before.standing.side
        assert side is not None, "nobody throws after the end"
        return win_chances(after, goal)[side]
    if after.standing.to_play != before.standing.to_play:
        return 0.0  # the throw ended the turn
    return max(value for _, value in values_in_points(after))
