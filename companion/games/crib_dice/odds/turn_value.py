"""Exact odds of one turn of Crib Dice: how safe a throw is, and the expected points that it banks with best play.

Rollovers are unlimited, yet the value is exact. From `SURE_STOP_POINTS` gathered points on, every throw that can fail
is worse than a stop; there the value is the points gathered plus a constant. Backward induction finds the values below.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from math import inf

from companion.games.advice.stored import numbers
from companion.games.crib_dice.scoring import set_score
from companion.games.engine.dice import FACES, throws_of

SURE_STOP_POINTS = 400
"""Points gathered in a Crib Dice turn from which a stop beats every throw that can fail, whatever set is frozen; a test
proves it. Higher: a longer table with the same values; lower: values too low. After a change `make solve` must write
the stored table anew."""
TURNS = "turns.f8"
"""File of expected turn points before a throw of seven dice, by points gathered.

First come SURE_STOP_POINTS values without the house rule `piddle_points`, then those with it."""
ANNOUNCED = 11 / 36
"""Probability that an announced bomb of Crib Dice succeeds: two dice show at least one 1. Fixed by the rules."""
NO_BOMBS = (-inf, -inf, -inf)
"""Values of bombing with five, six and seven 1s where bombs are not allowed."""
Set = tuple[int, int]
"""Number of frozen dice, and their face value."""


def safe_chance(frozen: int, point: int) -> float | None:
    """Return the probability that the next throw of Crib Dice is no wipe-out; None with seven frozen dice.

    - Two to four frozen: the throw of the other dice fails if none shows the point or a 1.
    - Five or six frozen: two dice are thrown (a piddle), and only a double of another value than the point fails.
    - Seven frozen: the next throw is of seven fresh dice, which can't fail, so no probability is shown.

    Args:
        frozen: Number of frozen dice, 2 to 7.
        point: Face value of the frozen dice.
    """
    if frozen == 7:
        return None
    if frozen >= 5:
        return 31 / 36
    losing_faces = 5 if point == 1 else 4
    return 1 - (losing_faces / 6) ** (7 - frozen)


@cache
def first_throws() -> tuple[tuple[tuple[Set, ...], float], ...]:
    """Return every offer that a throw of seven dice can make in Crib Dice, with its probability. Cached.

    An offer is a tuple of the sets that the player may freeze, by ascending value. A set is a pair: number of dice, two
    or more, and their value. The probabilities add up to 1.
    """
    offers: Counter[tuple[Set, ...]] = Counter()
    for dice, ways in throws_of(7):
        offers[tuple((dice.count(face), face) for face in FACES if dice.count(face) >= 2)] += ways
    return tuple((offer, ways / 6**7) for offer, ways in offers.items())


@cache
def rich_fresh_throw() -> float:
    """Return the expected points of a throw of seven dice in Crib Dice, if its highest-scoring set is banked. Cached.

    Seven alike are not banked at once: their score counts, and seven dice are thrown again.
    """
    best = sum(chance * max(set_score(*held) for held in offer) for offer, chance in first_throws())
    return best / (1 - 6 / 6**7)


@cache
def roll_ends(frozen: int, point: int) -> tuple[tuple[int, float], ...]:
    """Return (number, probability) pairs: how many more dice, at least one, freeze if the player rolls on.

    In Crib Dice, two to four dice of the value `point` are already `frozen`. A safe roll that freezes none, because it
    shows a 1, is repeated. The rest of the probability to 1 is a wipe-out. Cached.
    """
    changes, unchanged = rolls(frozen, point)
    return tuple((hits, chance / (1 - unchanged)) for hits, chance in changes)


@cache
def rolls(frozen: int, point: int) -> tuple[tuple[tuple[int, float], ...], float]:
    """Return the probabilities of all safe results of one roll with two to four dice frozen. Cached.

    `point` is the value of the `frozen` dice.

    Returns:
        Pairs of the number of newly frozen dice, 1 or more, and its probability; then the probability of a roll
        that freezes none but is safe because it shows a 1.
    """
    dice = 7 - frozen
    hits: Counter[int] = Counter()
    for thrown, ways in throws_of(dice):
        if point in thrown or 1 in thrown:
            hits[thrown.count(point)] += ways
    return tuple((count, hits[count] / 6**dice) for count in range(1, dice + 1)), hits[0] / 6**dice


def piddle_ends(piddle_points: bool) -> tuple[tuple[int, float], ...]:
    """Return how a won piddle of Crib Dice ends, as pairs (number, probability).

    A piddle is the throw of two dice with five or six frozen. `number`, 0 to 2, is how many of the two show the point
    and join the frozen set; the caller limits the set to seven. Without the house rule `piddle_points` no die joins,
    and a double of the point is thrown again until something else falls. The rest of the probability to 1 is a loss.
    """
    return ((0, 20 / 36), (1, 10 / 36), (2, 1 / 36)) if piddle_points else ((0, 30 / 35),)


def rich_turn(gathered: int) -> float:
    """Return the expected turn points of a throw of seven after which the turn stops, with `gathered` points before."""
    return gathered + rich_fresh_throw()


class TurnValues:
    """Value of a turn with best play, for every state in it: points gathered, dice frozen and their value.

    The value is in turn points, or in any unit that `bank` and `lost` use, such as the probability of winning the game.
    Results are cached; they depend on the arguments only.

    Args:
        piddle_points: Whether the house rule `piddle_points` is on.
        bank: Returns the value of banking a number of points.
        lost: Value of a wipe-out.
        rich: Returns the value of a throw of seven after which the turn stops, by the points gathered. Used from the
            end of `known` on, or from `SURE_STOP_POINTS` on without `known`.
        known: Values of a throw of seven by points gathered; empty to compute them.
        bombs: Value of bombing with five, six and seven 1s; `-inf` where it is not allowed.
    """

    def __init__(
        self,
        piddle_points: bool,
        bank: Callable[[int], float] = float,
        lost: float = 0.0,
        rich: Callable[[int], float] = rich_turn,
        known: Sequence[float] = (),
        bombs: Sequence[float] = NO_BOMBS,
    ) -> None:
        self.bank, self.lost, self.rich, self.bombs = bank, lost, rich, bombs
        self._piddle_ends = piddle_ends(piddle_points)
        self._piddle_lost = 1 - sum(chance for _, chance in self._piddle_ends)
        self._rich_from, self._known_from = (len(known), 0) if known else (SURE_STOP_POINTS, SURE_STOP_POINTS)
        self._fresh: dict[int, float] = dict(enumerate(known))
        self._held: dict[tuple[int, int, int], float] = {}

    def fresh(self, gathered: int) -> float:
        """Return the value of a Crib Dice turn before a throw of seven dice, with best play after it. Cached.

        `bank`, `known` and `rich` are arguments of `TurnValues`; the unit is that of `bank`. The value is read from the
        table `known`; without a table it is computed. From the table's length on, or from SURE_STOP_POINTS without a
        table, `rich` gives the value: the turn is assumed to stop after this throw.

        Args:
            gathered: Points of the turn's earlier sets.
        """
        if gathered >= self._rich_from:
            return self.rich(gathered)
        # Backward induction from the rich end, so that the recursion stays shallow.
        while self._known_from > gathered:
            poorer = self._known_from - 1
            self._fresh[poorer] = sum(
                chance * max(self.held(poorer, *held) for held in offer) for offer, chance in first_throws()
            )
            self._known_from = poorer
        return self._fresh[gathered]

    def held(self, gathered: int, frozen: int, point: int) -> float:
        """Return the value of a Crib Dice turn with a set frozen: the best of stop, bomb and throwing on. Cached.

        The unit is that of `bank`, such as turn points. Bombing counts where it is allowed, with five or more 1s.

        Args:
            gathered: Points of the turn's earlier sets, without the frozen one.
            frozen: Number of frozen dice.
            point: Face value of the frozen dice.
        """
        key = (gathered, frozen, point)
        if key not in self._held:
            stop = self.bank(gathered + set_score(frozen, point))
            bombed = self.bombs[frozen - 5] if point == 1 and frozen >= 5 else -inf
            self._held[key] = max(stop, bombed, self.thrown(gathered, frozen, point))
        return self._held[key]

    def thrown(self, gathered: int, frozen: int, point: int) -> float:
        """Return the value of throwing on in a Crib Dice turn with a set frozen, with best play after the throw.

        The unit is that of `TurnValues.bank`, such as turn points. `gathered` are the points of the turn's earlier
        sets, without the frozen one; the `frozen` dice show `point`. Seven frozen dice roll over, five or six are a
        piddle, fewer a roll.
        """
        if frozen == 7:
            return self.fresh(gathered + set_score(7, point))
        if frozen >= 5:
            return self.piddled(gathered, frozen, point)
        return self._rolled(gathered, frozen, point)

    def piddled(self, gathered: int, frozen: int, point: int) -> float:
        """Return the value of a piddle, a throw of two dice while five or six are frozen, with best play after it.

        - Won by two different values: the set scores, and the turn goes on with seven dice. With the house rule
          `piddle_points` dice that show `point` join the set first, up to seven; then a double of the point wins, too.
        - A double of the point without that rule: thrown again; the probabilities of the other results include this.
        - Lost by any other double: a wipe-out, worth `self.lost`.

        The unit is that of `self.bank`, such as turn points. `gathered` are the points of the turn's earlier sets;
        `frozen` is the number of frozen dice, which show `point`.
        """
        won = sum(
            chance * self.fresh(gathered + set_score(min(7, frozen + hits), point))
            for hits, chance in self._piddle_ends
        )
        return won + self._piddle_lost * self.lost

    def _rolled(self, gathered: int, frozen: int, point: int) -> float:
        """Return the value of a throw with two to four dice frozen in a turn of Crib Dice, with best play after it.

        The unit is that of `TurnValues.bank`, such as turn points. `gathered` are the points of the turn's earlier
        sets; the `frozen` dice show `point`. A throw with 1s but without `point` is safe and freezes no die: the state
        stays the same. The player then stops or throws again, whichever is worth more.
        """
        changes, unchanged = rolls(frozen, point)
        total = sum(chance * self.held(gathered, frozen + hits, point) for hits, chance in changes)
        total += (1 - unchanged - sum(chance for _, chance in changes)) * self.lost
        stop = self.bank(gathered + set_score(frozen, point))
        return max(total + unchanged * stop, total / (1 - unchanged))


@cache
def turn_values(piddle_points: bool) -> TurnValues:
    """Return the expected points of a Crib Dice turn with best play, for every state in it, from the stored table.

    `piddle_points` tells whether that house rule is on. Bombing counts as 0 points. Cached. Raises RulesError if the
    table's file is missing.
    """
    fresh = numbers(__package__, TURNS)
    known = fresh[SURE_STOP_POINTS:] if piddle_points else fresh[:SURE_STOP_POINTS]
    return TurnValues(piddle_points, known=known, bombs=(0.0, 0.0, 0.0))
