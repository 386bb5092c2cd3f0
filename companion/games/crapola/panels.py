"""Panels of Crapola: the target, the direction of play and the dice set aside."""

from __future__ import annotations

from companion.games.crapola.lessons import lesson
from companion.games.crapola.state import Crapola
from companion.games.engine.game import Keep, State
from companion.games.engine.views.panels import (
    BANK_TEXT,
    Goal,
    Keeping,
    Panels,
    allowed_phrases,
    default_panels,
    notes_of,
)


def panels(state: State) -> Panels:
    """Return what a page shows of a state of Crapola beside the track: legal actions, dice, notes and the target.

    Each player who has not banked yet has the note `player.not_on_board`. During the roll-off before the game every
    player has it, and no dice are shown.
    """
    target = int(state.standing.header.rules["target"])
    if not isinstance(state, Crapola):
        nobody = notes_of(state, [("player.not_on_board", range(len(state.standing.sides)))])
        return Panels(can=default_panels(state).can, notes=nobody, goal=Goal(target, ("goal.clockwise",)))
    table, turn = state.table, state.turn
    way = "goal.clockwise" if table.direction == 1 else "goal.anticlockwise"
    off = [seat for seat, on in enumerate(table.on_board) if not on]
    return Panels(
        can=allowed_phrases(state, {"keep": "can.keep", "stop": BANK_TEXT, "spend": "can.spend"}),
        dice=turn.dice,
        kept=tuple(die for kept in turn.kept for die in kept),
        notes=notes_of(state, [("player.not_on_board", off)]),
        goal=Goal(target, (way, "goal.last_round") if table.last_round else (way,)),
        keeping=_keeping(state),
        lesson=lesson(state),
    )


def _keeping(state: Crapola) -> Keeping | None:
    """Return the choice of dice to keep, with the largest legal keep selected at first; None if no keep is due."""
    keeps = [option.dice for option in state.options() if isinstance(option, Keep)]
    return Keeping("set_aside", max(keeps, key=len)) if keeps else None
