"""What may be asked of the table: one frozen value a command; one that changes the game names the number it saw.

Those that a phone sends as they are refuse what they do not know.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from companion.table.tray.observation import Observation

Number = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
Values = Annotated[tuple[Annotated[int, msgspec.Meta(ge=1, le=6)], ...], msgspec.Meta(max_length=20)]


class PlayLine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Play a transcript line, `{"undo": n}` too. In a game without lines `{"undo": 1}` takes the game itself back."""

    number: Number
    line: Any


class StartGame(msgspec.Struct, frozen=True, kw_only=True):
    """Start a game from a transcript's header, on those terms (`companion.table.terms`).

    A game that is not over is left where it stands, kept in the journal. `colours` are those that players have chosen,
    0 to 9 by name; the others get what they wore, or what is free.
    """

    header: Any
    number: int | None = None
    terms: Any = {}
    colours: Any = {}


class NextGame(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The same game and players again; who lost the last one starts."""

    number: Number


class Abandon(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """End the game without a result. `{"undo": 1}` takes that back."""

    number: Number


class EndSitting(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The evening is over: the next game starts a new sitting, even between the same players."""

    number: Number


class CorrectThrow(msgspec.Struct, frozen=True, kw_only=True):
    """Throw `throw` of this sitting was really `values`. When later lines become illegal, the table asks to confirm.

    A throw of an earlier game is corrected there, and the games lost are added up anew; who started since did start.
    """

    number: int
    throw: int
    values: tuple[int, ...]


class ConfirmCorrection(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Carry out the correction on offer (or not), with the loss of the lines that it lists."""

    offer: Number
    accept: bool


class HouseDecides(msgspec.Struct, frozen=True, kw_only=True):
    """What the house decides in its turn, a transcript line; stale while a throw is in question or one is corrected."""

    number: int
    line: Any


class HouseAwaits(msgspec.Struct, frozen=True, kw_only=True):
    """The house goes on: so many dice are to be thrown for it, if not by it `itself`; stale as a decision is."""

    number: int
    dice: int
    itself: bool = False


class Answer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settle question `question`: these values lie there, or None: it was no throw."""

    question: Number
    values: Values | None


class Observe(msgspec.Struct, frozen=True):
    """The tray has come to rest and was read."""

    observation: Observation


class NoteMotion(msgspec.Struct, frozen=True):
    """Something moves in the tray: it is not to be read now."""


class Tick(msgspec.Struct, frozen=True):
    """Time has passed: look whether an empty tray has banked. The table gives it to itself."""


class PressButton(msgspec.Struct, frozen=True, kw_only=True):
    """A button of the table: `bank`, `undo` or `next`. It acts on what is now: who presses sees the board."""

    button: str


Command = (
    PlayLine
    | StartGame
    | NextGame
    | Abandon
    | EndSitting
    | CorrectThrow
    | ConfirmCorrection
    | HouseDecides
    | HouseAwaits
    | Answer
    | Observe
    | NoteMotion
    | Tick
    | PressButton
)
