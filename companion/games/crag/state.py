"""Rules of Crag as a state: three dice, one chance to throw some again, a sheet of thirteen categories.

Rules: docs/reference/rules.md, "Crag".
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from companion.errors import IllegalAction, nearest
from companion.games.crag.odds.turn_value import TurnValues, filled_of, turn_values
from companion.games.crag.scoring import BEST, CATEGORIES, points_for
from companion.games.engine.dice import in_order, subsets, without
from companion.games.engine.event import Event, throw_event
from companion.games.engine.game import Action, Enter, Header, Keep, Leave, Standing, Throw, highest_wins, refusal
from companion.games.engine.leaving import leave_event, left_view, one_remains, seat_leaving

Phase = Literal["fresh", "thrown", "keeping", "rethrown"]
Sheets = tuple[tuple[tuple[str, int], ...], ...]


@dataclass(frozen=True, slots=True)
class Crag:
    """State of a game of Crag.

    Attributes:
        header: Set-up of the game.
        first: Seat of the player who started.
        turn: Number of turns since the start. Skipped turns of players who have left count too.
        sheets: Entries of each player by seat: categories with points, in the order of entering.
        phase: `fresh`: three dice must be thrown. `thrown`: the player enters them or keeps some. `keeping`: the other
            dice must be thrown again. `rethrown`: the dice must be entered.
        dice: Dice on the table, ascending.
        left: Seats of the players who have left.
        events: Events of the action that led here.
    """

    header: Header
    first: int
    turn: int
    sheets: Sheets
    phase: Phase = "fresh"
    dice: tuple[int, ...] = ()
    left: frozenset[int] = frozenset()
    events: tuple[Event, ...] = field(default=(), compare=False)

    @property
    def standing(self) -> Standing:
        """Standing of the game: each player is a side, and the score is the total of the player's sheet.

        After the end nobody is to play, and the highest total of the players who stayed wins; equal ones share the win.
        """
        totals = tuple(sum(points for _, points in sheet) for sheet in self.sheets)
        return Standing(
            header=self.header,
            sides=self.header.players,
            scores=totals,
            to_play=None if self._over else self.seat,
            turn=self.turn,
            left=self.left,
            outcome=highest_wins(totals, self.left) if self._over else None,
        )

    @property
    def _over(self) -> bool:
        """Whether all sheets are full, or at most one player remains."""
        return self._full or one_remains(len(self.header.players), self.left)

    @property
    def _full(self) -> bool:
        """Whether every player has had a turn for each category, skipped turns included."""
        return self.turn >= len(CATEGORIES) * len(self.header.players)

    @property
    def seat(self) -> int:
        """Seat whose sheet is filled now; after the end, the seat that would be next."""
        return (self.first + self.turn) % len(self.header.players)

    @property
    def throw_sizes(self) -> tuple[int, ...]:
        """Number of dice that may be thrown: three, then as many as were not kept; empty while a decision is due."""
        if self._over or self.phase in {"thrown", "rethrown"}:
            return ()
        return (3 - len(self.dice),)

    @property
    def decisions(self) -> tuple[str, ...]:
        """Decisions allowed now: `keep` and `score` after the first throw, `score` after the second, else none."""
        return {"thrown": ("keep", "score"), "rethrown": ("score",)}.get(self.phase, ())

    @property
    def unused(self) -> tuple[str, ...]:
        """Open categories of the player to play, in the order of the sheet."""
        used = dict(self.sheets[self.seat])
        return tuple(category for category in CATEGORIES if category not in used)

    @property
    def _thirteen_without_double(self) -> bool:
        """Whether this house rule is on."""
        return bool(self.header.rules["thirteen_without_double"])

    def points_in(self, category: str) -> int:
        """Return the points that the dice on the table would score in a category."""
        return points_for(category, self.dice, self._thirteen_without_double)

    def options(self) -> tuple[Action, ...]:
        """Return every legal keep, fewest dice first; then every entry, most points first."""
        keeps = tuple(Keep(dice) for dice in subsets(self.dice)[:-1]) if self.phase == "thrown" else ()
        if "score" not in self.decisions:
            return keeps
        return (*keeps, *(Enter(category) for category in sorted(self.unused, key=self.points_in, reverse=True)))

    @property
    def safe_chance(self) -> None:
        """None: no throw ends a turn without an entry."""
        return None

    def expected_values(self) -> tuple[tuple[Action | int, float], ...]:
        """Return the expected final total of the player's sheet for each option, with best play to the end."""
        sheet = dict(self.sheets[self.seat])
        worth, so_far = turn_values(filled_of(sheet), self._thirteen_without_double), sum(sheet.values())
        options = (*self.throw_sizes, *self.options())
        return tuple((option, so_far + self._value(option, worth)) for option in options)

    def _value(self, option: Action | int, worth: TurnValues) -> float:
        """Return the expected points still to come after an option, in this and all later turns, with best play.

        The option is a keep, an entry, or the number of dice to throw. The points of an entry that is chosen count;
        points already on the sheet do not. `worth` are the values for the open categories.
        """
        match option:
            case Keep(dice):
                return worth.kept(dice)
            case Enter(category):
                return worth.entered(self.dice, category)
        return worth.fresh() if self.phase == "fresh" else worth.kept(self.dice)

    def after(self, action: Action) -> Crag:
        """Return the state after a throw, keep, entry, or a player's leaving. Raises IllegalAction if it is illegal."""
        if isinstance(action, Throw) and len(action.dice) in self.throw_sizes:
            phase: Phase = "rethrown" if self.phase == "keeping" else "thrown"
            event = throw_event(self.seat, self.seat, in_order(action.dice))
            return replace(self, phase=phase, dice=in_order(self.dice + action.dice), events=(event,))
        if isinstance(action, Keep) and self.phase == "thrown":
            return self._kept(action.dice)
        if isinstance(action, Enter) and "score" in self.decisions:
            return self._entered(action.category)
        if isinstance(action, Leave):
            return self._without(seat_leaving(self, action))
        raise refusal(action, self)

    def view(self) -> dict[str, Any]:
        """Return the state as the JSON object that `pegpip replay --json` prints for it, without the field `line`.

        docs/reference/transcript.md describes the fields.
        """
        players, standing = self.header.players, self.standing
        return {
            "game": "crag",
            "player": standing.player,
            "round": (self.turn - self._full) // len(players) + 1,
            "throw_sizes": list(self.throw_sizes),
            "decisions": list(self.decisions),
            "turn_points": 0,
            **standing.view(),
            "dice": list(self.dice),
            "rethrown": self.phase == "rethrown",
            "sheets": {name: dict(sheet) for name, sheet in zip(players, self.sheets, strict=True)},
            **left_view(standing),
        }

    def _kept(self, dice: tuple[int, ...]) -> Crag:
        """Return the state after none, one or two dice of the first throw are kept: a throw of the others is due.

        Raises IllegalAction for all three dice, or for dice that the throw does not have.
        """
        if without(self.dice, dice) is None:
            raise IllegalAction(f"{list(dice)} don't all lie on the table; there are {list(self.dice)}.")
        if len(dice) == 3:
            raise IllegalAction("Keeping all three is no throw: enter them.")
        stay = in_order(dice)
        event = Event("kept", self.seat, {"dice": list(stay)})
        return replace(self, phase="keeping", dice=stay, events=(event,))

    def _entered(self, category: str) -> Crag:
        """Return the state after the dice are entered in a category: the start of the next turn, or the end.

        Raises IllegalAction for an unknown category or one that is filled.
        """
        if category not in CATEGORIES:
            raise IllegalAction(f"The sheet has no category {category!r}{nearest(category, CATEGORIES)}")
        if category not in self.unused:
            raise IllegalAction(f"{self.header.players[self.seat]} has already filled {category!r}.")
        seat, points = self.seat, self.points_in(category)
        sheet = (*self.sheets[seat], (category, points))
        sheets = (*self.sheets[:seat], sheet, *self.sheets[seat + 1 :])
        entered = Event("entered", seat, {"category": category, "points": points})
        best = (Event("jackpot", seat, {"points": points, "dice": list(self.dice)}),) if points == BEST else ()
        return _next_turn(self, sheets, self.left, entered, *best)

    def _without(self, seat: int) -> Crag:
        """Return the state after the player in `seat` left.

        The game is over if at most one player remains. Else another player's turn goes on. The leaving player's own
        turn ends without an entry, and the game ends if no turn of a remaining player follows.
        """
        event, left = leave_event(seat, seat), self.left | {seat}
        if one_remains(len(self.sheets), left):
            return Crag(self.header, self.first, self.turn, self.sheets, left=left, events=(event,))
        if seat == self.seat:
            return _next_turn(self, self.sheets, left, event)
        return replace(self, left=left, events=(event,))


def _next_turn(before: Crag, sheets: Sheets, left: frozenset[int], *events: Event) -> Crag:
    """Return the first state of the next turn after the state `before`, with new `sheets`; skip seats in `left`."""
    turn, count = before.turn + 1, len(sheets)
    while turn < len(CATEGORIES) * count and (before.first + turn) % count in left:
        turn += 1
    return Crag(before.header, before.first, turn, sheets, left=left, events=events)


def begin(header: Header, first: int, events: tuple[Event, ...] = (), left: frozenset[int] = frozenset()) -> Crag:
    """Return the state of Crag before the first throw.

    `first` is the seat that begins, `events` what happened just before, `left` the seats that left.
    """
    return Crag(header, first, 0, ((),) * len(header.players), left=left, events=events)
