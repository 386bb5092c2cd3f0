"""Lessons of Crapola: what its tutorial says about the last action and about what can be done now."""

from __future__ import annotations

from companion.games.crapola.state import Crapola
from companion.games.engine.views.phrase import Phrase

TURN_OVER = (
    ("last_round", "lesson.crapola_last_round"),
    ("reversed", "lesson.crapola_reversed"),
    ("crapped_out", "lesson.crapola_lost"),
    ("spent", "lesson.crapola_spent"),
    ("banked", "lesson.crapola_banked"),
)
"""Events that end a turn, each with the key of its lesson; the first that happened is explained."""


def lesson(state: Crapola) -> tuple[Phrase, ...]:
    """Return phrases of the tutorial, for someone who learns Crapola; empty after the end.

    Within a turn: what can be done now. At its start: how the last turn ended, then what is special about this one.
    """
    table, turn = state.table, state.turn
    if table.over:
        return ()
    if turn.phase == "keeping":
        return (Phrase("lesson.crapola_keep", {}),)
    args = {"points": turn.points, "least": table.least_bank}
    if turn.phase == "choosing":
        if turn.points < table.least_bank:
            return (Phrase("lesson.crapola_too_little", args),)
        if not turn.dice:
            return (Phrase("lesson.crapola_hot_dice", args),)
        return (Phrase("lesson.crapola_go_on", {**args, "count": len(turn.dice)}),)
    happened = {event.code: event.args for event in state.events}
    for code, key in TURN_OVER:
        if code in happened:
            return (Phrase(key, dict(happened[code])), *_this_turn(state))
    first = Phrase("lesson.crapola_enter" if table.least_bank else "lesson.crapola_first", args)
    return _this_turn(state) or (first,)


def _this_turn(state: Crapola) -> tuple[Phrase, ...]:
    """Return at most one phrase about what is special in the turn that begins; empty in most turns.

    Either that seven dice may be thrown, or, in the last round, how many points the player is behind the leader.
    """
    table = state.table
    if table.seven_allowed:
        return (Phrase("lesson.crapola_seventh", {}),)
    there = [seat for seat in range(len(table.totals)) if seat not in table.left]
    leader = max(there, key=lambda seat: table.totals[seat])
    behind = table.totals[leader] - table.totals[table.seat]
    if not table.last_round or not behind:
        return ()
    return (Phrase("hint.last_turn", {"points": behind, "name": table.header.players[leader]}),)
