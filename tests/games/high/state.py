"""Rules of High: one die each. With the house rule `twice` a throw may be repeated, and then the second counts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from companion.games.engine.event import Event, bank_event, throw_event
from companion.games.engine.game import Action, Header, Leave, Standing, Stop, Throw, highest_wins, refusal
from companion.games.engine.leaving import leave_event, left_view, one_remains, seat_leaving


@dataclass(frozen=True, slots=True)
class High:
    """State of a game of High: points banked in the order of play, and the die on the table."""

    header: Header
    first: int
    turns: tuple[int, ...] = ()
    lies: int = 0
    left: frozenset[int] = frozenset()
    events: tuple[Event, ...] = field(default=(), compare=False)

    @property
    def standing(self) -> Standing:
        count = len(self.header.players)
        by_turn = (*self.turns, *(0,) * (count - len(self.turns)))
        scores = tuple(by_turn[(seat - self.first) % count] for seat in range(count))
        return Standing(
            header=self.header,
            sides=self.header.players,
            scores=scores,
            to_play=None if self.over else (self.first + len(self.turns)) % count,
            turn=len(self.turns),
            turn_points=self.lies,
            left=self.left,
            outcome=highest_wins(scores, self.left) if self.over else None,
        )

    @property
    def over(self) -> bool:
        count = len(self.header.players)
        return len(self.turns) == count or one_remains(count, self.left)

    @property
    def throw_sizes(self) -> tuple[int, ...]:
        return () if self.over else (1,)

    @property
    def decisions(self) -> tuple[str, ...]:
        return ("stop",) if self.lies else ()

    @property
    def safe_chance(self) -> None:
        return None

    def options(self) -> tuple[Action, ...]:
        return (Stop(),) if self.lies else ()

    def expected_values(self) -> tuple[tuple[Action | int, float], ...]:
        return () if self.over else ((1, 3.5), *((option, float(self.lies)) for option in self.options()))

    def after(self, action: Action) -> High:
        seat = self.standing.to_play
        if isinstance(action, Leave):
            gone = seat_leaving(self, action)
            left, after = leave_event(gone, gone), replace(self, left=self.left | {gone})
            return turned(after, 0, left) if gone == seat else replace(after, events=(left,))
        if seat is not None and isinstance(action, Throw) and len(action.dice) in self.throw_sizes:
            told = (throw_event(seat, seat, action.dice),)
            if self.header.rules["twice"] and not self.lies:
                return replace(self, lies=action.dice[0], events=told)
            return self._banked(seat, action.dice[0], told)
        if seat is not None and isinstance(action, Stop) and self.lies:
            return self._banked(seat, self.lies, ())
        raise refusal(action, self)

    def _banked(self, seat: int, points: int, told: tuple[Event, ...]) -> High:
        best = (Event("topped", seat, {"points": points}),) if points > max(self.turns, default=0) else ()
        return turned(self, points, *told, bank_event(seat, points, 0, points), *best)

    def view(self) -> dict[str, Any]:
        standing = self.standing
        return {
            "game": "high",
            "player": standing.player,
            "round": 1,
            "throw_sizes": list(self.throw_sizes),
            "decisions": list(self.decisions),
            "turn_points": self.lies,
            **standing.view(),
            **left_view(standing),
        }


def turned(state: High, points: int, *events: Event) -> High:
    """Return the state after a turn; skip the turns of players who have left."""
    turns, count = (*state.turns, points), len(state.header.players)
    while len(turns) < count and (state.first + len(turns)) % count in state.left:
        turns = (*turns, 0)
    return replace(state, turns=turns, lies=0, events=events)


def begin(header: Header, first: int, events: tuple[Event, ...] = (), left: frozenset[int] = frozenset()) -> High:
    return High(header, first, left=left, events=events)
