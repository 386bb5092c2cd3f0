"""State of Crapola between turns: totals, players on the board, direction of play and last round.

Rules: docs/reference/rules.md, "Crapola".
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from companion.games.engine.event import Event, bank_event
from companion.games.engine.game import Header, Outcome, highest_wins, with_entry
from companion.games.engine.leaving import leave_event, one_remains


@dataclass(frozen=True, slots=True)
class Totals:
    """Everything of a game of Crapola but the current turn.

    Attributes:
        header: Set-up of the game.
        points: Banked points by seat.
        on_board: Whether each seat has made its first bank of at least `entry` points.
        seat: Seat to play; after the end, the seat of the last turn.
        over: Whether the game has ended.
        turns: Number of turns before this one, or before the last one; skipped turns count.
        direction: 1 clockwise, -1 anticlockwise.
        trigger: Seat of the player who reached the target first; None before.
        due: Seats that still have a turn in the last round.
        left: Seats of the players who have left.
        left_before: Value of `left` when this turn began.
        events: Events of the action that led here.
    """

    header: Header
    points: tuple[int, ...]
    on_board: tuple[bool, ...]
    seat: int
    over: bool
    turns: int = 0
    direction: int = 1
    trigger: int | None = None
    due: frozenset[int] = frozenset()
    left: frozenset[int] = frozenset()
    left_before: frozenset[int] = frozenset()
    events: tuple[Event, ...] = field(default=(), compare=False)

    @property
    def last_round(self) -> bool:
        """Whether a player has reached the target; stays True if the total falls again."""
        return self.trigger is not None

    @property
    def seven_allowed(self) -> bool:
        """Whether the player to play may throw seven dice: over 5000 points behind, before the last round."""
        if not self.header.rules["seventh_die"] or self.last_round:
            return False
        rivals = (total for seat, total in enumerate(self.points) if seat not in self.left_before)
        return max(rivals) - self.points[self.seat] > 5000

    @property
    def least_bank(self) -> int:
        """Least turn points that the player to play may bank: `entry` for the first bank, then 0."""
        return 0 if self.on_board[self.seat] else int(self.header.rules["entry"])

    def most_to_spend_on(self, seat: int) -> int:
        """Return the most points that the player to play may spend on a seat; 0 if spending on it is not allowed."""
        if seat == self.seat or seat in self.left or not self.header.rules["spend"]:
            return 0
        return min(1000, self.points[self.seat], self.points[seat])

    def banked(self, points: int) -> Totals:
        """Return the totals after the player to play banks `points`: the turn is passed, or the game is over.

        The bank puts the player on the board. The first total that reaches the target starts the last round: each other
        player has one more turn.
        """
        seat = self.seat
        before, total = self.points[seat], self.points[seat] + points
        events: tuple[Event, ...] = (bank_event(seat, points, before, total),)
        totals, on_board = with_entry(self.points, seat, total), with_entry(self.on_board, seat, True)
        after = replace(self, points=totals, on_board=on_board)
        if self.trigger is None and total >= self.header.rules["target"]:
            after = replace(after, trigger=seat, due=frozenset(range(len(self.points))))
            events = (*events, Event("last_round", seat))
        return after.passed_on(events)

    def crapped_out(self, on_first_throw: bool, points: int) -> Totals:
        """Return the totals after a crap-out: the turn is passed, or the game is over if it was the last turn.

        `points` are the turn points that are lost, for the event. With the house rule `reversal`, a crap-out on a
        turn's first throw also reverses the direction of play, if more than two players began the game.
        """
        lost = Event("crapped_out", self.seat, {"points": points})
        if not (on_first_throw and self.header.rules["reversal"] and len(self.points) > 2):
            return self.passed_on((lost,))
        turned = Event("reversed", None, {"direction": -self.direction})
        return replace(self, direction=-self.direction).passed_on((lost, turned))

    def spent(self, on: int, points: int) -> Totals:
        """Return the totals after `points` are taken off the player to play and off seat `on`; the turn is passed."""
        totals = with_entry(self.points, self.seat, self.points[self.seat] - points)
        event = Event("spent", self.seat, {"points": points}, on=on)
        return replace(self, points=with_entry(totals, on, totals[on] - points)).passed_on((event,))

    def passed_on(self, events: tuple[Event, ...] = ()) -> Totals:
        """Return the totals with the turn passed to the next seat in the direction of play, or with the game over.

        Players who left are skipped, and each counts as a turn. In the last round, seats that have had their turn in it
        are skipped, too. The game is over if no other seat has a turn to come. `events`, those of the action that ended
        the turn, become the events of the result.
        """
        count, due, passed = len(self.points), self.due - {self.seat}, 0
        for step in range(1, count):
            seat = (self.seat + self.direction * step) % count
            if self.last_round and seat not in due:
                continue
            if seat not in self.left:
                turns = self.turns + 1 + passed
                return replace(self, due=due, turns=turns, seat=seat, left_before=self.left, events=events)
            due, passed = due - {seat}, passed + 1
        return replace(self, over=True, events=events)

    def without(self, seat: int) -> Totals:
        """Return the totals after the player in a seat left, which may end the turn and the game."""
        event, gone = leave_event(seat, seat), replace(self, left=self.left | {seat})
        if one_remains(len(self.points), gone.left):
            return replace(gone, over=True, events=(event,))
        return gone.passed_on((event,)) if seat == self.seat else replace(gone, events=(event,))

    @property
    def outcome(self) -> Outcome | None:
        """Result of the game; None before the end. Players who left can't win.

        The highest total wins. If several players share it, the first player to reach the target wins alone if among
        them; otherwise they share the win.
        """
        if not self.over:
            return None
        outcome = highest_wins(self.points, self.left)
        if self.trigger not in outcome.winners:
            return outcome
        return Outcome((self.trigger,), tuple(int(seat != self.trigger) for seat in range(len(self.points))))
