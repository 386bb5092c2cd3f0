"""From a snapshot of the table to what the board must show: pegs in holes, moods and moments."""

from __future__ import annotations

from collections.abc import Callable

from companion.games.engine.views.board import Track
from companion.table.snapshot import Event, News, Snapshot
from companion.table.writer import Reader
from hardware.board import Board
from hardware.view import BoardView, Moment, Peg

MOMENTS_KEPT = 12
"""Enough for the longest chain of bumps; older moments have long faded."""


class Lights:
    """Follows the snapshots of one table and keeps the moments that the board still has to play out.

    Attributes:
        night: Whether the board rests dark between moments; may be set at any time.
    """

    def __init__(self, *, night: bool = False) -> None:
        self.night = night
        self._number: int | None = None
        self._track: Track | None = None
        self._moments: tuple[Moment, ...] = ()

    def view(self, snapshot: Snapshot, news: News, now_s: float) -> BoardView:
        """The board for this snapshot; the news that came with it starts to play at `now_s`."""
        before, self._track = self._track, snapshot.track
        if self._number != snapshot.number:
            self._number = snapshot.number
            fresh = _moments(before, snapshot, news, now_s)
            self._moments = (self._moments + fresh)[-MOMENTS_KEPT:] if news.events else ()
        return board_view(snapshot, self._moments, night=self.night)


def lighting(board: Board, lights: Lights, clock: Callable[[], float]) -> Reader:
    """Has the board show each snapshot; `clock` is the board's."""
    return lambda snapshot, news: board.show(lights.view(snapshot, news, clock()))


def board_view(snapshot: Snapshot, moments: tuple[Moment, ...] = (), *, night: bool = False) -> BoardView:
    """The board for a snapshot. Pure."""
    track = snapshot.track
    if track is None:
        return BoardView(night=night)
    return BoardView(
        pegs=tuple(
            Peg(side.colour, peg.banked, peg.provisional) for side, peg in zip(snapshot.sides, track.pegs, strict=True)
        ),
        to_play=next((at for at, side in enumerate(snapshot.sides) if side.to_play), None),
        mood=_mood(snapshot),
        winners=tuple(at for at, side in enumerate(snapshot.sides) if side.won),
        holes=track.holes,
        moments=moments,
        night=night,
    )


def _mood(snapshot: Snapshot) -> str:
    if snapshot.notice is not None and snapshot.notice.code == "illegal_hold":
        return "illegal_hold"
    return snapshot.phase


def _moments(before: Track | None, snapshot: Snapshot, news: News, now_s: float) -> tuple[Moment, ...]:
    after = snapshot.track
    if after is None:
        return ()
    same = before is not None and len(before.pegs) == len(after.pegs)
    start = before if before is not None and same else after
    moments = [_moment(event, start, after, now_s) for event in news.events if event.side is not None and event.moment]
    if any(event.moment == "over" for event in news.events):
        moments += _skunks(snapshot, after, now_s)
    return tuple(moments)


def _moment(event: Event, before: Track, after: Track, now_s: float) -> Moment:
    assert event.moment is not None, "only such as have one"
    assert event.side is not None, "and a side"
    start, end = before.pegs[event.side], after.pegs[event.side]
    from_hole = start.provisional if event.moment in ("throw", "wipe_out") else start.banked
    to_hole = end.provisional if event.moment == "throw" else end.banked
    return Moment(event.moment, now_s, event.side, from_hole, to_hole)


def _skunks(snapshot: Snapshot, track: Track, now_s: float) -> list[Moment]:
    """Who has lost more than one game by this one was skunked."""
    lost = [at for at, side in enumerate(snapshot.sides) if side.games_lost > 1]
    return [Moment("skunk", now_s, at, track.pegs[at].banked, track.pegs[at].banked) for at in lost]
