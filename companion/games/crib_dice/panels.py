"""Panels of Crib Dice: frozen dice, wipe-outs as notches, and sides that are out, finished or fuchled."""

from __future__ import annotations

from companion.games.crib_dice.lessons import lesson
from companion.games.crib_dice.state import CribDice
from companion.games.engine.game import NamePoint, State
from companion.games.engine.views.panels import BANK_TEXT, Counter, Panels, allowed_phrases, default_panels, notes_of
from companion.games.engine.views.phrase import Phrase


def panels(state: State) -> Panels:
    """Return what a page shows of Crib Dice beside the track; in a roll-off only the default panels."""
    return _panels_of(state) if isinstance(state, CribDice) else default_panels(state)


def _panels_of(state: CribDice) -> Panels:
    """Return what a page shows of a game beside the track: legal actions, loose dice, frozen dice and a lesson.

    Each side has a note if it is out, finished or fuchled, and a count of its wipe-outs in a row.
    """
    turn, board = state.turn, state.board
    points = [option.value for option in state.options() if isinstance(option, NamePoint)]
    naming = (Phrase("can.point", {"values": points}),) if points else ()
    return Panels(
        can=naming or allowed_phrases(state, {"stop": BANK_TEXT, "bomb": "can.bomb"}, _throw(state)),
        dice=tuple(die for die in turn.dice if die != turn.point),
        kept=turn.held,
        worth=turn.phase != "bombing",  # a bomb costs the turn's points, whether it succeeds or not
        notes=notes_of(
            state,
            [("player.out", board.out), ("player.finished", board.finished), ("player.fuchled", board.fuchled)],
        ),
        counters=(Counter("player.wipeouts", board.wipeouts, board.fuchle_at),),
        lesson=lesson(state),
    )


def _throw(state: CribDice) -> str:
    """Return the key of the text for the next throw: bomb, piddle or ordinary."""
    if state.turn.phase == "bombing":
        return "can.bomb_throw"
    return "can.piddle" if state.throw_sizes == (2,) else "can.throw"
