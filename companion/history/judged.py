"""Throws that the camera read, with what stands of them now: how often a reading was accepted and wrong."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from companion.history.export import PastGames
from companion.table.journal import entries_at

CONFIDENCE = 0.95
"""Confidence of the upper bound on the rate of false accepts (one-sided)."""


class JudgedThrow(msgspec.Struct, frozen=True, kw_only=True):
    """A throw that the camera read.

    Attributes:
        throw: Number of the throw.
        entry: Number of its journal entry.
        month: Month of its game, such as `2026-11`.
        dice: Name of the set of dice.
        values: Values that stand.
        source: Who said so: `camera`, `answered` or `corrected`.
        accepted: Whether it was entered without asking.
    """

    throw: int
    entry: int
    month: str
    dice: str
    values: tuple[int, ...]
    source: str
    accepted: bool

    @property
    def false_accept(self) -> bool:
        """Whether it was entered without asking and corrected later."""
        return self.accepted and self.source == "corrected"


def judged_throws(past: PastGames, folder: Path) -> list[JudgedThrow]:
    """Return every throw that stands and that the camera read, oldest first."""
    found = []
    for game, line in past.camera_throws():
        thrown = line.thrown
        assert thrown is not None, "a line with a throw"
        accepted = thrown.source == "camera"
        if thrown.source == "corrected":
            first = next(iter(entries_at(folder, [line.number])), None)
            if first is None or "seen" not in first.body:
                continue  # entered by hand
            accepted = first.body["source"] == "camera"
        found.append(
            JudgedThrow(
                throw=thrown.number,
                entry=line.number,
                month=f"{datetime.fromtimestamp(game.started_s, UTC):%Y-%m}",
                dice=game.terms.dice,
                values=thrown.values,
                source=thrown.source,
                accepted=accepted,
            )
        )
    return found


def figures(throws: Iterable[JudgedThrow], cameras: Mapping[int, str]) -> dict[str, Any]:
    """Count throws, questions and false accepts, in all and by month, camera and set of dice.

    Args:
        throws: The throws to count.
        cameras: Kind of camera of each throw that has a package, by its number.

    Returns:
        `throws`, `asked`, `accepted`, `corrected` (of the accepted) and `bound`, the upper bound on the rate of false
        accepts. `by` has lists of the same with a `name`: `month`, `camera` and `dice`.
    """
    every = list(throws)
    kinds: dict[str, Callable[[JudgedThrow], str]] = {
        "month": lambda each: each.month,
        "camera": lambda each: cameras.get(each.throw, ""),
        "dice": lambda each: each.dice,
    }
    by = {}
    for kind, name_of in kinds.items():
        names = dict.fromkeys(name_of(each) for each in reversed(every))
        by[kind] = [{"name": name, **_counted([each for each in every if name_of(each) == name])} for name in names]
    return {**_counted(every), "by": by}


def _counted(throws: list[JudgedThrow]) -> dict[str, Any]:
    accepted = sum(each.accepted for each in throws)
    corrected = sum(each.false_accept for each in throws)
    return {
        "throws": len(throws),
        "asked": len(throws) - accepted,
        "accepted": accepted,
        "corrected": corrected,
        "bound": upper_bound(corrected, accepted),
    }


def upper_bound(events: int, trials: int, confidence: float = CONFIDENCE) -> float:
    """Return the exact one-sided upper bound on the probability of an event (Clopper and Pearson 1934).

    >>> round(upper_bound(0, 100), 4), round(upper_bound(2, 3214), 5)
    (0.0295, 0.00196)
    """
    if events >= trials:
        return 1.0
    low, high = 0.0, 1.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        if _at_most(events, trials, middle) > 1 - confidence:
            low = middle
        else:
            high = middle
    return high


def _at_most(events: int, trials: int, probability: float) -> float:
    """Probability of at most that many events in that many trials (binomial)."""
    log_p, log_q = math.log(probability), math.log1p(-probability)
    return math.fsum(
        math.exp(
            math.lgamma(trials + 1)
            - math.lgamma(k + 1)
            - math.lgamma(trials - k + 1)
            + k * log_p
            + (trials - k) * log_q
        )
        for k in range(events + 1)
    )
