"""The roll-off: each player throws two dice, the highest total starts; who ties for it throws again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from companion.games.dice import in_order
from companion.games.event import Event, threw
from companion.games.game import Action, Header, Outcome, State, Throw, refusal


class Begin(Protocol):
    """Makes a game's first state."""

    def __call__(self, header: Header, first: int, events: tuple[Event, ...] = ()) -> State:
        """The state before the first throw of the player in seat `first`, reached by what `events` say."""


@dataclass(frozen=True, slots=True)
class RollOff:
    """The roll-off as it stands. The game follows it through the same door (`after`).

    Attributes:
        begin: Makes the first state of the game that follows.
        throwers: Seats that throw in this go, in order.
        totals: What those who have thrown in this go have thrown.
        events: The last throw.
    """

    header: Header
    begin: Begin
    throwers: tuple[int, ...]
    totals: tuple[int, ...] = ()
    events: tuple[Event, ...] = field(default=(), compare=False)

    @property
    def sides(self) -> tuple[str, ...]:
        """Those of the game that follows."""
        return self.begin(self.header, 0).sides

    @property
    def scores(self) -> tuple[int, ...]:
        """Those that the game begins with."""
        return self.begin(self.header, 0).scores

    @property
    def turn_points(self) -> int:
        """None."""
        return 0

    @property
    def to_play(self) -> int:
        """The seat that throws next."""
        return self.throwers[len(self.totals)]

    @property
    def player(self) -> str:
        """Who sits there."""
        return self.header.players[self.to_play]

    @property
    def throw_sizes(self) -> tuple[int, ...]:
        """Two dice."""
        return (2,)

    @property
    def decisions(self) -> tuple[str, ...]:
        """Nothing is decided."""
        return ()

    @property
    def over(self) -> bool:
        """Never: the game follows."""
        return False

    @property
    def outcome(self) -> Outcome | None:
        """None: the game follows."""
        return None

    def options(self) -> tuple[Action, ...]:
        """Nothing is decided."""
        return ()

    @property
    def safe_chance(self) -> None:
        """Nothing can fail."""
        return None

    def expected_values(self) -> tuple[tuple[Action | int, float], ...]:
        """The throw brings no points."""
        return ((2, 0.0),)

    def after(self, action: Action) -> State:
        """The next throw is due, the tied throw again, or the game begins. Raises IllegalAction."""
        if not isinstance(action, Throw) or len(action.dice) != 2:
            raise refusal(action, self)
        total, seat = sum(action.dice), self.to_play
        side = seat % len(self.sides)
        events = (threw(seat, side, in_order(action.dice)), Event("rolled_off", side, {"total": total}, seat))
        totals = (*self.totals, total)
        if len(totals) < len(self.throwers):
            return RollOff(self.header, self.begin, self.throwers, totals, events)
        best = max(totals)
        tied = tuple(seat for seat, thrown in zip(self.throwers, totals, strict=True) if thrown == best)
        if len(tied) > 1:
            return RollOff(self.header, self.begin, tied, events=events)
        return self.begin(self.header, tied[0], events)

    def view(self) -> dict[str, Any]:
        """The game's fields before its first throw, with the roll-off's own in place."""
        return {**self.begin(self.header, 0).view(), "player": self.player, "throw_sizes": [2], "decisions": []}
