"""Decide what a command does: `decide` is a pure function from the state and a command to steps.

The writer takes the steps in order (`companion.table.writer`). An error leaves nothing done.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, assert_never

from companion.errors import Doubt, IllegalAction, StaleAction
from companion.games.engine.game import Action, Leave, Throw, Undo
from companion.games.engine.leaving import turn_continues
from companion.games.engine.notation import action_of, header_line, header_of, line_of
from companion.games.engine.tray_policy import waiting_notice
from companion.table import commands as c
from companion.table.evening.sitting import chosen_colours
from companion.table.evening.tournament import body_of, entry_of
from companion.table.evolve import correction_of
from companion.table.snapshot import Offer
from companion.table.state import Changes, Now, Step, TableState
from companion.table.terms import terms_line, terms_of
from companion.table.tray import interpret
from companion.table.tray.interpret import Interpretation
from companion.table.tray.question import outranks

SETTLED_BY_BANKING = frozenset({Doubt.COUNT, Doubt.FOUND, Doubt.MOVED})
"""Doubts whose question the bank button drops: the dice may be the next player's throw. Others block banking."""


def decide(state: TableState, command: c.Command, now: Now) -> tuple[Step, ...]:
    """Return the steps that carry out a command, in order: new states and drafts of journal entries. A pure function.

    Raises:
        StaleAction: The command's snapshot, question, bot's turn or offered correction is no longer current.
        IllegalAction, NotationError, RulesError: The rules refuse it.
    """
    number = getattr(command, "number", None)
    if number is not None and number != state.record.number:
        raise StaleAction(f"The table is at {state.record.number}, the command was made at {number}.")
    changes = Changes(state, now)
    match command:
        case c.Observe() | c.OverlookTray() | c.NoteMotion() | c.Tick():
            changes = _tray_reported(changes, command)
        case c.PlayLine(line=line):
            changes = _played(changes, action_of(line))
        case c.PressButton(button=button):
            changes = _pressed(changes, button)
        case c.Answer():
            changes = _answered(changes, command)
        case c.BotDecides() | c.BotAwaits():
            changes = _bot_acted(changes, command)
        case c.BeginTournament() | c.LeaveTournament() | c.EndTournament():
            changes = changes.enter(*entry_of(state.record.tournament, state.record.games, command))
        case _:
            changes = _managed(changes, command)
    return changes.steps


def _tray_reported(changes: Changes, command: c.Reporting) -> Changes:
    """Return `changes` with a report on the tray noted, and what follows from it.

    In a game an observation or passing time is interpreted: lines are played, or people are asked. Motion,
    `OverlookTray` and a report without an observation only change the state. Time does nothing without a game, or while
    people are asked or dice move.
    """
    state, game = changes.state, changes.state.playing
    match command:
        case c.NoteMotion(moving):
            if not moving and game is not None and state.memory.empty_since_s is not None:  # no evidence of a bank
                memory = replace(state.memory, empty_since_s=None)
                state = replace(state, memory=memory, notice=waiting_notice(game.transcript.state))
            return changes.note(replace(state, moving=moving))
        case c.Tick():
            if game is None or state.asked or state.moving:
                return changes
            return _interpreted(changes, interpret.tick(state.situation(game, state.memory.seen(changes.now.clock_s))))
        case c.Observe(observation) | c.OverlookTray(observation):
            state = replace(state, observation=observation, moving=False)
            if game is not None and observation is not None and isinstance(command, c.Observe):
                return _interpreted(changes.note(state), interpret.interpret(state.situation(game, observation)))
            deciding = game is not None and bool(game.transcript.state.options())
            return changes.note(replace(state, memory=state.memory.overlooked(observation, deciding)))


def _reinterpreted(changes: Changes) -> Changes:
    """Return `changes` with the steps of interpreting the tray again; without dice in it only the notice changes."""
    game, observation = changes.game, changes.state.observation
    if observation is None or not (observation.thrown or observation.kept):
        return changes.note(replace(changes.state, notice=waiting_notice(game.transcript.state)))
    return _interpreted(changes, interpret.reinterpret(changes.state.situation(game, observation)))


