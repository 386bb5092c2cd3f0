"""Carry out commands: check them, write journal entries and update the table's state. No threads here."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from companion.errors import CompanionError, DeviceError, IllegalAction, StaleAction
from companion.games.engine.game import Action, Leave, Throw, Undo
from companion.games.engine.leaving import turn_continues
from companion.games.engine.notation import action_of, header_line, header_of, line_of
from companion.games.engine.tray_policy import waiting_notice
from companion.games.engine.views.phrase import Phrase
from companion.table import commands as c
from companion.table.evening.archive import Archive, Mark
from companion.table.evening.game_record import Game, PlayedGame
from companion.table.evening.sitting import chosen, same_people
from companion.table.evolve import (
    Record,
    Unplayable,
    after_entry,
    archived_before,
    correction_of,
    game_of_throw,
    horizon,
    replayed,
)
from companion.table.journal import Entry, Journal, entries
from companion.table.photos import Photos
from companion.table.projection import TableState, restored, starter_after
from companion.table.snapshot import Offer
from companion.table.terms import terms_line, terms_of
from companion.table.tray import interpret
from companion.table.tray.interpret import Interpretation, Memory
from companion.table.tray.observation import Observation, reading_record

SETTLED_BY_BANKING = frozenset({"count", "found", "moved"})
"""Questions that the bank button may close, because the next player's dice can raise them."""

CHECK_SCORES = "Check the scores before you play on, and enter what is missing by hand."

REPLAY_ELSEWHERE = (
    "Another version may have written it. Use that version, or start with another --data folder. Nothing is lost, and "
    "`pegpip export` still works."
)

log = logging.getLogger(__name__)


