"""The roll-off: each player throws two dice, the highest total starts the game. Tied players throw again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from companion.games.engine.dice import in_order
from companion.games.engine.event import Event, throw_event
from companion.games.engine.game import Action, Header, Leave, Standing, State, Throw, refusal
from companion.games.engine.leaving import leave_event, seat_leaving

Begin = Callable[[Header, int, tuple[Event, ...], frozenset[int]], State]
"""Function that returns the state of a game before the first throw. Its arguments are the header, the seat that starts,
the events that led here, and the seats that left during the roll-off: the game may be over because of them."""


@dataclass(frozen=True, slots=True)
class RollOff:
    """State of a roll-off; `after` returns the first state of the game when it is decided.

    Attributes:
        header: Set-up of the game.
        begin: Returns the first state of the game that follows.
        throwers: Seats that throw in this round, in order.
        totals: Sum of each throw so far, in the order of `throwers`.
        left: Seats of the players who have left.
        events: Events of the last action.
    """

    header: Header
    begin: Begin
    throwers: tuple[int, ...]
    totals: tuple[int, ...] = ()
    left: frozenset[int] = frozenset()
    events: tuple[Event, ...] = field(default=(), compare=False)

    @property
    def standing(self) -> Standing:
        """Scores and sides before the game that follows; the seat to play is the one that throws next."""
        return self._game.standing

    @property
    def _to_play(self) -> int:
        """Seat that throws next."""
        return self.throwers[len(self.totals)]

    @property
    def throw_sizes(self) -> tuple[int, ...]:
        """Number of dice of a throw: two."""
        return (2,)

    @property
    def decisions(self) -> tuple[str, ...]:
        """Decisions allowed now: none."""
        return ()

    def options(self) -> tuple[Action, ...]:
        """Return the decisions allowed now: none."""
        return ()

    @property
    def safe_chance(self) -> None:
        """None: a throw of the roll-off cannot fail."""
        return None

    def expected_values(self) -> tuple[tuple[Action | int, float], ...]:
        """Return the only option, a throw of two dice, with a value of 0 points."""
        return ((2, 0.0),)

    def after(self, action: Action) -> State:
        """Return the state after a throw of two dice, or after a player left.

        - Throws of the round are missing: a roll-off.
        - Players share the highest total: a new roll-off between them.
        - One player has the highest total: the first state of the game, which this player starts.
        - Too few players remain: a game that is over.

        Raises IllegalAction for any other action, or a leaving player who is not in play.
        """
        if isinstance(action, Leave):
            return self._without(seat_leaving(self, action))
        if not isinstance(action, Throw) or len(action.dice) != 2:
            raise refusal(action, self)
        total, seat = sum(action.dice), self._to_play
        side = self.standing.side_of(seat)
        events = (throw_event(seat, side, in_order(action.dice)), Event("rolled_off", side, {"total": total}, seat))
        return _next(replace(self, totals=(*self.totals, total), events=events))

    def _without(self, seat: int) -> State:
        """Return the state after the player in `seat` left the roll-off; the player's throw no longer counts.

        If the leaving decides the roll-off, the result is the first state of the game. If too few players remain, the
        game is over.
        """
        gone = replace(self, left=self.left | {seat}, events=(leave_event(seat, self.standing.side_of(seat)),))
        begun = self.begin(self.header, self._to_play, gone.events, gone.left)
        if begun.standing.over:
            return begun
        if seat not in self.throwers:
            return gone
        place = self.throwers.index(seat)
        throwers, totals = (entries[:place] + entries[place + 1 :] for entries in (self.throwers, self.totals))
        return _next(replace(gone, throwers=throwers, totals=totals))

    @property
    def _game(self) -> State:
        """First state of the game that follows, as if the next thrower started it."""
        return self.begin(self.header, self._to_play, (), self.left)

    def view(self) -> dict[str, Any]:
        """Return the view of the game before its first throw, with player and throw size of the roll-off."""
        return {**self._game.view(), "throw_sizes": [2], "decisions": []}


def _next(roll_off: RollOff) -> State:
    """Return the state with which a roll-off goes on after a throw, or after a player has left.

    - One thrower is left: the first state of the game, which this player starts.
    - Throws of the round are missing: `roll_off` itself.
    - All have thrown, and one alone has the highest total: the first state of the game, which this player starts.
    - All have thrown, and several share the highest total: a new round among them.
    """
    throwers, totals = roll_off.throwers, roll_off.totals
    if len(throwers) == 1:
        return roll_off.begin(roll_off.header, throwers[0], roll_off.events, roll_off.left)
    if len(totals) < len(throwers):
        return roll_off
    tied = tuple(seat for seat, thrown in zip(throwers, totals, strict=True) if thrown == max(totals))
    return _next(replace(roll_off, throwers=tied, totals=()))
