"""Project the writer's state to the snapshot that everyone sees. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from companion.games.engine.game import Action, Outcome, State
from companion.games.engine.notation import header_line, line_of
from companion.games.engine.players import careless
from companion.games.engine.race import Change, race_of
from companion.games.engine.views.board import scores_ahead
from companion.games.engine.views.phrase import Phrase
from companion.games.registry import game_named, policy_for
from companion.table.commands import HouseAwaits
from companion.table.evening.game_record import PlayedGame
from companion.table.evening.highlights import highlights
from companion.table.evening.sitting import next_starter
from companion.table.evolve import Record
from companion.table.snapshot import Offer, Question, Side, Snapshot, TrayPlan
from companion.table.terms import USUAL, Policies, policies_under
from companion.table.tray.interpret import Ask, Memory, values_of
from companion.table.tray.observation import Die, Observation

MAX_EVENTS = 40
"""Events in a snapshot, newest kept; a page asks for older ones."""
MAX_THROWS = 24
"""Throws in a snapshot, newest kept: bounds its size in a long game."""


@dataclass(frozen=True, slots=True)
class TableState:
    """The writer's whole state: the journaled record and what is known about the tray.

    Attributes:
        record: The state after the last journal entry.
        memory: What earlier observations of the tray have shown.
        observation: The last observation of the tray at rest.
        asked: Number and content of the open question.
        notice: What the table sees or waits for.
        offer: A correction that waits for confirmation.
        moving: Whether something moves in the tray.
        choice: How often the next button was pressed, to choose among the decisions that the bank button can make.
        house: The bot's announcement of dice to be thrown for it.
    """

    record: Record
    memory: Memory
    observation: Observation | None = None
    asked: tuple[int, Ask] | None = None
    notice: Phrase | None = None
    offer: Offer | None = None
    moving: bool = False
    choice: int = 0
    house: HouseAwaits | None = None

    @property
    def policies(self) -> Policies:
        """Tray policies under the game's terms."""
        game = self.record.game
        return policies_under(game.terms if game else USUAL)

    @property
    def choices(self) -> tuple[Action, ...]:
        """Decisions that the next button cycles through."""
        game = self.record.game
        if game is None or game.abandoned:
            return ()
        return policy_for(game.transcript.state).choices(game.transcript.state)

    @property
    def houses_turn(self) -> bool:
        """Whether it is the bot's turn."""
        game = self.record.game
        house = game.terms.house if game and not game.abandoned else None
        return game is not None and house is not None and game.transcript.state.standing.player == house.player


def staying(table: TableState) -> tuple[Die, ...]:
    """Dice in the tray that stay during the next throw, those in the keep zone first."""
    game, seen = table.record.game, table.observation
    if game is None or seen is None:
        return ()
    wanted, stay = list(policy_for(game.transcript.state).staying(game.transcript.state)), list[Die]()
    for die in (*seen.kept, *seen.thrown):
        if die.value in wanted:
            wanted.remove(die.value)
            stay.append(die)
    return tuple(stay)


def snapshot_of(table: TableState, last: Snapshot | None = None) -> Snapshot:
    """Build the snapshot of a state. The game part of `last` is reused if it has the same entry number."""
    if last is None or last.number != table.record.number:
        last = _journaled(table.record)
    lying = table.observation if table.memory.awake else None
    return msgspec.structs.replace(
        last,
        phase=_phase(table),
        question=_question(*table.asked) if table.asked else None,
        notice=_houses_notice(table) if table.houses_turn and _says_nothing(table.notice) else table.notice,
        thrown=values_of(lying.thrown) if lying else (),
        kept=values_of(lying.kept) if lying else (),
        correction=table.offer,
        choice=_choice(table),
    )


