"""The cribbage board of Crib Dice between turns: pegs, wipe-outs in a row, who is out or finished, whose turn it is.

docs/reference/rules.md, "Crib Dice". A side is a player, or with `partners` a team; everything here is counted by side.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from companion.games.engine.event import Event, banked
from companion.games.engine.game import Header, Outcome
from companion.games.engine.leaving import NOBODY, has_left, left_view


@dataclass(frozen=True, slots=True)
class CribbageBoard:
    """The pegs and what is remembered of past turns.

    Attributes:
        sides: Names that key a score: players or teams, in seat order.
        first: Seat of the player who started.
        turn: Turns since the start, those of seats and sides that are gone passed over but counted.
        pegs: Hole of each side; 0 is the start, more than `holes` has left the far end.
        wipeouts: Wipe-outs in a row, by side.
        fuchled: Sides whose peg is off the board because of a fuchle.
        out: Sides that were eliminated.
        finished: Sides that have left the far end, in that order.
        left: Seats of those who have left the game.
        events: What the end of the last turn brought about.
    """

    header: Header
    sides: tuple[str, ...]
    first: int
    turn: int
    pegs: tuple[int, ...]
    wipeouts: tuple[int, ...]
    fuchled: frozenset[int] = frozenset()
    out: frozenset[int] = frozenset()
    finished: tuple[int, ...] = ()
    left: frozenset[int] = NOBODY
    over: bool = False
    events: tuple[Event, ...] = field(default=(), compare=False)

    @property
    def to_play(self) -> int | None:
        """The seat whose turn it is; None when the game is over."""
        return None if self.over else (self.first + self.turn) % len(self.header.players)

    @property
    def player(self) -> str | None:
        """The person whose turn it is; None when the game is over."""
        seat = self.to_play
        return None if seat is None else self.header.players[seat]

    @property
    def side(self) -> int:
        """The side whose turn it is. Partners sit alternately, so seats count through the sides again and again."""
        return (self.first + self.turn) % len(self.sides)

    @property
    def round(self) -> int:
        """From 1; a round is one turn of every side, from the player who started."""
        return self.turn // len(self.sides) + 1

    @property
    def holes(self) -> int:
        """Holes of the track: there and, in the long game, back again."""
        return 240 if self.header.rules["long_game"] else 120

    @property
    def fuchle_at(self) -> int:
        """How many wipe-outs in a row are a fuchle."""
        return 4 if self.header.rules["pandemonium"] else 3

    def gone(self, side: int) -> bool:
        """Whether that side has finished or was eliminated: it takes no turn, leads nobody, can't be hit."""
        return side in self.out or side in self.finished

    def banked(self, points: int) -> CribbageBoard:
        """The mover stops: his peg goes forward, bumping or finishing; then it is the next turn."""
        side = self.side
        hole = self.pegs[side] + points
        pegs = _with(self.pegs, side, hole)
        events: tuple[Event, ...] = (banked(side, points, self.pegs[side], hole),)
        finished = self.finished
        if hole > self.holes:
            finished = (*finished, side)
            events = (*events, Event("finished", side))
        elif self.header.rules["bumping"]:
            pegs, bumps = _bumped(pegs, side)
            events = (*events, *bumps)
        return replace(
            self,
            pegs=pegs,
            wipeouts=_with(self.wipeouts, side, 0),
            fuchled=self.fuchled - {side},
            finished=finished,
        ).passed_on(events)

    def wiped_out(self, points: int) -> CribbageBoard:
        """The mover wipes out and loses those turn points, which may be his fuchle or take him out of the game.

        Then it is the next turn.
        """
        side, rules = self.side, self.header.rules
        in_a_row = self.wipeouts[side] + 1
        wipeouts = _with(self.wipeouts, side, in_a_row)
        events = [Event("wiped_out", side, {"in_a_row": in_a_row, "points": points, "from": self.pegs[side]})]
        if rules["double_fuchle"] and side in self.fuchled and in_a_row == 2:
            next_board = replace(self, wipeouts=wipeouts, fuchled=self.fuchled - {side}, out=self.out | {side})
            events.append(Event("eliminated", side))
        elif in_a_row == self.fuchle_at:
            next_board = replace(
                self,
                pegs=_with(self.pegs, side, 0),
                wipeouts=_with(self.wipeouts, side, 0),
                fuchled=self.fuchled | {side},
            )
            events.append(Event("fuchled", side, {"from": self.pegs[side]}))
        else:
            next_board = replace(self, wipeouts=wipeouts)
        return next_board.passed_on(tuple(events))

    @property
    def furthest(self) -> int | None:
        """The side that a bomb of the mover hits: the furthest along of the others; of equals the first clockwise.

        None when nobody is left to hit.
        """
        count = len(self.sides)
        others = [(self.side + step) % count for step in range(1, count)]
        return max((side for side in others if not self.gone(side)), key=lambda side: self.pegs[side], default=None)

    @property
    def may_bomb(self) -> bool:
        """Whether there is somebody to hit, and the mover is not in the lead himself, alone or equal."""
        hit = self.furthest
        return hit is not None and self.pegs[self.side] < self.pegs[hit]

    def bombed(self) -> CribbageBoard:
        """The mover's peg and the furthest other change places, bumping nobody; then it is the next turn.

        An announced bomb goes off whoever has left meanwhile: at one who is behind, or at nobody.
        """
        side, hit, events = self.side, self.furthest, tuple[Event, ...]()
        pegs, wipeouts = self.pegs, _with(self.wipeouts, side, 0)
        if hit is not None:
            events = (Event("bombed", side, {"from": pegs[side], "to": pegs[hit]}, on=hit),)
            pegs = _with(_with(pegs, side, pegs[hit]), hit, pegs[side])
        return replace(self, pegs=pegs, wipeouts=wipeouts, fuchled=self.fuchled - {side}).passed_on(events)

    def without(self, seat: int) -> CribbageBoard:
        """That player leaves; his own turn ends by it, and any when the game does."""
        event, gone = has_left(seat, seat % len(self.sides)), self.marked(seat)
        if seat == self.to_play:
            return gone.passed_on((event,))
        after = replace(gone, events=(event,))
        return _ended(after) if gone.decided(round_done=False) else after

    def marked(self, seat: int) -> CribbageBoard:
        """The board with that player gone; with the last of a side the side is out."""
        side, left = seat % len(self.sides), self.left | {seat}
        if not left.issuperset(range(side, len(self.header.players), len(self.sides))) or side in self.out:
            return replace(self, left=left)
        finished = tuple(other for other in self.finished if other != side)
        pegs, fuchled = _with(self.pegs, side, 0), self.fuchled - {side}
        return replace(self, left=left, pegs=pegs, fuchled=fuchled, out=self.out | {side}, finished=finished)

    def passed_on(self, events: tuple[Event, ...] = ()) -> CribbageBoard:
        """It is the turn of the next seat still in play, or the game is over and `turn` stays that of the last one."""
        count, seats = len(self.sides), len(self.header.players)
        for turn in range(self.turn + 1, self.turn + 1 + seats):
            if (self.first + turn) % seats in self.left or self.gone((self.first + turn) % count):
                continue
            if self.decided(turn // count != self.turn // count):
                break
            return replace(self, turn=turn, events=events)
        return _ended(replace(self, events=events))

    def decided(self, round_done: bool) -> bool:
        """Whether the game is over, the round being done or not."""
        if self.header.rules["find_a_loser"]:
            return len(self.out) + len(self.finished) == len(self.sides) - 1
        return len(self.out) == len(self.sides) - 1 or (round_done and bool(self.finished))

    @property
    def outcome(self) -> Outcome | None:
        """Winners in seat order (`find_a_loser`: as they finished) and games lost by side; None before the end."""
        if not self.over:
            return None
        winners = self._winners()
        sides = range(len(self.sides))
        return Outcome(winners, tuple(0 if side in winners else self._games_lost(side) for side in sides))

    def _winners(self) -> tuple[int, ...]:
        if self.header.rules["find_a_loser"] and self.finished:
            return self.finished
        still_in = [side for side in range(len(self.sides)) if side not in self.out]
        furthest = max(self.pegs[side] for side in still_in)
        return tuple(side for side in still_in if self.pegs[side] == furthest)

    def _games_lost(self, side: int) -> int:
        if not self.header.rules["skunk"]:
            return 1
        if side in self.fuchled or side in self.out:
            return 4
        # 61 holes of 120 are safe; of 240 it takes twice as many, 122.
        return 2 if self.pegs[side] <= (121 if self.header.rules["long_game"] else 60) else 1

    def view(self) -> dict[str, Any]:
        """The fields of a transcript's state that the board holds."""
        sides, outcome = self.sides, self.outcome
        return {
            "player": self.player,
            "round": self.round,
            "scores": dict(zip(sides, self.pegs, strict=True)),
            "over": self.over,
            "outcome": outcome.view(sides) if outcome else None,
            "wipeouts": dict(zip(sides, self.wipeouts, strict=True)),
            "fuchled": [sides[side] for side in sorted(self.fuchled)],
            "out": [sides[side] for side in sorted(self.out)],
            "finished": [sides[side] for side in self.finished],
            **left_view(self.header, self.left),
        }


def sides_of(header: Header) -> tuple[str, ...]:
    """The players, or with `partners` the teams: of four seats 1 and 3 are one, of six 1 and 4."""
    players = header.players
    if not header.rules["partners"]:
        return players
    teams = len(players) // 2
    return tuple(f"{one} & {other}" for one, other in zip(players[:teams], players[teams:], strict=True))


def new_board(header: Header, first: int, left: frozenset[int] = NOBODY) -> CribbageBoard:
    """All pegs at the start; the player in seat `first` begins. Who sits in one of the seats `left` has left before."""
    sides = sides_of(header)
    board = CribbageBoard(header, sides, first, 0, (0,) * len(sides), (0,) * len(sides))
    for seat in left:
        board = board.marked(seat)
    return replace(board, over=True) if board.decided(round_done=False) else board


def _with(values: tuple[int, ...], place: int, value: int) -> tuple[int, ...]:
    return (*values[:place], value, *values[place + 1 :])


def _bumped(pegs: tuple[int, ...], landed: int) -> tuple[tuple[int, ...], tuple[Event, ...]]:
    """Whoever holds the hole goes back 5, and bumps in turn; the start holds any number."""
    hole = pegs[landed]
    holder = next((side for side, peg in enumerate(pegs) if peg == hole and side != landed), None)
    if hole == 0 or holder is None:
        return pegs, ()
    back = max(0, hole - 5)
    bumped, more = _bumped(_with(pegs, holder, back), holder)
    return bumped, (Event("bumped", holder, {"from": hole, "to": back}), *more)


def _ended(board: CribbageBoard) -> CribbageBoard:
    """The game is over; besides what ended it is told who loses more than one game by it."""
    over = replace(board, over=True)
    assert over.outcome is not None, "it is over"
    lost = enumerate(over.outcome.games_lost)
    skunks = (Event("skunked", side, {"games": games}) for side, games in lost if games > 1)
    return replace(over, events=(*board.events, *skunks))
