"""The contract of a game: its set-up (`Header`), the actions that players take, and its `State`.

A game is a state machine. A throw is an action like any decision, whether a camera, a phone or a transcript supplies
it. All values are frozen; `State.after` returns the next state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from companion.errors import IllegalAction
from companion.games.engine.event import Event

T = TypeVar("T")
Switches = Mapping[str, bool | int]
"""Values of house rules by `Switch.key`."""
Why = Mapping[str, tuple[str, ...]]
"""Codes of tray notices that a paragraph of the rules text explains, by the heading of the paragraph."""


@dataclass(frozen=True, slots=True)
class Throw:
    """A throw of dice, in any order. Transcript line: `{"throw": [5, 5, 2]}`."""

    dice: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NamePoint:
    """Choose the point: freeze all dice of this value after a first throw. Line: `{"do": "point", "value": 5}`."""

    value: int


@dataclass(frozen=True, slots=True)
class Stop:
    """End the turn and bank its points. Line: `{"do": "stop"}`."""


@dataclass(frozen=True, slots=True)
class Bomb:
    """Bomb at once, or announce a bomb that two more dice decide. Line: `{"do": "bomb"}`."""


@dataclass(frozen=True, slots=True)
class Keep:
    """Keep these dice of the throw; a later throw takes the others. Line: `{"do": "keep", "dice": [6, 6]}`."""

    dice: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Enter:
    """Enter the dice in a category of the score sheet. Line: `{"do": "score", "category": "sixes"}`."""

    category: str


@dataclass(frozen=True, slots=True)
class Spend:
    """Give up points to take as many off another player. Line: `{"do": "spend", "on": "Sue", "points": 500}`."""

    on: str
    points: int


@dataclass(frozen=True, slots=True)
class Leave:
    """A player leaves the game for good, in any turn. Line: `{"leave": "Ann"}`."""

    player: str


@dataclass(frozen=True, slots=True)
class Undo:
    """Take back the last `count` lines in force. Handled by `Transcript`, not by games. Line: `{"undo": 1}`."""

    count: int


Action = Throw | NamePoint | Stop | Bomb | Keep | Enter | Spend | Leave


@dataclass(frozen=True, slots=True)
class Header:
    """The set-up of a game.

    Attributes:
        game: Name of the game in the registry.
        players: Names by seat, clockwise.
        rules: Value of every switch of the game.
        first: Name of the player who starts; None for seat 0, or if a roll-off decides.
        roll_off: Whether a roll-off decides who starts.
    """

    game: str
    players: tuple[str, ...]
    rules: Switches
    first: str | None = None
    roll_off: bool = False

    def __hash__(self) -> int:
        """Hash all fields, `rules` included, so that caches can use a state as a key."""
        return hash((self.game, self.players, frozenset(self.rules.items()), self.first, self.roll_off))


@dataclass(frozen=True, slots=True)
class Switch:
    """A house rule.

    Attributes:
        key: Key in `Header.rules`.
        default: Value if the header does not set it; its type is the type of the switch.
        title: Short English label for a settings form.
        meaning: English sentence that explains the rule.
        minimum: Least value of an integer switch.
    """

    key: str
    default: bool | int
    title: str
    meaning: str
    minimum: int | None = None


@dataclass(frozen=True, slots=True)
class Picture:
    """A row of the rules in pictures: dice as they may lie (none: words alone), and the key of the text beside them."""

    text: str
    dice: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of a finished game, by side.

    Attributes:
        winners: Winning sides, in seat order or in the order of finishing.
        games_lost: Number of games that each side loses: 0 for winners, more than 1 for a heavy defeat.
    """

    winners: tuple[int, ...]
    games_lost: tuple[int, ...]

    def view(self, sides: tuple[str, ...]) -> dict[str, Any]:
        """Return the outcome as JSON values, with names for sides; see docs/reference/transcript.md."""
        lost = dict(zip(sides, self.games_lost, strict=True))
        return {"winners": [sides[side] for side in self.winners], "games_lost": lost}


def with_entry(values: tuple[T, ...], place: int, value: T) -> tuple[T, ...]:
    """Return a copy of a tuple with `value` at index `place`."""
    return (*values[:place], value, *values[place + 1 :])


def highest_wins(totals: tuple[int, ...], left: frozenset[int]) -> Outcome:
    """Return the outcome of a game that the highest total wins; equal totals share the win.

    Players who left can't win; if all left, nobody wins. Everyone who does not win loses one game. `totals` are by
    seat; `left` has the seats of the players who left.
    """
    there = {seat: total for seat, total in enumerate(totals) if seat not in left}
    winners = tuple(seat for seat, total in there.items() if total == max(there.values()))
    return Outcome(winners, tuple(int(seat not in winners) for seat in range(len(totals))))


