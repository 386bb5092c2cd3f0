"""Lessons of Crib Dice: what its tutorial says about the last action and about what can be done now."""

from __future__ import annotations

from companion.games.crib_dice.scoring import set_score
from companion.games.crib_dice.state import CribDice
from companion.games.engine.views.phrase import Phrase

TURN_OVER = (
    ("eliminated", "lesson.crib_out"),
    ("fuchled", "lesson.crib_fuchled"),
    ("finished", "lesson.crib_home"),
    ("bombed", "lesson.crib_bombed"),
    ("piddle_lost", "lesson.crib_double"),
    ("wiped_out", "lesson.crib_wiped_out"),
    ("banked", "lesson.crib_banked"),
)
"""Events that end a turn, each with the key of its lesson; the first that happened is explained."""
BY_RULE = {
    ("lesson.crib_home", "find_a_loser"): "lesson.crib_home_free",
    ("lesson.crib_banked", "bomb"): "lesson.crib_moved",
    ("lesson.crib_banked", "bumping"): "lesson.crib_moved",
}
"""Key that replaces one of `TURN_OVER` where a house rule makes it untrue, by that key and the rule."""


def lesson(state: CribDice) -> tuple[Phrase, ...]:
    """Return phrases of the tutorial, for someone who learns Crib Dice; empty after the end.

    If the last action ended a turn, one phrase says how. Else they say what it did to the frozen dice, if anything, and
    what can be done now.
    """
    if state.board.over:
        return ()
    rules = state.board.header.rules
    happened = {event.code: event for event in state.events}
    for code, key in TURN_OVER:
        if code in happened:
            key = next((BY_RULE[key, rule] for rule, on in rules.items() if on and (key, rule) in BY_RULE), key)
            if rules["double_fuchle"] and code != "fuchled" and happened[code].side in state.board.fuchled:
                key = "lesson.crib_last_chance"
            return (Phrase(key, {**happened[code].args, "most": state.board.fuchle_at}),)
    turn = state.turn
    if turn.phase == "fresh":
        return (Phrase("lesson.crib_rollover" if turn.gathered else "lesson.crib_first", {"points": turn.gathered}),)
    if turn.phase == "naming":
        return (Phrase("lesson.crib_choose", {}),)
    if turn.phase == "again":
        return (Phrase("lesson.crib_again", {"value": turn.point}),)
    if turn.phase == "bombing":
        return (Phrase("lesson.crib_bombing", {}),)
    return (*_done(state, set(happened)), _choice(state))


def _done(state: CribDice, happened: set[str]) -> tuple[Phrase, ...]:
    """Return the tutorial's phrase on what the last action did to the frozen dice in Crib Dice.

    After the event `froze` it says that dice joined the set; after `point`, that a pair or a larger set was frozen;
    after `threw` alone, that a 1 kept the throw safe. Empty after any other action, without a point, or with all seven
    dice frozen. `happened` are the codes of the last action's events.
    """
    turn = state.turn
    if turn.point is None or turn.frozen == 7:
        return ()
    args = {"value": turn.point, "frozen": turn.frozen, "points": set_score(turn.frozen, turn.point)}
    if "froze" in happened:
        return (Phrase("lesson.crib_joined", args),)
    if "point" in happened:
        return (Phrase("lesson.crib_pair" if turn.frozen == 2 else "lesson.crib_set", args),)
    return (Phrase("lesson.crib_safe", args),) if "threw" in happened else ()


def _choice(state: CribDice) -> Phrase:
    """Return the phrase that explains the choice now: to stop, to bomb if that is allowed, or to throw on."""
    turn = state.turn
    args = {"value": turn.point, "points": turn.points}
    if "bomb" in state.decisions:
        return Phrase("lesson.crib_bomb" if state.bombs_at_once else "lesson.crib_announce", args)
    if turn.frozen == 7:
        return Phrase("lesson.crib_seven", args)
    return Phrase("lesson.crib_last_two" if turn.frozen >= 5 else "lesson.crib_go_on", args)