def _interpreted(changes: Changes, outcome: Interpretation) -> Changes:
    """Return `changes` after an interpretation of the tray: first its transcript lines are added, then its question.

    - `outcome.settled`, a clear throw, closes an open question.
    - `outcome.cleared`, no throw after all, closes a question that rests on a doubtful motion of the dice.
    - Else an open question stays, and the transcript lines of the outcome are dropped.

    A new question replaces one that stays open, unless the open one outranks it (`outranks`).
    """
    before, armed = changes.state.asked, changes.state.memory.armed
    if before and outcome.cleared and before[1].memory.doubted is not None:
        before = None
    if before and not outcome.settled:
        # While a throw is in question nothing after it is played; the answer interprets the tray again.
        outcome = replace(outcome, lines=(), memory=replace(outcome.memory, armed=armed))
    for place, action in enumerate(outcome.lines):
        throws = any(isinstance(later, Throw) for later in outcome.lines[place:])
        # An empty tray that could not be banked stays armed: it banks once there is room.
        fallback = replace(outcome.memory, rolled=throws, armed=(armed or outcome.memory.armed) and not throws)
        changes = changes.line(action, "camera", changes.state.observation, fallback)
    asked, questions, ask = None if outcome.settled else before, changes.state.questions, outcome.ask
    if ask and not (asked and outranks(asked[1], ask)):
        questions += 1
        doubted = (asked[1] if asked else ask).memory.doubted
        asked = (questions, replace(ask, memory=replace(ask.memory, doubted=doubted)))
    notice = outcome.notice or waiting_notice(changes.game.transcript.state)
    return changes.note(replace(changes.state, memory=outcome.memory, notice=notice, asked=asked, questions=questions))


def _played(changes: Changes, action: Action | Undo) -> Changes:
    """Return `changes` with the steps for an action by phone: a throw, a decision, an undo or a leaving player.

    - After a throw or an undo, or if leaving ends the turn, the tray's dice are ignored until they change.
    - If the turn goes on after a player left, the tray's dice still count for it.
    - After a decision the tray is interpreted again.

    Raises IllegalAction if the action is refused.
    """
    before = changes.game.transcript.state
    match action:
        case Undo():
            return _undone(changes, action)
        case Leave():
            changes = changes.line(action, "hand")
            # While the turn goes on, the dice in the tray and the question about them belong to another player.
            return changes if turn_continues(before, changes.game.transcript.state) else changes.ignore_tray()
        case Throw():
            return changes.line(action, "hand").ignore_tray()
        case _:
            return _decided(changes.line(action, "hand"))


def _decided(changes: Changes) -> Changes:
    """Return `changes`, which end with a person's or the bot's decision, with the tray interpreted again."""
    state = replace(changes.state, memory=changes.state.memory.decided(), asked=None)
    return _reinterpreted(changes.note(state))


def _undone(changes: Changes, undo: Undo) -> Changes:
    """Return `changes` after an undo of `undo.count` lines; the tray's dice are then ignored until they change.

    With a count of 1, an abandoned game is resumed instead, and a game without lines is withdrawn, as if never started.
    Raises RulesError if the undo is refused.
    """
    game = changes.game
    if undo.count == 1 and (game.abandoned or not game.lines):
        return changes.enter("resumed" if game.abandoned else "withdrawn", {}).ignore_tray()
    return changes.line(undo, "hand").ignore_tray()


def _pressed(changes: Changes, button: str) -> Changes:
    """Return `changes` with the steps for a button: `bank`, `undo` (one line), or `next`.

    `bank` plays the selected decision; if no decisions are offered, it banks the turn. `next` selects the next of the
    offered decisions; if there are none, it starts the next game. Raises RulesError if the action is refused.
    """
    if button == "bank":
        return _banked(changes)
    if button == "undo":
        return _undone(changes, Undo(1))
    if changes.state.choices:
        return changes.note(replace(changes.state, choice=changes.state.choice + 1))
    return _next_game(changes)


