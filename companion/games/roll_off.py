"""The roll-off: each player throws two dice, the highest total starts; who ties for it throws again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from companion.games.game import Action, Header, State, Throw, refusal


@dataclass(frozen=True, slots=True)
class RollOff:
    """The roll-off as it stands. The game follows it through the same door (`after`).

    Attributes:
        begin: Makes the game's state before the first throw of the player in that seat.
        throwers: Seats that throw in this go, in order.
        totals: What those who have thrown in this go have thrown.
    """

    header: Header
    begin: Callable[[Header, int], State]
    throwers: tuple[int, ...]
    totals: tuple[int, ...] = ()

    @property
    def player(self) -> str:
        """Who throws next."""
        return self.header.players[self.throwers[len(self.totals)]]

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
        totals = (*self.totals, sum(action.dice))
        if len(totals) < len(self.throwers):
            return RollOff(self.header, self.begin, self.throwers, totals)
        tied = tuple(seat for seat, total in zip(self.throwers, totals, strict=True) if total == max(totals))
        if len(tied) > 1:
            return RollOff(self.header, self.begin, tied)
        return self.begin(self.header, tied[0])

    def view(self) -> dict[str, Any]:
        """The game's fields before its first throw, with the roll-off's own in place."""
        return {**self.begin(self.header, 0).view(), "player": self.player, "throw_sizes": [2], "decisions": []}
