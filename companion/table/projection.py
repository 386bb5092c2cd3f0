"""Projection of the writer's state to the snapshot that everyone sees. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from companion.errors import Doubt
from companion.games.engine.game import Action, Outcome, State
from companion.games.engine.notation import header_line, line_of
from companion.games.engine.players import rule_of_thumb
from companion.games.engine.transcript import Change, race_of
from companion.games.engine.views.board import scores_ahead
from companion.games.engine.views.phrase import Phrase
from companion.games.registry import game_named, policy_for
from companion.table.evening.game_record import PlayedGame
from companion.table.evening.statistics import KINDS, turn_results
from companion.table.evolve import Record
from companion.table.snapshot import Highlight, Question, Side, Snapshot, TrayPlan
from companion.table.state import TableState
from companion.table.tray.interpret import Ask
from companion.table.tray.observation import values_of

MAX_EVENTS = 40
"""Most events in a snapshot, the newest of the LOG_LENGTH kept; the pages show no older ones. More: each message to
every phone grows. Fewer: the log is shorter, and a page that missed snapshots may not announce all that happened."""
MAX_THROWS = 24
"""Throws in a snapshot, newest kept; `GET /api/throws` has all. More: each message to every phone grows."""
REPLACED_NOTICES = frozenset({"throw", "decide", "throw_or_bank", "restored"})
"""Codes of notices that only say whose turn it is: in the bot's turn its own notice replaces them."""


def snapshot_of(table: TableState, last: Snapshot | None = None) -> Snapshot:
    """Return the snapshot of a table's state. The writer then sets `pulse`, the snapshot's version.

    If no journal entry was added since the earlier snapshot `last`, the fields that depend on the journal alone are
    copied from it.
    """
    if last is None or last.number != table.record.number:
        last = _journaled(table.record)
    lying = table.observation if table.memory.awake else None
    silent = table.notice is None or table.notice.code in REPLACED_NOTICES
    choices = table.choices
    return msgspec.structs.replace(
        last,
        phase=_phase(table),
        question=_question(*table.asked) if table.asked else None,
        notice=_bots_notice(table) if silent and table.bots_turn else table.notice,
        thrown=values_of(lying.thrown) if lying else (),
        kept=values_of(lying.kept) if lying else (),
        correction=table.offer,
        choice=line_of(choices[table.choice % len(choices)]) if choices else None,
    )


def _journaled(record: Record) -> Snapshot:
    """Return a snapshot with the fields that the journal alone determines, such as scores, throws and options.

    Other fields keep their defaults. Without a game only `number` and `tournament` are set.
    """
    game = record.game
    tournament = record.tournament.view(record.games) if record.tournament else None
    if game is None:
        return Snapshot(number=record.number, tournament=tournament)
    state = game.transcript.state
    policy, rules = policy_for(state), game_named(game.header.game)
    changes, options = race_of(game.transcript), () if game.abandoned else state.options()
    return Snapshot(
        number=record.number,
        game=game.header.game,
        header=header_line(game.header),
        state=game.view,
        sides=_sides(game, _backs(game, changes)),
        track=rules.track(state),
        panels=rules.panels(state),
        options=tuple(line_of(option) for option in options),
        option_points=tuple(_points_of(state, option) for option in options),
        rule_of_thumb=None if game.abandoned or game.terms.serious else _rule_of_thumb(state),
        safe_chance=None if game.abandoned or game.terms.serious else state.safe_chance,
        tray=TrayPlan(policy.dice_expected(state), policy.starts_afresh(state)),
        throws=game.throws[-MAX_THROWS:],
        events=game.log[-MAX_EVENTS:],
        race=tuple((change.side, change.score) for change in changes),
        highlights=_highlights(game) if state.standing.over else (),
        sitting=record.sitting,
        abandoned=game.abandoned,
        next_starter=game.next_starter,
        terms=game.terms,
        tournament=tournament,
    )


def _points_of(state: State, option: Action) -> int:
    """Return the points that the pages show beside the decision `option`.

    If the decision changes neither a score nor the side to play, these are the turn's points after it. Otherwise they
    are the change of the score of the side that decides.
    """
    before, after = state.standing, state.after(option).standing
    assert before.side is not None, "only a player has options"
    if after.side == before.side and after.scores == before.scores:
        return after.turn_points
    return after.scores[before.side] - before.scores[before.side]


