"""Crapola between turns: totals, who is on the board, which way play goes, the last round.

docs/reference/rules.md, "Crapola".
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from companion.games.engine.event import Event, banked
from companion.games.engine.game import Header, Outcome
from companion.games.engine.leaving import NOBODY, has_left, one_remains

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Standings:
    """What is written down, and whose turn it is.

    Attributes:
        totals: Banked points in seat order.
        on_board: Who has once banked `entry` in one turn, in seat order.
        seat: Whose turn it is; of the last turn when the game is over.
        turns: Turns before the one that is on, or that was the last; those of players who have left count when passed.
        direction: 1 clockwise, -1 the other way.
        trigger: Seat of the player who reached the target first; None before.
        due: In the last round: seats that have still to have their turn, or to be passed.
        left: Seats of those who have left.
        left_before: The same when the turn that is on began.
        events: What the end of the last turn brought about.
    """

    header: Header
    totals: tuple[int, ...]
    on_board: tuple[bool, ...]
    seat: int
    over: bool
    turns: int = 0
    direction: int = 1
    trigger: int | None = None
    due: frozenset[int] = NOBODY
    left: frozenset[int] = NOBODY
    left_before: frozenset[int] = NOBODY
    events: tuple[Event, ...] = field(default=(), compare=False)

    @property
    def player(self) -> str | None:
        """Whose turn it is; None when the game is over."""
        return None if self.over else self.header.players[self.seat]

    @property
    def last_round(self) -> bool:
        """Whether somebody has reached the target; it stays so."""
        return self.trigger is not None

    @property
    def seven_allowed(self) -> bool:
        """Whether the player is so far behind that he may throw seven dice in this turn."""
        if not self.header.rules["seventh_die"] or self.last_round:
            return False
        rivals = (total for seat, total in enumerate(self.totals) if seat not in self.left_before)
        return max(rivals) - self.totals[self.seat] > 5000

    @property
    def least_bank(self) -> int:
        """The fewest turn points that the player may stop with: on the board any, before that `entry`."""
        return 0 if self.on_board[self.seat] else int(self.header.rules["entry"])

    def most_to_spend_on(self, seat: int) -> int:
        """The most points that the player may spend on that seat; 0 when he can't."""
        if seat == self.seat or seat in self.left or not self.header.rules["spend"]:
            return 0
        return min(1000, self.totals[self.seat], self.totals[seat])

    def banked(self, points: int) -> Standings:
        """The player stops with that many points; then it is the next turn."""
        seat = self.seat
        before, total = self.totals[seat], self.totals[seat] + points
        events: tuple[Event, ...] = (banked(seat, points, before, total),)
        table = replace(self, totals=_with(self.totals, seat, total), on_board=_with(self.on_board, seat, True))
        if self.trigger is None and total >= self.header.rules["target"]:
            table = replace(table, trigger=seat, due=frozenset(range(len(self.totals))))
            events = (*events, Event("last_round", seat))
        return table.passed_on(events)

    def crapped_out(self, on_first_throw: bool, points: int) -> Standings:
        """The player's turn ends, its points are lost, and it may turn the direction; then it is the next turn."""
        lost = Event("crapped_out", self.seat, {"points": points})
        if not (on_first_throw and self.header.rules["reversal"] and len(self.totals) > 2):
            return self.passed_on((lost,))
        turned = Event("reversed", None, {"direction": -self.direction})
        return replace(self, direction=-self.direction).passed_on((lost, turned))

    def spent(self, on: int, points: int) -> Standings:
        """The player's points and as many of that seat's come off; then it is the next turn."""
        totals = _with(self.totals, self.seat, self.totals[self.seat] - points)
        event = Event("spent", self.seat, {"points": points}, on=on)
        return replace(self, totals=_with(totals, on, totals[on] - points)).passed_on((event,))

    def passed_on(self, events: tuple[Event, ...] = ()) -> Standings:
        """It is the next turn: in the last round of the first, the way play goes, who has not had his."""
        count, due, passed = len(self.totals), self.due - {self.seat}, 0
        for step in range(1, count):
            seat = (self.seat + self.direction * step) % count
            if self.last_round and seat not in due:
                continue
            if seat not in self.left:
                turns = self.turns + 1 + passed
                return replace(self, due=due, turns=turns, seat=seat, left_before=self.left, events=events)
            due, passed = due - {seat}, passed + 1
        return replace(self, over=True, events=events)

    def without(self, seat: int) -> Standings:
        """That player leaves; his own turn ends by it, and the game when one remains."""
        event, gone = has_left(seat, seat), replace(self, left=self.left | {seat})
        if one_remains(len(self.totals), gone.left):
            return replace(gone, over=True, events=(event,))
        return gone.passed_on((event,)) if seat == self.seat else replace(gone, events=(event,))

    @property
    def outcome(self) -> Outcome | None:
        """Winners in seat order (of equals the one who ended the game alone) and games lost; None before the end."""
        if not self.over:
            return None
        there = {seat: total for seat, total in enumerate(self.totals) if seat not in self.left}
        winners = tuple(seat for seat, total in there.items() if total == max(there.values()))
        if self.trigger in winners:
            winners = (self.trigger,)
        return Outcome(winners, tuple(int(seat not in winners) for seat in range(len(self.totals))))

    def view(self) -> dict[str, Any]:
        """The fields of a transcript's state that the table holds."""
        players, outcome = self.header.players, self.outcome
        return {
            "player": self.player,
            "round": self.turns // len(players) + 1,
            "scores": dict(zip(players, self.totals, strict=True)),
            "over": self.over,
            "outcome": outcome.view(players) if outcome else None,
            "on_board": dict(zip(players, self.on_board, strict=True)),
            "direction": self.direction,
            "last_round": self.last_round,
        }


def _with(values: tuple[T, ...], place: int, value: T) -> tuple[T, ...]:
    return (*values[:place], value, *values[place + 1 :])
