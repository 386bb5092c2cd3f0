"""What a game is: how it is set up, what may happen now, and the state after each thing that happens.

A game is a small state machine. Dice are a chance event: a throw comes in through the same door (`after`) whether a
camera, a phone, a test or a transcript saw it. Everything here is frozen; `after` makes the next state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from companion.errors import IllegalAction
from companion.games.engine.event import Event

Switches = Mapping[str, bool | int]
Why = Mapping[str, tuple[str, ...]]
"""Paragraphs of a game's words by their heading, with the codes of the notices that they explain."""


@dataclass(frozen=True, slots=True)
class Throw:
    """Dice that were thrown together; the order says nothing. `{"throw": [5, 5, 2]}`."""

    dice: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NamePoint:
    """Names the value whose dice are frozen after a first throw. `{"do": "point", "value": 5}`."""

    value: int


@dataclass(frozen=True, slots=True)
class Stop:
    """Ends the turn and banks. `{"do": "stop"}`."""


@dataclass(frozen=True, slots=True)
class Bomb:
    """Bombs at once, or announces it when two dice must still be thrown. `{"do": "bomb"}`."""


@dataclass(frozen=True, slots=True)
class Keep:
    """These stay and the others are thrown again, or these are set aside. `{"do": "keep", "dice": [6, 6]}`."""

    dice: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Enter:
    """Enters the dice in a category of the sheet. `{"do": "score", "category": "sixes"}`."""

    category: str


@dataclass(frozen=True, slots=True)
class Spend:
    """Spends points on another player instead of throwing. `{"do": "spend", "on": "Sue", "points": 500}`."""

    on: str
    points: int


@dataclass(frozen=True, slots=True)
class Leave:
    """A player leaves the game for good, in his own turn or another's. `{"leave": "Ann"}`."""

    player: str


@dataclass(frozen=True, slots=True)
class Undo:
    """Takes back the last `count` lines that still stand. `{"undo": 1}`. No game sees it: the transcript does."""

    count: int


Action = Throw | NamePoint | Stop | Bomb | Keep | Enter | Spend | Leave


@dataclass(frozen=True, slots=True)
class Header:
    """A game's set-up, checked: seats clockwise, and every switch of the game with its value."""

    game: str
    players: tuple[str, ...]
    rules: Switches
    first: str | None = None
    roll_off: bool = False

    def __hash__(self) -> int:
        """Equal set-ups hash alike: what is worked out for a state can be remembered."""
        return hash((self.game, self.players, frozenset(self.rules.items()), self.first, self.roll_off))


@dataclass(frozen=True, slots=True)
class Switch:
    """A house rule: its key in a header's `rules`, its default and what it means, in words for a settings form."""

    key: str
    default: bool | int
    title: str
    meaning: str
    minimum: int | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended, by side.

    Attributes:
        winners: In seat order, or as they finished.
        games_lost: For each side how many games it has lost by this one; 0 for winners.
    """

    winners: tuple[int, ...]
    games_lost: tuple[int, ...]

    def view(self, sides: tuple[str, ...]) -> dict[str, Any]:
        """The same with names, as in docs/reference/transcript.md."""
        lost = dict(zip(sides, self.games_lost, strict=True))
        return {"winners": [sides[side] for side in self.winners], "games_lost": lost}


class State(Protocol):
    """A game as it stands; equal states compare equal.

    A *seat* is a place in `header.players`, a *side* one in `sides`: who shares a score is one side. Partners sit
    alternately, so the side of a seat is the seat modulo the number of sides.
    """

    @property
    def header(self) -> Header:
        """The set-up."""

    @property
    def sides(self) -> tuple[str, ...]:
        """The names that scores are kept under, for people: players, or teams."""

    @property
    def scores(self) -> tuple[int, ...]:
        """What is banked, by side."""

    @property
    def turn_points(self) -> int:
        """What a stop would bank now."""

    @property
    def left(self) -> frozenset[int]:
        """The seats of those who have left the game."""

    @property
    def to_play(self) -> int | None:
        """The seat whose turn it is; None when the game is over."""

    @property
    def player(self) -> str | None:
        """Who sits there; None when the game is over."""

    @property
    def events(self) -> tuple[Event, ...]:
        """What the action that led here brought about, in the order to tell it. No part of what makes states equal."""

    @property
    def throw_sizes(self) -> tuple[int, ...]:
        """Numbers of dice that may be thrown now, ascending; empty when a decision must come first."""

    @property
    def decisions(self) -> tuple[str, ...]:
        """Names of the decisions allowed now, sorted."""

    @property
    def over(self) -> bool:
        """Whether the game has ended."""

    @property
    def outcome(self) -> Outcome | None:
        """Who won; None before the end."""

    def after(self, action: Action) -> State:
        """The state after that action. Raises IllegalAction, and this state is as it was."""

    def options(self) -> tuple[Action, ...]:
        """Every decision that would be accepted now (of `spend` only the smallest and greatest of each player)."""

    @property
    def safe_chance(self) -> float | None:
        """Exact chance that the next throw does not end the turn with nothing.

        None when no throw is allowed, or when none of that kind can fail. A throw without result counts as safe. Where
        the number of dice may be chosen, of the smallest number.
        """

    def expected_values(self) -> tuple[tuple[Action | int, float], ...]:
        """What each option is worth, exactly, with best play from there.

        That is the turn points that this turn is expected to bank, or where a game is a sheet to fill its final total.
        Options are all decisions of `options`, and each number of dice that may be thrown. Empty when the game is over.
        """

    def view(self) -> dict[str, Any]:
        """The state's public fields as in docs/reference/transcript.md, except `line`; plain JSON values."""


def side_of(state: State, seat: int) -> int:
    """The side that sits there."""
    return seat % len(state.sides)


def sides_left(state: State) -> frozenset[int]:
    """The sides of which everybody has left."""
    return frozenset(range(len(state.sides))) - {
        side_of(state, seat) for seat in range(len(state.header.players)) if seat not in state.left
    }


DECISION_WORDS: Mapping[type, str] = {
    NamePoint: "point",
    Stop: "stop",
    Bomb: "bomb",
    Keep: "keep",
    Enter: "score",
    Spend: "spend",
}


def refusal(action: Action, state: State) -> IllegalAction:
    """Why an action that a state has no use for is refused: what it was, and what may happen now."""
    if state.over:
        return IllegalAction("The game is over; only an undo can follow.")
    sizes = " or ".join(str(size) for size in state.throw_sizes)
    chances = ([f"a throw of {sizes}"] if sizes else []) + list(state.decisions)
    now = f"now: {', '.join(chances)}."
    if isinstance(action, Throw):
        return IllegalAction(f"A throw of {len(action.dice)} can't be made here; {now}")
    return IllegalAction(f"'{DECISION_WORDS[type(action)]}' can't be decided here; {now}")
