"""Rules of Crib Dice as a state: a turn of seven dice, until a stop, a bomb or a wipe-out.

Rules: docs/reference/rules.md, "Crib Dice". See `pegs` for the state between turns.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from companion.errors import IllegalAction, RulesError
from companion.games.crib_dice.odds.turn_value import TurnValues, safe_chance, turn_values
from companion.games.crib_dice.pegs import CribbageBoard, new_board, sides_of
from companion.games.crib_dice.scoring import set_score
from companion.games.engine.dice import FACES, in_order
from companion.games.engine.event import Event, throw_event
from companion.games.engine.game import Action, Bomb, Header, Leave, NamePoint, Standing, Stop, Throw, refusal
from companion.games.engine.leaving import left_view, seat_leaving

Phase = Literal["fresh", "naming", "choosing", "again", "bombing"]


@dataclass(frozen=True, slots=True)
class Turn:
    """State of one turn.

    Attributes:
        phase: `fresh`: seven dice must be thrown. `naming`: the point must be named. `choosing`: the player stops,
            bombs or throws on. `again`: the piddle had no result and must be repeated. `bombing`: a bomb is announced
            and its two dice must be thrown.
        gathered: Turn points of earlier rollovers in this turn.
        point: Value of the frozen dice; None before it is named.
        frozen: Number of frozen dice.
        dice: Last throw, ascending.
    """

    phase: Phase = "fresh"
    gathered: int = 0
    point: int | None = None
    frozen: int = 0
    dice: tuple[int, ...] = ()

    @property
    def held(self) -> tuple[int, ...]:
        """Values of the frozen dice."""
        return () if self.point is None else (self.point,) * self.frozen

    @property
    def points(self) -> int:
        """Points that a stop would bank: those gathered, and the score of the frozen set."""
        return self.gathered if self.point is None else self.gathered + set_score(self.frozen, self.point)


@dataclass(frozen=True, slots=True)
class CribDice:
    """State of a game of Crib Dice: board, current turn, and events of the last action."""

    board: CribbageBoard
    turn: Turn = Turn()
    events: tuple[Event, ...] = field(default=(), compare=False)

    @property
    def standing(self) -> Standing:
        """Standing of the game: a side is a player or a team, and its score is the hole of its peg.

        After the end nobody is to play, and the outcome is known.
        """
        board = self.board
        return Standing(
            header=board.header,
            sides=board.sides,
            scores=board.pegs,
            to_play=board.to_play,
            turn=board.turn,
            turn_points=self.turn.points,
            left=board.left,
            outcome=board.outcome,
        )

    @property
    def throw_sizes(self) -> tuple[int, ...]:
        """The one number of dice that may be thrown now, in a tuple; empty if a point is due, or after the end."""
        if self.board.over or self.turn.phase == "naming":
            return ()
        # Five frozen leave two dice anyway; six are piddled with two as well, and seven roll over.
        return ({6: 2, 7: 7}.get(self.turn.frozen, 7 - self.turn.frozen),)

    @property
    def decisions(self) -> tuple[str, ...]:
        """Words of the decisions allowed now: `point` after throwing seven dice; `stop` or `bomb` with frozen dice.

        Empty while a throw must come first, and after the end. A bomb needs the house rule `bomb`, at least five frozen
        1s, and another side ahead.
        """
        turn, board = self.turn, self.board
        if turn.phase == "naming":
            return ("point",)
        if turn.phase != "choosing":
            return ()
        has_ones = turn.point == 1 and turn.frozen >= 5
        return ("bomb", "stop") if has_ones and board.header.rules["bomb"] and board.may_bomb else ("stop",)

    def options(self) -> tuple[Action, ...]:
        """Return every legal decision: the points that may be named; or the stop, with a bomb before it if allowed."""
        if self.turn.phase == "naming":
            return tuple(NamePoint(value) for value in FACES if self.turn.dice.count(value) >= 2)
        return tuple(Bomb() if word == "bomb" else Stop() for word in self.decisions)

    @property
    def bombs_at_once(self) -> bool:
        """Whether enough dice are frozen for a bomb without a throw: six, or five with the house rule `pandemonium`."""
        return self.turn.frozen >= (5 if self.board.header.rules["pandemonium"] else 6)

    @property
    def safe_chance(self) -> float | None:
        """Probability that the next throw is no wipe-out, or an announced bomb succeeds; None if it cannot fail."""
        turn = self.turn
        if self.board.over or turn.point is None:
            return None
        return 11 / 36 if turn.phase == "bombing" else safe_chance(turn.frozen, turn.point)

    def expected_values(self) -> tuple[tuple[Action | int, float], ...]:
        """Return each option with the turn points that it is expected to bank with best play; 0 for a bomb."""
        return self.expected_values_by(turn_values(bool(self.board.header.rules["piddle_points"])))

    def expected_values_by(self, worth: TurnValues) -> tuple[tuple[Action | int, float], ...]:
        """Return each option with its value by the turn values `worth`, such as a win probability."""
        return tuple((option, self._value(option, worth)) for option in (*self.throw_sizes, *self.options()))

    def _value(self, option: Action | int, worth: TurnValues) -> float:
        """Return the expected value of `option` in this state, with best play after it, in the unit of `worth`.

        `option` is a decision (NamePoint, Stop or Bomb), or a number of dice to throw. The number is not used: this
        state's turn already determines how many dice are thrown.
        """
        turn = self.turn
        match option:
            case NamePoint(value):
                return worth.held(turn.gathered, turn.dice.count(value), value)
            case Stop():
                return worth.bank(turn.points)
            case Bomb():
                return worth.bombs[turn.frozen - 5]
        if turn.point is None:
            return worth.fresh(turn.gathered)
        return worth.bombs[0] if turn.phase == "bombing" else worth.thrown(turn.gathered, turn.frozen, turn.point)

    def after(self, action: Action) -> CribDice:
        """Return the state after a throw, the naming of the point, a stop, a bomb, or a player's leaving.

        A bomb with too few frozen dice (see `bombs_at_once`) is only announced: the next throw decides it. Raises
        IllegalAction if the rules forbid the action in this state.
        """
        turn = self.turn
        if isinstance(action, Throw):
            return self._thrown(action)
        if isinstance(action, NamePoint) and turn.phase == "naming":
            return self._named(action.value)
        if isinstance(action, Stop) and turn.phase == "choosing":
            return _turn_over(self.board.banked(turn.points))
        if isinstance(action, Bomb) and "bomb" in self.decisions:
            if self.bombs_at_once:
                return _turn_over(self.board.bombed())
            return CribDice(self.board, replace(turn, phase="bombing"), (self._event("bomb_announced"),))
        if isinstance(action, Leave):
            return self._without(seat_leaving(self, action))
        raise refusal(action, self)

    def view(self) -> dict[str, Any]:
        """Return the state as JSON values: the fields listed in docs/reference/transcript.md, except `line`.

        The fields include the round, the player to play, scores, legal throws and decisions, and the turn's dice and
        points. Lists name the sides that are fuchled, out or finished.
        """
        turn, board, standing = self.turn, self.board, self.standing
        return {
            "game": "crib_dice",
            "player": standing.player,
            "round": board.round,
            **standing.view(),
            "wipeouts": dict(zip(board.sides, board.wipeouts, strict=True)),
            "fuchled": [board.sides[side] for side in sorted(board.fuchled)],
            "out": [board.sides[side] for side in sorted(board.out)],
            "finished": [board.sides[side] for side in board.finished],
            **left_view(standing),
            "throw_sizes": list(self.throw_sizes),
            "decisions": list(self.decisions),
            "turn_points": turn.points,
            "point": turn.point,
            "frozen": turn.frozen,
            "dice": list(turn.dice),
            "bombing": turn.phase == "bombing",
        }

    def _named(self, value: int) -> CribDice:
        """Return the state after the point is named: all dice that show `value` are frozen.

        The state has the event `point`; if seven dice are frozen, also `rolled_over`. Raises IllegalAction if fewer
        than two dice show the value.
        """
        turn = self.turn
        count = turn.dice.count(value)
        if count < 2:
            raise IllegalAction(f"{value} can't be the point: fewer than two of the dice show it.")
        named = Turn("choosing", turn.gathered, value, count, turn.dice)
        point = self._event("point", value=value, frozen=count, count=count)
        return CribDice(self.board, named, (point, *self._automatic_rollover(named)))

    def _thrown(self, throw: Throw) -> CribDice:
        """Return the state after `throw`. Raises IllegalAction if that number of dice is not the one due."""
        if len(throw.dice) not in self.throw_sizes:
            raise refusal(throw, self)
        turn, board, dice = self.turn, self.board, in_order(throw.dice)
        event = throw_event((board.first + board.turn) % len(self.board.header.players), board.side, dice)
        if turn.phase == "bombing":
            if 1 in dice:
                return _turn_over(board.bombed(), event)
            return _turn_over(board.wiped_out(turn.points), event, self._event("bomb_failed"))
        if len(dice) == 7:
            # The set of an automatic rollover is kept only now: until the fresh throw it lies on the table.
            return CribDice(board, Turn("naming", turn.points, dice=dice), (event,))
        return self._piddled(dice, event) if turn.frozen >= 5 else self._rolled(dice, event)

    def _rolled(self, dice: tuple[int, ...], threw: Event) -> CribDice:
        """Return the state after a throw of the dice that are not frozen, with two to four frozen.

        `threw` is the event of the throw.

        - Some dice show the point: they are frozen too. The seventh frozen die adds a `rolled_over` event; the set
          stays frozen until the next throw.
        - No die shows the point, but at least one shows 1: nothing is frozen, and the turn goes on.
        - Otherwise: a wipe-out, which ends the turn.
        """
        turn = self.turn
        if turn.point not in dice and 1 not in dice:
            return _turn_over(self.board.wiped_out(turn.points), threw)
        more = sum(die == turn.point for die in dice)
        rolled = Turn("choosing", turn.gathered, turn.point, turn.frozen + more, dice)
        if not more:
            return CribDice(self.board, rolled, (threw,))
        froze = self._event("froze", value=turn.point, dice=more, frozen=rolled.frozen, count=more)
        return CribDice(self.board, rolled, (threw, froze, *self._automatic_rollover(rolled)))

    def _piddled(self, dice: tuple[int, ...], threw: Event) -> CribDice:
        """Return the state after a piddle, the throw of two dice with five or six frozen; `threw` is its event.

        - A double, but not of the point: a wipe-out.
        - A double of the point, without the house rule `piddle_points`: the piddle must be thrown again.
        - Anything else: a rollover. With `piddle_points` dice that show the point join the set first, up to seven.
        """
        turn, counts = self.turn, self.board.header.rules["piddle_points"]
        hits = sum(die == turn.point for die in dice)
        if hits == 0 and dice[0] == dice[1]:
            return _turn_over(self.board.wiped_out(turn.points), threw, self._event("piddle_lost"))
        if hits == 2 and not counts:
            return CribDice(self.board, replace(turn, phase="again", dice=dice), (threw,))
        raised = replace(turn, frozen=min(7, turn.frozen + hits)) if counts else turn
        rolled_over = self._event("rolled_over", points=raised.points)
        return CribDice(self.board, Turn("fresh", raised.points, dice=dice), (threw, rolled_over))

    def _automatic_rollover(self, turn: Turn) -> tuple[Event, ...]:
        """Return a `rolled_over` event if the turn has seven frozen dice, else none."""
        return (self._event("rolled_over", points=turn.points),) if turn.frozen == 7 else ()

    def _without(self, seat: int) -> CribDice:
        """Return the state after a player left; ends the turn if it is that player's or the game is over."""
        board = self.board.without(seat)
        if board.over or seat == self.board.to_play:
            return _turn_over(board)
        return CribDice(board, self.turn, board.events)

    def _event(self, code: str, **args: Any) -> Event:
        """Return an event about the side and seat to play, with the given arguments."""
        return Event(code, self.board.side, args, self.board.to_play)


def _turn_over(board: CribbageBoard, *before: Event) -> CribDice:
    """Return the state at the start of the next turn; the events `before` precede those of the board."""
    return CribDice(board, events=(*before, *board.events))


def begin(header: Header, first: int, events: tuple[Event, ...] = (), left: frozenset[int] = frozenset()) -> CribDice:
    """Return the state of Crib Dice before the first turn.

    `first` is the seat that begins, `events` what happened just before, `left` the seats that left.
    """
    return CribDice(new_board(header, first, left), events=events)


def check_sides(header: Header) -> None:
    """Raise RulesError if the number of players is wrong for Crib Dice, or two teams have the same name.

    Without teams at most 5 may play. With the house rule `partners` there must be 4 or 6.
    """
    number = len(header.players)
    if not header.rules["partners"]:
        if number > 5:
            raise RulesError("Crib Dice is for 2 to 5 players; 4 or 6 can play as `partners`.")
        return
    if number not in {4, 6}:
        raise RulesError(f"Partners are 4 or 6 players, not {number}.")
    if len(set(sides_of(header))) < number // 2:
        raise RulesError("Two teams would have the same name; change a player's name.")
