"""Luck told from skill: how a finished game's result splits into what the dice did and what decisions gave away.

A decision costs what its option is worth less than the best one. All else that a line changes is luck. So luck and
decisions together are the result less what was expected at the start, exactly.

For the goal `win` the measure is the chance to win, from the first line to the last; every decision counts for both
sides. For `points` it is what turns bring: each turn is expected to bring something when it begins, and a player's
result is what all of them brought; where a game is a sheet to fill, its final total.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any

from companion.errors import RulesError
from companion.games.advice.odds import GOALS, values_in_points, win_chances
from companion.games.engine.game import Action, Enter, Header, Spend, State, Stop, Throw, side_of
from companion.games.engine.notation import line_of
from companion.games.engine.roll_off import RollOff
from companion.games.engine.transcript import Transcript
from companion.games.registry import game_named

MOST_LISTED = 3
Option = Action | int


@dataclass(frozen=True, slots=True)
class Move:
    """One line of the game, weighed for whoever made it.

    Attributes:
        line: Its number in the transcript; the header is 1. Lines taken back are not counted.
        seat: Who made it.
        action: What was thrown or decided.
        luck: What the dice brought, measured for that seat; of a decision 0, but for rounding.
        cost: What the choice gave away, 0 or more. Of a throw: that it was thrown at all.
        best: What would have been best; None where that was done.
    """

    line: int
    seat: int
    action: Action
    luck: float
    cost: float
    best: Option | None

    def view(self, players: tuple[str, ...]) -> dict[str, Any]:
        """Plain JSON values."""
        best = {"throw": self.best} if isinstance(self.best, int) else self.best and line_of(self.best)
        return {
            "line": self.line,
            "player": players[self.seat],
            "action": line_of(self.action),
            "luck": self.luck,
            "gave_away": self.cost,
            "best": best,
        }


@dataclass(frozen=True, slots=True)
class Account:
    """A result, split: `result == start + luck + decisions`.

    Attributes:
        start: What was expected: the chance to win, or the points of all turns as each began.
        luck: What all dice of the game did to it.
        decisions: What all decisions did to it, the others' too where they matter to him.
        gave_away: What his own decisions cost him.
    """

    player: str
    start: float
    result: float
    luck: float
    decisions: float
    gave_away: float


@dataclass(frozen=True, slots=True)
class Story:
    """A finished game, told as luck and decisions."""

    goal: str
    accounts: tuple[Account, ...]
    moves: tuple[Move, ...]

    @property
    def luckiest(self) -> tuple[Move, ...]:
        """The throws that brought most, the luckiest first."""
        throws = [move for move in self.moves if isinstance(move.action, Throw) and move.luck > 0]
        return tuple(sorted(throws, key=lambda move: -move.luck)[:MOST_LISTED])

    @property
    def dearest(self) -> tuple[Move, ...]:
        """The choices that gave away most, the dearest first."""
        return tuple(sorted((move for move in self.moves if move.cost > 0), key=lambda move: -move.cost)[:MOST_LISTED])

    def view(self, players: tuple[str, ...]) -> dict[str, Any]:
        """Plain JSON values: `goal`, `players` (the accounts), `luckiest`, `dearest`, `moves`."""
        return {
            "goal": self.goal,
            "players": [asdict(account) for account in self.accounts],
            "luckiest": [move.view(players) for move in self.luckiest],
            "dearest": [move.view(players) for move in self.dearest],
            "moves": [move.view(players) for move in self.moves],
        }


def goal_for(header: Header) -> str:
    """The measure that a game's results are best told in: the win where its chance is known throughout."""
    game = game_named(header.game)
    return "win" if game.solved(game.start(replace(header, roll_off=False))) else "points"


