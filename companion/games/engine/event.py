"""What happened in a game, as the game says it while it applies an action: sides and seats as numbers, no words."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

NOTHING_MORE: Mapping[str, Any] = MappingProxyType({})


class Event(NamedTuple):
    """One thing that happened.

    Attributes:
        code: What it was; the key of its text.
        side: The side that it is about, as a place in `State.sides`; None where it is about nobody.
        args: What its text tells besides: numbers and dice.
        seat: The person that it is about, where that is not the whole side.
        on: The side that it was done to, where there is one.
    """

    code: str
    side: int | None = None
    args: Mapping[str, Any] = NOTHING_MORE
    seat: int | None = None
    on: int | None = None


class Effect(NamedTuple):
    """How an event is told besides in the log.

    Attributes:
        moment: The kind of light and sound that it makes; None for neither.
        called: Whether a voice calls it out.
        cheered: Whether it fills the pub's screen for a moment.
        words: What is said of it in English, `{player}` and `args` put in, where no catalogue has a text for its code.
    """

    moment: str | None = None
    called: bool = False
    cheered: bool = False
    words: str | None = None


SILENT = Effect()
OF_EVERY_GAME: Mapping[str, Effect] = MappingProxyType(
    {
        "threw": Effect("throw"),
        "banked": Effect("banked", called=True),
        "left": Effect(called=True),
        "game_over": Effect("over", called=True, cheered=True),
    }
)
"""Effects of the events that any game may have; a game adds its own."""


def threw(seat: int, side: int, dice: tuple[int, ...]) -> Event:
    """Somebody threw these dice, ascending."""
    return Event("threw", side, {"dice": list(dice)}, seat)


def banked(side: int, points: int, start: int, end: int) -> Event:
    """A turn was banked: the score before it and after it."""
    return Event("banked", side, {"points": points, "from": start, "to": end})
