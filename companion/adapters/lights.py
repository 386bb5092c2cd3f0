"""From a snapshot of the table to what the board must show: pegs in holes, moods and moments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.session.snapshot import Event, Snapshot
from hardware.view import BoardView, Moment, Peg

POINTS_PER_HOLE = {"crib_dice": 1, "crapola": 125, "crag": 2}
"""Games without holes run on the same track: 15,000 points of Crapola are 120 holes, a full sheet of Crag is 122."""

MOMENT_OF_EVENT = {
    "threw": "throw",
    "banked": "banked",
    "entered": "banked",
    "wiped_out": "wipe_out",
    "crapped_out": "wipe_out",
    "piddle_lost": "wipe_out",
    "bomb_failed": "wipe_out",
    "fuchled": "fuchle",
    "bombed": "bomb",
    "bumped": "bump",
    "rolled_over": "rollover",
    "hot_dice": "rollover",
    "finished": "finish",
}
MOMENTS_KEPT = 12
"""Enough for the longest chain of bumps; older moments have long faded."""


class Lights:
    """Follows the snapshots of one table and keeps the moments that the board still has to play out."""

    def __init__(self, *, night: bool = False) -> None:
        self._night = night
        self._before: Snapshot | None = None
        self._moments: tuple[Moment, ...] = ()

    def view(self, snapshot: Snapshot, now_s: float) -> BoardView:
        """The board for this snapshot; what has happened since the last one starts to play at `now_s`."""
        before, self._before = self._before, snapshot
        if before is not None and before.number != snapshot.number:
            fresh = _moments(before, snapshot, now_s)
            self._moments = (self._moments + fresh)[-MOMENTS_KEPT:] if fresh else ()
        return board_view(snapshot, self._moments, night=self._night)


def board_view(snapshot: Snapshot, moments: tuple[Moment, ...] = (), *, night: bool = False) -> BoardView:
    """The board for a snapshot. Pure."""
    if snapshot.state is None or snapshot.game is None:
        return BoardView(night=night)
    state = snapshot.state
    pegs = _pegs(snapshot, state)
    names = list(state["scores"])
    winners = (state["outcome"] or {}).get("winners", [])
    return BoardView(
        pegs=pegs,
        to_play=_seat(names, state["player"]),
        mood=_mood(snapshot),
        winners=tuple(seat for name in winners if (seat := _seat(names, name)) is not None),
        holes=_holes(snapshot),
        moments=moments,
        night=night,
    )


def _mood(snapshot: Snapshot) -> str:
    if snapshot.notice is not None and snapshot.notice.code == "illegal_hold":
        return "illegal_hold"
    return snapshot.phase


def _holes(snapshot: Snapshot) -> int:
    rules = (snapshot.header or {}).get("rules", {})
    return 240 if snapshot.game == "crib_dice" and rules.get("long_game") else 120


def _pegs(snapshot: Snapshot, state: Mapping[str, Any]) -> tuple[Peg, ...]:
    per_hole = POINTS_PER_HOLE.get(snapshot.game or "", 1)
    colours = tuple(snapshot.sitting.colours.values())  # in seat order; a team has that of its first player
    names = list(state["scores"])
    on_turn = _seat(names, state["player"])
    return tuple(
        Peg(
            colour=colours[seat] if seat < len(colours) else seat % 6,
            banked=points // per_hole,
            provisional=(points + (state["turn_points"] if seat == on_turn else 0)) // per_hole,
        )
        for seat, points in enumerate(state["scores"].values())
    )


def _seat(names: list[str], who: str | None) -> int | None:
    """The place of a player, or of the team that the player belongs to."""
    if who is None:
        return None
    for seat, name in enumerate(names):
        if who == name or who in name.split(" & "):
            return seat
    return None


def _moments(before: Snapshot, after: Snapshot, now_s: float) -> tuple[Moment, ...]:
    if after.state is None or after.game is None:
        return ()
    old = _pegs(before, before.state) if before.state is not None and before.game == after.game else ()
    new = _pegs(after, after.state)
    names = list(after.state["scores"])
    fresh = [event for event in after.events if event.number > before.number]
    moments = [_moment(event, names, old, new, now_s) for event in fresh if event.code in MOMENT_OF_EVENT]
    return tuple(moments) + _skunks(after, names, new, now_s)


def _moment(event: Event, names: list[str], old: tuple[Peg, ...], new: tuple[Peg, ...], now_s: float) -> Moment:
    seat = _seat(names, event.args.get("player"))
    kind = MOMENT_OF_EVENT[event.code]
    if seat is None or seat >= len(old):
        return Moment(kind, now_s, seat)
    start = old[seat].provisional if kind in ("throw", "wipe_out") else old[seat].banked
    end = new[seat].provisional if kind == "throw" else new[seat].banked
    return Moment(kind, now_s, seat, start, end)


def _skunks(after: Snapshot, names: list[str], new: tuple[Peg, ...], now_s: float) -> tuple[Moment, ...]:
    """A loser of more than one game was skunked; it shows when the game is over."""
    if after.state is None or not after.state["outcome"] or not any(e.code == "game_over" for e in after.events[-4:]):
        return ()
    lost = after.state["outcome"]["games_lost"]
    seats = [seat for name, games in lost.items() if games > 1 and (seat := _seat(names, name)) is not None]
    return tuple(Moment("skunk", now_s, seat, new[seat].banked, new[seat].banked) for seat in seats)