def story_of(transcript: Transcript, goal: str | None = None) -> Story:
    """How a finished game split into luck and decisions.

    Args:
        transcript: After its last line.
        goal: `win` or `points`; else what `goal_for` finds.

    Raises:
        RulesError: The game is not finished, there is no such goal, or its values are not worked out.
    """
    if not transcript.state.over:
        raise RulesError("The game is not finished: its luck can be told when it is over.")
    if transcript.state.left:
        raise RulesError("Somebody left this game: what was luck in it can't be told.")
    goal = goal_for(transcript.header) if goal is None else goal
    if goal not in GOALS:
        raise RulesError(f"There is no goal {goal!r}; there are: {', '.join(GOALS)}.")
    return _won(transcript) if goal == "win" else _scored(transcript)


def steps_of(transcript: Transcript) -> list[Transcript]:
    """The transcript before the first line of the game proper, and after each."""
    return [step for step in transcript.steps if not isinstance(step.state, RollOff)] or [transcript]


def _steps(transcript: Transcript) -> Iterator[tuple[int, State, Action, State]]:
    """Each line of the game proper with the state before and after it."""
    for before, after in pairwise(steps_of(transcript)):
        assert after.last is not None, "it has a line"
        yield after.standing + 1, before.state, after.last, after.state


def _weighed(values: tuple[tuple[Option, float], ...], action: Action) -> tuple[float, float, Option | None]:
    """What the best option was worth, what the one that was taken cost, and the best one where it was another."""
    wanted, best = max(values, key=lambda each: each[1])
    taken = len(action.dice) if isinstance(action, Throw) else action
    alike = [worth for option, worth in values if option == taken or (_spends(option) and _spends(taken))]
    if not alike:
        raise RulesError(f"{line_of(action)} is no option that is weighed.")
    return best, best - alike[0], wanted if alike[0] < best else None


def _spends(option: Option) -> bool:
    """Of spendings only the smallest and the greatest are listed; each brings no points."""
    return isinstance(option, Spend)


def _won(transcript: Transcript) -> Story:
    game, moves = game_named(transcript.header.game), list[Move]()
    steps = tuple(_steps(transcript))
    start = now = win_chances(steps[0][1])
    luck, decisions, own = [0.0] * len(start), [0.0] * len(start), [0.0] * len(start)
    for line, before, action, after in steps:
        assert before.to_play is not None, "nothing happens after the end"
        mover = side_of(before, before.to_play)
        _, cost, wanted = _weighed(game.values_to_win(before), action)
        then, now = now, win_chances(after)
        for side in range(len(start)):
            decided = -cost if side == mover else cost / (len(start) - 1)
            decisions[side] += decided
            luck[side] += now[side] - then[side] - decided
        own[mover] += cost
        moves.append(Move(line, before.to_play, action, now[mover] - then[mover] + cost, cost, wanted))
    accounts = map(Account, transcript.state.sides, start, now, luck, decisions, own)
    return Story("win", tuple(accounts), tuple(moves))


def _scored(transcript: Transcript) -> Story:
    players, moves = transcript.header.players, list[Move]()
    total = game_named(transcript.header.game).expects_total
    start, result, worth, luck, own = ([0.0] * len(players) for _ in range(5))
    begun, in_turn = set[int](), False
    for line, before, action, after in _steps(transcript):
        seat = before.to_play
        assert seat is not None, "nothing happens after the end"
        best, cost, wanted = _weighed(values_in_points(before), action)
        if not in_turn and not (total and seat in begun):
            start[seat] += best
            worth[seat] = best
        begun.add(seat)
        in_turn = after.to_play == seat and not isinstance(action, Stop | Enter | Spend)
        if in_turn:
            following = max(value for _, value in values_in_points(after))
        else:
            following = 0.0 if isinstance(action, Throw) else best - cost
            result[seat] = following + (0.0 if total else result[seat])
        brought = following - worth[seat] + cost
        worth[seat] = following
        luck[seat] += brought
        own[seat] += cost
        moves.append(Move(line, seat, action, brought, cost, wanted))
    accounts = map(Account, players, start, result, luck, [-cost for cost in own], own)
    return Story("points", tuple(accounts), tuple(moves))
