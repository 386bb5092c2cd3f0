"""Approximate win probabilities of Crapola between two players before the last turn, from a stored table.

This turn is played to win. Later turns of both are assumed to be played for the most points, with six dice and without
spending; the very last turn is played to win. Under this policy the value of a state depends only on both distances
from the target. docs/method/odds.md gives the measured error.
"""

from __future__ import annotations

from functools import cache, lru_cache

import numpy as np

from companion.errors import RulesError
from companion.games.advice.stored import stored
from companion.games.crapola.odds.backward_induction import MAX_THROW_STEPS, Floats, Indices, thrown
from companion.games.crapola.odds.offers import STEP, offers_of
from companion.games.crapola.odds.turn_value import LONGEST, steps_to, turn_values
from companion.games.crapola.scoring import keepable
from companion.games.crapola.state import Crapola
from companion.games.crapola.totals import Totals
from companion.games.engine.game import Action, Keep, Spend

TABLE = "race.u2"
"""File of the stored win probabilities, by distance of mover and other from the target."""
TURNS = "race-turns.f8"
"""File of the stored bank distributions of a turn, one for each of `ENTRIES`."""
ENTRIES = (0, 1000)
"""Least first banks, in points, that the tables cover; 0 also stands for a player on the board."""
FAR = 300
"""Steps from the target that the table covers: 15,000 points."""
UNIT = 1 / 65535
"""Probability per unit of the stored table."""
DEEP = 160
"""Steps of a turn from which it is assumed to stop."""


@cache
def banks(least: int) -> Floats:
    """Return the stored (LONGEST + 1,) bank distribution, in steps, of a turn of six dice played for points. Cached.

    Index 0 is the probability of banking nothing.

    Args:
        least: Points below which the turn may not stop: one of `ENTRIES`.
    """
    table = np.frombuffer(stored(__package__, TURNS), "<f8").reshape(len(ENTRIES), LONGEST + 1)
    found: Floats = table[ENTRIES.index(least)]
    return found


