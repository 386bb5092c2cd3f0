"""Rules of Crapola as a state: a turn of six or seven dice, until a stop, a spending or a crap-out.

Rules: docs/reference/rules.md, "Crapola". See `totals` for the state between turns, `scoring` for the chart.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from companion.errors import IllegalAction
from companion.games.crapola.odds.turn_value import safe_chance, turn_values
from companion.games.crapola.scoring import keepable, points_of
from companion.games.crapola.totals import Totals
from companion.games.engine.dice import in_order, without
from companion.games.engine.event import Event, throw_event
from companion.games.engine.game import Action, Header, Keep, Leave, Spend, Standing, Stop, Throw, refusal
from companion.games.engine.leaving import left_view, one_remains, seat_leaving

Phase = Literal["fresh", "keeping", "choosing"]


@dataclass(frozen=True, slots=True)
class Turn:
    """State of one turn.

    Attributes:
        phase: `fresh`: nothing is thrown yet. `keeping`: some of the dice must be kept. `choosing`: stop or throw on.
        size: Number of dice that the turn is played with, 6 or 7; 0 before the first throw.
        points: Turn points.
        kept: Dice kept of each throw, ascending.
        dice: Dice of the last throw that were not kept, ascending.
    """

    phase: Phase = "fresh"
    size: int = 0
    points: int = 0
    kept: tuple[tuple[int, ...], ...] = ()
    dice: tuple[int, ...] = ()

    @property
    def aside(self) -> tuple[int, ...]:
        """Values of the dice now set aside, oldest throw first. Throwing all dice again (hot dice) starts them anew."""
        aside: tuple[int, ...] = ()
        for kept in reversed(self.kept):
            if len(aside) < self.size - len(self.dice):
                aside = (*kept, *aside)
        return aside


@dataclass(frozen=True, slots=True)
class Crapola:
    """State of a game of Crapola: totals, current turn, and events of the last action."""

    totals: Totals
    turn: Turn = Turn()
    events: tuple[Event, ...] = field(default=(), compare=False)

    @property
    def standing(self) -> Standing:
        """Standing of the game: each player is a side, and a score is a player's banked points.

        After the end nobody is to play, and the outcome is known.
        """
        totals = self.totals
        return Standing(
            header=totals.header,
            sides=totals.header.players,
            scores=totals.points,
            to_play=None if totals.over else totals.seat,
            turn=totals.turns,
            turn_points=self.turn.points,
            left=totals.left,
            outcome=totals.outcome,
        )

    @property
    def throw_sizes(self) -> tuple[int, ...]:
        """Numbers of dice that may be thrown now, ascending; empty if a keep is due or the game is over."""
        turn = self.turn
        if self.totals.over or turn.phase == "keeping":
            return ()
        if turn.phase == "fresh":
            return (6, 7) if self.totals.seven_allowed else (6,)
        return (len(turn.dice) or turn.size,)

    @property
    def decisions(self) -> tuple[str, ...]:
        """Word of the decision that is allowed now, in a tuple. Empty if only a throw is allowed, and after the end.

        - `spend`: before the first throw, by the house rule `spend`, if this player and another one have points.
        - `keep`: after a throw.
        - `stop`: after a keep. A player's first bank needs `entry` turn points (house rule).
        """
        phase = self.turn.phase
        if self.totals.over:
            return ()
        if phase == "keeping":
            return ("keep",)
        if phase == "choosing":
            return ("stop",) if self.totals.least_bank <= self.turn.points else ()
        seats = range(len(self.totals.points))
        return ("spend",) if any(self.totals.most_to_spend_on(seat) for seat in seats) else ()

    def options(self) -> tuple[Action, ...]:
        """Return the decisions that are allowed now: either all keeps, or the stop, or spendings.

        Empty if only a throw is allowed, and after the end. Spendings on a player are listed with the least and the
        greatest amount only, although those between are allowed, too.
        """
        match self.decisions:
            case ("keep",):
                return tuple(Keep(dice) for dice in keepable(self.turn.dice))
            case ("stop",):
                return (Stop(),)
            case ("spend",):
                most = {
                    name: self.totals.most_to_spend_on(seat) for seat, name in enumerate(self.totals.header.players)
                }
                return tuple(Spend(name, points) for name in most for points in sorted({1, most[name]}) if most[name])
        return ()

    @property
    def safe_chance(self) -> float | None:
        """Probability that the next throw scores; None if no throw is allowed, or for seven dice, which can't fail."""
        return safe_chance(self.throw_sizes[0]) if self.throw_sizes else None

    def expected_values(self) -> tuple[tuple[Action | int, float], ...]:
        """Return the expected turn points of each option with best play; 0 for a spending."""
        return tuple((option, self._value(option)) for option in (*self.throw_sizes, *self.options()))

    def _value(self, option: Action | int) -> float:
        """Return the expected points of this turn if `option` is taken now, with best play after it.

        `option` is an action of `options`, or the number of dice to throw. A stop is worth the points gathered so far,
        a `Spend` 0. Raises RulesError if the house rule `entry` is too high for odds.
        """
        turn, least = self.turn, self.totals.least_bank
        if isinstance(option, int):
            return turn_values(turn.size or option, least).thrown(turn.points, option)
        if isinstance(option, Keep):
            points = turn.points + keepable(turn.dice)[option.dice]
            return turn_values(turn.size, least).choosing(points, len(turn.dice) - len(option.dice))
        return float(turn.points)  # of a spending 0: it comes before the first throw

    def after(self, action: Action) -> Crapola:
        """Return the state after a throw, keep, stop, spending or leaving. Raises IllegalAction if it is illegal."""
        if isinstance(action, Throw):
            return self._thrown(action)
        if isinstance(action, Keep) and self.turn.phase == "keeping":
            return self._kept(action.dice)
        if isinstance(action, Stop) and self.turn.phase == "choosing":
            return self._stopped()
        if isinstance(action, Spend) and "spend" in self.decisions:
            return self._spent(action)
        if isinstance(action, Leave):
            return self._without(seat_leaving(self, action))
        raise refusal(action, self)

    def view(self) -> dict[str, Any]:
        """Return the state as the JSON object that `pegpip replay --json` prints for it, without the field `line`.

        docs/reference/transcript.md describes the fields.
        """
        turn, totals, standing = self.turn, self.totals, self.standing
        return {
            "game": "crapola",
            "player": standing.player,
            "round": totals.turns // len(standing.sides) + 1,
            **standing.view(),
            "on_board": dict(zip(standing.sides, totals.on_board, strict=True)),
            "direction": totals.direction,
            "last_round": totals.last_round,
            "throw_sizes": list(self.throw_sizes),
            "decisions": list(self.decisions),
            "turn_points": turn.points,
            "kept": [list(dice) for dice in turn.kept],
            "dice": list(turn.dice),
            **left_view(standing),
        }

    def _thrown(self, throw: Throw) -> Crapola:
        """Return the state after a throw: the player must keep some dice, or a crap-out ends the turn.

        Raises IllegalAction if that number of dice may not be thrown now.
        """
        if len(throw.dice) not in self.throw_sizes:
            raise refusal(throw, self)
        turn, dice = self.turn, in_order(throw.dice)
        event = throw_event(self.totals.seat, self.totals.seat, dice)
        if not keepable(dice):
            totals = self.totals.crapped_out(turn.phase == "fresh", turn.points)
            return Crapola(totals, events=(event, *totals.events))
        return Crapola(self.totals, Turn("keeping", turn.size or len(dice), turn.points, turn.kept, dice), (event,))

    def _kept(self, dice: tuple[int, ...]) -> Crapola:
        """Return the state after `dice` of the last throw are kept: the most points they score go to the turn points.

        Raises IllegalAction if `dice` is empty, has a die that is not in the throw, or one that takes part in no
        scoring combination.
        """
        turn = self.turn
        left = without(turn.dice, dice)
        if left is None:
            raise IllegalAction(f"{list(dice)} don't all lie there; this throw has {list(turn.dice)}.")
        points = points_of(dice)
        if points is None:
            raise IllegalAction(f"Every kept die must score: {list(dice)} don't all take part in a combination.")
        seat, stay = self.totals.seat, in_order(dice)
        kept = Event("kept", seat, {"dice": list(stay), "points": points})
        events = (kept,) if left else (kept, Event("hot_dice", seat))
        return Crapola(self.totals, Turn("choosing", turn.size, turn.points + points, (*turn.kept, stay), left), events)

    def _stopped(self) -> Crapola:
        """Return the state after the turn points are banked.

        Raises IllegalAction if a player's first bank is below the house rule `entry`.
        """
        points = self.turn.points
        if points < self.totals.least_bank:
            least, player = self.totals.least_bank, self.standing.player
            raise IllegalAction(f"{player} is not on the board yet: the first bank takes {least}, not {points}.")
        totals = self.totals.banked(points)
        return Crapola(totals, events=totals.events)

    def _spent(self, spend: Spend) -> Crapola:
        """Return the state after the player spends points on another player; the turn ends.

        The player and `spend.on` lose `spend.points` each. Raises IllegalAction if `spend.on` is no other player in the
        game, or the amount is out of range.
        """
        players = self.totals.header.players
        if spend.on not in players or spend.on == players[self.totals.seat]:
            raise IllegalAction(f"Points are spent on another player, not on {spend.on!r}.")
        on = players.index(spend.on)
        most = self.totals.most_to_spend_on(on)
        if not most:
            why = "has left" if on in self.totals.left else "has no points"
            raise IllegalAction(f"{spend.on} {why}: spend points on another player, or throw.")
        if not 1 <= spend.points <= most:
            raise IllegalAction(f"At most {most} points, and at least 1, can be spent on {spend.on} now.")
        totals = self.totals.spent(on, spend.points)
        return Crapola(totals, events=totals.events)

    def _without(self, seat: int) -> Crapola:
        """Return the state after a player left; ends the turn if it is that player's or the game is over."""
        totals = self.totals.without(seat)
        ended = totals.over or seat == self.totals.seat
        return Crapola(totals, Turn() if ended else self.turn, totals.events)


def begin(header: Header, first: int, events: tuple[Event, ...] = (), left: frozenset[int] = frozenset()) -> Crapola:
    """Return the state of Crapola before the first throw; the game is over if only one player remains.

    `first` is the seat that begins, `events` what happened just before, `left` the seats that left.
    """
    count = len(header.players)
    totals = Totals(header, (0,) * count, (False,) * count, first, one_remains(count, left), left=left)
    return Crapola(totals, events=events)
