"""A game as the lines that made it: each line adds to it, an undo goes back along it, a correction replays it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from companion.errors import IllegalAction
from companion.games.engine.event import Event
from companion.games.engine.game import Action, Header, State, Undo
from companion.games.registry import game_named

GAME_OVER = Event("game_over")


@dataclass(frozen=True, slots=True)
class Transcript:
    """A header, the lines that stand, and the state after them.

    Each transcript keeps the one before its last line, so an undo is a few steps back and nothing is replayed.

    >>> from companion.games.engine.game import Throw
    >>> from companion.games.engine.notation import header_of
    >>> from companion.games.registry import GAMES
    >>> begun = Transcript.begin(header_of({"transcript": 1, "game": next(iter(GAMES)), "players": ["Ann", "Ben"]}))
    >>> thrown = begun.then(Throw((5, 5, 2, 2, 1, 4, 6)))
    >>> thrown.state.decisions, thrown.state.player, thrown.then(Undo(1)).state == begun.state
    (('point',), 'Ann', True)

    Attributes:
        lines_read: The header, every line since, undo lines and lines taken back: what `line` says in a view.
        standing: How many lines stand after the header.
        last: The last line that stands; None right after the header.
        before: The transcript without it.
    """

    header: Header
    state: State
    lines_read: int = 1
    standing: int = 0
    last: Action | None = None
    before: Transcript | None = field(default=None, repr=False, compare=False)

    @classmethod
    def begin(cls, header: Header) -> Transcript:
        """Just the header. Raises RulesError when its game can't be played so."""
        return cls(header, game_named(header.game).start(header))

    def then(self, action: Action | Undo) -> Transcript:
        """With one more line. Raises IllegalAction, and this transcript is as it was."""
        if isinstance(action, Undo):
            return self._taken_back(action.count)
        state = self.state.after(action)
        return Transcript(self.header, state, self.lines_read + 1, self.standing + 1, action, self)

    @property
    def steps(self) -> tuple[Transcript, ...]:
        """The transcript after its header alone, and after each line that stands."""
        steps = [self]
        while (before := steps[-1].before) is not None:
            steps.append(before)
        return tuple(reversed(steps))

    @property
    def actions(self) -> tuple[Action, ...]:
        """The lines that stand after the header, oldest first."""
        return tuple(step.last for step in self.steps if step.last is not None)

    @property
    def events(self) -> tuple[Event, ...]:
        """What the last line that stands brought about; the end of the game is the last of it."""
        return (*self.state.events, GAME_OVER) if self.state.over else self.state.events

    def view(self) -> dict[str, Any]:
        """The state's public fields as `pegpip replay --json` prints them."""
        return {"line": self.lines_read, **self.state.view()}

    def _taken_back(self, count: int) -> Transcript:
        if count > self.standing:
            raise IllegalAction(f"No more lines can be taken back than stand: {self.standing}.")
        step: Transcript = self
        for _ in range(count):
            assert step.before is not None, "as many steps lie before as lines stand"
            step = step.before
        return replace(step, lines_read=self.lines_read + 1)


@dataclass(frozen=True, slots=True)
class Correction:
    """A transcript with one line replaced, and what no longer fits behind it.

    Attributes:
        transcript: The lines before, the new line, and those after it that still stand.
        refused: From the first line that became illegal on, all that follow: index (from 0, of the old transcript's
            `actions`), the line, and why: for the first the rules' message, for the rest that they followed it.
    """

    transcript: Transcript
    refused: tuple[tuple[int, Action, str], ...] = ()


def corrected(transcript: Transcript, index: int, new_action: Action) -> Correction:
    """Replaces the line at `index` (from 0, of `actions`) and replays what followed.

    Replaying stops at the first line that the rules now refuse: what came after it was played from a state that never
    was, and a later line that happens to be legal again would be somebody else's turn. All of those are in `refused`.
    The new transcript counts its lines afresh: `lines_read` is as if it had been played so from the start.

    Raises:
        IllegalAction: There is no such line, or the rules refuse the new one there.
    """
    actions = transcript.actions
    if not 0 <= index < len(actions):
        raise IllegalAction(f"There is no line {index + 1} to correct; {len(actions)} stand.")
    replayed = Transcript.begin(transcript.header)
    for action in actions[:index]:
        replayed = replayed.then(action)
    replayed = replayed.then(new_action)
    for place in range(index + 1, len(actions)):
        try:
            replayed = replayed.then(actions[place])
        except IllegalAction as refused:
            rest = tuple(
                (later, actions[later], "It followed a line that no longer fits.")
                for later in range(place + 1, len(actions))
            )
            return Correction(replayed, ((place, actions[place], str(refused)), *rest))
    return Correction(replayed)
