"""The writer's state, and the steps that change it, collected in `Changes`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from secrets import randbelow
from typing import Any, NamedTuple

from companion.errors import IllegalAction
from companion.games.engine.game import Action, Throw, Undo
from companion.games.engine.notation import line_of
from companion.games.engine.tray_policy import waiting_notice
from companion.games.engine.views.phrase import Phrase
from companion.games.registry import policy_for
from companion.table.commands import BotAwaits
from companion.table.evening.game_record import PlayedGame
from companion.table.evolve import Record, evolve
from companion.table.journal import Entry
from companion.table.photos import digest_of
from companion.table.snapshot import Offer, Thrown
from companion.table.terms import policies_under
from companion.table.tray.interpret import BANK_AFTER_S, Ask, Situation
from companion.table.tray.memory import Memory
from companion.table.tray.observation import Die, Observation, reading_record

QUESTION_RANGES = 2**40
"""Number of ranges of 1,000 question numbers; each start begins at a random one. Fewer: an answer from before a restart
more likely fits a new question. Above 2**43, numbers exceed JavaScript's exact integers."""
CHECK_SCORES = "Check the scores before you play on, and enter what is missing by hand."
"""Advice after a start with a damaged journal."""


class Now(NamedTuple):
    """Time at which a command is carried out: on the table's monotonic clock, and in seconds since 1970."""

    clock_s: float
    wall_s: float


@dataclass(frozen=True, slots=True)
class TableState:
    """The writer's whole state: the journaled record, and what a restart forgets.

    Attributes:
        memory: What earlier observations of the tray have shown.
        observation: The last observation of the tray at rest.
        asked: Number and content of the open question.
        choice: Presses of the next button, which cycle through the decisions that the bank button can make.
        announced: The bot's announcement that dice are to be thrown for it; None before the first.
        questions: Number of the last question or offer; the next one gets the number after it.
    """

    record: Record
    memory: Memory
    observation: Observation | None = None
    asked: tuple[int, Ask] | None = None
    notice: Phrase | None = None
    offer: Offer | None = None
    moving: bool = False
    choice: int = 0
    announced: BotAwaits | None = None
    questions: int = 0

    @classmethod
    def restarted(cls, record: Record, damage: str | None) -> TableState:
        """Return the state at the start of the program, before the tray is observed.

        The notice reports the journal's `damage`, if any; else, if a game is on, the scores and whose turn it is; else
        it is None. Questions are numbered from a random multiple of 1000, so that an old answer or cached photo is most
        unlikely to fit a new one.
        """
        game, memory = record.game, Memory()
        notice = Phrase("ill", {"what": damage, "cure": CHECK_SCORES}) if damage else None
        if game:
            state, last_values = game.transcript.state, game.throws[-1].values if game.throws else ()
            memory = Memory(last_values=last_values, kept_before=policy_for(state).staying(state))
            if not (game.over or game.abandoned):
                notice = notice or Phrase("restored", {key: game.view[key] for key in ("scores", "player")})
        return cls(record, memory, notice=notice, questions=1000 * randbelow(QUESTION_RANGES))

    @property
    def throws(self) -> tuple[Thrown, ...]:
        """Every throw of the current game, oldest first."""
        return self.record.game.throws if self.record.game else ()

    @property
    def game_number(self) -> int:
        """Number of the current game, that of its first journal entry; 0 before the first game."""
        return self.record.games[-1].number if self.record.games else 0

    @property
    def playing(self) -> PlayedGame | None:
        """The game on the table, unless it was abandoned. A finished game counts."""
        game = self.record.game
        return game if game and not game.abandoned else None

    @property
    def choices(self) -> tuple[Action, ...]:
        """Decisions that the next button cycles through, and of which the bank button plays one; often none."""
        game = self.playing
        return policy_for(game.transcript.state).choices(game.transcript.state) if game else ()

    @property
    def bots_turn(self) -> bool:
        """Whether it is the bot's turn."""
        game = self.playing
        return bool(game and game.terms.house and game.transcript.state.standing.player == game.terms.house.player)

    @property
    def staying(self) -> tuple[Die, ...]:
        """Dice last observed in the tray that the next throw leaves there, those in the keep zone first.

        Empty without a game or an observation.
        """
        game, seen = self.record.game, self.observation
        if game is None or seen is None:
            return ()
        wanted, stay = list(policy_for(game.transcript.state).staying(game.transcript.state)), list[Die]()
        for die in (*seen.kept, *seen.thrown):
            if die.value in wanted:
                wanted.remove(die.value)
                stay.append(die)
        return tuple(stay)

    @property
    def bank_due_s(self) -> float | None:
        """Time on the table's clock at which the empty tray banks; None while it can't, for example with dice in it."""
        memory = self.memory
        waits = memory.armed and not self.moving and not self.asked and self.playing is not None
        return memory.empty_since_s + BANK_AFTER_S if waits and memory.empty_since_s is not None else None

    def situation(self, game: PlayedGame, observation: Observation) -> Situation:
        """Return the input for interpreting the tray as observed, during the game on the table."""
        return Situation(game.transcript.state, self.memory, observation, policies_under(game.terms))

    def after(self, entry: Entry) -> TableState:
        """Return the state after a journal entry, which also clears offer, choice and announcement.

        Raises RulesError if the rules refuse the entry.
        """
        return replace(self, record=evolve(self.record, entry), offer=None, choice=0, announced=None)