def _banked(changes: Changes) -> Changes:
    """Return `changes` with the steps for the bank button: play the selected decision; if there is none, bank.

    Where the game needs it, the keep of the dice set aside is played before the bank (`interpret.banking`). Then the
    open question is dropped, and the tray is interpreted again. Raises IllegalAction if the decision is illegal,
    nothing can be banked, or the open question's code is not in SETTLED_BY_BANKING.
    """
    asked, choices, lines = changes.state.asked, changes.state.choices, tuple[Action, ...]()
    if asked and asked[1].code not in SETTLED_BY_BANKING:
        raise IllegalAction("A throw is in question: answer that first.")
    if choices:
        lines = (choices[changes.state.choice % len(choices)],)
    elif not changes.game.abandoned:
        seen = changes.state.memory.seen(changes.now.clock_s)
        lines = interpret.banking(changes.state.situation(changes.game, seen))
    if not lines:
        raise IllegalAction("There is nothing that could be banked now.")
    for action in lines:
        changes = changes.line(action, "button")
    memory = replace(changes.state.memory.decided(), armed=False, empty_since_s=None)
    return _reinterpreted(changes.note(replace(changes.state, memory=memory, asked=None)))


def _answered(changes: Changes, command: c.Answer) -> Changes:
    """Return `changes` with a person's answer to the open question about the dice in the tray.

    The dice values in `command.values` are played as a throw, after decisions that the keep zone implies. None means
    that the dice were no throw: nothing is played. Then the newest observation is interpreted again, which may ask a
    new question. Raises StaleAction if the question is closed, IllegalAction for a refused throw.
    """
    state, game, asked = changes.state, changes.state.playing, changes.state.asked
    if asked is None or game is None or asked[0] != command.question:
        raise StaleAction("That question is no longer open.")
    ask, memory = asked[1], state.memory
    later = memory.rolled and memory.rolls != ask.memory.rolls  # another roll waits behind the one in question
    if command.values is not None:
        then = replace(state, memory=ask.memory).situation(game, ask.observation)
        for action in interpret.answered(then, command.values):
            changes = changes.line(action, "answered", ask.observation)
        memory = memory.entered(command.values)
    memory = replace(memory, rolled=later, doubted=None)
    changes = _reinterpreted(changes.note(replace(changes.state, memory=memory, asked=None)))
    after = changes.state
    if after.notice and after.notice.code == "unclear" and after.observation == ask.observation and not after.asked:
        # The answer has just settled what was unclear.
        return changes.note(replace(after, notice=waiting_notice(changes.game.transcript.state)))
    return changes


def _bot_acted(changes: Changes, command: c.BotDecides | c.BotAwaits) -> Changes:
    """Return `changes` with the steps for the bot's decision, or its announcement that dice are to be thrown for it.

    Raises StaleAction unless the bot may act now; IllegalAction for a throw, an undo, or a decision against the rules.
    """
    if not changes.state.bots_turn or changes.state.asked or changes.state.offer:
        raise StaleAction("It is not the bot's turn to act.")
    if isinstance(command, c.BotAwaits):
        return changes.note(replace(changes.state, announced=command))
    action = action_of(command.line)
    if isinstance(action, Throw | Undo):
        raise IllegalAction("The bot decides; its dice are thrown like everyone's.")
    return _decided(changes.line(action, "house"))


def _managed(changes: Changes, command: c.Managing) -> Changes:
    """Return `changes` with the steps for a command that starts, ends or corrects a game, or ends the sitting.

    Raises RulesError if the set-up or the game's state refuses it (IllegalAction, NotationError), and StaleAction if an
    offered correction is gone.
    """
    match command:
        case c.StartGame():
            return _started(changes, command)
        case c.NextGame():
            return _next_game(changes)
        case c.Abandon():
            if changes.game.over:
                raise IllegalAction("This game is over: it has its result.")
            return changes.enter("abandoned", {}).ignore_tray()
        case c.EndSitting():
            return changes.enter("sitting_ended", {})
        case c.CorrectThrow(throw=throw, values=values):
            return _corrected(changes, throw, values)
        case c.ConfirmCorrection():
            return _confirmed(changes, command)
        case _:
            assert_never(command)


