"""What a page shows of a game beside its track, as data: a page draws every part without knowing the game."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from companion.games.engine.game import State, sides_left
from companion.games.engine.views.phrase import Phrase

Values = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ScoreSheet:
    """A score sheet: a row for each category, a column for each side; the totals are the scores.

    Attributes:
        rows: The categories, as in the notation.
        columns: By side what is entered in each row; None where nothing is yet.
        offers: What the dice on the table would score in each row for who is on; None where they can't be entered.
        latest: By side the row that was entered last; None before the first.
    """

    rows: tuple[str, ...]
    columns: tuple[tuple[int | None, ...], ...]
    offers: tuple[int | None, ...]
    latest: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Goal:
    """What the race is to; `notes` are keys of texts that tell how it is run just now."""

    target: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Counter:
    """Something that is counted for each side, shown as notches: the key of its text, the counts, how many are full."""

    label: str
    counts: tuple[int, ...]
    full: int


@dataclass(frozen=True, slots=True)
class Pot:
    """Points that belong to nobody yet: the key of their text, and how many."""

    label: str
    points: int


@dataclass(frozen=True, slots=True)
class Keeping:
    """How dice are chosen on a page: `again` (the rest is thrown again) or `set_aside`; which are chosen at first."""

    word: str
    chosen: Values = ()


@dataclass(frozen=True, slots=True)
class Panels:
    """All that a page shows of a state beside names, scores and the track.

    Attributes:
        can: What may be done now, in the order to say it; lists among the arguments are alternatives.
        dice: The loose dice on the table.
        kept: Those that are frozen or set aside.
        worth: Whether the turn has points that a stop would bank.
        notes: By side keys of texts that say how it stands.
        counters: Counts by side.
        sheet: The score sheet.
        goal: What the race is to, where that is not the end of the track.
        pots: Points that belong to nobody yet.
        keeping: How dice are chosen, where some may be kept.
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


STOP = "can.bank"


def may(state: State, words: Mapping[str, str], throw: str = "can.throw") -> tuple[Phrase, ...]:
    """What may be done: a throw first, then the decisions in the order of `words` (a decision: the key of its text)."""
    thrown = (Phrase(throw, {"count": list(state.throw_sizes)}),) if state.throw_sizes else ()
    decided = (word for word in words if word in state.decisions)
    return (*thrown, *(Phrase(words[word], {"points": state.turn_points}) for word in decided))


def plain(state: State) -> Panels:
    """The panels of a game that has none of its own, and of a roll-off: throws and stops in words, nothing else."""
    return Panels(can=may(state, {"stop": STOP}), notes=notes_of(state))


def notes_of(state: State, about_sides: Iterable[tuple[str, Iterable[int]]] = ()) -> tuple[tuple[str, ...], ...]:
    """By side that it has left, or the first of those notes that is about it: each with the sides that it is about."""
    about_sides = [("player.left", sides_left(state)), *((note, frozenset(sides)) for note, sides in about_sides)]
    first = (next((note for note, about in about_sides if side in about), None) for side in range(len(state.sides)))
    return tuple(() if note is None else (note,) for note in first)