@dataclass(frozen=True, slots=True)
class Standing:
    """Part of a state that every game has: who plays, and how the sides stand.

    A *seat* is an index into `header.players`. A *side* is an index into `sides`; players who share a score are one
    side. Partners sit alternately, so the side of a seat is the seat modulo the number of sides.

    Attributes:
        header: Set-up of the game.
        sides: Display name of each side: a player or a team.
        scores: Banked points by side.
        to_play: Seat to play; None after the end.
        turn: Number of turns before the current one; skipped turns count.
        turn_points: Points that a stop would bank now.
        left: Seats of the players who have left the game.
        outcome: Result of the game; None before the end.
    """

    header: Header
    sides: tuple[str, ...]
    scores: tuple[int, ...]
    to_play: int | None
    turn: int
    turn_points: int = 0
    left: frozenset[int] = frozenset()
    outcome: Outcome | None = None

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.outcome is not None

    @property
    def player(self) -> str | None:
        """Name of the player to play; None after the end."""
        return None if self.to_play is None else self.header.players[self.to_play]

    @property
    def side(self) -> int | None:
        """Side to play; None after the end."""
        return None if self.to_play is None else self.side_of(self.to_play)

    @property
    def sides_left(self) -> frozenset[int]:
        """Sides whose players have all left."""
        there = {self.side_of(seat) for seat in range(len(self.header.players)) if seat not in self.left}
        return frozenset(range(len(self.sides))) - there

    def side_of(self, seat: int) -> int:
        """Return the side of a seat."""
        return seat % len(self.sides)

    def view(self) -> dict[str, Any]:
        """Return the standing as JSON values: `scores` by side's name, `over`, `outcome` (None before the end)."""
        return {
            "scores": dict(zip(self.sides, self.scores, strict=True)),
            "over": self.over,
            "outcome": self.outcome.view(self.sides) if self.outcome else None,
        }


class State(Protocol):
    """Position of a game between two actions. Immutable; equal positions compare equal."""

    @property
    def standing(self) -> Standing:
        """Player to play, scores and sides of the position."""

    @property
    def events(self) -> tuple[Event, ...]:
        """Events of the action that led to this state, in order. Ignored when states are compared."""

    @property
    def throw_sizes(self) -> tuple[int, ...]:
        """Numbers of dice that may be thrown now, ascending; empty if a decision must come first."""

    @property
    def decisions(self) -> tuple[str, ...]:
        """Words of the decisions allowed now (see `DECISION_WORDS`), sorted."""

    def after(self, action: Action) -> State:
        """Return the state after an action. Raises IllegalAction if the rules forbid it."""

    def options(self) -> tuple[Action, ...]:
        """Return every legal decision; of `spend` only the least and greatest amount for each target."""

    @property
    def safe_chance(self) -> float | None:
        """Exact probability that the next throw does not fail; None if no throw is allowed or no throw can fail.

        A throw fails if it ends the turn without points, or misses the target of an announced attack. A void throw does
        not fail. If the number of dice is free, the least number is assumed.
        """

    def expected_values(self) -> tuple[tuple[Action | int, float], ...]:
        """Return each option with its exact expected value under best play; empty after the end.

        The value is in turn points that the turn banks, or in points of the final total if `Rulebook.expects_total`.
        Options are each number of dice that may be thrown, then all decisions of `options`.
        """

    def view(self) -> dict[str, Any]:
        """Return the public fields as JSON values; see docs/reference/transcript.md. `line` is left out."""


DECISION_WORDS: Mapping[type, str] = {
    NamePoint: "point",
    Stop: "stop",
    Bomb: "bomb",
    Keep: "keep",
    Enter: "score",
    Spend: "spend",
}
"""Word of each type of decision, as the key `do` of a transcript line has it. Messages of refused actions quote it."""


def refusal(action: Action, state: State) -> IllegalAction:
    """Return the error for an action that is not allowed in a state: it names what is allowed now.

    After the end of the game it says that only an undo can follow. Whether the action is allowed is not checked.
    """
    if state.standing.over:
        return IllegalAction("The game is over; only an undo can follow.")
    sizes = " or ".join(str(size) for size in state.throw_sizes)
    now = ", ".join([f"a throw of {sizes}", *state.decisions] if sizes else state.decisions)
    if isinstance(action, Throw):
        return IllegalAction(f"A throw of {len(action.dice)} can't be made here; now: {now}.")
    return IllegalAction(f"'{DECISION_WORDS[type(action)]}' can't be decided here; now: {now}.")
