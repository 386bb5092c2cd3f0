"""View of a game for a page, beside the track. Pages draw every part without knowledge of the game."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from companion.games.engine.game import State
from companion.games.engine.roll_off import RollOff
from companion.games.engine.views.phrase import Phrase

Values = tuple[int, ...]
"""Dice values, ascending."""


@dataclass(frozen=True, slots=True)
class ScoreSheet:
    """A score sheet with a row for each category and a column for each side. Totals are the scores.

    Attributes:
        rows: Categories, as in the notation.
        columns: Points entered by side and row; None for an open row.
        offers: Points that the dice would score by row for the player to play; None if they cannot be entered there.
        latest: Row entered last by side, as an index; None before the first entry.
    """

    rows: tuple[str, ...]
    columns: tuple[tuple[int | None, ...], ...]
    offers: tuple[int | None, ...]
    latest: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Goal:
    """Target of the race in points; `notes` are keys of texts about its course, such as the last round."""

    target: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Counter:
    """A count for each side, drawn as notches.

    Attributes:
        label: Key of its text.
        counts: Count by side.
        full: Number of notches.
    """

    label: str
    counts: tuple[int, ...]
    full: int


@dataclass(frozen=True, slots=True)
class Pot:
    """Points that no side owns yet, with the key of their text."""

    label: str
    points: int


@dataclass(frozen=True, slots=True)
class Keeping:
    """Choice of dice to keep on a page.

    Attributes:
        word: `again` if the other dice are thrown again, or `set_aside`.
        chosen: Dice selected at first.
    """

    word: str
    chosen: Values = ()


@dataclass(frozen=True, slots=True)
class Panels:
    """Everything that a page shows of a state beside names, scores and the track.

    Attributes:
        can: Legal actions, in display order; lists among the arguments are alternatives.
        dice: Loose dice on the table.
        kept: Dice that are frozen or set aside.
        worth: Whether the page shows turn points; False in a game that only enters scores, and where they are lost
            whatever comes.
        notes: Keys of texts about the status of each side.
        counters: Counts by side.
        sheet: Score sheet, if the game has one.
        goal: Target of the race, if it is not the end of the track.
        pots: Points that no side owns yet.
        keeping: Choice of dice to keep, if there is one.
        lesson: Texts for someone who plays for the first time: what the last action did, what can be done now.
    """

    can: tuple[Phrase, ...] = ()
    dice: Values = ()
    kept: Values = ()
    worth: bool = True
    notes: tuple[tuple[str, ...], ...] = ()
    counters: tuple[Counter, ...] = ()
    sheet: ScoreSheet | None = None
    goal: Goal | None = None
    pots: tuple[Pot, ...] = ()
    keeping: Keeping | None = None
    lesson: tuple[Phrase, ...] = ()


BANK_TEXT = "can.bank"
"""Key of the text in the list of legal actions that says a stop is allowed, and what it banks."""


def allowed_phrases(state: State, words: Mapping[str, str], throw: str = "can.throw") -> tuple[Phrase, ...]:
    """Return a `Phrase` for each kind of legal action: the throw first, then decisions in the order of `words`.

    The throw has the argument `count`, a list of the numbers of dice that may be thrown. A decision has `points`, the
    turn points. Decisions of one kind, such as all points that may be named, share one phrase.

    Args:
        state: State of the game.
        words: Text key of each decision, by its word, such as `stop`. Decisions that are missing here are left out.
        throw: Text key of a throw.
    """
    thrown = (Phrase(throw, {"count": list(state.throw_sizes)}),) if state.throw_sizes else ()
    decided = (word for word in words if word in state.decisions)
    return (*thrown, *(Phrase(words[word], {"points": state.standing.turn_points}) for word in decided))


def default_panels(state: State) -> Panels:
    """Return panels for roll-offs and games without panels of their own.

    Throws and stops are shown as text alone, with the notes on each side. In a roll-off the text of the throw also has
    the arguments `players` and `totals`: names and totals of the players who have thrown in this round.
    """
    can = allowed_phrases(state, {"stop": BANK_TEXT})
    if isinstance(state, RollOff):
        thrown = [state.header.players[seat] for seat in state.throwers[: len(state.totals)]]
        can = (Phrase("can.roll_off", {**can[0].args, "players": thrown, "totals": list(state.totals)}),)
    return Panels(can=can, notes=notes_of(state))


def notes_of(state: State, about_sides: Iterable[tuple[str, Iterable[int]]] = ()) -> tuple[tuple[str, ...], ...]:
    """Return, for each side, a tuple with the text key of its status note, or an empty tuple.

    A side that has left gets `player.left`. `about_sides` has pairs of a text key and the sides that it is about; any
    other side gets the first key whose pair names it.
    """
    standing = state.standing
    by_priority = [("player.left", standing.sides_left), *((note, frozenset(sides)) for note, sides in about_sides)]
    return tuple(
        tuple([note for note, about in by_priority if side in about][:1]) for side in range(len(standing.sides))
    )
