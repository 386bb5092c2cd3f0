"""Exact odds of a turn of Crib Dice: how safe a throw is, and the turn points it will bank with best play.

A turn may roll over without limit, yet its worth is found exactly by working back from a turn so rich that every throw
with dice at risk is worse than a stop: from there on the worth is what has been gathered plus a constant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache

from companion.games.advice.stored import floats
from companion.games.crib_dice.scoring import set_score
from companion.games.engine.dice import FACES, throws_of

# With this much gathered stopping beats every throw that can fail, for any set (a test holds it); what rollovers add on
# the way there is at most 30 each.
RICH = 400
TURNS = "turns.f8"
Set = tuple[int, int]  # how many dice are frozen, and their value


def safe_chance(frozen: int, point: int) -> float | None:
    """The chance that the next throw is no wipe-out (a piddle without result is none); None when it can't fail."""
    if frozen == 7:
        return None
    if frozen >= 5:
        return 31 / 36
    losing_faces = 5 if point == 1 else 4
    return 1 - (losing_faces / 6) ** (7 - frozen)


@cache
def first_throws() -> tuple[tuple[tuple[Set, ...], float], ...]:
    """The sets that a throw of seven offers, and the chance of that offer."""
    offers: Counter[tuple[Set, ...]] = Counter()
    for dice, ways in throws_of(7):
        offers[tuple((dice.count(face), face) for face in FACES if dice.count(face) >= 2)] += ways
    return tuple((offer, ways / 6**7) for offer, ways in offers.items())


@cache
def rich_fresh_throw() -> float:
    """What a throw of seven adds to a rich turn, which stops: the best set, and on seven alike another throw."""
    best = sum(chance * max(set_score(*held) for held in offer) for offer, chance in first_throws())
    return best / (1 - 6 / 6**7)


@cache
def roll_ends(frozen: int, point: int) -> tuple[tuple[int, float], ...]:
    """How many dice a throw freezes and the chance of it, thrown again while it is safe through 1s alone.

    What is missing to 1 wipes out.
    """
    changes, unchanged = rolls(frozen, point)
    return tuple((hits, chance / (1 - unchanged)) for hits, chance in changes)


@cache
def rolls(frozen: int, point: int) -> tuple[tuple[tuple[int, float], ...], float]:
    """The chance of each number of newly frozen dice, one or more, and that of being safe through 1s alone."""
    dice = 7 - frozen
    hits: Counter[int] = Counter()
    for thrown, ways in throws_of(dice):
        if point in thrown or 1 in thrown:
            hits[thrown.count(point)] += ways
    return tuple((count, hits[count] / 6**dice) for count in range(1, dice + 1)), hits[0] / 6**dice


def piddle_ends(piddle_points: bool) -> tuple[tuple[int, float], ...]:
    """How many dice a won piddle adds to the set and the chance of it; what is missing to 1 is lost.

    A double of the point without result is thrown again.
    """
    return ((0, 20 / 36), (1, 10 / 36), (2, 1 / 36)) if piddle_points else ((0, 30 / 35),)


def rich_turn(gathered: int) -> float:
    """The turn points that a throw of seven will bank when so much has been gathered that it stops."""
    return gathered + rich_fresh_throw()


class TurnWorth:
    """What a turn will bring with best play, by what it has gathered and frozen: turn points banked, or anything else.

    Frozen in use: everything it remembers follows from what it is made with.

    Attributes:
        bank: What it brings to bank so many points.
        lost: What it brings to wipe out.
        rich: What a throw of seven brings with so much gathered that the turn stops: `RICH`, or more than is known.
        known: What a throw of seven brings, by what is gathered, where that is known already.
    """

    def __init__(
        self,
        piddle_points: bool,
        bank: Callable[[int], float] = float,
        lost: float = 0.0,
        rich: Callable[[int], float] = rich_turn,
        known: Sequence[float] = (),
    ) -> None:
        self.bank, self.lost, self.rich = bank, lost, rich
        self._piddle_ends = piddle_ends(piddle_points)
        self._piddle_lost = 1 - sum(chance for _, chance in self._piddle_ends)
        self._rich_from, self._known_from = (len(known), 0) if known else (RICH, RICH)
        self._fresh: dict[int, float] = dict(enumerate(known))
        self._held: dict[tuple[int, int, int], float] = {}

    def fresh(self, gathered: int) -> float:
        """Before a throw of seven dice."""
        if gathered >= self._rich_from:
            return self.rich(gathered)
        # From the rich end downwards, so that no call goes deep.
        while self._known_from > gathered:
            poorer = self._known_from - 1
            self._fresh[poorer] = sum(
                chance * max(self.held(poorer, *held) for held in offer) for offer, chance in first_throws()
            )
            self._known_from = poorer
        return self._fresh[gathered]

    def held(self, gathered: int, frozen: int, point: int) -> float:
        """With a set frozen and the choice to stop."""
        key = (gathered, frozen, point)
        if key not in self._held:
            stop = self.bank(gathered + set_score(frozen, point))
            self._held[key] = max(stop, self.thrown(gathered, frozen, point))
        return self._held[key]

    def thrown(self, gathered: int, frozen: int, point: int) -> float:
        """With a set frozen, when the dice are thrown and best play follows."""
        if frozen == 7:
            return self.fresh(gathered + set_score(7, point))
        if frozen >= 5:
            return self.piddled(gathered, frozen, point)
        return self._rolled(gathered, frozen, point)

    def piddled(self, gathered: int, frozen: int, point: int) -> float:
        """With the two dice of a piddle about to be thrown."""
        won = sum(
            chance * self.fresh(gathered + set_score(min(7, frozen + hits), point))
            for hits, chance in self._piddle_ends
        )
        return won + self._piddle_lost * self.lost

    def _rolled(self, gathered: int, frozen: int, point: int) -> float:
        changes, unchanged = rolls(frozen, point)
        total = sum(chance * self.held(gathered, frozen + hits, point) for hits, chance in changes)
        total += (1 - unchanged - sum(chance for _, chance in changes)) * self.lost
        # Safe through 1s alone leaves the same choice: a stop then, or the same throw again, whichever was the better.
        stop = self.bank(gathered + set_score(frozen, point))
        return max(total + unchanged * stop, total / (1 - unchanged))


@cache
def turn_worth(piddle_points: bool) -> TurnWorth:
    """The worths of turns under that rule, from the stored table, remembered from call to call."""
    fresh = floats(__package__, TURNS)
    return TurnWorth(piddle_points, known=fresh[RICH:] if piddle_points else fresh[:RICH])
