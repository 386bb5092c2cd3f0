"""Panels of Crib Dice: frozen dice, wipe-outs as notches, notes on the sides, and the lessons of the tutorial."""

from __future__ import annotations

from companion.games.crib_dice.scoring import set_score
from companion.games.crib_dice.state import CribDice
from companion.games.engine.game import NamePoint, State
from companion.games.engine.views.panels import (
    BANK_TEXT,
    Counter,
    Goal,
    Panels,
    allowed_phrases,
    default_panels,
    notes_of,
)
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


def panels(state: State) -> Panels:
    """Return what a page shows of Crib Dice beside names, scores and track; in a roll-off only the default panels.

    The panels have legal actions, loose and frozen dice, and a lesson. Each side has a count of its wipe-outs in a row.
    A side that left, is out, finished or fuchled (sent to hole 0 by wipe-outs) has a note. The page shows the turn
    points, except while a bomb is thrown: every bomb costs them. Once a side has finished, the panels announce the last
    round, unless the house rule `find_a_loser` is on.
    """
    if not isinstance(state, CribDice):
        return default_panels(state)
    turn, board = state.turn, state.board
    points = [option.value for option in state.options() if isinstance(option, NamePoint)]
    naming = (Phrase("can.point", {"values": points}),) if points else ()
    last_round = board.finished and not board.header.rules["find_a_loser"]
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
        goal=Goal(board.holes + 1, ("goal.last_round",)) if last_round else None,
        lesson=_lesson(state),
    )


def _throw(state: CribDice) -> str:
    """Return the key of the text for the next throw: bomb, piddle or ordinary."""
    if state.turn.phase == "bombing":
        return "can.bomb_throw"
    return "can.piddle" if state.throw_sizes == (2,) else "can.throw"


def _lesson(state: CribDice) -> tuple[Phrase, ...]:
    """Return the tutorial's phrases on Crib Dice, by the first case that applies; empty once the game is over.

    - The last action ended a turn (`TURN_OVER`): one phrase says how. With the house rule `double_fuchle` it may
      instead warn a side that one more wipe-out eliminates it.
    - The player must throw seven dice, repeat a piddle, throw a bomb, or name the point: one phrase says so.
    - Otherwise: the phrase of `_done`, if any, on what the last action did to the frozen dice. Then the phrase of
      `_choice` on what can be done now.
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
    """Return a tuple of one tutorial phrase on what the last action did to the frozen dice, or an empty tuple.

    The phrase says that the point was set, that dice were frozen, or that a throw changed nothing. The tuple is empty
    after any other action, and if seven dice or none are frozen. `happened` has the codes of the last action's events.
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
    """Return the phrase that explains the current choice; its arguments are the point and the turn's points.

    If a bomb is allowed, the phrase depends on whether it must be announced. Otherwise it depends on the number of
    frozen dice: seven, five or six, or fewer.
    """
    turn = state.turn
    args = {"value": turn.point, "points": turn.points}
    if "bomb" in state.decisions:
        return Phrase("lesson.crib_bomb" if state.bombs_at_once else "lesson.crib_announce", args)
    if turn.frozen == 7:
        return Phrase("lesson.crib_seven", args)
    return Phrase("lesson.crib_last_two" if turn.frozen >= 5 else "lesson.crib_go_on", args)
