"""The cribbage board of Crib Dice between turns: pegs, wipe-outs in a row, who is out or finished, whose turn it is.

RULES.md, "Crib Dice". A side is a player, or with `partners` a team; everything here is counted by side.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from companion.games.event import Event, banked
from companion.games.game import Header, Outcome


@dataclass(frozen=True, slots=True)
class CribbageBoard:
    """The pegs and what is remembered of past turns.

    Attributes:
        sides: Names that key a score: players or teams, in seat order.
        first: Seat of the player who started.
        turn: Turns since the start, those of sides that have left passed over but counted: seats go round evenly.
        pegs: Hole of each side; 0 is the start, more than `holes` has left the far end.
        wipeouts: Wipe-outs in a row, by side.
        fuchled: Sides whose peg is off the board because of a fuchle.
        out: Sides that were eliminated.
        finished: Sides that have left the far end, in that order.
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
        told: tuple[Event, ...] = (banked(side, points, self.pegs[side], hole),)
        finished = self.finished
        if hole > self.holes:
            finished = (*finished, side)
            told = (*told, Event("finished", side))
        elif self.header.rules["bumping"]:
            pegs, bumps = _bumped(pegs, side)
            told = (*told, *bumps)
        return replace(
            self,
            pegs=pegs,
            wipeouts=_with(self.wipeouts, side, 0),
            fuchled=self.fuchled - {side},
            finished=finished,
        ).passed_on(told)

    def wiped_out(self, points: int = 0) -> CribbageBoard:
        """The mover wipes out and loses those turn points, which may be his fuchle or take him out of the game.

        Then it is the next turn.
        """
        side, rules = self.side, self.header.rules
        in_a_row = self.wipeouts[side] + 1
        wipeouts = _with(self.wipeouts, side, in_a_row)
        told = [Event("wiped_out", side, {"in_a_row": in_a_row, "points": points, "from": self.pegs[side]})]
        if rules["double_fuchle"] and side in self.fuchled and in_a_row == 2:
            next_board = replace(self, wipeouts=wipeouts, fuchled=self.fuchled - {side}, out=self.out | {side})
            told.append(Event("eliminated", side))
        elif in_a_row == self.fuchle_at:
            next_board = replace(
                self,
                pegs=_with(self.pegs, side, 0),
                wipeouts=_with(self.wipeouts, side, 0),
                fuchled=self.fuchled | {side},
            )
            told.append(Event("fuchled", side, {"from": self.pegs[side]}))
        else:
            next_board = replace(self, wipeouts=wipeouts)
        return next_board.passed_on(tuple(told))

    @property
    def target(self) -> int | None:
        """The side that the mover's bomb would hit: the furthest along of the others; of equals the first clockwise.

        None when he leads himself, alone or equal, or when nobody is left to hit.
        """
        count = len(self.sides)
        others = [(self.side + step) % count for step in range(1, count)]
        others = [side for side in others if not self.gone(side)]
        leader = max(others, key=lambda side: self.pegs[side], default=None)
        return None if leader is None or self.pegs[self.side] >= self.pegs[leader] else leader

    def bombed(self) -> CribbageBoard:
        """The mover's peg and the leader's change places, bumping nobody; then it is the next turn."""
        side, hit = self.side, self.target
        assert hit is not None, "a bomb is allowed only with somebody to hit, and nothing moves before it goes off"
        pegs = _with(_with(self.pegs, side, self.pegs[hit]), hit, self.pegs[side])
        wipeouts = _with(self.wipeouts, side, 0)
        told = Event("bombed", side, {"from": self.pegs[side], "to": self.pegs[hit]}, on=hit)
        return replace(self, pegs=pegs, wipeouts=wipeouts, fuchled=self.fuchled - {side}).passed_on((told,))

    def passed_on(self, events: tuple[Event, ...] = ()) -> CribbageBoard:
        """It is the turn of the next side still in play, or the game is over and `turn` stays that of the last one."""
        count = len(self.sides)
        following = (self.turn + step for step in range(1, count))
        upcoming = next((turn for turn in following if not self.gone((self.first + turn) % count)), None)
        if upcoming is None or self._decided(upcoming // count != self.turn // count):
            return replace(self, over=True, events=events)
        return replace(self, turn=upcoming, events=events)

    def _decided(self, round_done: bool) -> bool:
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
        }


def sides_of(header: Header) -> tuple[str, ...]:
    """The players, or with `partners` the teams: of four seats 1 and 3 are one, of six 1 and 4."""
    players = header.players
    if not header.rules["partners"]:
        return players
    teams = len(players) // 2
    return tuple(f"{one} & {other}" for one, other in zip(players[:teams], players[teams:], strict=True))


def new_board(header: Header, first: int) -> CribbageBoard:
    """All pegs at the start; the player in seat `first` begins."""
    sides = sides_of(header)
    return CribbageBoard(header, sides, first, 0, (0,) * len(sides), (0,) * len(sides))


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
