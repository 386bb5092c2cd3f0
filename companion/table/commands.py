"""Commands to the table. A command that changes the game carries the number of the snapshot it was made from.

Commands that a phone sends as JSON refuse unknown fields.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from companion.table.tray.observation import Observation
from companion.tournaments import Form

Number = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
"""Number of a snapshot, a question or an offer; bounded by what JavaScript represents exactly."""
Values = Annotated[tuple[Annotated[int, msgspec.Meta(ge=1, le=6)], ...], msgspec.Meta(max_length=20)]
"""Values of dice, 1 to 6; at most 20 of them, more than any game throws."""


class PlayLine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Play a transcript line or `{"undo": n}`. In a game without lines, `{"undo": 1}` takes the game itself back."""

    number: Number
    line: Any


class StartGame(msgspec.Struct, frozen=True, kw_only=True):
    """Start a game from a transcript's header, with the given terms (`companion.table.terms`).

    An unfinished game is left as it is and stays in the journal. `colours` maps names to chosen colours, 0 to 9; other
    players keep their last colour or get a free one.
    """

    header: object
    number: int | None = None
    terms: object = {}
    colours: object = {}


class NextGame(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Start the same game with the same players; the loser of the last game starts."""

    number: Number


class Abandon(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """End the game without a result; `{"undo": 1}` resumes it. A game that is over can't be abandoned."""

    number: Number


class EndSitting(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """End the sitting: the next game starts a new one, even between the same players."""

    number: Number


class CorrectThrow(msgspec.Struct, frozen=True, kw_only=True):
    """Correct throw number `throw` of this sitting to `values`.

    If later lines become illegal, the table asks to confirm their loss. A throw of an earlier game is corrected there
    and the games lost are recomputed; starters of later games stay.
    """

    number: int
    throw: int
    values: tuple[int, ...]


class ConfirmCorrection(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Accept or refuse the correction on offer, with the loss of the lines that it lists."""

    offer: Number
    accept: bool


class BotDecides(msgspec.Struct, frozen=True, kw_only=True):
    """Play a decision of the bot in its turn; stale while a throw is in question or a correction is on offer."""

    number: int
    line: object


class BotAwaits(msgspec.Struct, frozen=True, kw_only=True):
    """Announce that `dice` dice are to be thrown for the bot, or by the bot itself; stale like a decision."""

    number: int
    dice: int
    itself: bool = False


class Answer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Answer question `question`: the values of the dice, or None if it was no throw."""

    question: Number
    values: Values | None


class Observe(msgspec.Struct, frozen=True):
    """Report that the tray came to rest and was read."""

    observation: Observation


class OverlookTray(msgspec.Struct, frozen=True):
    """Report that a lesson or a calibration has changed the tray: its dice are no throw, and clearing it banks nothing.

    None for `observation` leaves the tray's dice unknown, as after a start of the table.
    """

    observation: Observation | None = None


class NoteMotion(msgspec.Struct, frozen=True):
    """Report that something moves in the tray; or, with `moving` false, that the camera failed and nobody can tell."""

    moving: bool = True


class Tick(msgspec.Struct, frozen=True):
    """Report that time has passed, so an empty tray may bank. The table sends it to itself."""


class PressButton(msgspec.Struct, frozen=True, kw_only=True):
    """Press a button of the table: `bank`, `undo` or `next`. It acts on the current state, which the board shows."""

    button: str


class BeginTournament(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Begin a tournament, with game and house rules as in a header. Games of two of its players fill in the matches.

    In a knockout the first of the players get the byes. `handicaps` are points by name, added to final scores.
    """

    number: Number
    form: Form
    game: str
    players: Annotated[tuple[str, ...], msgspec.Meta(max_length=64)]
    rules: dict[str, bool | int] = {}
    handicaps: dict[str, int] = {}


class LeaveTournament(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Note that a player has left the tournament, or with `left` false is back. Opponents get walkovers meanwhile."""

    number: Number
    player: str
    left: bool = True


class EndTournament(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """End the tournament. Its games stay."""

    number: Number


Arranging = BeginTournament | LeaveTournament | EndTournament
"""Commands that begin, change or end a tournament."""
Managing = StartGame | NextGame | Abandon | EndSitting | CorrectThrow | ConfirmCorrection
"""Commands that start, end or correct games."""
Reporting = Observe | OverlookTray | NoteMotion | Tick
"""Commands that report on the tray."""
Command = PlayLine | Answer | Reporting | PressButton | BotDecides | BotAwaits | Managing | Arranging
