"""Win probabilities of Crapola before the last turn: between two players from a stored table, and in the last round.

Two players play every turn to win: the values are the equilibrium of a zero-sum game. Later turns are assumed to allow
the seventh die and not to spend. The value of a state depends on the steps of both players from the target, in units of
`STEP` points, and on who is on the board. docs/method/odds.md describes the method.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, lru_cache

import numpy as np

from companion.errors import RulesError
from companion.games.advice.stored import stored
from companion.games.crapola.odds.backward_induction import MAX_THROW_STEPS, Floats, Indices, values_before_throw
from companion.games.crapola.odds.offers import STEP
from companion.games.crapola.odds.turn_value import MAX_BANK_STEPS, TurnValues, check_entry, steps_to
from companion.games.crapola.totals import Totals

TABLE = "race.u4"
"""File of the mover's win probabilities: (PHASES, MAX_STEPS_LEFT + 1, MAX_STEPS_LEFT + 1) by phase and by steps of the
mover and of the other player from the target; then (MAX_STEPS_LEFT + 1,) at the start of a game, by steps."""
ENTRIES = (0, 1000)
"""The two values of the house rule `entry`, the least first bank in points, that TABLE covers. `Race` refuses others.
Another one needs a larger table."""
ENTRY = 1000 // STEP
"""Points, in steps of 50, that a player's first bank must have in the stored win probabilities. Higher: a player
without a bank wins less often. With the house rule `entry` 0 only the states with both players on the board are
used. After a change `make solve` must write the table anew."""
MAX_STEPS_LEFT = 300
"""Greatest distance from Crapola's target in the stored win probabilities, in steps of 50 points: 15,000 points.
Higher: odds for higher targets.

