"""Panels of Crapola: the target, a reversed direction of play, the dice set aside, and the tutorial's lessons."""

from __future__ import annotations

from dataclasses import replace

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
from companion.games.engine.views.phrase import Phrase

TURN_OVER = (
    ("last_round", "lesson.crapola_last_round"),
    ("reversed", "lesson.crapola_reversed"),
    ("crapped_out", "lesson.crapola_lost"),
    ("spent", "lesson.crapola_spent"),
    ("banked", "lesson.crapola_banked"),
)
"""Events that end a turn, each with the key of its lesson; the first that happened is explained."""


def panels(state: State) -> Panels:
    """Return what a page shows of a state of Crapola beside names, scores and the track.

    The panels have legal actions, loose and kept dice, notes, the target, the keep to select at first, and the lesson.
    Notes at the target announce the last round, and reversed play if more than two players remain. The note
    `player.not_on_board` marks each player who has not banked yet; a player who left has `player.left` instead. In a
    roll-off only the default panels, these two notes and the target are shown.
    """
    target = int(state.standing.header.rules["target"])
    if not isinstance(state, Crapola):
        nobody = notes_of(state, [("player.not_on_board", range(len(state.standing.sides)))])
        return replace(default_panels(state), notes=nobody, goal=Goal(target))
    totals, turn = state.totals, state.turn
    reversed_play = totals.direction == -1 and len(totals.points) - len(totals.left) > 2  # two take turns either way
    goal_notes = {"goal.anticlockwise": reversed_play, "goal.last_round": totals.last_round}
    keeps = [option.dice for option in state.options() if isinstance(option, Keep)]  # the largest is chosen at first
    off = [seat for seat, on in enumerate(totals.on_board) if not on]
    return Panels(
        can=allowed_phrases(state, {"keep": "can.keep", "stop": BANK_TEXT, "spend": "can.spend"}),
        dice=turn.dice,
        kept=turn.aside,
        notes=notes_of(state, [("player.not_on_board", off)]),
        goal=Goal(target, tuple(note for note, shown in goal_notes.items() if shown)),
        keeping=Keeping("set_aside", max(keeps, key=len)) if keeps else None,
        lesson=_lesson(state),
    )


def _lesson(state: Crapola) -> tuple[Phrase, ...]:
    """Return the tutorial's phrases for a state of Crapola; empty once the game is over.

    Within a turn: what the player can do now. At its start: how the last turn ended, then what is special about this
    one. If neither applies, as in the first turn: how a turn begins.
    """
    totals, turn = state.totals, state.turn
    if totals.over:
        return ()
    if turn.phase == "keeping":
        return (Phrase("lesson.crapola_keep", {}),)
    args = {"points": turn.points, "least": totals.least_bank}
    if turn.phase == "choosing":
        if turn.points < totals.least_bank:
            return (Phrase("lesson.crapola_too_little", args),)
        if not turn.dice:
            return (Phrase("lesson.crapola_hot_dice", args),)
        return (Phrase("lesson.crapola_go_on", {**args, "count": len(turn.dice)}),)
    happened = {event.code: event.args for event in state.events}
    for code, key in TURN_OVER:
        if code in happened:
            return (Phrase(key, dict(happened[code])), *_this_turn(state))
    first = Phrase("lesson.crapola_enter" if totals.least_bank else "lesson.crapola_first", args)
    return _this_turn(state) or (first,)


def _this_turn(state: Crapola) -> tuple[Phrase, ...]:
    """Return at most one phrase about what is special in the turn that begins; empty in most turns.

    The phrase says that seven dice may be thrown; else, in the last round, how many points the player is behind the
    leader.
    """
    totals = state.totals
    if totals.seven_allowed:
        return (Phrase("lesson.crapola_seventh", {}),)
    there = [seat for seat in range(len(totals.points)) if seat not in totals.left]
    leader = max(there, key=lambda seat: totals.points[seat])
    behind = totals.points[leader] - totals.points[totals.seat]
    if not totals.last_round or not behind:
        return ()
    return (Phrase("hint.last_turn", {"points": behind, "name": totals.header.players[leader]}),)
