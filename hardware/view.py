"""What the board must show: the table reduced to pegs, colours, moods and moments. The scenes' only input but time."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Peg:
    """A player's place on the track, in holes: 0 is the start pocket, above `BoardView.holes` is the finish pocket.

    Attributes:
        colour: Index into the palette of players (the order of `hardware/palette.py`), 0 to 9.
        banked: Where the peg stands.
        provisional: Where it would stand if the turn were banked now; equal to `banked` when there is nothing to bank.
    """

    colour: int
    banked: int
    provisional: int


@dataclass(frozen=True, slots=True)
class Moment:
    """Something that just happened and has its own short animation.

    Attributes:
        kind: `throw`, `banked`, `wipe_out`, `fuchle`, `bomb`, `bump`, `skunk`, `rollover`, `finish`, `press`,
            `illegal_hold`, `countdown` (the shutdown button is held).
        at_s: When it happened, on the board's clock.
        player: Index into `BoardView.pegs`, or None.
        from_hole: Where the peg was before, where that matters.
        to_hole: Where it is after.
    """

    kind: str
    at_s: float
    player: int | None = None
    from_hole: int = 0
    to_hole: int = 0


@dataclass(frozen=True, slots=True)
class Code:
    """Dice to compare with those on a phone: so many lit holes each, until a time on the board's clock."""

    dice: tuple[int, ...]
    until_s: float


@dataclass(frozen=True, slots=True)
class BoardView:
    """The table as the board sees it.

    Attributes:
        pegs: In seat order.
        to_play: Index into `pegs`, or None when no game is on.
        mood: `idle` (no game), `ready`, `settling`, `read`, `asking`, `illegal_hold`, `over`.
        winners: Indexes into `pegs`, when the game is over.
        holes: Holes of the track, 120 for a normal game.
        moments: Newest last; old ones may be left out.
        night: Whether the board is dimmed for the night.
        capturing: Whether a photo is being taken: nothing moves and all is dim.
        code: What is shown instead of everything else while somebody compares it, or None.
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
