"""Transcript lines of whole Crib Dice turns for tests, and the state or refusal after them."""

from __future__ import annotations

from typing import Any

import pytest

from companion.errors import IllegalAction
from companion.games.engine.notation import action_of
from tests.games.playing import STOP, point, throw, told

MISS = [throw(2, 2, 3, 3, 4, 5, 6), point(2), throw(3, 3, 4, 5, 6)]
TWO = [throw(2, 2, 1, 3, 4, 5, 6), point(2), STOP]


def sevens(*values: int) -> list[dict[str, Any]]:
    """Return the lines of throws of seven alike, one for each value: automatic rollovers of five times the value."""
    return [line for value in values for line in (throw(*[value] * 7), point(value))]


def bank(points: int) -> list[dict[str, Any]]:
    """Return the lines of a turn that banks `points` points, 2 or more."""
    lines: list[dict[str, Any]] = []
    while points >= 38:
        lines += sevens(6)
        points -= 30
    last = {2: (2, 2), 3: (3, 3, 3), 4: (4, 4, 4), 5: (5, 5, 5), 6: (6, 6, 6), 8: (4,) * 4, 9: (3,) * 5}
    last |= {10: (2,) * 7, 12: (3,) * 6, 15: (3,) * 7, 16: (4,) * 6, 18: (6,) * 5, 20: (4,) * 7, 24: (6,) * 6}
    last |= {25: (5,) * 7, 30: (6,) * 7}
    if points not in last:
        first = max(value for value in (5, 10, 15, 20, 25, 30) if value <= points - 2 and points - value in last)
        lines += sevens(first // 5)
        points -= first
    dice = last[points]
    rest = [die for die in (1, 2, 3, 4, 5, 6) if die != dice[0]][: 7 - len(dice)]
    return [*lines, throw(*dice, *rest), point(dice[0]), STOP]


def ones(count: int) -> list[dict[str, Any]]:
    """Return the lines of a first throw with `count` 1s, named as the point."""
    return [throw(*[1] * count, *(2, 3, 4, 5, 6)[: 7 - count]), point(1)]


def view(lines: list[dict[str, Any]], players: int = 2, first: str | None = None, **rules: bool) -> dict[str, Any]:
    more: dict[str, Any] = {"rules": rules} | ({"first": first} if first else {})
    return told("crib_dice", *lines, players=players, **more).view()


def refused(lines: list[dict[str, Any]], players: int = 2, **rules: bool) -> str:
    transcript = told("crib_dice", *lines[:-1], players=players, rules=rules)
    with pytest.raises(IllegalAction) as caught:
        transcript.then(action_of(lines[-1]))
    return str(caught.value)
