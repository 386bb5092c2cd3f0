"""Crapola: the turn with its six or seven dice, throw by throw, until a stop, a spending or a crap-out.

docs/reference/rules.md, "Crapola". What lies between turns is in `table`, what dice score in `scoring`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from companion.errors import IllegalAction
from companion.games.crapola.odds.turn_value import safe_chance, turn_values
from companion.games.crapola.scoring import keepable, points_of
from companion.games.crapola.standings import Standings
from companion.games.engine.dice import in_order, without
from companion.games.engine.event import Event, threw
from companion.games.engine.game import Action, Header, Keep, Leave, Outcome, Spend, Stop, Throw, refusal
from companion.games.engine.leaving import NOBODY, leaver, left_view, one_remains

Phase = Literal["fresh", "keeping", "choosing"]


@dataclass(frozen=True, slots=True)
class Turn:
    """One player's turn.

    Attributes:
        phase: `fresh`: nothing thrown yet; `keeping`: some of the dice must be kept; `choosing`: stop or throw on.
        size: Dice that the whole turn is played with; 0 before the first throw.
        points: Turn points.
        kept: What was kept of each throw, ascending.
        dice: Of the last throw those that were not kept, ascending.
    """

    phase: Phase = "fresh"
    size: int = 0
    points: int = 0
    kept: tuple[tuple[int, ...], ...] = ()
    dice: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Crapola:
    """A game of Crapola as it stands."""

    table: Standings
    turn: Turn = Turn()
    events: tuple[Event, ...] = field(default=(), compare=False)

    @property
    def header(self) -> Header:
        """The set-up."""
        return self.table.header

    @property
    def sides(self) -> tuple[str, ...]:
        """Everyone plays for himself."""
        return self.header.players

    @property
    def scores(self) -> tuple[int, ...]:
        """The totals."""
        return self.table.totals

    @property
    def turn_points(self) -> int:
        """What has been set aside in this turn is worth."""
        return self.turn.points

    @property
    def left(self) -> frozenset[int]:
        """The seats of those who have left."""
        return self.table.left

    @property
    def to_play(self) -> int | None:
        """The seat whose turn it is; None when the game is over."""
        return None if self.table.over else self.table.seat

    @property
    def outcome(self) -> Outcome | None:
        """Who won; None before the end."""
        return self.table.outcome

    @property
    def player(self) -> str | None:
        """Whose turn it is; None when the game is over."""
        return self.table.player

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.table.over

    @property
    def throw_sizes(self) -> tuple[int, ...]:
        """Six dice, perhaps seven; later in the turn what was not kept, or after hot dice all of them."""
        turn = self.turn
        if self.table.over or turn.phase == "keeping":
            return ()
        if turn.phase == "fresh":
            return (6, 7) if self.table.seven_allowed else (6,)
        return (len(turn.dice) or turn.size,)

    @property
    def decisions(self) -> tuple[str, ...]:
        """`spend` before the first throw, `keep` after a throw, `stop` after a keep."""
        phase = self.turn.phase
        if self.table.over:
            return ()
        if phase == "keeping":
            return ("keep",)
        if phase == "choosing":
            return ("stop",) if self.table.least_bank <= self.turn.points else ()
        seats = range(len(self.table.totals))
        return ("spend",) if any(self.table.most_to_spend_on(seat) for seat in seats) else ()

    def options(self) -> tuple[Action, ...]:
        """Every keep, the stop, or of each spending the smallest and the greatest."""
        decisions = self.decisions
        if "keep" in decisions:
            return tuple(Keep(dice) for dice in keepable(self.turn.dice))
        if "stop" in decisions:
            return (Stop(),)
        return self._spendings() if decisions else ()

    @property
    def safe_chance(self) -> float | None:
        """The chance that the next throw scores."""
        return safe_chance(self.throw_sizes[0]) if self.throw_sizes else None

    def expected_values(self) -> tuple[tuple[Action | int, float], ...]:
        """What each option will bank, expected with best play; a spending banks nothing."""
        thrown = tuple((dice, self._throw_worth(dice)) for dice in self.throw_sizes)
        return thrown + tuple((option, self._decision_worth(option)) for option in self.options())

    def after(self, action: Action) -> Crapola:
        """The state after that action. Raises IllegalAction."""
        if isinstance(action, Throw):
            return self._thrown(action)
        if isinstance(action, Keep) and self.turn.phase == "keeping":
            return self._kept(action.dice)
        if isinstance(action, Stop) and self.turn.phase == "choosing":
            return self._stopped()
        if isinstance(action, Spend) and "spend" in self.decisions:
            return self._spent(action)
        if isinstance(action, Leave):
            return self._without(leaver(self, action))
        raise refusal(action, self)

    def view(self) -> dict[str, Any]:
        """The state's public fields as in docs/reference/transcript.md, except `line`."""
        turn = self.turn
        return {
            "game": "crapola",
            **self.table.view(),
            "throw_sizes": list(self.throw_sizes),
            "decisions": list(self.decisions),
            "turn_points": turn.points,
            "kept": [list(dice) for dice in turn.kept],
            "dice": list(turn.dice),
            **left_view(self.header, self.left),
        }

    def _thrown(self, throw: Throw) -> Crapola:
        if len(throw.dice) not in self.throw_sizes:
            raise refusal(throw, self)
        turn, dice = self.turn, in_order(throw.dice)
        event = threw(self.table.seat, self.table.seat, dice)
        if not keepable(dice):
            table = self.table.crapped_out(turn.phase == "fresh", turn.points)
            return Crapola(table, events=(event, *table.events))
        return Crapola(self.table, Turn("keeping", turn.size or len(dice), turn.points, turn.kept, dice), (event,))

    def _kept(self, dice: tuple[int, ...]) -> Crapola:
        turn = self.turn
        left = without(turn.dice, dice)
        if left is None:
            raise IllegalAction(f"{list(dice)} don't all lie there; this throw has {list(turn.dice)}.")
        points = points_of(dice)
        if points is None:
            raise IllegalAction(f"Every kept die must score: {list(dice)} don't all take part in a combination.")
        seat, stay = self.table.seat, in_order(dice)
        kept = Event("kept", seat, {"dice": list(stay), "points": points})
        events = (kept,) if left else (kept, Event("hot_dice", seat))
        return Crapola(self.table, Turn("choosing", turn.size, turn.points + points, (*turn.kept, stay), left), events)

    def _stopped(self) -> Crapola:
        points = self.turn.points
        if points < self.table.least_bank:
            least = self.table.least_bank
            raise IllegalAction(f"{self.player} is not on the board yet: the first bank takes {least}, not {points}.")
        table = self.table.banked(points)
        return Crapola(table, events=table.events)

    def _spent(self, spend: Spend) -> Crapola:
        players = self.header.players
        if spend.on not in players or spend.on == self.player:
            raise IllegalAction(f"Points are spent on another player, not on {spend.on!r}.")
        on = players.index(spend.on)
        most = self.table.most_to_spend_on(on)
        if not 1 <= spend.points <= most:
            raise IllegalAction(f"At most {most} points, and at least 1, can be spent on {spend.on} now.")
        table = self.table.spent(on, spend.points)
        return Crapola(table, events=table.events)

    def _without(self, seat: int) -> Crapola:
        """That player leaves; his own turn ends by it, and any when the game does."""
        table = self.table.without(seat)
        ended = table.over or seat == self.table.seat
        return Crapola(table, Turn() if ended else self.turn, table.events)

    def _throw_worth(self, dice: int) -> float:
        return turn_values(self.turn.size or dice, self.table.least_bank).thrown(self.turn.points, dice)

    def _decision_worth(self, option: Action) -> float:
        turn = self.turn
        if isinstance(option, Keep):
            points = turn.points + keepable(turn.dice)[option.dice]
            worth = turn_values(turn.size, self.table.least_bank)
            return worth.choosing(points, len(turn.dice) - len(option.dice))
        return float(turn.points)  # a spending comes before the first throw: it banks nothing

    def _spendings(self) -> tuple[Action, ...]:
        most = {name: self.table.most_to_spend_on(seat) for seat, name in enumerate(self.header.players)}
        return tuple(Spend(name, points) for name in most for points in sorted({1, most[name]}) if most[name])


def begin(header: Header, first: int, events: tuple[Event, ...] = (), left: frozenset[int] = NOBODY) -> Crapola:
    """The state before the first throw of the player in seat `first`."""
    count = len(header.players)
    table = Standings(header, (0,) * count, (False,) * count, first, one_remains(count, left), left=left)
    return Crapola(table, events=events)
