"""A naive computation of the value of options, from docs/reference/rules.md and the public view of a state.

It uses none of the project's odds, scoring or dice: throws are enumerated one by one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from functools import cache
from itertools import combinations, combinations_with_replacement, product
from math import factorial
from typing import Any

from tests.games.naive_crapola import best_split

View = dict[str, Any]
Dice = tuple[int, ...]
Pairs = tuple[tuple[int, int], ...]
CRIB_CAP = 420  # turn points with which everybody stops
CRAPOLA_CAP = 16_500


@cache
def throws(dice: int) -> tuple[tuple[Dice, float], ...]:
    """Return every ordered throw of `dice` dice with its probability."""
    found = []
    for thrown in combinations_with_replacement(range(1, 7), dice):
        ways = factorial(dice)
        for count in Counter(thrown).values():
            ways //= factorial(count)
        found.append((thrown, ways / 6**dice))
    return tuple(found)


@cache
def parts(dice: Dice) -> tuple[Dice, ...]:
    """Return every distinct choice of some of the dice, from none to all."""
    return tuple({part for size in range(len(dice) + 1) for part in combinations(dice, size)})


# --- Crib Dice


def set_points(frozen: int, value: int) -> int:
    return 2 if frozen == 2 else sum([value] * frozen) - 2 * value


@cache
def offered() -> tuple[tuple[Pairs, float], ...]:
    """Return the sets that a throw of seven offers, with the probability of each offer."""
    chances = defaultdict[Pairs, float](float)
    for thrown, chance in throws(7):
        chances[tuple((count, value) for value, count in Counter(thrown).items() if count > 1)] += chance
    return tuple(chances.items())


@cache
def rolled(dice: int, value: int) -> tuple[dict[int, float], float]:
    """Return the probability of each number of dice that freeze, and that of a throw that only 1s keep safe."""
    freezing = defaultdict[int, float](float)
    safe = 0.0
    for thrown in product(range(1, 7), repeat=dice):
        if value in thrown:
            freezing[thrown.count(value)] += 1 / 6**dice
        elif 1 in thrown:
            safe += 1 / 6**dice
    return dict(freezing), safe


class CribTurn:
    """Turn points that a turn of Crib Dice banks on average with best play."""

    def __init__(self, piddle_points: bool) -> None:
        self.raises = piddle_points
        self.sets: dict[tuple[int, int, int], float] = {}
        self.seven = {gathered: gathered + self.richly() for gathered in range(CRIB_CAP, CRIB_CAP + set_points(7, 6))}
        for gathered in reversed(range(CRIB_CAP)):
            self.seven[gathered] = sum(
                chance * max(self.held(gathered, *one) for one in sets) for sets, chance in offered()
            )

    @staticmethod
    def richly() -> float:
        return sum(chance * max(set_points(*one) for one in sets) for sets, chance in offered())

    def held(self, gathered: int, frozen: int, value: int) -> float:
        if (gathered, frozen, value) not in self.sets:
            stop = gathered + set_points(frozen, value)
            self.sets[gathered, frozen, value] = max(stop, self.going_on(gathered, frozen, value))
        return self.sets[gathered, frozen, value]

    def going_on(self, gathered: int, frozen: int, value: int) -> float:
        if frozen == 7:
            return self.seven[gathered + set_points(7, value)]
        if frozen > 4:
            return self.piddle(gathered, frozen, value)
        freezing, safe = rolled(7 - frozen, value)
        gain = sum(chance * self.held(gathered, frozen + more, value) for more, chance in freezing.items())
        # With only 1s the same choice comes again: to stop now, or to go on for ever.
        return gain + safe * max(gathered + set_points(frozen, value), gain / (1 - safe))

    def piddle(self, gathered: int, frozen: int, value: int) -> float:
        worth = again = 0.0
        for one, two in product(range(1, 7), repeat=2):
            hits = [one, two].count(value)
            if one == two and hits == 0:
                continue
            if hits == 2 and not self.raises:
                again += 1 / 36
                continue
            more = hits if self.raises else 0
            worth += self.seven[gathered + set_points(min(7, frozen + more), value)] / 36
        return worth / (1 - again)


crib_turn = cache(CribTurn)


def crib_values(view: View, rules: dict[str, Any]) -> dict[str, float]:
    """Return the value of each option of Crib Dice by its line in words."""
    turn, point, frozen = crib_turn(bool(rules.get("piddle_points"))), view["point"], view["frozen"]
    found: dict[str, float] = {}
    if view["over"]:
        return found
    if view["decisions"] == ["point"]:
        counts = Counter[int](view["dice"])
        return {
            f"point {value}": turn.held(view["turn_points"], count, value)
            for value, count in counts.items()
            if count > 1
        }
    gathered = view["turn_points"] - (set_points(frozen, point) if point else 0)
    for dice in view["throw_sizes"]:
        if view["bombing"]:
            found[f"throw {dice}"] = 0.0
        elif point is None:
            found[f"throw {dice}"] = turn.seven[gathered]
        else:
            found[f"throw {dice}"] = turn.going_on(gathered, frozen, point)
    if "stop" in view["decisions"]:
        found["stop"] = float(view["turn_points"])
    if "bomb" in view["decisions"]:
        found["bomb"] = 0.0
    return found


# --- Crag

SHEET: dict[str, int | str | Dice] = {
    **{name: number for number, name in enumerate(("ones", "twos", "threes", "fours", "fives", "sixes"), 1)},
    "odd_straight": (1, 3, 5),
    "even_straight": (2, 4, 6),
    "low_straight": (1, 2, 3),
    "high_straight": (4, 5, 6),
    "three_of_a_kind": "alike",
    "thirteen": 26,
    "crag": 50,
}


def crag_points(category: str, dice: Dice, strict: bool) -> int:
    wanted, alike = SHEET[category], len(set(dice))
    if isinstance(wanted, tuple):
        return 20 if tuple(sorted(dice)) == wanted else 0
    if isinstance(wanted, str):
        return 25 if alike == 1 else 0
    if wanted in (26, 50):
        fits = alike == 2 if wanted == 50 else not (strict and alike < 3)
        return wanted if sum(dice) == 13 and fits else 0
    return wanted * dice.count(wanted)


@cache
def crag_rest(unused: frozenset[str], strict: bool) -> float:
    """Return the expected points of the open categories with best play."""
    return (
        sum(chance * max(crag_kept(kept, unused, strict) for kept in parts(dice)) for dice, chance in throws(3))
        if unused
        else 0.0
    )


@cache
def crag_entered(dice: Dice, unused: frozenset[str], strict: bool) -> float:
    return max(crag_points(row, dice, strict) + crag_rest(unused - {row}, strict) for row in unused)


@cache
def crag_kept(kept: Dice, unused: frozenset[str], strict: bool) -> float:
    return sum(
        chance * crag_entered(tuple(sorted(kept + dice)), unused, strict) for dice, chance in throws(3 - len(kept))
    )


def crag_values(view: View, rules: dict[str, Any]) -> dict[str, float]:
    """Return the value of each option of Crag by its line in words."""
    if view["over"]:
        return {}
    strict, dice = bool(rules.get("thirteen_without_double")), tuple(view["dice"])
    total, filled = view["scores"][view["player"]], view["sheets"][view["player"]]
    unused = frozenset(SHEET) - set(filled)
    if view["throw_sizes"]:
        again = dice or view["kept_nothing"]
        worth = crag_kept(dice, unused, strict) if again else crag_rest(unused, strict)
        return {f"throw {view['throw_sizes'][0]}": total + worth}
    found = {
        f"score {row}": total + crag_points(row, dice, strict) + crag_rest(unused - {row}, strict) for row in unused
    }
    if "keep" in view["decisions"]:
        for kept in parts(dice):
            if len(kept) < 3:
                found[f"keep {list(kept)}"] = total + crag_kept(kept, unused, strict)
    return found


# --- Crapola


@cache
def crapola_keeps(dice: Dice) -> tuple[tuple[Dice, int], ...]:
    """Return each choice of dice that may be kept of a throw, with its points."""
    return tuple((part, best_split(part)) for part in parts(dice) if part and best_split(part))


@cache
def crapola_offers(dice: int) -> tuple[tuple[Pairs, float], ...]:
    """Return for each throw the most points by number of dice left, and the probability of the throw."""
    chances = defaultdict[Pairs, float](float)
    for thrown, chance in throws(dice):
        most: dict[int, int] = {}
        for kept, points in crapola_keeps(thrown):
            most[dice - len(kept)] = max(points, most.get(dice - len(kept), 0))
        if most:
            chances[tuple(most.items())] += chance
    return tuple(chances.items())


class CrapolaTurn:
    """Value of a turn of Crapola by points so far and dice to throw, where `bank` gives the value of banked points."""

    def __init__(self, size: int, least: int, bank: Callable[[int], float] = float, cap: int = CRAPOLA_CAP) -> None:
        self.size, self.least, self.bank, self.cap = size, least, bank, max(cap, least) // 50 * 50 + 50
        self.known: dict[tuple[int, int], float] = {}
        for points in range(self.cap, -50, -50):
            for dice in range(1, size + 1):
                self.known[points, dice] = sum(
                    chance * max(self.choosing(points + more, left) for left, more in keeps)
                    for keeps, chance in crapola_offers(dice)
                )

    def choosing(self, points: int, left: int) -> float:
        going_on = self.known.get((points, left or self.size), -1.0) if points < self.cap else -1.0
        return going_on if points < self.least else max(self.bank(points), going_on)


crapola_turn = cache(CrapolaTurn)


def crapola_values(
    view: View, rules: dict[str, Any], size: int, turn_of: Callable[[int, int], CrapolaTurn] = crapola_turn
) -> dict[str, float]:
    """Return the value of each option of Crapola by its line in words.

    `size`: dice of the turn, 0 before its first throw.
    """
    if view["over"]:
        return {}
    least, points = 0 if view["on_board"][view["player"]] else rules.get("entry", 1000), view["turn_points"]
    found: dict[str, float] = {}
    for dice in view["throw_sizes"]:
        found[f"throw {dice}"] = turn_of(size or dice, least).known[points, dice]
    if "stop" in view["decisions"]:
        found["stop"] = turn_of(size, least).bank(points)
    if "keep" in view["decisions"]:
        dice = tuple(view["dice"])
        for kept, more in crapola_keeps(dice):
            found[f"keep {list(kept)}"] = turn_of(size, least).choosing(points + more, len(dice) - len(kept))
    if "spend" in view["decisions"]:
        found["spend"] = turn_of(size or 6, least).bank(0)
    return found
