"""From a snapshot of the table to what the board must show: pegs in holes, moods and moments."""

from __future__ import annotations

from collections.abc import Callable

from companion.games.engine.event import Light
from companion.games.engine.views import board as games
from companion.games.engine.views.board import Track
from companion.games.registry import game_named
from companion.table.snapshot import News, Snapshot
from companion.table.writer import Subscriber
from hardware.board import Board
from hardware.view import BoardView, Moment, Peg

MAX_MOMENTS = 24
"""Most animations that the LED board keeps; beyond that the oldest are dropped. One action can start twenty: fewer
would lose some of them. More: each frame may take longer to compute."""


class Lights:
    """Follows the snapshots of one table and keeps the animations (moments) that the board has not ended yet."""

    def __init__(self) -> None:
        self._number: int | None = None
        self._track: Track | None = None
        self._moments: tuple[Moment, ...] = ()

    def follow(self, snapshot: Snapshot, news: News, now_s: float) -> BoardView:
        """Return what the LED board shows for a snapshot, with the animations that this and earlier snapshots started.

        Call this method once for each snapshot, in order. `now_s` is the time on the board's clock.

        - Same `snapshot.number` as before: the animations stay as they are.
        - New number (a new journal entry) with events: their animations start at `now_s`; the newest MAX_MOMENTS stay.
        - New number without events, or with events taken back: all animations end.
        """
        before, self._track = self._track, snapshot.track
        if self._number != snapshot.number:
            self._number = snapshot.number
            fresh = _moments(before, snapshot, news, now_s)
            going_on = news.events and not news.taken_back
            self._moments = (self._moments + fresh)[-MAX_MOMENTS:] if going_on else ()
        return board_view(snapshot, self._moments)


def lighting(board: Board, clock: Callable[[], float]) -> Subscriber:
    """Return a subscriber of the table that shows each snapshot on the board. `clock` is the board's, in seconds."""
    lights = Lights()
    return lambda snapshot, news: board.show(lights.follow(snapshot, news, clock()))


def board_view(snapshot: Snapshot, moments: tuple[Moment, ...] = ()) -> BoardView:
    """Return what the board shows for a snapshot; without a game an empty board with the mood `idle`.

    The view has the pegs, the side to play, the winners, the track's length, the animations `moments`, and the mood.
    The mood is `illegal_hold` if the notice has this code, else the snapshot's phase.
    """
    track, notice = snapshot.track, snapshot.notice
    if track is None:
        return BoardView()
    return BoardView(
        pegs=tuple(
            Peg(side.colour, peg.banked, peg.provisional) for side, peg in zip(snapshot.sides, track.pegs, strict=True)
        ),
        to_play=next((at for at, side in enumerate(snapshot.sides) if side.to_play), None),
        mood=notice.code if notice is not None and notice.code == "illegal_hold" else snapshot.phase,
        winners=tuple(at for at, side in enumerate(snapshot.sides) if side.won),
        holes=track.holes,
        moments=moments,
    )


def _moments(before: Track | None, snapshot: Snapshot, news: News, now_s: float) -> tuple[Moment, ...]:
    """Return the LED board's animations for the new events in `news`; empty without a game.

    The game's effects say which animations an event has; an event without a side has none. All start at `now_s` on the
    board's clock. Each moves a peg from its hole on the track `before` to its hole on the snapshot's track. If `before`
    is None, or has another number of pegs, the snapshot's track is used for both. A `swap` moves every peg whose banked
    hole changed.
    """
    after = snapshot.track
    if after is None or snapshot.game is None:
        return ()
    start = before if before is not None and len(before.pegs) == len(after.pegs) else after
    effect = game_named(snapshot.game).effect
    moved = [side for side, peg in enumerate(after.pegs) if peg.banked != start.pegs[side].banked]
    return tuple(
        _moment(light, side, start.pegs[side], after.pegs[side], now_s)
        for event in news.events
        if event.side is not None
        for light in effect(event.code).lights
        for side in (moved if light.kind == "swap" else (event.side,))
    )


def _moment(light: Light, side: int, before: games.Peg, after: games.Peg, now_s: float) -> Moment:
    """Return the animation that `light` describes for one side, begun at `now_s`. Its holes depend on `light.kind`.

    `before` and `after` are the side's peg before and after the event. A peg's provisional hole is the one that it
    reaches if the turn's points are banked.

    - `run`: from the provisional hole of `before` to that of `after`.
    - `drain`: from the provisional hole of `before` to the banked hole of `after`.
    - All others: from the banked hole of `before` to that of `after`.
    """
    ahead = light.kind in ("run", "drain")
    from_hole = before.provisional if ahead else before.banked
    to_hole = after.provisional if light.kind == "run" else after.banked
    return Moment(light.kind, now_s, side, from_hole, to_hole, light.colour, light.holes, light.lasts_s, light.delay_s)
