"""Events of a game: what an action caused, with sides and seats as numbers and without any text."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

NO_ARGS: Mapping[str, Any] = MappingProxyType({})


class Event(NamedTuple):
    """One consequence of an action.

    Attributes:
        code: Kind of event, and key of its text.
        side: Side concerned, as an index into `Standing.sides`; None if it concerns no side.
        args: Numbers and dice that the text inserts.
        seat: Seat of the person concerned, if the event is not about the whole side.
        on: Side that the action targeted, if any.
    """

    code: str
    side: int | None = None
    args: Mapping[str, Any] = NO_ARGS
    seat: int | None = None
    on: int | None = None


class Effect(NamedTuple):
    """How the table presents an event besides the log entry.

    Attributes:
        moment: Name of the light and sound effect; None for neither.
        called: Whether the voice announces it.
        cheered: Whether the TV page shows it on the full screen for a moment.
        words: English fallback text if no catalogue has the code; `{player}` and the keys of `args` are filled in.
    """

    moment: str | None = None
    called: bool = False
    cheered: bool = False
    words: str | None = None


SILENT = Effect()
"""Log entry only: the effect of an event that declares none."""
SHARED_EFFECTS: Mapping[str, Effect] = MappingProxyType(
    {
        "threw": Effect("throw"),
        "banked": Effect("banked", called=True),
        "left": Effect(called=True),
        "game_over": Effect("over", called=True, cheered=True),
    }
)
"""Effects of events that every game may emit, by code. A game adds its own and may override these."""


def throw_event(seat: int, side: int, dice: tuple[int, ...]) -> Event:
    """Make the event of a throw. `dice` are ascending."""
    return Event("threw", side, {"dice": list(dice)}, seat)


def bank_event(side: int, points: int, start: int, end: int) -> Event:
    """Make the event of a banked turn: turn points, and the score of the side before and after it."""
    return Event("banked", side, {"points": points, "from": start, "to": end})