class Play:
    """The table's state and the commands that change it. Only one thread may use it.

    Args:
        journal: The journal, not opened yet.
        photos: Photos of throws.
        clock: Seconds, monotonic.
        wall: Seconds since 1970.
        changed: Called with the state before each new journal entry, so that every number is published.
    """

    def __init__(
        self,
        journal: Journal,
        photos: Photos,
        clock: Callable[[], float],
        wall: Callable[[], float],
        changed: Callable[[TableState], None],
    ) -> None:
        self._journal = journal
        self._archive = Archive(journal.path.parent)
        self._photos = photos
        self._clock = clock
        self._wall = wall
        self._changed = changed
        self._questions = 0
        self._ticked: tuple[int, float | None] = (-1, None)  # entry number and `empty_since_s` that a tick has handled
        self.table = TableState(Record(), Memory())
        self._carry_out: dict[type[c.Command], Callable[[Any], None]] = {
            c.Observe: lambda command: self._see(command.observation),
            c.NoteMotion: lambda _: self._put(replace(self.table, moving=True)),
            c.Tick: lambda _: self._tick(),
            c.PlayLine: lambda command: self._play_line(action_of(command.line)),
            c.PressButton: lambda command: self._press(command.button),
            c.Answer: self._answer,
            c.StartGame: lambda command: self._start(command.header, command.terms, command.colours),
            c.NextGame: lambda _: self._next_game(),
            c.Abandon: lambda _: self._abandon(),
            c.EndSitting: lambda _: self._enter("sitting_ended", {}),
            c.CorrectThrow: self._correct,
            c.ConfirmCorrection: self._confirm,
            c.HouseDecides: self._house_decides,
            c.HouseAwaits: self._house_awaits,
        }

    def open(self) -> None:
        """Open the journal and replay it. Raises DeviceError if it cannot be read or replayed."""
        damage = self._journal.open()
        tail = self._journal.tail
        before, first = archived_before(self._journal.path.parent, self._archive)
        try:
            record = replayed(entries(self._journal.path.parent, first), before, self._archive.note)
        except Unplayable as no:
            raise DeviceError(f"The journal {self._journal.path}: {no}.", REPLAY_ELSEWHERE) from no
        self._archive_games()
        self._photos.start(tail.last_throw)
        # Ids of questions must not repeat after a restart: a phone may still show an old one.
        self._questions = 1000 * (record.number + 1)
        throws = record.game.throws if record.game else ()
        memory = Memory(last_values=throws[-1].values if throws else ())
        self.table = TableState(replace(record, last_throw=tail.last_throw), memory)
        damaged = Phrase("ill", {"what": damage.in_words(), "cure": CHECK_SCORES}) if damage else None
        self._say(damaged or restored(self.table.record))

    def close(self) -> None:
        """Close the journal."""
        self._journal.close()

    def apply(self, command: c.Command) -> None:
        """Carry out a command. Raises a CompanionError if it is refused; then nothing has changed."""
        number = getattr(command, "number", None)
        if number is not None and number != self.table.record.number:
            newest = self.table.record.number
            raise StaleAction(f"The table is at {newest}, the command was made at {number}; look again.")
        self._carry_out[type(command)](command)

    def deadline_s(self) -> float | None:
        """Return the time on the clock at which a `Tick` is due, or None."""
        memory = self.table.memory
        waits = memory.empty_since_s is not None and memory.armed and not self.table.moving and not self.table.asked
        if not waits or self._playing() is None or self._ticked == (self.table.record.number, memory.empty_since_s):
            return None
        assert memory.empty_since_s is not None, "it waits"
        return memory.empty_since_s + interpret.BANK_AFTER_S

    def _see(self, observation: Any) -> None:
        self._put(replace(self.table, observation=observation, moving=False))
        game = self._playing()
        if game is None:
            memory = replace(
                self.table.memory, awake=True, thrown=observation.thrown, kept=observation.kept, rolled=False
            )
            self._put(replace(self.table, memory=memory))
            return
        self._take(interpret.interpret(game.transcript.state, self.table.memory, observation, self.table.policies))

    def _tick(self) -> None:
        game = self._playing()
        if game is None or self.table.asked or self.table.moving:
            return
        now_s, due_s = self._clock(), self.deadline_s()
        if due_s is not None and now_s >= due_s:
            self._ticked = (self.table.record.number, self.table.memory.empty_since_s)
        self._take(interpret.tick(game.transcript.state, self.table.memory, now_s, self.table.policies))

    def _look_again(self) -> None:
        game, observation = self._playing(), self.table.observation
        if game is None:
            return
        if observation is None or not (observation.thrown or observation.kept):
            self._put(replace(self.table, notice=waiting_notice(game.transcript.state)))
            return
        self._take(interpret.reinterpret(game.transcript.state, self.table.memory, observation, self.table.policies))

    def _take(self, outcome: Interpretation) -> None:
        """Journal the lines of an interpretation, then store its memory.

        A line that cannot be journaled is kept as a waiting roll, and the error is raised.
        """
        if self.table.asked and not outcome.settled:
            # While a throw is in question nothing after it is played; the answer interprets the tray again.
            outcome = replace(outcome, lines=(), memory=replace(outcome.memory, armed=self.table.memory.armed))
        done = 0
        try:
            for action in outcome.lines:
                self._line(action, "camera")
                done += 1
        except DeviceError as ill:
            unsaid = any(isinstance(action, Throw) for action in outcome.lines[done:])
            memory = replace(outcome.memory, rolled=unsaid)
            self._put(replace(self.table, memory=memory, notice=Phrase("ill", {"what": ill.what, "cure": ill.cure})))
            raise
        asked = None if outcome.settled else self.table.asked
        if outcome.ask and not (asked and outcome.ask.code == "count" and asked[1].code != "count"):
            asked = self._asked(outcome.ask, asked)
        notice = outcome.notice or waiting_notice(self._game().transcript.state)
        self._put(replace(self.table, memory=outcome.memory, notice=notice, asked=asked))

    def _asked(self, ask: interpret.Ask, open_one: tuple[int, interpret.Ask] | None) -> tuple[int, interpret.Ask]:
        if open_one and open_one[1].observation == ask.observation and open_one[1].code == ask.code:
            return open_one
        self._questions += 1
        return self._questions, ask

    def _play_line(self, action: Action | Undo) -> None:
        game = self._game()
        if isinstance(action, Undo):
            self._undo(game, action)
            return
        self._line(action, "hand")
        if isinstance(action, Leave) and turn_continues(game.transcript.state, self._game().transcript.state):
            return  # the dice in the tray, and the question about them, belong to another player
        if isinstance(action, Throw | Leave):
            self._rest(interpret.overruled(self.table.memory))
            return
        self._put(replace(self.table, memory=interpret.decided(self.table.memory), asked=None))
        self._look_again()

    def _undo(self, game: PlayedGame, undo: Undo) -> None:
        if game.abandoned and undo.count == 1:
            self._enter("resumed", {})
        elif not game.lines and undo.count == 1:
            self._enter("withdrawn", {})
        else:
            self._line(undo, "hand")
        self._rest(interpret.overruled(self.table.memory))

    def _press(self, button: str) -> None:
        match button:
            case "bank":
                self._bank()
            case "undo":
                self._undo(self._game(), Undo(1))
            case "next" if self.table.choices:
                self._put(replace(self.table, choice=self.table.choice + 1))
            case "next":
                self._next_game()
            case _:
                raise IllegalAction(f"The table has no button {button!r}; it has bank, undo and next.")

    def _bank(self) -> None:
        game, asked = self._game(), self.table.asked
        if asked and asked[1].code not in SETTLED_BY_BANKING:
            raise IllegalAction("A throw is in question: answer that first.")
        lines = interpret.banking(game.transcript.state, self.table.memory) if self._playing() else ()
        if choices := self.table.choices:
            lines = (choices[self.table.choice % len(choices)],)
        if not lines:
            raise IllegalAction("There is nothing that could be banked now.")
        for action in lines:
            self._line(action, "button")
        memory = replace(interpret.decided(self.table.memory), armed=False, empty_since_s=None)
        self._put(replace(self.table, memory=memory, asked=None))
        self._look_again()

    def _answer(self, command: c.Answer) -> None:
        game, asked = self._playing(), self.table.asked
        if asked is None or game is None or asked[0] != command.question:
            raise StaleAction("That question is no longer open.")
        ask, memory = asked[1], self.table.memory
        if command.values is None:
            quiet = replace(memory, rolled=memory.rolled and memory.rolls != ask.memory.rolls)
            self._put(replace(self.table, memory=quiet, asked=None))
        else:
            for action in interpret.answered(game.transcript.state, ask, command.values, self.table.policies):
                self._line(action, "answered", ask.observation)
            later = memory.rolled and memory.rolls != ask.memory.rolls
            known = replace(interpret.entered(memory, command.values), rolled=later)
            self._put(replace(self.table, memory=known, asked=None))
        self._look_again()
        notice = self.table.notice
        if notice and notice.code == "unclear" and self.table.observation == ask.observation and not self.table.asked:
            self._say(waiting_notice(self._game().transcript.state))  # the answer has just settled it

    def _house_decides(self, command: c.HouseDecides) -> None:
        self._house_may_act()
        action = action_of(command.line)
        if isinstance(action, Throw | Undo):
            raise IllegalAction("The bot decides; its dice are thrown like everyone's.")
        self._line(action, "house")
        self._put(replace(self.table, memory=interpret.decided(self.table.memory)))
        self._look_again()

    def _house_awaits(self, command: c.HouseAwaits) -> None:
        self._house_may_act()
        self._put(replace(self.table, house=command))

    def _house_may_act(self) -> None:
        if not self.table.houses_turn or self.table.asked or self.table.offer:
            raise StaleAction("It is not the bot's turn to act.")

    def _start(self, line: Any, sent_terms: Any, sent_colours: Any = None) -> None:
        header = header_of(line)
        terms = terms_line(terms_of(sent_terms, header))
        games, number = self.table.record.games, self.table.record.number + 1
        same = bool(games) and not self.table.record.closed and same_people(games[-1].header, header)
        sitting = games[-1].sitting if same else number
        back_to = horizon(games, number, sitting)
        worn = chosen(games[-1].colours if games else {}, sent_colours or {}, header.players)
        body = {"header": header_line(header), "sitting": sitting, "horizon": back_to, "colours": worn}
        self._enter("game", {**body, "terms": terms} if terms else body)
        self._archive.note(self.table.record.games)
        self._archive_games()
        self._photos.prune(self.table.record.first_throw)
        self._rest(interpret.overruled(self.table.memory))

    def _next_game(self) -> None:
        game = self._game()
        starter = starter_after(game)
        if starter is None and not game.abandoned:
            raise IllegalAction("This game is not over; finish or abandon it first.")
        first = game.header.first if starter is None else game.header.players[starter]
        self._start(header_line(replace(game.header, first=first, roll_off=False)), terms_line(game.terms))

    def _abandon(self) -> None:
        self._enter("abandoned", {})
        self._rest(interpret.overruled(self.table.memory))

    def _correct(self, command: c.CorrectThrow) -> None:
        games = self._games()
        action = action_of({"throw": list(command.values)})
        assert isinstance(action, Throw), "made as one"
        refused = correction_of(games, command.throw, action.dice).refused
        if not refused:
            self._corrected({"throw": command.throw, "values": list(action.dice), "dropped": []})
            return
        self._questions += 1
        throws = game_of_throw(games, command.throw).throws
        was = next(thrown.values for thrown in throws if thrown.number == command.throw)
        dropped = tuple({"line": line_of(line), "why": why} for _, line, why in refused)
        values = tuple(sorted(action.dice))
        offer = Offer(id=self._questions, throw=command.throw, was=was, values=values, dropped=dropped)
        self._put(replace(self.table, offer=offer))

    def _confirm(self, command: c.ConfirmCorrection) -> None:
        offer = self.table.offer
        if offer is None or offer.id != command.offer:
            raise StaleAction("That correction is no longer on offer; play went on.")
        if not command.accept:
            self._put(replace(self.table, offer=None))
            return
        dropped = [one["line"] for one in offer.dropped]
        self._corrected({"throw": offer.throw, "values": list(offer.values), "dropped": dropped})

    def _corrected(self, body: dict[str, Any]) -> None:
        before = self._game()
        self._enter("correction", body)
        if self._game().transcript is not before.transcript:  # correcting an earlier game leaves the tray alone
            self._rest(interpret.overruled(self.table.memory))

    def _line(self, action: Action | Undo, source: str, observation: Observation | None = None) -> None:
        body: dict[str, Any] = {"line": line_of(action), "source": source}
        throw = None
        if isinstance(action, Throw):
            throw = self.table.record.last_throw + 1
            observation = self.table.observation if source == "camera" else observation
            jpeg = observation.photo_jpeg if observation else b""
            body["photo"] = (jpeg and self._photos.keep(throw, jpeg)) or False
            if observation and body["photo"]:
                body["seen"] = reading_record(observation)
        try:
            self._enter("line", body, throw)
        except CompanionError:
            if throw and body["photo"]:
                self._photos.discard(throw)
            raise

    def _enter(self, kind: str, body: dict[str, Any], throw: int | None = None) -> None:
        """Apply an entry to the record, which checks it; write it to disk; only then publish it."""
        number = self.table.record.number + 1
        entry = Entry(number=number, kind=kind, body=body, wall_s=self._wall(), throw=throw)
        record = after_entry(self.table.record, entry)
        # Every number is published: if one command makes two entries, the first is published before the second.
        self._changed(self.table)
        self._journal.append(entry)
        self._put(replace(self.table, record=record, offer=None, choice=0, house=None))

    def _archive_games(self) -> None:
        """Archive the games before the last one, so that the next start replays from there."""
        begun = self._journal.tail.last_game
        if begun is not None:
            self._archive.write(Mark(next=begun.number, link=begun.link))

    def _put(self, table: TableState) -> None:
        self.table = table

    def _rest(self, memory: Memory) -> None:
        """Close any question after people changed the game; the tray as it is counts as handled."""
        self._put(replace(self.table, memory=memory, asked=None))
        game = self._playing()
        self._say(waiting_notice(game.transcript.state) if game else None)

    def _say(self, notice: Phrase | None) -> None:
        self._put(replace(self.table, notice=notice))

    def _game(self) -> PlayedGame:
        game = self.table.record.game
        if game is None:
            raise IllegalAction("No game has been started yet.")
        return game

    def _games(self) -> tuple[Game, ...]:
        self._game()
        return self.table.record.games

    def _playing(self) -> PlayedGame | None:
        game = self.table.record.game
        return game if game and not game.abandoned else None