def played(least: int) -> Floats:
    """Return the (LONGEST + 1,) bank distribution of a turn of six dice played for points, computed from scratch.

    `banks` reads the result from the stored table. Index 0 is a crap-out.

    Args:
        least: Points below which the turn may not stop.
    """
    worth, reached = turn_values(6, least), {(0, 6): 1.0}
    found = np.zeros(LONGEST + 1)
    while reached:
        points, dice = min(reached)
        chance = reached.pop((points, dice))
        goes_on = worth.thrown(points, dice) > points or points < least
        if not goes_on:
            found[min(points // STEP, LONGEST)] += chance
            continue
        found[0] += chance * (1 - sum(share for _, share in offers_of(dice)))
        for offer, share in offers_of(dice):
            left, more = max(offer, key=lambda each: worth.choosing(points + each[1], each[0]))
            after = (points + more, left or 6)
            reached[after] = reached.get(after, 0.0) + chance * share
    return found


@cache
def catching() -> Floats:
    """Return the (LONGEST + 2,) probability of banking at least each number of steps in a turn played for that."""
    return np.append(1.0, thrown(6, np.ones(LONGEST + MAX_THROW_STEPS + 1), LONGEST)[::-1, 5])


def solved(chance: Floats) -> Floats:
    """Solve the race by backward induction over the sum of both distances.

    Args:
        chance: Bank distribution, as `played(0)` returns it.

    Returns:
        (FAR + 1, FAR + 1) win probability of the mover by the steps from the target of the mover and the other.
    """
    reach = catching()
    steps = np.arange(1, LONGEST + 1)
    values = np.zeros((FAR + 1, FAR + 1))
    far = np.arange(1, FAR + 1)
    totals = far[:, np.newaxis] + far
    for total in np.unique(totals):
        mine, other = 1 + np.argwhere(totals == total).T
        ahead = mine[:, np.newaxis] - steps
        there = np.broadcast_to(other[:, np.newaxis], ahead.shape)
        past = np.minimum(there - ahead + 1, LONGEST)  # steps that the other needs in the last turn
        after = np.where(ahead > 0, 1 - values[there, np.maximum(ahead, 0)], 1 - reach[past])
        banked = after @ chance[1:]
        # A crap-out passes the turn to the mirror image of this state: two linear equations.
        values[mine, other] = (banked + chance[0] * (1 - banked[::-1] - chance[0])) / (1 - chance[0] ** 2)
    return values


def after_bank(ahead: Indices, needed: Indices, values: Floats) -> Floats:
    """Return the win probability of the player who has just banked.

    Args:
        ahead: Steps that remain to the target; 0 or less: the other player has one last turn.
        needed: Steps that the other player must bank in that last turn.
        values: Win probability of the other player by `ahead`, if the race goes on.
    """
    return 1 - np.where(ahead > 0, values.take(ahead, mode="clip"), catching().take(needed, mode="clip"))


class Race:
    """Win probabilities of two players who race to a target.

    Args:
        target: Points to reach.
        entry: Least points of the first bank, 0 or 1000.

    Raises:
        RulesError: The stored table does not cover the target or the entry.
    """

    def __init__(self, target: int, entry: int) -> None:
        if target > FAR * STEP or target % STEP or entry not in ENTRIES:
            raise RulesError(f"The chance to win is computed for targets up to {FAR * STEP} and entry 0 or 1000.")
        self._target, self._far = target, target // STEP
        values = np.frombuffer(stored(__package__, TABLE), "<u2").reshape(FAR, FAR) * UNIT
        self._both = np.pad(values, ((1, 0), (1, 0)))
        self._entry = banks(entry)
        self._one_on()

    def _one_on(self) -> None:
        """Compute the win probabilities while one player or both are not on the board yet.

        Sets `_mover_on`, `_other_on` and `_none_on`.
        """
        far, chance, steps = self._far, banks(0), np.arange(1, LONGEST + 1)
        self._mover_on, self._other_on = np.zeros(far + 1), np.zeros(far + 1)  # by steps from the target
        entered = far - steps
        for mine in range(1, far + 1):
            ahead = mine - steps
            on = after_bank(ahead, far - ahead + 1, self._other_on) @ chance[1:]
            off = after_bank(entered, mine - entered + 1, self._both[mine]) @ self._entry[1:]
            stay, out = chance[0], self._entry[0]
            self._mover_on[mine] = (on + stay * (1 - off - out)) / (1 - stay * out)
            self._other_on[mine] = off + out * (1 - self._mover_on[mine])
        brought = after_bank(entered, steps + 1, self._other_on) @ self._entry[1:]
        self._none_on = float((self._entry[0] + brought) / (1 + self._entry[0]))

    def chance(self, mover: int, mover_on: bool, other: int, other_on: bool) -> float:
        """Return the win probability of the mover before the turn; both totals are below the target."""
        mine, theirs = (steps_to(self._target - total) for total in (mover, other))
        if mover_on and other_on:
            return float(self._both[mine, theirs])
        if mover_on or other_on:
            return float(self._mover_on[mine] if mover_on else self._other_on[theirs])
        return self._none_on

    def banked(self, total: int, other: int, other_on: bool, most: int) -> Floats:
        """Return the (most + 1,) win probability of the mover after banking 0 to `most` steps on `total` points.

        Args:
            total: Total of the mover before the bank, in points.
            other: Total of the other player.
            other_on: Whether the other player is on the board.
            most: Most steps to bank.
        """
        totals = total + STEP * np.arange(most + 1)
        by_other = self._both[steps_to(self._target - other)] if other_on else self._other_on
        return after_bank(-((totals - self._target) // STEP), (totals - other) // STEP + 1, by_other)


@lru_cache(maxsize=8)
def race(target: int, entry: int) -> Race:
    """Return the race under those rules. Cached. Raises RulesError if the table does not cover them."""
    return Race(target, entry)


def values_to_win(state: Crapola) -> tuple[tuple[Action | int, float], ...]:
    """Return each option with its approximate win probability before the last round.

    Raises:
        RulesError: There are not exactly two players, or the table does not cover the rules.
    """
    table, turn = state.table, state.turn
    if len(table.totals) != 2 or table.left:
        raise RulesError("The chance to win before the last turn is computed for two players only.")
    seat, rules = table.seat, state.standing.header.rules
    game = race(int(rules["target"]), int(rules["entry"]))

    def after(now: Totals) -> float:
        return 1 - game.chance(now.totals[1 - seat], now.on_board[1 - seat], now.totals[seat], now.on_board[seat])

    lost = after(table.passed_on())
    key = (int(rules["target"]), int(rules["entry"]), *table.totals, *table.on_board, seat, lost)

    def throw(points: int, dice: int) -> float:
        throws = _turn(turn.size or dice, *key)[0]
        return lost + (throws[points // STEP, dice - 1] if points < DEEP * STEP else bank(points) - lost)

    def bank(points: int) -> float:
        brought = _turn(turn.size, *key)[1]
        return lost + float(brought[min(points // STEP, len(brought) - 1)])

    def value(option: Action) -> float:
        if isinstance(option, Spend):
            return after(table.spent(state.standing.header.players.index(option.on), option.points))
        if not isinstance(option, Keep):
            return bank(turn.points)
        points, left = turn.points + keepable(turn.dice)[option.dice], len(turn.dice) - len(option.dice)
        on = throw(points, left or turn.size)
        return on if points < table.least_bank else max(on, bank(points))

    options = tuple((option, float(value(option))) for option in state.options())
    return tuple((dice, float(throw(turn.points, dice))) for dice in state.throw_sizes) + options


@lru_cache(maxsize=64)
def _turn(
    size: int, target: int, entry: int, first: int, second: int, first_on: bool, second_on: bool, seat: int, lost: float
) -> tuple[Floats, Floats]:
    """Return the win probability that each throw, and each bank, adds to `lost`, that after a crap-out. Cached.

    Args:
        size: Dice of the turn, 6 or 7.
        target: Points to reach.
        entry: Least points of the first bank.
        first: Total of the player in seat 0.
        second: Total of the player in seat 1.
        first_on: Whether the player in seat 0 is on the board.
        second_on: Whether the player in seat 1 is on the board.
        seat: Seat to play.
        lost: Win probability after a crap-out.

    Returns:
        (steps, size) by steps so far and dice thrown minus one, and (steps,) by steps banked.
    """
    totals, on_board = (first, second), (first_on, second_on)
    most = DEEP + MAX_THROW_STEPS
    brought = race(target, entry).banked(totals[seat], totals[1 - seat], on_board[1 - seat], most) - lost
    least = 0 if on_board[seat] else entry
    return thrown(size, brought, steps_to(least)), brought
