"""Crag: three dice, one chance to throw some again, a sheet of thirteen categories.

docs/reference/rules.md, "Crag".
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from companion.errors import IllegalAction, nearest
from companion.games.crag.odds.turn_value import TurnValues, filled_of, turn_values
from companion.games.crag.scoring import BEST, CATEGORIES, points_for
from companion.games.engine.dice import handfuls, in_order, without
from companion.games.engine.event import Event, threw
from companion.games.engine.game import Action, Enter, Header, Keep, Leave, Outcome, Throw, refusal
from companion.games.engine.leaving import NOBODY, has_left, leaver, left_view, one_remains

Phase = Literal["fresh", "thrown", "keeping", "rethrown"]
Sheets = tuple[tuple[tuple[str, int], ...], ...]


@dataclass(frozen=True, slots=True)
class Crag:
    """A game of Crag as it stands.

    Attributes:
        first: Seat of the player who started.
        turn: Turns since the start, those of players who have left passed over but counted.
        sheets: What each player has entered, in seat order: categories and points in the order of entering.
        phase: `fresh`: three dice must be thrown; `thrown`: enter them or keep some; `keeping`: the others must be
            thrown again; `rethrown`: they must be entered.
        dice: On the table, ascending.
        left: Seats of those who have left.
        events: What the action that led here brought about.
    """

    header: Header
    first: int
    turn: int
    sheets: Sheets
    phase: Phase = "fresh"
    dice: tuple[int, ...] = ()
    left: frozenset[int] = NOBODY
    events: tuple[Event, ...] = field(default=(), compare=False)

    @property
    def sides(self) -> tuple[str, ...]:
        """Everyone plays for himself."""
        return self.header.players

    @property
    def scores(self) -> tuple[int, ...]:
        """The totals of the sheets."""
        return tuple(sum(points for _, points in sheet) for sheet in self.sheets)

    @property
    def turn_points(self) -> int:
        """Always 0: points count once they are entered."""
        return 0

    @property
    def over(self) -> bool:
        """Whether the sheets of all who are still there are full, or one alone is left."""
        return self._full or one_remains(len(self.header.players), self.left)

    @property
    def _full(self) -> bool:
        return self.turn >= len(CATEGORIES) * len(self.header.players)

    @property
    def seat(self) -> int:
        """Whose sheet is filled now; when the game is over, who would be next."""
        return (self.first + self.turn) % len(self.header.players)

    @property
    def to_play(self) -> int | None:
        """The seat whose turn it is; None when the game is over."""
        return None if self.over else self.seat

    @property
    def player(self) -> str | None:
        """Who sits there; None when the game is over."""
        return None if self.over else self.header.players[self.seat]

    @property
    def throw_sizes(self) -> tuple[int, ...]:
        """Three dice, or those that were not kept."""
        if self.over or self.phase in {"thrown", "rethrown"}:
            return ()
        return (3 - len(self.dice),)

    @property
    def decisions(self) -> tuple[str, ...]:
        """`score` when dice lie there, `keep` only of the first throw."""
        return {"thrown": ("keep", "score"), "rethrown": ("score",)}.get(self.phase, ())

    @property
    def unused(self) -> tuple[str, ...]:
        """Categories that the player has still to fill, in the order of the sheet."""
        used = dict(self.sheets[self.seat])
        return tuple(category for category in CATEGORIES if category not in used)

    @property
    def _strict(self) -> bool:
        return bool(self.header.rules["thirteen_without_double"])

    def points_in(self, category: str) -> int:
        """What the dice on the table would score there."""
        return points_for(category, self.dice, self._strict)

    def options(self) -> tuple[Action, ...]:
        """Every keep, the fewest dice first; then every entry, the best first."""
        keeps = tuple(Keep(dice) for dice in handfuls(self.dice)[:-1]) if self.phase == "thrown" else ()
        if "score" not in self.decisions:
            return keeps
        return (*keeps, *(Enter(category) for category in sorted(self.unused, key=self.points_in, reverse=True)))

    @property
    def safe_chance(self) -> None:
        """No throw can fail."""
        return None

    def expected_values(self) -> tuple[tuple[Action | int, float], ...]:
        """The final total of the player's sheet after each option, expected with best play to the end."""
        worth, so_far = turn_values(filled_of(dict(self.sheets[self.seat])), self._strict), self.scores[self.seat]
        thrown = tuple((dice, so_far + self._throw_worth(worth)) for dice in self.throw_sizes)
        return thrown + tuple((option, so_far + self._decision_worth(option, worth)) for option in self.options())

    @property
    def outcome(self) -> Outcome | None:
        """The highest total of those who have not left wins, equal totals share."""
        if not self.over:
            return None
        there = {seat: total for seat, total in enumerate(self.scores) if seat not in self.left}
        winners = tuple(seat for seat, total in there.items() if total == max(there.values()))
        return Outcome(winners, tuple(int(seat not in winners) for seat in range(len(self.sheets))))

    def after(self, action: Action) -> Crag:
        """The state after that action. Raises IllegalAction."""
        if isinstance(action, Throw) and len(action.dice) in self.throw_sizes:
            phase: Phase = "rethrown" if self.phase == "keeping" else "thrown"
            event = threw(self.seat, self.seat, in_order(action.dice))
            return self._with(phase, in_order(self.dice + action.dice), event)
        if isinstance(action, Keep) and self.phase == "thrown":
            return self._kept(action.dice)
        if isinstance(action, Enter) and "score" in self.decisions:
            return self._entered(action.category)
        if isinstance(action, Leave):
            return self._without(leaver(self, action))
        raise refusal(action, self)

    def view(self) -> dict[str, Any]:
        """The state's public fields as in docs/reference/transcript.md, except `line`."""
        players, outcome = self.header.players, self.outcome
        return {
            "game": "crag",
            "player": self.player,
            "round": (self.turn - self._full) // len(players) + 1,
            "throw_sizes": list(self.throw_sizes),
            "decisions": list(self.decisions),
            "turn_points": self.turn_points,
            "scores": dict(zip(players, self.scores, strict=True)),
            "over": self.over,
            "outcome": outcome.view(players) if outcome else None,
            "dice": list(self.dice),
            "rethrown": self.phase == "rethrown",
            "sheets": {name: dict(sheet) for name, sheet in zip(players, self.sheets, strict=True)},
            **left_view(self.header, self.left),
        }

    def _with(self, phase: Phase, dice: tuple[int, ...], *events: Event) -> Crag:
        return Crag(self.header, self.first, self.turn, self.sheets, phase, dice, self.left, events)

    def _throw_worth(self, worth: TurnValues) -> float:
        return worth.fresh() if self.phase == "fresh" else worth.kept(self.dice)

    def _decision_worth(self, option: Action, worth: TurnValues) -> float:
        if isinstance(option, Keep):
            return worth.kept(option.dice)
        assert isinstance(option, Enter), "Crag has no other decisions"
        return worth.entered(self.dice, option.category)

    def _kept(self, dice: tuple[int, ...]) -> Crag:
        if without(self.dice, dice) is None:
            raise IllegalAction(f"{list(dice)} don't all lie on the table; there are {list(self.dice)}.")
        if len(dice) == 3:
            raise IllegalAction("Keeping all three is no throw: enter them.")
        stay = in_order(dice)
        return self._with("keeping", stay, Event("kept", self.seat, {"dice": list(stay)}))

    def _entered(self, category: str) -> Crag:
        if category not in CATEGORIES:
            raise IllegalAction(f"The sheet has no category {category!r}{nearest(category, CATEGORIES)}")
        if category not in self.unused:
            raise IllegalAction(f"{self.player} has already filled {category!r}.")
        seat, points = self.seat, self.points_in(category)
        sheet = (*self.sheets[seat], (category, points))
        sheets = (*self.sheets[:seat], sheet, *self.sheets[seat + 1 :])
        entered = Event("entered", seat, {"category": category, "points": points})
        best = (Event("jackpot", seat, {"points": points}),) if points == BEST else ()
        return _next_turn(self, sheets, self.left, entered, *best)

    def _without(self, seat: int) -> Crag:
        """That player leaves; his own turn ends by it."""
        event, left = has_left(seat, seat), self.left | {seat}
        if one_remains(len(self.sheets), left):
            return Crag(self.header, self.first, self.turn, self.sheets, left=left, events=(event,))
        if seat == self.seat:
            return _next_turn(self, self.sheets, left, event)
        return replace(self, left=left, events=(event,))


def _next_turn(before: Crag, sheets: Sheets, left: frozenset[int], *events: Event) -> Crag:
    """It is the turn of the next who has not left."""
    turn, count = before.turn + 1, len(sheets)
    while turn < len(CATEGORIES) * count and (before.first + turn) % count in left:
        turn += 1
    return Crag(before.header, before.first, turn, sheets, left=left, events=events)


def begin(header: Header, first: int, events: tuple[Event, ...] = (), left: frozenset[int] = NOBODY) -> Crag:
    """The state before the first throw of the player in seat `first`."""
    return Crag(header, first, 0, ((),) * len(header.players), left=left, events=events)
