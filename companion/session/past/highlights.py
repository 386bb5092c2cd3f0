"""What a game is remembered by: its best turn, and the turn that lost most."""

from __future__ import annotations

from companion.games.game import State
from companion.games.registry import game_named
from companion.session.played import PlayedGame
from companion.session.snapshot import Highlight

KINDS = {"banked": "best_turn", "wipe_out": "dearest_loss"}
"""By the moment that an event makes what the greatest of them is."""


def highlights(game: PlayedGame) -> tuple[Highlight, ...]:
    """The best turn and the dearest loss so far, in that order, the first of equals; without a loss only the turn."""
    rules, found, throw = game_named(game.header.game), dict[str, Highlight](), None
    states = _states(game)
    for line, state in zip(game.lines, states, strict=True):
        throw = line.thrown.number if line.thrown and line.thrown.photo else throw
        for event in state.events:
            kind, points = KINDS.get(rules.effect(event.code).moment or ""), int(event.args.get("points", 0))
            if kind and event.side is not None and points > (found[kind].points if kind in found else 0):
                found[kind] = Highlight(kind=kind, side=event.side, points=points, throw=throw)
    return tuple(found[kind] for kind in KINDS.values() if kind in found)


def _states(game: PlayedGame) -> list[State]:
    states, step = [], game.transcript
    while step.before is not None:
        states.append(step.state)
        step = step.before
    return states[::-1]