def _journaled(record: Record) -> Snapshot:
    game = record.game
    if game is None:
        return Snapshot(number=record.number)
    state = game.transcript.state
    policy, starter, rules = policy_for(state), starter_after(game), game_named(game.header.game)
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
        option_points=tuple(points_of(state, option) for option in options),
        rule_of_thumb=None if game.abandoned or game.terms.serious else _rule_of_thumb(state),
        safe_chance=None if game.abandoned or game.terms.serious else state.safe_chance,
        tray=TrayPlan(policy.dice_expected(state), policy.starts_afresh(state)),
        throws=game.throws[-MAX_THROWS:],
        events=game.log[-MAX_EVENTS:],
        race=tuple((change.side, change.score) for change in changes),
        highlights=highlights(game) if state.standing.over else (),
        sitting=record.sitting,
        abandoned=game.abandoned,
        next_starter=None if starter is None else game.header.players[starter],
        terms=game.terms,
    )


def points_of(state: State, option: Action) -> int:
    """What a decision brings who is on: the turn's points after it while the turn goes on, else the score's change."""
    before, after = state.standing, state.after(option).standing
    assert before.side is not None, "somebody decides"
    if after.side == before.side and after.scores == before.scores:
        return after.turn_points
    return after.scores[before.side] - before.scores[before.side]


def _rule_of_thumb(state: State) -> dict[str, Any] | None:
    if state.standing.to_play is None:
        return None
    choice = careless(state)
    return {"throw": choice} if isinstance(choice, int) else line_of(choice)


def _sides(game: PlayedGame, backs: Sequence[int]) -> tuple[Side, ...]:
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
    """Hole of each side's back peg: where its last gain began, 0 before the first."""
    rules = game_named(game.header.game)
    gains = {each.side: each.before for each in changes if each.score > each.before.standing.scores[each.side]}
    return [rules.track(gains[side]).pegs[side].banked if side in gains else 0 for side in range(len(game.sides))]


def starter_after(game: PlayedGame) -> int | None:
    """Seat of the player who starts the next game, skipping those who left; None until this game is over."""
    standing = game.transcript.state.standing
    if standing.outcome is None:
        return None
    seats = len(game.header.players)
    worst = next_starter(standing.scores, standing.outcome.games_lost, game.first, seats)
    return next((seat % seats for seat in range(worst, worst + seats) if seat % seats not in standing.left), worst)


def _choice(table: TableState) -> dict[str, Any] | None:
    choices = table.choices
    return line_of(choices[table.choice % len(choices)]) if choices else None


def restored(record: Record) -> Phrase | None:
    """Notice after a restart: the scores and whose turn it is; None without a game."""
    if record.game is None:
        return None
    return Phrase("restored", {"scores": record.game.view["scores"], "player": record.game.view["player"]})


def _says_nothing(notice: Phrase | None) -> bool:
    """Whether a notice only says whose turn it is, so that the bot's own notice may replace it."""
    return notice is None or notice.code in {"throw", "decide", "throw_or_bank", "restored"}


def _houses_notice(table: TableState) -> Phrase:
    game, awaits = table.record.game, table.house
    assert game is not None, "it is the house's turn"
    state = game.transcript.state
    if awaits is None:
        return Phrase("house_decides", {"player": state.standing.player})
    staying = list(policy_for(state).staying(state))
    code = ("house_throws" if awaits.itself else "house_awaits") + ("_on" if staying else "")
    return Phrase(code, {"player": state.standing.player, "count": awaits.dice, "staying": staying})


def _phase(table: TableState) -> str:
    game = table.record.game
    if game is None or game.abandoned or game.over:
        return "over"
    if table.asked:
        return "asking"
    if table.moving:
        return "settling"
    return "read" if table.observation and table.observation.thrown and table.memory.awake else "ready"


def _question(number: int, ask: Ask) -> Question:
    dice = (*ask.observation.thrown, *ask.observation.kept) if ask.code == "count" else ask.observation.thrown
    return Question(
        id=number,
        code=ask.code,
        wanted=ask.wanted,
        values=tuple(die.value for die in dice),
        boxes_xywh=tuple(die.box_xywh for die in dice),
        confidences=tuple(die.confidence for die in dice),
        photo=f"/api/question.jpg?id={number}" if ask.observation.photo_jpeg else None,
    )
