"""Highlights of a game: its best turn and its dearest loss."""

from __future__ import annotations

from companion.table.evening.game_record import PlayedGame
from companion.table.evening.turns import KINDS, turn_results
from companion.table.snapshot import Highlight


def highlights(game: PlayedGame) -> tuple[Highlight, ...]:
    """Return the best turn and the dearest loss of a game so far, in that order; the earliest of equal ones.

    A game without a bank or without a loss lacks that highlight.
    """
    found = dict[str, Highlight]()
    for kind, _, side, points, line in turn_results(game.transcript):
        if points > (found[kind].points if kind in found else 0):
            photographed = [each.thrown.number for each in game.lines[: line + 1] if each.thrown and each.thrown.photo]
            throw = photographed[-1] if photographed else None
            found[kind] = Highlight(kind=kind, side=side, points=points, throw=throw)
    return tuple(found[kind] for kind in KINDS.values() if kind in found)
