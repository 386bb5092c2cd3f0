"""The board's view of the table: pegs, colours, moods and moments. With the time it is the input of the scenes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Peg:
    """A player's position in holes: 0 is the start pocket, above `BoardView.holes` is the finish pocket.

    Attributes:
        colour: Index into `hardware.palette.PLAYERS`, 0 to 9.
        banked: Position of the peg; fractional only while an animation moves it.
        provisional: Position if the turn were banked now; equal to `banked` when there is nothing to bank.
    """

    colour: int
    banked: float
    provisional: float


@dataclass(frozen=True, slots=True)
class Moment:
    """A short animation.

    Attributes:
        kind: A primitive, a key of `hardware.effects.EFFECTS`; or `press` of a button or `countdown` to shut down.
        at_s: Time of the event on the board's clock, in seconds.
        player: Index into `BoardView.pegs`, or None.
        from_hole: Position of the peg before the event, where it moves.
        to_hole: Position after the event.
        colour: A key of `hardware.palette.COLOURS`; None for the player's own.
        holes: Length of the light's tail or radius of its glow, in holes.
        lasts_s: Duration in seconds; 0 for `run` and `fill`, whose duration follows from the distance.
        delay_s: Seconds from `at_s` to the start of the animation.
    """

    kind: str
    at_s: float
    player: int | None = None
    from_hole: int = 0
    to_hole: int = 0
    colour: str | None = None
    holes: float = 0.0
    lasts_s: float = 0.0
    delay_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Code:
    """Dice to compare with those on a phone, shown until a time on the board's clock: a lit hole for each pip."""

    dice: tuple[int, ...]
    until_s: float


@dataclass(frozen=True, slots=True)
class BoardView:
    """Everything that the board shows of the table.

    Attributes:
        pegs: In seat order.
        to_play: Index into `pegs`, or None when no game is on.
        mood: `idle` (no game), `ready` (to throw), `settling` (dice move), `read` (dice were read), `asking` (people
            are asked), `illegal_hold` (the rules refuse the kept dice) or `over` (the game has ended).
        winners: Indexes into `pegs`, when the game is over.
        holes: Holes of the track, 120 for a normal game.
        moments: Newest last; those whose animation is over may be left out.
        night: Whether the board is dimmed for the night.
        capturing: Whether a photo is being taken: the board is dim and still.
        code: Dice that are shown instead of everything else, or None.
    """

    pegs: tuple[Peg, ...] = ()
    to_play: int | None = None
    mood: str = "idle"
    winners: tuple[int, ...] = ()
    holes: int = 120
    moments: tuple[Moment, ...] = ()
    night: bool = False
    capturing: bool = False
    code: Code | None = None