The table grows with the square of it, and `make solve` must write it anew."""
BOTH, OTHER, MOVER = range(3)
"""Phases of the race: who is on the board, that is has made a first bank. Both, the other player alone, the mover
alone."""
PHASES = 3
"""Length of the first axis of Crapola's stored win probabilities. It tells who has made a first bank: both players, the
other one alone or the mover alone. Fixed by these three cases."""
SEVEN_BEHIND = 5000 // STEP
"""Points behind the other player, in steps of 50, above which the mover may throw seven dice: 5000 points. Fixed by the
rules."""
UNIT = 2.0**-32
"""Probability that the integer 1 stands for in the file TABLE of win probabilities. Fixed by its format, uint32."""
SURE_STOP_STEPS = 160
"""Turn points, in steps of 50, from which Crapola's win probabilities before the last round assume a stop, both in the
stored file and in play. Higher: more exact, slower to compute; lower: too low. After a change `make solve` must write
the file anew."""


@cache
def catching() -> Floats:
    """Return the probability of banking at least n steps of 50 points in a Crapola turn of six dice, by n. Cached.

    Shape (MAX_BANK_STEPS + 1,). For each n the turn is played so that such a bank is likeliest.
    """
    by_points = values_before_throw(6, np.ones(MAX_BANK_STEPS + MAX_THROW_STEPS + 1), MAX_BANK_STEPS)
    return np.append(1.0, by_points[::-1, 5])


def after_bank(missing: Indices, needed: Indices, values: Floats) -> Floats:
    """Return the win probability of a Crapola player who has just banked, when the other player is to play.

    In a last turn the other player is assumed to play for the highest chance of a winning bank (`catching`).

    Args:
        missing: Array of steps that the player who banked still needs to the target. Where it is 0 or less, the
            other player has one last turn.
        needed: Array, of the same shape, of steps that the other player must bank in that last turn to win.
        values: Win probability of the other player before an ordinary turn, indexed by `missing`. Beyond its end
            the last value counts.
    """
    return 1 - np.where(missing > 0, values.take(missing, mode="clip"), catching().take(needed, mode="clip"))


class Race:
    """Win probabilities of two players who race to a target.

    Args:
        target: Points to reach.
        entry: Least points of the first bank, 0 or 1000.

    Raises:
        RulesError: The stored table does not cover the target or the entry.
    """

    def __init__(self, target: int, entry: int) -> None:
        if target > MAX_STEPS_LEFT * STEP or target % STEP or entry not in ENTRIES:
            known = f"targets up to {MAX_STEPS_LEFT * STEP} in steps of {STEP}"
            raise RulesError(f"The chance to win is computed for {known}, and entry 0 or 1000.")
        self._target, self._entry = target, entry // STEP
        table = np.frombuffer(stored(__package__, TABLE), "<u4")
        values = table[: -(MAX_STEPS_LEFT + 1)].reshape(PHASES, MAX_STEPS_LEFT + 1, MAX_STEPS_LEFT + 1) * UNIT
        self._values = values if entry else np.broadcast_to(values[BOTH], values.shape)
        steps = steps_to(target)
        self._start = float(table[steps - MAX_STEPS_LEFT - 1] * UNIT if entry else values[BOTH, steps, steps])

    def chance(self, mover: int, mover_on: bool, other: int, other_on: bool) -> float:
        """Return the win probability of the mover, the player to play, before a turn of Crapola, from a stored table.

        Args:
            mover: Total of the mover, in points, below the target.
            mover_on: Whether the mover is on the board: has made a first bank.
            other: Total of the other player, in points, below the target.
            other_on: Whether the other player is on the board.
        """
        mine, theirs = (steps_to(self._target - total) for total in (mover, other))
        if not (mover_on or other_on):
            return self._start
        return float(self._values[BOTH if mover_on and other_on else MOVER if mover_on else OTHER, mine, theirs])

    def banked(self, total: int, other: int, other_on: bool, most: int) -> Floats:
        """Return a Crapola player's win probability after banking 0, 1, ... `most` steps of 50 points.

        Shape (most + 1,). The player counts as on the board, even after 0 steps; the other player is then to play.

        Args:
            total: Total of the player before the bank, in points.
            other: Total of the other player.
            other_on: Whether the other player is on the board.
            most: Greatest number of steps.
        """
        totals = total + STEP * np.arange(most + 1)
        by_other = self._values[BOTH if other_on else OTHER, steps_to(self._target - other)]
        needed = (totals - other) // STEP + 1
        return after_bank(
            -((totals - self._target) // STEP), needed if other_on else np.maximum(needed, self._entry), by_other
        )


@lru_cache(maxsize=8)
def race(target: int, entry: int) -> Race:
    """Return the race of two players to `target` points with `entry` as the least first bank. Cached.

    Raises RulesError if the stored table does not cover the target or the entry.
    """
    return Race(target, entry)


def chance_after(now: Totals, seat: int) -> float:
    """Return the win probability of a Crapola seat after its turn; after the last round, the seat's share of the win.

    `now` are the totals just after that turn. Before the last round both players are assumed to play every turn to win.
    In the last round, with any number of players, each later player is assumed only to try to get ahead of the seat. A
    later player who only draws level is assumed to take nothing from the seat's share.

    Raises:
        RulesError: Before the last round: the game was not begun by exactly two players, one has left, or the
            stored table does not cover the house rules `target` and `entry`.
    """
    if now.last_round:
        outcome = replace(now, over=True).outcome
        assert outcome is not None, "it is over"
        least, stays = steps_to(int(now.header.rules["entry"])), 1.0
        for later in frozenset() if now.over else now.due - now.left:
            needed = (now.points[seat] - now.points[later]) // STEP + 1
            needed = needed if now.on_board[later] else max(needed, least)
            stays *= 1 - float(catching().take(needed, mode="clip"))
        return stays * (seat in outcome.winners) / len(outcome.winners)
    if len(now.points) != 2 or now.left:
        raise RulesError("The chance to win before the last round is computed for two players only.")
    other = 1 - seat
    return 1 - _race_of(now).chance(now.points[other], now.on_board[other], now.points[seat], now.on_board[seat])


@lru_cache(maxsize=64)
def turn_values_to_win(totals: Totals, size: int) -> TurnValues:
    """Return the values of a Crapola turn for the player to play, as win probability gained over a crap-out. Cached.

    Args:
        totals: Totals before the turn.
        size: Number of dice of the turn, 6 or 7.

    Raises:
        RulesError: Before the last round: the game was not begun by exactly two players, one has left, or the
            stored table does not cover the house rules `target` and `entry`. In the last round: the player has not
            banked yet, and `entry`, the least first bank, is above MAX_ENTRY_POINTS.
    """
    seat, other, least = totals.seat, 1 - totals.seat, totals.least_bank
    lost = chance_after(totals.passed_on(), seat)
    if totals.last_round:
        check_entry(least)
        count = max(MAX_BANK_STEPS, steps_to(least)) + MAX_THROW_STEPS + 1
        brought = np.array([chance_after(totals.banked(STEP * steps), seat) for steps in range(count)]) - lost
    else:
        most, game = SURE_STOP_STEPS + MAX_THROW_STEPS, _race_of(totals)
        brought = game.banked(totals.points[seat], totals.points[other], totals.on_board[other], most) - lost
    known = values_before_throw(size, brought, steps_to(least)).ravel().tolist()

    def bank(points: int) -> float:
        """Return the value of banking; in the last round exactly, also beyond the points of the table."""
        if totals.last_round:
            return chance_after(totals.banked(points), seat) - lost
        return float(brought.take(points // STEP, mode="clip"))

    return TurnValues(size, least, known, bank)


def _race_of(totals: Totals) -> Race:
    """Return the race by the house rules of a game."""
    return race(int(totals.header.rules["target"]), int(totals.header.rules["entry"]))
