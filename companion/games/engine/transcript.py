"""A game as its sequence of lines: append a line, undo lines, or correct one and replay the rest."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, NamedTuple

from companion.errors import IllegalAction
from companion.games.engine.event import Event
from companion.games.engine.game import Action, Header, Leave, State, Undo
from companion.games.engine.roll_off import RollOff
from companion.games.registry import game_named

GAME_OVER = Event("game_over")
"""Appended to the events of the line that ends a game."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """A game as its header, the lines in force, and the state after them.

    Immutable linked list: each transcript refers to the one before its last line, so an undo replays nothing.

    >>> from companion.games.engine.game import Throw
    >>> from companion.games.engine.notation import header_of
    >>> from companion.games.registry import GAMES
    >>> begun = Transcript.begin(header_of({"transcript": 1, "game": next(iter(GAMES)), "players": ["Ann", "Ben"]}))
    >>> thrown = begun.then(Throw((5, 5, 2, 2, 1, 4, 6)))
    >>> thrown.state.decisions, thrown.state.standing.player, thrown.then(Undo(1)).state == begun.state
    (('point',), 'Ann', True)

    Attributes:
        header: Set-up of the game.
        state: State after the last line in force.
        lines_read: Number of lines read: header, undo lines and lines taken back included. `line` in a view.
        line_count: Number of lines in force after the header.
        last: The last line in force; None right after the header.
        before: The transcript without that line; None right after the header.
    """

    header: Header
    state: State
    lines_read: int = 1
    line_count: int = 0
    last: Action | None = None
    before: Transcript | None = field(default=None, repr=False, compare=False)

    @classmethod
    def begin(cls, header: Header) -> Transcript:
        """Return a transcript of the header alone. Raises RulesError if the game refuses the header."""
        return cls(header, game_named(header.game).start(header))

    def then(self, action: Action | Undo) -> Transcript:
        """Return the transcript after one more line: an action is added; an undo takes back its `count` of lines.

        Raises IllegalAction if the action is illegal, or if an undo takes back more lines than there are.
        """
        if isinstance(action, Undo):
            if action.count > self.line_count:
                raise IllegalAction(f"No more lines can be taken back than stand: {self.line_count}.")
            return replace(self.steps[-1 - action.count], lines_read=self.lines_read + 1)
        state = self.state.after(action)
        return Transcript(self.header, state, self.lines_read + 1, self.line_count + 1, action, self)

    @property
    def steps(self) -> tuple[Transcript, ...]:
        """Transcripts of this game from the header alone to this one, one for each line in force."""
        steps = [self]
        while (before := steps[-1].before) is not None:
            steps.append(before)
        return tuple(reversed(steps))

    @property
    def actions(self) -> tuple[Action, ...]:
        """Lines in force after the header, oldest first."""
        return tuple(step.last for step in self.steps if step.last is not None)

    @property
    def events(self) -> tuple[Event, ...]:
        """Events of the last line in force, followed by `GAME_OVER` if the game has ended."""
        return (*self.state.events, GAME_OVER) if self.state.standing.over else self.state.events

    def turns(self) -> tuple[PlayedTurn, ...]:
        """Return the game's turns with at least one line, oldest first; the last one may not have ended.

        Lines of a roll-off belong to no turn.
        """
        turns, steps = list[PlayedTurn](), list[Transcript]()
        for before, after in pairwise(self.steps):
            if isinstance(before.state, RollOff):
                continue
            steps = [*(steps or [before]), after]
            now = after.state.standing
            if now.over or now.turn != before.state.standing.turn:
                turns.append(PlayedTurn(tuple(steps), ended=True))
                steps = []
        return (*turns, PlayedTurn(tuple(steps), ended=False)) if steps else tuple(turns)

    def view(self) -> dict[str, Any]:
        """Return the line number and the public fields of the state, as `pegpip replay --json` prints them."""
        return {"line": self.lines_read, **self.state.view()}


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """One turn of a game, as its part of the transcript.

    Attributes:
        steps: The transcript before the turn's first line, then after each of its lines.
        ended: Whether the turn is over.
    """

    steps: tuple[Transcript, ...]
    ended: bool

    @property
    def seat(self) -> int:
        """Seat whose turn it is."""
        seat = self.steps[0].state.standing.to_play
        assert seat is not None, "nothing is played after the end"
        return seat

    @property
    def player(self) -> str:
        """Name of the player whose turn it is."""
        return self.steps[0].header.players[self.seat]

    @property
    def gained(self) -> int:
        """Change of the score of the player's side during the turn, in points; negative for a loss."""
        before, after = self.steps[0].state.standing, self.steps[-1].state.standing
        side = before.side_of(self.seat)
        return after.scores[side] - before.scores[side]

    @property
    def abandoned(self) -> bool:
        """Whether a player who left ended the turn."""
        return self.ended and isinstance(self.steps[-1].last, Leave)


@dataclass(frozen=True, slots=True)
class Correction:
    """Result of replacing one line of a transcript.

    Attributes:
        transcript: The lines before, the new line, and the later lines that are still legal.
        refused: The first line that became illegal and all lines after it: index in the old `actions` (from 0), the
            line, and the reason.
    """

    transcript: Transcript
    refused: tuple[tuple[int, Action, str], ...] = ()


def corrected(transcript: Transcript, index: int, new_action: Action) -> Correction:
    """Return the transcript with one line replaced and the later lines played again, and the lines that were refused.

    Replay stops at the first line that the rules now refuse. Later lines could be legal by chance, but belong to
    another turn: they count as refused, too. `lines_read` of the new transcript counts the header and the lines in
    force only.

    Raises IllegalAction if `index`, from 0 in `transcript.actions`, is out of range, or the rules refuse the new line.
    """
    actions = transcript.actions
    if not 0 <= index < len(actions):
        raise IllegalAction(f"There is no line {index + 1} to correct; {len(actions)} stand.")
    replayed = Transcript.begin(transcript.header)
    for action in (*actions[:index], new_action):
        replayed = replayed.then(action)
    later = list(enumerate(actions))[index + 1 :]
    for step, (place, action) in enumerate(later, 1):
        try:
            replayed = replayed.then(action)
        except IllegalAction as refused:
            rest = ((*line, "It followed a line that no longer fits.") for line in later[step:])
            return Correction(replayed, ((place, action, str(refused)), *rest))
    return Correction(replayed)


class Change(NamedTuple):
    """A change of one score: the side, its new score in points, and the state before the change."""

    side: int
    score: int
    before: State


def race_of(transcript: Transcript) -> tuple[Change, ...]:
    """Return every change of a side's banked score in a game, oldest first.

    A `Change` holds the side, its new score, and the state before the line that changed it. Several changes by one line
    are in the order of the sides.
    """
    told = ((step.state, step.state.standing.scores) for step in transcript.steps)
    return tuple(
        Change(side, score, state)
        for (state, scores), (_, later) in pairwise(told)
        for side, (old, score) in enumerate(zip(scores, later, strict=True))
        if score != old
    )
