"""Who may leave a game, and when so many have left that it is over. docs/reference/rules.md, "Leaving"."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from companion.errors import IllegalAction
from companion.games.engine.event import Event
from companion.games.engine.game import Header, Leave, State

NOBODY: frozenset[int] = frozenset()


def leaver(state: State, leave: Leave) -> int:
    """The seat of who leaves. Raises IllegalAction: the game is over, he is not in it, or has left."""
    players = state.header.players
    if state.over:
        raise IllegalAction("The game is over; only an undo can follow.")
    if leave.player not in players:
        raise IllegalAction(f"{leave.player!r} is not in this game; there are {', '.join(players)}.")
    seat = players.index(leave.player)
    if seat in state.left:
        raise IllegalAction(f"{leave.player} has already left.")
    return seat


def one_remains(seats: int, left: Set[int]) -> bool:
    """Whether so many of those seats have left that one remains, or of one nobody.

    >>> one_remains(3, {0}), one_remains(3, {0, 2}), one_remains(1, {0}), one_remains(1, set())
    (False, True, True, False)
    """
    return bool(left) and seats - len(left) <= 1


def turn_goes_on(before: State, after: State) -> bool:
    """Whether the turn that was on when somebody left is on still, as it was."""
    return not after.over and (before.to_play, before.throw_sizes) == (after.to_play, after.throw_sizes)


def has_left(seat: int, side: int) -> Event:
    """Somebody left, of that side."""
    return Event("left", side, seat=seat)


def left_view(header: Header, left: Set[int]) -> dict[str, Any]:
    """The field of a transcript's state that names who has left; none before somebody has."""
    return {"left": [header.players[seat] for seat in sorted(left)]} if left else {}
