"""How often a reading of the camera was accepted without asking although it was wrong, computed from the journal."""

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
"""One-sided confidence, 0 to 1, of the upper bound on the rate of false accepts. A higher one gives a higher bound."""


class CameraThrow(msgspec.Struct, frozen=True, kw_only=True):
    """A throw that the camera read.

    Attributes:
        throw: Number of the throw.
        entry: Number of its journal entry.
        month: Month of its game, such as `2026-11`.
        dice: Name of the set of dice.
        values: Values that stand.
        source: Who said so: `camera`, `answered` or `corrected`.
        accepted: Whether it was entered without asking.
        false_accept: Whether it was entered without asking, with other values than those that stand.
    """

    throw: int
    entry: int
    month: str
    dice: str
    values: tuple[int, ...]
    source: str
    accepted: bool
    false_accept: bool


def camera_throws(past: PastGames, folder: Path) -> list[CameraThrow]:
    """Return every throw that the camera read and nobody took back, oldest first.

    The list includes throws that the table asked a person about, and throws that a person corrected. A corrected throw
    that was first entered by hand is left out: its entry in the journal in `folder` has no reading by the camera.
    `past` are the table's games. Raises DeviceError if the journal can't be read.
    """
    found = []
    for game, line in past.camera_throws():
        thrown = line.thrown
        assert thrown is not None, "a line with a throw"
        accepted, entered = thrown.source == "camera", thrown.values
        if thrown.source == "corrected":
            first = next(iter(entries_at(folder, [line.number])), None)
            if first is None or "seen" not in first.body:
                continue  # entered by hand
            accepted, entered = first.body["source"] == "camera", tuple(sorted(first.body["line"]["throw"]))
        found.append(
            CameraThrow(
                throw=thrown.number,
                entry=line.number,
                month=f"{datetime.fromtimestamp(game.started_s, UTC):%Y-%m}",
                dice=game.terms.dice,
                values=thrown.values,
                source=thrown.source,
                accepted=accepted,
                false_accept=accepted and entered != tuple(sorted(thrown.values)),
            )
        )
    return found


def accuracy(throws: Iterable[CameraThrow], cameras: Mapping[int, str]) -> dict[str, Any]:
    """Return how many throws were read, asked about, accepted and wrongly accepted, in all and by group.

    Args:
        throws: The throws to count, oldest first.
        cameras: Kind of camera by number of the throw; a throw that is missing here counts for the camera `""`.

    Returns:
        `throws`, `asked`, `accepted`, `corrected` (false accepts) and `bound`: the upper bound, with confidence
            CONFIDENCE, on the rate of false accepts among the accepted; 1 if none was accepted. `by` maps `month`,
            `camera` and `dice` to a list of such counts, newest group first, each with the `name` of its group.
    """
    every = list(throws)
    groups: dict[str, Callable[[CameraThrow], str]] = {
        "month": lambda each: each.month,
        "camera": lambda each: cameras.get(each.throw, ""),
        "dice": lambda each: each.dice,
    }
    by = {}
    for group, name_of in groups.items():
        names = dict.fromkeys(name_of(each) for each in reversed(every))
        by[group] = [{"name": name, **_counts([each for each in every if name_of(each) == name])} for name in names]
    return {**_counts(every), "by": by}


def _counts(throws: list[CameraThrow]) -> dict[str, Any]:
    """Count camera throws: all of them, those asked about, those accepted and those wrongly accepted.

    Keys: `throws`, `asked`, `accepted`, `corrected` (false accepts), and `bound`: the upper bound, with confidence
    CONFIDENCE, on the rate of false accepts among the accepted; 1 if none was accepted.
    """
    accepted = sum(each.accepted for each in throws)
    corrected = sum(each.false_accept for each in throws)
    return {
        "throws": len(throws),
        "asked": len(throws) - accepted,
        "accepted": accepted,
        "corrected": corrected,
        "bound": upper_bound(corrected, accepted),
    }


def upper_bound(events: int, trials: int) -> float:
    """Return the exact one-sided upper bound on the probability of an event (Clopper and Pearson 1934).

    The event happened `events` times in `trials` trials; without a trial the bound is 1. The bound holds with
    confidence CONFIDENCE.

    >>> round(upper_bound(0, 100), 4), round(upper_bound(2, 3214), 5)
    (0.0295, 0.00196)
    """
    if events >= trials:
        return 1.0
    low, high = 0.0, 1.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        if _at_most(events, trials, middle) > 1 - CONFIDENCE:
            low = middle
        else:
            high = middle
    return high


def _at_most(events: int, trials: int, probability: float) -> float:
    """Return the probability of at most `events` events in `trials` trials; `events` must not exceed `trials`.

    `probability` is that of one event, above 0 and below 1.
    """
    log_p, log_q, ways = math.log(probability), math.log1p(-probability), math.lgamma(trials + 1)
    return math.fsum(
        math.exp(ways - math.lgamma(k + 1) - math.lgamma(trials - k + 1) + k * log_p + (trials - k) * log_q)
        for k in range(events + 1)
    )
