"""Leaving a game: who may leave, and when the game ends by it. Rules: docs/reference/rules.md, "Leaving"."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from companion.errors import IllegalAction
from companion.games.engine.event import Event
from companion.games.engine.game import Leave, Standing, State


def seat_leaving(state: State, leave: Leave) -> int:
    """Return the seat of the player whom a `Leave` action names.

    Raises IllegalAction if the game is over, nobody in it has this name, or the player has already left.
    """
    standing = state.standing
    players = standing.header.players
    if standing.over:
        raise IllegalAction("The game is over; only an undo can follow.")
    if leave.player not in players:
        raise IllegalAction(f"{leave.player!r} is not in this game; there are {', '.join(players)}.")
    seat = players.index(leave.player)
    if seat in standing.left:
        raise IllegalAction(f"{leave.player} has already left.")
    return seat


def one_remains(seats: int, left: Set[int]) -> bool:
    """Return whether at least one player has left a game, and at most one remains, so that the game ends.

    `seats` is the number of players at the start; `left` holds the seats of those who left.

    >>> one_remains(3, {0}), one_remains(3, {0, 2}), one_remains(1, {0}), one_remains(1, set())
    (False, True, True, False)
    """
    return bool(left) and seats - len(left) <= 1


def turn_continues(before: State, after: State) -> bool:
    """Return whether the turn goes on after a player has left; False if the game is over.

    `before` and `after` are the states around the leaving. The turn goes on if both have the same seat to play and
    allow throws of the same numbers of dice.
    """
    to_play = after.standing.to_play
    return to_play is not None and (before.standing.to_play, before.throw_sizes) == (to_play, after.throw_sizes)


def leave_event(seat: int, side: int) -> Event:
    """Make the event of the player in `seat` of `side` leaving."""
    return Event("left", side, seat=seat)


def left_view(standing: Standing) -> dict[str, Any]:
    """Return the field `left` of a state view, names of players who left, as a dict. Empty if nobody has left."""
    return {"left": [standing.header.players[seat] for seat in sorted(standing.left)]} if standing.left else {}
