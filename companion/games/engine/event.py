"""Events of a game: what an action caused, with sides and seats as numbers and without any text."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

NO_ARGS: Mapping[str, Any] = MappingProxyType({})
"""Empty arguments: the default of `Event.args`."""


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


class Light(NamedTuple):
    """A short animation on the track: one of the primitives of `hardware/effects.py`, with its parameters.

    Attributes:
        kind: Name of the primitive, such as `run`; docs/reference/moments.md lists all.
        colour: A name in `COLOURS` of `hardware/palette.py`, such as `amber`; None for the colour of the side.
        holes: Length of its tail or radius of its glow, in holes.
        lasts_s: Duration in seconds. `run` and `fill` ignore it: they take a fixed time for each hole.
        delay_s: Seconds from the event to its begin.
    """

    kind: str
    colour: str | None = None
    holes: float = 0.0
    lasts_s: float = 0.0
    delay_s: float = 0.0


class Tone(NamedTuple):
    """A struck note: pitch, seconds from the event to its begin, and seconds in which it fades."""

    pitch_hz: float
    at_s: float = 0.0
    rings_s: float = 0.35


class Effect(NamedTuple):
    """How the table presents an event besides the log entry.

    Attributes:
        lights: Animations on the track, from the drawn first to the drawn last.
        tones: Notes that the loudspeaker and the phones play.
        called: Whether the voice announces it.
        cheered: Whether the TV page shows it on the full screen for a moment.
        words: English fallback text if no catalogue has the code; `{player}` and the keys of `args` are filled in.
        result: `gain` or `loss` if `points` of the event were gained or lost by the turn; for highlights.
        replayed: Whether the TV page then shows its throw again, in slow motion.
    """

    lights: tuple[Light, ...] = ()
    tones: tuple[Tone, ...] = ()
    called: bool = False
    cheered: bool = False
    words: str | None = None
    result: Literal["gain", "loss"] | None = None
    replayed: bool = False


SILENT = Effect()
"""Log entry only: the effect of an event that declares none."""
FANFARE = (Tone(523.0), Tone(659.0, 0.13), Tone(784.0, 0.26), Tone(1047.0, 0.39, 0.9))
"""Tones of a finished game, or of a side that has finished: pitch in Hz, start and fading in seconds (`Tone`). Twice
the pitch sounds an octave higher; larger starts make the tune slower."""
BANKED = Effect((Light("fill"),), (Tone(523.0), Tone(659.0, 0.09), Tone(784.0, 0.18)), called=True, result="gain")
"""Effect of points that are banked. Its tones are pitch in Hz and start in seconds; larger starts make the tune
slower."""
LOST = Effect((Light("drain", "red", 9, 0.6),), (Tone(220.0), Tone(165.0, 0.15, 0.5)), called=True, cheered=True)
"""Effect of a turn that ends without its points. Light: a tail of 9 holes, 0.6 seconds. Tones: pitch in Hz, then start
and fading in seconds. Twice the pitch sounds an octave higher; larger times make the effect longer."""
ALL_DICE_AGAIN = Effect(
    (Light("waves", "amber", 8, 1.0),), (Tone(440.0), Tone(554.0, 0.08), Tone(659.0, 0.16)), called=True, cheered=True
)
"""Effect of a turn that may go on with all dice. Its light has a length in holes and a duration in seconds. Its tones
have a pitch in Hz and a start in seconds. Larger numbers: a longer, slower light; a higher or later tone."""
SHARED_EFFECTS: Mapping[str, Effect] = MappingProxyType(
    {
        "threw": Effect((Light("run", None, 6),), (Tone(330.0, 0.0, 0.12),)),
        "banked": BANKED,
        "left": Effect(called=True),
        "game_over": Effect(tones=FANFARE, called=True, cheered=True, replayed=True),
    }
)
"""Effects of events that every game may emit, by code; a game adds its own and may override these. The throw's light
has a tail in holes. Its tone has a pitch in Hz, a start and a fading time in seconds. Larger numbers: a longer tail; a
higher, later or longer tone."""


def throw_event(seat: int, side: int, dice: tuple[int, ...]) -> Event:
    """Make the event of a throw of the player in `seat`, who belongs to `side`. `dice` are ascending."""
    return Event("threw", side, {"dice": list(dice)}, seat)


def bank_event(side: int, points: int, start: int, end: int) -> Event:
    """Make the event of a banked turn: its points, and the side's score before (`start`) and after (`end`) the bank."""
    return Event("banked", side, {"points": points, "from": start, "to": end})
