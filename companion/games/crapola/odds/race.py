"""The chance to win Crapola between two before the last turn: an approximation, from a stored table.

This turn is played for the win. Later ones, of both, are taken to be played for the most turn points, with six dice,
and nobody spends; the last turn, against a given total, is played for the win. What a state is worth depends on how far
both are from the target. How near that comes to the truth is told in docs/method/odds.md.
"""

from __future__ import annotations

from functools import cache, lru_cache

import numpy as np

from companion.errors import RulesError
from companion.games.advice.stored import stored
from companion.games.crapola.odds.backward_induction import MOST_AT_ONCE, Floats, Indices, thrown
from companion.games.crapola.odds.offers import STEP, offers_of
from companion.games.crapola.odds.turn_value import LONGEST, steps_to, turn_worth
from companion.games.crapola.scoring import keepable
from companion.games.crapola.standings import Standings
from companion.games.crapola.state import Crapola
from companion.games.engine.game import Action, Keep, Spend

TABLE = "race.u2"
TURNS = "race-turns.f8"
ENTRIES = (0, 1000)
FAR = 300  # steps from the target: 15,000 points
UNIT = 1 / 65535
DEEP = 160  # steps of a turn from which it is taken to stop


@cache
def banks(least: int) -> Floats:
    """The chance that a turn of six dice, played for its points, banks so many steps, shape (LONGEST + 1,); 0: none.

    Args:
        least: Points below which it may not stop: one of `ENTRIES`.
    """
    table = np.frombuffer(stored(__package__, TURNS), "<f8").reshape(len(ENTRIES), LONGEST + 1)
    found: Floats = table[ENTRIES.index(least)]
    return found


def played(least: int) -> Floats:
    """The same worked out."""
    worth, reached = turn_worth(6, least), {(0, 6): 1.0}
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
    """The chance to bank so many steps or more in a turn of six dice that is played for nothing else, by steps."""
    return np.append(1.0, thrown(6, np.ones(LONGEST + MOST_AT_ONCE + 1), LONGEST)[::-1, 5])


def solved(chance: Floats) -> Floats:
    """The chance of the mover, both on the board, by how many steps he and the other are from the target.

    Args:
        chance: As `played(0)`.
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
        past = np.minimum(there - ahead + 1, LONGEST)  # what the other's last turn must bring
        after = np.where(ahead > 0, 1 - values[there, np.maximum(ahead, 0)], 1 - reach[past])
        banked = after @ chance[1:]
        # A crap-out leaves the same to the other, who is as far as the mirror image: two equations.
        values[mine, other] = (banked + chance[0] * (1 - banked[::-1] - chance[0])) / (1 - chance[0] ** 2)
    return values


def after_bank(ahead: Indices, needed: Indices, values: Floats) -> Floats:
    """The chance of who has banked.

    Args:
        ahead: Steps that he is from the target; none or less: the other has his last turn.
        needed: Steps that the other must bank in that.
        values: The other's chance by `ahead`, where it goes on.
    """
    return 1 - np.where(ahead > 0, values.take(ahead, mode="clip"), catching().take(needed, mode="clip"))


class Race:
    """The game between two to that target with that entry.

    Raises:
        RulesError: They are not among those that the approximation holds for.
    """

    def __init__(self, target: int, entry: int) -> None:
        if target > FAR * STEP or target % STEP or entry not in ENTRIES:
            raise RulesError(f"The chance to win is worked out for targets up to {FAR * STEP} and entry 0 or 1000.")
        self._target, self._far = target, target // STEP
        values = np.frombuffer(stored(__package__, TABLE), "<u2").reshape(FAR, FAR) * UNIT
        self._both = np.pad(values, ((1, 0), (1, 0)))
        self._entry = banks(entry)
        self._one_on()

    def _one_on(self) -> None:
        """Where one is not on the board yet: by the steps of who is; and where neither is."""
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
        """Of the mover before his turn, by totals below the target."""
        mine, theirs = (steps_to(self._target - total) for total in (mover, other))
        if mover_on and other_on:
            return float(self._both[mine, theirs])
        if mover_on or other_on:
            return float(self._mover_on[mine] if mover_on else self._other_on[theirs])
        return self._none_on

    def banked(self, total: int, other: int, other_on: bool, most: int) -> Floats:
        """The chance of who banks so many steps on that total, by steps, shape (most + 1,)."""
        totals = total + STEP * np.arange(most + 1)
        by_other = self._both[steps_to(self._target - other)] if other_on else self._other_on
        return after_bank(-((totals - self._target) // STEP), (totals - other) // STEP + 1, by_other)


@lru_cache(maxsize=8)
def race(target: int, entry: int) -> Race:
    """The race under those rules, remembered. Raises RulesError."""
    return Race(target, entry)


def values_to_win(state: Crapola) -> tuple[tuple[Action | int, float], ...]:
    """About the chance to win with each option, before the last round. Raises RulesError where it isn't worked out."""
    standings, turn = state.table, state.turn
    if len(standings.totals) != 2 or standings.left:
        raise RulesError("The chance to win before the last turn is worked out for two.")
    seat, rules = standings.seat, state.header.rules
    game = race(int(rules["target"]), int(rules["entry"]))

    def after(now: Standings) -> float:
        return 1 - game.chance(now.totals[1 - seat], now.on_board[1 - seat], now.totals[seat], now.on_board[seat])

    lost = after(standings.passed_on())
    key = (int(rules["target"]), int(rules["entry"]), *standings.totals, *standings.on_board, seat, lost)

    def throw(points: int, dice: int) -> float:
        throws = _turn(turn.size or dice, *key)[0]
        return lost + (throws[points // STEP, dice - 1] if points < DEEP * STEP else bank(points) - lost)

    def bank(points: int) -> float:
        brought = _turn(turn.size, *key)[1]
        return lost + float(brought[min(points // STEP, len(brought) - 1)])

    def value(option: Action) -> float:
        if isinstance(option, Spend):
            return after(standings.spent(state.header.players.index(option.on), option.points))
        if not isinstance(option, Keep):
            return bank(turn.points)
        points, left = turn.points + keepable(turn.dice)[option.dice], len(turn.dice) - len(option.dice)
        on = throw(points, left or turn.size)
        return on if points < standings.least_bank else max(on, bank(points))

    options = tuple((option, float(value(option))) for option in state.options())
    return tuple((dice, float(throw(turn.points, dice))) for dice in state.throw_sizes) + options


@lru_cache(maxsize=64)
def _turn(
    size: int, target: int, entry: int, first: int, second: int, first_on: bool, second_on: bool, seat: int, lost: float
) -> tuple[Floats, Floats]:
    """What throws and stops of that turn add to the chance to win that a crap-out leaves."""
    totals, on_board = (first, second), (first_on, second_on)
    most = DEEP + MOST_AT_ONCE
    brought = race(target, entry).banked(totals[seat], totals[1 - seat], on_board[1 - seat], most) - lost
    least = 0 if on_board[seat] else entry
    return thrown(size, brought, steps_to(least)), brought