def _started(changes: Changes, command: c.StartGame) -> Changes:
    """Return `changes` with the entry of a new game; dice in the tray are ignored until they change.

    A running game stays unfinished. The new game joins the last sitting if it has the same players and that sitting was
    not ended. Otherwise a new sitting begins, and undo reaches back only to the games of the sitting before. Raises
    RulesError for a wrong header, terms or colours.
    """
    record, header = changes.state.record, header_of(command.header)
    sitting = oldest = record.number + 1
    worn = dict[str, int]()
    if record.games:
        last, worn = record.games[-1], record.games[-1].colours
        goes_on = last.sitting != record.ended and set(last.header.players) == set(header.players)
        sitting = last.sitting if goes_on else sitting
        # A new sitting keeps only the games of the sitting before it; undo reaches no others.
        oldest = next(game.number for game in record.games if goes_on or game.sitting == last.sitting)
    body = {
        "header": header_line(header),
        "sitting": sitting,
        "horizon": oldest,
        "colours": chosen_colours(worn, command.colours or {}, header.players),
    }
    tournament = record.tournament and body_of(record.tournament)
    optional = {"terms": terms_line(terms_of(command.terms, header)), "ended": record.ended, "tournament": tournament}
    body |= {name: value for name, value in optional.items() if value}
    return changes.enter("game", body).ignore_tray()


def _next_game(changes: Changes) -> Changes:
    """Return `changes` with the steps that start the same game again.

    The finished game's `next_starter` begins, without a roll-off. After an abandoned game, the player who began it
    begins again; if its roll-off had not decided, the roll-off is repeated. Raises IllegalAction if the game is still
    on, or before the first game.
    """
    game = changes.game
    if not (game.over or game.abandoned):
        raise IllegalAction("This game is not over; finish or abandon it first.")
    starter = game.next_starter or game.starter
    header = replace(game.header, first=starter, roll_off=starter is None)
    return _started(changes, c.StartGame(header=header_line(header), terms=terms_line(game.terms)))


def _corrected(changes: Changes, throw: int, values: tuple[int, ...]) -> Changes:
    """Return `changes` with a correction added: the throw numbered `throw` gets `values`.

    If later lines would become illegal, an `Offer` of the correction is added instead, which people may confirm. Raises
    NotationError if the values are no dice, IllegalAction if the correction is impossible.
    """
    action = action_of({"throw": list(values)})
    assert isinstance(action, Throw), "made as one"
    game, index, result = correction_of(changes.state.record.games, throw, action.dice)
    if not result.refused:
        return _correction_entered(changes, {"throw": throw, "values": list(action.dice), "dropped": []})
    thrown = game.lines[index].thrown
    assert thrown is not None, "found by the number of its throw"
    dropped = tuple({"line": line_of(line), "why": why} for _, line, why in result.refused)
    number = changes.state.questions + 1
    offer = Offer(id=number, throw=throw, was=thrown.values, values=tuple(sorted(action.dice)), dropped=dropped)
    return changes.note(replace(changes.state, offer=offer, questions=number))


def _confirmed(changes: Changes, command: c.ConfirmCorrection) -> Changes:
    """Return `changes` with the offered correction applied, or, if `command.accept` is False, the offer withdrawn.

    Raises StaleAction unless `command.offer` is the id of the offer that is open now.
    """
    offer = changes.state.offer
    if offer is None or offer.id != command.offer:
        raise StaleAction("That correction is no longer on offer; play went on.")
    if not command.accept:
        return changes.note(replace(changes.state, offer=None))
    dropped = [each["line"] for each in offer.dropped]
    return _correction_entered(changes, {"throw": offer.throw, "values": list(offer.values), "dropped": dropped})


def _correction_entered(changes: Changes, body: dict[str, Any]) -> Changes:
    """Return `changes` with a correction journaled; if it changes the game on the table, the tray is ignored."""
    before = changes.game.transcript
    changes = changes.enter("correction", body)
    return changes if changes.game.transcript is before else changes.ignore_tray()
