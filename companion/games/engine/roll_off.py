"""The roll-off: each player throws two dice, the highest total starts; who ties for it throws again."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from companion.games.engine.dice import in_order
from companion.games.engine.event import Event, threw
from companion.games.engine.game import Action, Header, Leave, Outcome, State, Throw, refusal, side_of
from companion.games.engine.leaving import NOBODY, has_left, leaver


class Begin(Protocol):
    """Makes a game's first state."""

    def __call__(
        self, header: Header, first: int, events: tuple[Event, ...] = (), left: frozenset[int] = NOBODY
    ) -> State:
        """The state before the first throw of the player in seat `first`, reached by what `events` say.

        Who sits in one of the seats `left` has left before; the game may be over by it.
        """


@dataclass(frozen=True, slots=True)
class RollOff:
    """The roll-off as it stands. The game follows it through the same door (`after`).

    Attributes:
        begin: Makes the first state of the game that follows.
        throwers: Seats that throw in this go, in order.
        totals: What those who have thrown in this go have thrown.
        left: Seats of those who have left.
        events: What the last line brought about.
    """

    header: Header
    begin: Begin
    throwers: tuple[int, ...]
    totals: tuple[int, ...] = ()
    left: frozenset[int] = NOBODY
    events: tuple[Event, ...] = field(default=(), compare=False)

    @property
    def sides(self) -> tuple[str, ...]:
        """Those of the game that follows."""
        return self._game.sides

    @property
    def scores(self) -> tuple[int, ...]:
        """Those that the game begins with."""
        return self._game.scores

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
        if isinstance(action, Leave):
            return self._without(leaver(self, action))
        if not isinstance(action, Throw) or len(action.dice) != 2:
            raise refusal(action, self)
        total, seat = sum(action.dice), self.to_play
        side = side_of(self, seat)
        events = (threw(seat, side, in_order(action.dice)), Event("rolled_off", side, {"total": total}, seat))
        return _next(replace(self, totals=(*self.totals, total), events=events))

    def _without(self, seat: int) -> State:
        """One of those who throw, or who are beaten already, leaves; that may decide it, or end the game."""
        gone = replace(self, left=self.left | {seat}, events=(has_left(seat, side_of(self, seat)),))
        begun = self.begin(self.header, self.to_play, gone.events, gone.left)
        if begun.over:
            return begun
        if seat not in self.throwers:
            return gone
        place = self.throwers.index(seat)
        throwers, totals = (entries[:place] + entries[place + 1 :] for entries in (self.throwers, self.totals))
        return _next(replace(gone, throwers=throwers, totals=totals))

    @property
    def _game(self) -> State:
        """The game as it would begin now, with whoever throws next."""
        return self.begin(self.header, self.to_play, left=self.left)

    def view(self) -> dict[str, Any]:
        """The game's fields before its first throw, with the roll-off's own in place."""
        return {**self._game.view(), "player": self.player, "throw_sizes": [2], "decisions": []}


def _next(roll_off: RollOff) -> State:
    """The next throw is due, the tied throw again, or the game begins: with one thrower left, without a throw."""
    throwers, totals = roll_off.throwers, roll_off.totals
    if len(throwers) == 1:
        return roll_off.begin(roll_off.header, throwers[0], roll_off.events, roll_off.left)
    if len(totals) < len(throwers):
        return roll_off
    tied = tuple(seat for seat, thrown in zip(throwers, totals, strict=True) if thrown == max(totals))
    return _next(replace(roll_off, throwers=tied, totals=()))
