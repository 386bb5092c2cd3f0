"""State of Crib Dice between turns: pegs, wipe-outs in a row, and sides that are out or finished.

Rules: docs/reference/rules.md, "Crib Dice". A side is a player, or with `partners` a team.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from companion.games.engine.event import Event, bank_event
from companion.games.engine.game import Header, Outcome, with_entry
from companion.games.engine.leaving import leave_event


@dataclass(frozen=True, slots=True)
class CribbageBoard:
    """Everything of a game of Crib Dice but the current turn.

    Attributes:
        header: Set-up of the game.
        sides: Display names of players or teams, in seat order.
        first: Seat of the player who started.
        turn: Number of turns since the start, skipped turns included.
        pegs: Hole of each side; 0 is the start, more than `holes` has left the far end.
        wipeouts: Wipe-outs in a row, by side.
        fuchled: Sides whose peg is off the board because of a fuchle.
        out: Sides that were eliminated.
        finished: Sides that have left the far end, in that order.
        left: Seats of the players who have left.
        over: Whether the game has ended.
        events: Events of the action that led here.
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
    left: frozenset[int] = frozenset()
    over: bool = False
    events: tuple[Event, ...] = field(default=(), compare=False)

    @property
    def to_play(self) -> int | None:
        """Seat to play; None after the end."""
        return None if self.over else (self.first + self.turn) % len(self.header.players)

    @property
    def side(self) -> int:
        """Side to play; after the end, the side of the last turn."""
        return (self.first + self.turn) % len(self.sides)

    @property
    def round(self) -> int:
        """Number of the round, from 1. A round is one turn of every side, from the player who started."""
        return self.turn // len(self.sides) + 1

    @property
    def holes(self) -> int:
        """Number of holes to the end: 120, or 240 in the long game."""
        return 240 if self.header.rules["long_game"] else 120

    @property
    def fuchle_at(self) -> int:
        """Number of wipe-outs in a row that make a fuchle."""
        return 4 if self.header.rules["pandemonium"] else 3

    def gone(self, side: int) -> bool:
        """Whether a side has finished or is out: it takes no turn, and a bomb cannot hit it."""
        return side in self.out or side in self.finished

    def banked(self, points: int) -> CribbageBoard:
        """Return the board after the side to play banks `points`: its peg moves on, and the turn is passed.

        The bank sets the side's wipe-outs in a row to 0, and the side no longer counts as fuchled (sent to the start).
        A peg past the last hole finishes. Else, with the house rule `bumping`, a peg already in the new hole goes 5
        holes back, and may bump another. If the bank decides the game, the final board is returned.
        """
        side = self.side
        hole = self.pegs[side] + points
        pegs = with_entry(self.pegs, side, hole)
        events: tuple[Event, ...] = (bank_event(side, points, self.pegs[side], hole),)
        finished = self.finished
        if hole > self.holes:
            finished = (*finished, side)
            events = (*events, Event("finished", side))
        elif self.header.rules["bumping"]:
            pegs, bumps = _bumped(pegs, side)
            events = (*events, *bumps)
        wipeouts, fuchled = with_entry(self.wipeouts, side, 0), self.fuchled - {side}
        return replace(self, pegs=pegs, wipeouts=wipeouts, fuchled=fuchled, finished=finished).passed_on(events)

    def wiped_out(self, points: int) -> CribbageBoard:
        """Return the board after a wipe-out of the side to play, with the turn passed or the game over.

        At `fuchle_at` wipe-outs in a row it is a fuchle: the peg goes to the start, the count to 0. With
        `double_fuchle`, a side that was fuchled is out at its second wipe-out in a row. `points` are the lost turn
        points; the event reports them.
        """
        side, in_a_row = self.side, self.wipeouts[self.side] + 1
        board = replace(self, wipeouts=with_entry(self.wipeouts, side, in_a_row))
        events = [Event("wiped_out", side, {"in_a_row": in_a_row, "points": points, "from": self.pegs[side]})]
        if self.header.rules["double_fuchle"] and side in self.fuchled and in_a_row == 2:
            board = replace(board, fuchled=self.fuchled - {side}, out=self.out | {side})
            events.append(Event("eliminated", side))
        elif in_a_row == self.fuchle_at:
            pegs, wipeouts = with_entry(self.pegs, side, 0), with_entry(self.wipeouts, side, 0)
            board = replace(board, pegs=pegs, wipeouts=wipeouts, fuchled=self.fuchled | {side})
            events.append(Event("fuchled", side, {"from": self.pegs[side]}))
        return board.passed_on(tuple(events))

    @property
    def furthest(self) -> int | None:
        """Side that a bomb would hit: the furthest other in play, on a tie the first clockwise; None without one."""
        count = len(self.sides)
        others = [(self.side + step) % count for step in range(1, count)]
        return max((side for side in others if not self.gone(side)), key=lambda side: self.pegs[side], default=None)

    @property
    def may_bomb(self) -> bool:
        """Whether another side in play is strictly ahead of the side to play, so that there is a peg to bomb."""
        hit = self.furthest
        return hit is not None and self.pegs[self.side] < self.pegs[hit]

    def bombed(self) -> CribbageBoard:
        """Return the board after a bomb: the side to play swaps pegs with the furthest other side in play.

        On a tie it is the first side clockwise. The other side may be behind if players have left since the bomb was
        announced. Without another side in play no peg moves.

        The bomber's count of consecutive wipe-outs becomes 0, and the bomber is no longer fuchled (sent to the start).
        Another side stays fuchled only while its peg is at the start. Nobody is bumped, and the turn passes on.
        """
        side, hit, events = self.side, self.furthest, tuple[Event, ...]()
        pegs, wipeouts = self.pegs, with_entry(self.wipeouts, side, 0)
        if hit is not None:
            events = (Event("bombed", side, {"from": pegs[side], "to": pegs[hit]}, on=hit),)
            pegs = with_entry(with_entry(pegs, side, pegs[hit]), hit, pegs[side])
        fuchled = frozenset(other for other in self.fuchled - {side} if not pegs[other])  # a fuchled peg may be hit
        return replace(self, pegs=pegs, wipeouts=wipeouts, fuchled=fuchled).passed_on(events)

    def without(self, seat: int) -> CribbageBoard:
        """Return the Crib Dice board after the player in `seat` left; the turn is passed if it was that player's.

        A side whose players have all left is out, and its peg goes to the start. On the returned board the game is over
        if it is then decided (`decided`). Seats and sides keep their numbers.
        """
        event, gone = leave_event(seat, seat % len(self.sides)), self.marked(seat)
        if seat == self.to_play:
            return gone.passed_on((event,))
        after = replace(gone, events=(event,))
        return _ended(after) if gone.decided(round_done=False) else after

    def marked(self, seat: int) -> CribbageBoard:
        """Return the board with a seat marked as left; the turn is not passed, and the game does not end.

        A side whose players have all left is out: its peg goes to the start. The side is removed from `finished` and
        from `fuchled`, the sides sent to the start for wipe-outs in a row.
        """
        side, left = seat % len(self.sides), self.left | {seat}
        if not left.issuperset(range(side, len(self.header.players), len(self.sides))) or side in self.out:
            return replace(self, left=left)
        finished = tuple(other for other in self.finished if other != side)
        pegs, fuchled = with_entry(self.pegs, side, 0), self.fuchled - {side}
        return replace(self, left=left, pegs=pegs, fuchled=fuchled, out=self.out | {side}, finished=finished)

    def passed_on(self, events: tuple[Event, ...] = ()) -> CribbageBoard:
        """Return the board with the turn passed to the next seat in play, or the final board if the game is decided.

        On the final board `turn` stays that of the last turn. `events` are those of the action that ended the turn.
        """
        count, seats = len(self.sides), len(self.header.players)
        for turn in range(self.turn + 1, self.turn + 1 + seats):
            if (self.first + turn) % seats in self.left or self.gone((self.first + turn) % count):
                continue
            if self.decided(turn // count != self.turn // count):
                break
            return replace(self, turn=turn, events=events)
        return _ended(replace(self, events=events))

    def decided(self, round_done: bool) -> bool:
        """Return whether the game is decided by which sides are out or have finished; `over` is not read.

        `round_done` tells whether the round is complete. The game is decided if all sides but one are out, or if a side
        has finished and the round is complete. With the house rule `find_a_loser` it is decided once all sides but one
        are out or finished; no side is both.
        """
        if self.header.rules["find_a_loser"]:
            return len(self.out) + len(self.finished) == len(self.sides) - 1
        return len(self.out) == len(self.sides) - 1 or (round_done and bool(self.finished))

    @property
    def outcome(self) -> Outcome | None:
        """Result of the game: the sides that win, and how many games each side loses; None before the end.

        Winners stand in seat order. With the house rule `find_a_loser` they stand in the order of finishing.
        """
        if not self.over:
            return None
        winners = self._winners()
        sides = range(len(self.sides))
        return Outcome(winners, tuple(0 if side in winners else self._games_lost(side) for side in sides))

    def _winners(self) -> tuple[int, ...]:
        """Return the sides that win: those with the furthest peg among the sides that are not out.

        At least one side must not be out. With the house rule `find_a_loser`, all sides that have finished win instead,
        in the order of finishing, if any has.
        """
        if self.header.rules["find_a_loser"] and self.finished:
            return self.finished
        still_in = [side for side in range(len(self.sides)) if side not in self.out]
        furthest = max(self.pegs[side] for side in still_in)
        return tuple(side for side in still_in if self.pegs[side] == furthest)

    def _games_lost(self, side: int) -> int:
        """Return the number of games that a losing side loses: 1 without the house rule `skunk`.

        With it: 4 if the side is out (eliminated, or all its players have left), or if its peg has stayed at the start
        since a fuchle. Else 2 if the peg is before hole 61 (122 in the long game), else 1.
        """
        if not self.header.rules["skunk"]:
            return 1
        if side in self.fuchled or side in self.out:
            return 4
        # 61 holes of 120 are safe; of 240 it takes twice as many, 122.
        return 2 if self.pegs[side] <= (121 if self.header.rules["long_game"] else 60) else 1


def sides_of(header: Header) -> tuple[str, ...]:
    """Return the names of the sides: the players, or with `partners` teams such as "Ann & Cem".

    A team has one player from each half of the seats, both at the same place in it. Of four players, the first plays
    with the third, and the second with the fourth.
    """
    players = header.players
    if not header.rules["partners"]:
        return players
    teams = len(players) // 2
    return tuple(f"{one} & {other}" for one, other in zip(players[:teams], players[teams:], strict=True))


def new_board(header: Header, first: int, left: frozenset[int] = frozenset()) -> CribbageBoard:
    """Return the board before the first turn, all pegs at the start; the game is over if only one side remains.

    `first` is the seat that starts; `left` are the seats of players who left before the game began.
    """
    sides = sides_of(header)
    board = CribbageBoard(header, sides, first, 0, (0,) * len(sides), (0,) * len(sides))
    for seat in left:
        board = board.marked(seat)
    return replace(board, over=True) if board.decided(round_done=False) else board


def _bumped(pegs: tuple[int, ...], landed: int) -> tuple[tuple[int, ...], tuple[Event, ...]]:
    """Return the pegs after side `landed` bumps a peg in its new hole, and a `bumped` event for each bumped peg.

    Nothing changes if no other peg is in that hole, or the hole is the start, which holds any number of pegs. A bumped
    peg goes back 5 holes, at most to the start, and bumps a peg there in turn.
    """
    hole = pegs[landed]
    holder = next((side for side, peg in enumerate(pegs) if peg == hole and side != landed), None)
    if hole == 0 or holder is None:
        return pegs, ()
    back = max(0, hole - 5)
    bumped, more = _bumped(with_entry(pegs, holder, back), holder)
    return bumped, (Event("bumped", holder, {"from": hole, "to": back}), *more)


def _ended(board: CribbageBoard) -> CribbageBoard:
    """Return the board with the game over, and a `skunked` event for each side whose loss counts several games.

    Losses count several games only with the house rule `skunk`.
    """
    over = replace(board, over=True)
    assert over.outcome is not None, "it is over"
    lost = enumerate(over.outcome.games_lost)
    skunks = (Event("skunked", side, {"games": games}) for side, games in lost if games > 1)
    return replace(over, events=(*board.events, *skunks))