@dataclass(frozen=True, slots=True)
class Draft:
    """A step that must be journaled before it counts: the photo of its throw is written first, then the entry.

    `fallback` is the memory to go on with if the entry can't be written: its throw waits there. None: the present one.
    """

    entry: Entry
    photo_jpeg: bytes | None = None
    fallback: Memory | None = None


Step = TableState | Draft
"""A step of `decide`: the writer takes over a state, all but its record, and journals a `Draft`."""


@dataclass(frozen=True, slots=True)
class Changes:
    """The steps decided so far, in order, and the state after them; `now` is the time of the command.

    A method that adds a step returns new `Changes` that end with it.
    """

    state: TableState
    now: Now
    steps: tuple[Step, ...] = ()

    @property
    def game(self) -> PlayedGame:
        """The game on the table, or the last one. Raises IllegalAction before the first."""
        game = self.state.record.game
        if game is None:
            raise IllegalAction("No game has been started yet.")
        return game

    def note(self, state: TableState) -> Changes:
        """Return the changes with one more step, which leads to the given state and is not journaled."""
        return replace(self, state=state, steps=(*self.steps, state))

    def enter(
        self,
        kind: str,
        body: dict[str, Any],
        throw: int | None = None,
        jpeg: bytes | None = None,
        fallback: Memory | None = None,
    ) -> Changes:
        """Return the changes with one more step, the `Draft` of a journal entry, and with the state after the entry.

        Nothing is written yet. `throw` and `jpeg` are number and photo of the entry's throw, if any. `fallback` is the
        tray's memory to use if the entry can't be written; None keeps the present one. Raises RulesError if the rules
        refuse the entry.
        """
        entry = Entry(number=self.state.record.number + 1, kind=kind, body=body, wall_s=self.now.wall_s, throw=throw)
        return replace(self, state=self.state.after(entry), steps=(*self.steps, Draft(entry, jpeg, fallback)))

    def line(
        self, action: Action | Undo, source: str, seen: Observation | None = None, fallback: Memory | None = None
    ) -> Changes:
        """Return the changes with one more step: a transcript line to journal. Raises IllegalAction if refused.

        A throw gets the next throw number. `source` is how the line was entered: `camera`, `answered` (to a question),
        `hand`, `button` or `house` (by the bot). `seen` is the observation of a throw, ignored for any other line. Its
        photo is stored, and its reading is journaled if there is a photo. `fallback` is the memory of the tray to use
        if the entry can't be written; None keeps the present one.
        """
        body: dict[str, Any] = {"line": line_of(action), "source": source}
        throw = jpeg = None
        if isinstance(action, Throw):
            throw, jpeg = self.state.record.last_throw + 1, seen.photo_jpeg if seen else None
            body["photo"] = digest_of(jpeg) if jpeg else False
            if seen and jpeg:
                body["seen"] = reading_record(seen)
        return self.enter("line", body, throw, jpeg, fallback)

    def ignore_tray(self) -> Changes:
        """Return the changes with one more step: drop any question, and ignore the tray's dice until they change."""
        notice = waiting_notice(game.transcript.state) if (game := self.state.playing) else None
        return self.note(replace(self.state, memory=self.state.memory.overruled(), asked=None, notice=notice))