def _rule_of_thumb(state: State) -> dict[str, Any] | None:
    """Return the choice of the rule of thumb as JSON: a decision, or `{"throw": N}` for N dice; None after the end."""
    if state.standing.to_play is None:
        return None
    choice = rule_of_thumb(state)
    return {"throw": choice} if isinstance(choice, int) else line_of(choice)


def _sides(game: PlayedGame, backs: Sequence[int]) -> tuple[Side, ...]:
    """Return a `Side` for each player or team of a game, in seat order.

    `backs` has the hole of each side's back peg.
    """
    standing, ahead = game.transcript.state.standing, scores_ahead(game.transcript.state)
    outcome = standing.outcome or Outcome((), (0,) * len(ahead))
    return tuple(
        Side(
            name=name,
            colour=game.colours[game.header.players[side]],
            score=standing.scores[side],
            ahead=ahead[side],
            back=backs[side],
            to_play=side == standing.side,
            won=side in outcome.winners,
            games_lost=outcome.games_lost[side],
        )
        for side, name in enumerate(standing.sides)
    )


def _backs(game: PlayedGame, changes: Sequence[Change]) -> list[int]:
    """Return the hole of each side's back peg: where its last gain began, 0 before the first."""
    rules = game_named(game.header.game)
    gains = {each.side: each.before for each in changes if each.score > each.before.standing.scores[each.side]}
    return [rules.track(gains[side]).pegs[side].banked if side in gains else 0 for side in range(len(game.sides))]


def _highlights(game: PlayedGame) -> tuple[Highlight, ...]:
    """Return the best turn and the costliest loss of a game, in that order; either may be missing.

    Of equal ones the earliest counts. `Highlight.throw` is the number of the last throw up to the turn's end. It is
    None without such a throw, or if the throw has no photo.
    """
    found = dict[str, Highlight]()
    for kind, _, side, points, line in turn_results(game.transcript):
        if points > (found[kind].points if kind in found else 0):
            thrown = next((each.thrown for each in reversed(game.lines[: line + 1]) if each.thrown), None)
            throw = thrown.number if thrown and thrown.photo else None
            found[kind] = Highlight(kind=kind, side=side, points=points, throw=throw)
    return tuple(found[kind] for kind in KINDS.values() if kind in found)


def _bots_notice(table: TableState) -> Phrase:
    """Return the notice of what the bot does in its turn: decide, throw virtual dice, or wait for people to throw.

    In the last two cases the notice also names the number of dice to throw, and the dice that stay, if any. Call this
    only in the bot's turn.
    """
    game, awaits = table.record.game, table.announced
    assert game is not None, "it is the bot's turn"
    state = game.transcript.state
    if awaits is None:
        return Phrase("house_decides", {"player": state.standing.player})
    staying = list(policy_for(state).staying(state))
    code = ("house_throws" if awaits.itself else "house_awaits") + ("_on" if staying else "")
    return Phrase(code, {"player": state.standing.player, "count": awaits.dice, "staying": staying})


def _phase(table: TableState) -> str:
    """Return the snapshot's phase.

    `over` if no game is in play, else `asking` if a question is open, else `settling` while dice move. At rest the
    phase is `read` if dice lie in the throw zone. It is `ready` if none do, or before the tray is observed after a
    start.
    """
    if table.playing is None or table.playing.over:
        return "over"
    if table.asked:
        return "asking"
    if table.moving:
        return "settling"
    return "read" if table.observation and table.observation.thrown and table.memory.awake else "ready"


def _question(number: int, ask: Ask) -> Question:
    """Return the question that asks the phones about a doubtful throw; `number` is its id.

    A question holds the doubt's code, the numbers of dice that the rules allow (`wanted`), and the photo's path, or
    None without a photo. For each die in the throw zone it holds the value read, the box and the confidence. If the
    doubt is `COUNT`, the dice in the keep zone follow.
    """
    dice = (*ask.observation.thrown, *ask.observation.kept) if ask.code == Doubt.COUNT else ask.observation.thrown
    return Question(
        id=number,
        code=ask.code,
        wanted=ask.wanted,
        values=tuple(die.value for die in dice),
        boxes_xywh=tuple(die.box_xywh for die in dice),
        confidences=tuple(die.confidence for die in dice),
        photo=f"/api/question.jpg?id={number}" if ask.observation.photo_jpeg else None,
    )
