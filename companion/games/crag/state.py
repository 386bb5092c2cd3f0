"""Crag: three dice, one chance to throw some again, a sheet of thirteen categories.

RULES.md, "Crag".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from companion.errors import IllegalAction
from companion.games.crag.odds import TurnWorth, filled_of, turn_worth
from companion.games.crag.sheet import CATEGORIES, points_for
from companion.games.dice import handfuls, in_order, without
from companion.games.game import Action, Enter, Header, Keep, Throw, refusal
from companion.games.nearest import nearest

Phase = Literal["fresh", "thrown", "keeping", "rethrown"]


@dataclass(frozen=True, slots=True)
class Crag:
    """A game of Crag as it stands.

    Attributes:
        first: Seat of the player who started.
        turn: Finished turns.
        sheets: What each player has entered, in seat order: categories and points in the order of entering.
        phase: `fresh`: three dice must be thrown; `thrown`: enter them or keep some; `keeping`: the others must be
            thrown again; `rethrown`: they must be entered.
        dice: On the table, ascending.
    """

    header: Header
    first: int
    turn: int
    sheets: tuple[tuple[tuple[str, int], ...], ...]
    phase: Phase = "fresh"
    dice: tuple[int, ...] = ()

    @property
    def over(self) -> bool:
        """Whether every sheet is full."""
        return self.turn == len(CATEGORIES) * len(self.header.players)

    @property
    def seat(self) -> int:
        """Whose turn it is, as a seat."""
        return (self.first + self.turn) % len(self.header.players)

    @property
    def player(self) -> str | None:
        """Whose turn it is; None when the game is over."""
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
        if self.over:
            return ()
        worth, so_far = turn_worth(filled_of(dict(self.sheets[self.seat])), self._strict), self._totals()[self.seat]
        thrown = tuple((dice, so_far + self._throw_worth(worth)) for dice in self.throw_sizes)
        return thrown + tuple((option, so_far + self._decision_worth(option, worth)) for option in self.options())

    def after(self, action: Action) -> Crag:
        """The state after that action. Raises IllegalAction."""
        if isinstance(action, Throw) and len(action.dice) in self.throw_sizes:
            phase: Phase = "rethrown" if self.phase == "keeping" else "thrown"
            return self._with(phase, in_order(self.dice + action.dice))
        if isinstance(action, Keep) and self.phase == "thrown":
            return self._kept(action.dice)
        if isinstance(action, Enter) and "score" in self.decisions:
            return self._entered(action.category)
        raise refusal(action, self)

    def view(self) -> dict[str, Any]:
        """The state's public fields as in TRANSCRIPT.md, except `line`."""
        players = self.header.players
        return {
            "game": "crag",
            "player": self.player,
            "round": (self.turn - self.over) // len(players) + 1,
            "throw_sizes": list(self.throw_sizes),
            "decisions": list(self.decisions),
            "turn_points": 0,
            "scores": dict(zip(players, self._totals(), strict=True)),
            "over": self.over,
            "outcome": self._outcome(),
            "dice": list(self.dice),
            "rethrown": self.phase == "rethrown",
            "sheets": {name: dict(sheet) for name, sheet in zip(players, self.sheets, strict=True)},
        }

    def _with(self, phase: Phase, dice: tuple[int, ...]) -> Crag:
        return Crag(self.header, self.first, self.turn, self.sheets, phase, dice)

    def _throw_worth(self, worth: TurnWorth) -> float:
        return worth.fresh() if self.phase == "fresh" else worth.kept(self.dice)

    def _decision_worth(self, option: Action, worth: TurnWorth) -> float:
        if isinstance(option, Keep):
            return worth.kept(option.dice)
        assert isinstance(option, Enter), "Crag has no other decisions"
        return worth.entered(self.dice, option.category)

    def _kept(self, dice: tuple[int, ...]) -> Crag:
        if without(self.dice, dice) is None:
            raise IllegalAction(f"{list(dice)} don't all lie on the table; there are {list(self.dice)}.")
        if len(dice) == 3:
            raise IllegalAction("Keeping all three is no throw: enter them.")
        return self._with("keeping", in_order(dice))

    def _entered(self, category: str) -> Crag:
        if category not in CATEGORIES:
            raise IllegalAction(f"The sheet has no category {category!r}{nearest(category, CATEGORIES)}")
        if category not in self.unused:
            raise IllegalAction(f"{self.player} has already filled {category!r}.")
        seat = self.seat
        sheet = (*self.sheets[seat], (category, self.points_in(category)))
        sheets = (*self.sheets[:seat], sheet, *self.sheets[seat + 1 :])
        return Crag(self.header, self.first, self.turn + 1, sheets)

    def _totals(self) -> tuple[int, ...]:
        return tuple(sum(points for _, points in sheet) for sheet in self.sheets)

    def _outcome(self) -> dict[str, Any] | None:
        if not self.over:
            return None
        scores = dict(zip(self.header.players, self._totals(), strict=True))
        best = max(scores.values())
        return {
            "winners": [name for name, total in scores.items() if total == best],
            "games_lost": {name: int(total < best) for name, total in scores.items()},
        }


def begin(header: Header, first: int) -> Crag:
    """The state before the first throw of the player in seat `first`."""
    return Crag(header, first, 0, ((),) * len(header.players))
