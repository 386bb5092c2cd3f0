"""The table's writer: one thread that takes commands from a queue and publishes numbered snapshots."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import replace
from queue import Empty, SimpleQueue
from typing import TypeVar

import msgspec

from companion.errors import CompanionError, DeviceError, cause
from companion.games.engine.views.phrase import Phrase
from companion.table.commands import Command, Tick
from companion.table.decide import decide
from companion.table.evening.archive import Archive
from companion.table.events import news_between
from companion.table.evolve import Record, Unplayable, replayed
from companion.table.journal import Entry, Journal, entries
from companion.table.journal.journal import UPKEEP_EVERY_S
from companion.table.photos import Photos
from companion.table.projection import snapshot_of
from companion.table.snapshot import News, Snapshot
from companion.table.state import Draft, Now, TableState
from companion.table.tray.memory import Memory

log = logging.getLogger(__name__)

T = TypeVar("T")
LIVENESS_POLL_S = 0.5
"""Seconds between two checks, while a command waits for its answer, that the table's writer thread still runs. Longer:
a crash of it is reported later. Shorter: the waiting thread wakes more often."""
REPLAY_ELSEWHERE = (
    "Another version may have written it. Use that version, or start with another --data folder. Nothing is lost, and "
    "`pegpip export` still works."
)
"""Advice for a journal that this version can't replay."""

Subscriber = Callable[[Snapshot, News], None]
"""Receives each new snapshot, and the events since the one before it."""


class Table:
    """One table. Any thread may submit commands; the writer thread carries them out one after the other.

    It opens, writes and closes the journal. `clock` is monotonic, in seconds, as for `Observation.at_s`. `wall`, in
    seconds since 1970, is stored in the journal for display only.
    """

    def __init__(
        self,
        journal: Journal,
        photos: Photos,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._state = TableState(Record(), Memory())
        self._journal, self._photos, self._archive = journal, photos, Archive(journal.path.parent)
        self._clock, self._wall = clock, wall
        self._ticked: tuple[int, float | None] = (-1, None)  # entry number and `empty_since_s` that a tick has handled
        self._queue: SimpleQueue[tuple[Command | None, Future[Snapshot]] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._gate = threading.Lock()  # no command enters the queue after its writer has stopped
        self._open = False
        self._upkeep_s = 0.0  # when the journal's next step of upkeep is due, on the clock
        self._following = threading.Lock()  # guards the snapshot and its subscribers together
        self._subscribers: tuple[Subscriber, ...] = ()
        self._snapshot = Snapshot(number=0)
        self._fault: str | None = None  # error of the last subscriber that failed on the newest snapshot

    def start(self) -> None:
        """Start the writer thread, and wait until it has opened and replayed the journal; do nothing if it runs.

        Raises DeviceError if the journal can't be opened or replayed.
        """
        if self._thread is not None and self._thread.is_alive():
            return
        opened: Future[None] = Future()
        thread = threading.Thread(target=self._write, args=(opened,), name="table", daemon=True)
        thread.start()
        _result(opened, thread)

    def stop(self) -> None:
        """Finish the queued commands, stop the thread and close the journal. Later commands are refused. Idempotent."""
        thread, self._thread = self._thread, None
        if thread is not None and thread.is_alive():
            self._queue.put(None)
            thread.join()

    def answers(self, within_s: float) -> bool:
        """Return whether the writer thread handles an empty command in `within_s` seconds. False if it does not run."""
        answer: Future[Snapshot] = Future()
        with self._gate:
            if not self._open:
                return False
            self._queue.put((None, answer))
        return bool(wait((answer,), within_s).done)

    def health(self) -> tuple[bool, str]:
        """Return whether every subscriber handled the newest snapshot, and a sentence for the page."""
        if self._fault is not None:
            return False, f"A part that follows the table fails ({self._fault}); it may show old data. Restart it."
        return True, f"at entry {self._snapshot.number}"

    def snapshot(self) -> Snapshot:
        """Return the newest snapshot without waiting."""
        return self._snapshot

    def state(self) -> TableState:
        """Return the writer's current state without waiting."""
        return self._state

    def tick_due_s(self) -> float | None:
        """Return the time on the clock at which a `Tick` is due; None while the tray can't bank, or after that tick."""
        handled = self._ticked == (self._state.record.number, self._state.memory.empty_since_s)
        return None if handled else self._state.bank_due_s

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Subscribe to each new snapshot and its news; return a function that unsubscribes.

        The writer thread calls `subscriber`, which must be quick and must not call `submit`. Exceptions in subscribers
        are logged; `health` reports one until a new snapshot causes none.
        """
        with self._following:
            self._subscribers = (*self._subscribers, subscriber)

        def unsubscribe() -> None:
            with self._following:
                self._subscribers = tuple(one for one in self._subscribers if one is not subscriber)

        return unsubscribe

    def submit(self, command: Command) -> Snapshot:
        """Give a command to the writer thread, wait until it has been carried out, and return the snapshot after it.

        Raises:
            StaleAction: The command was made from an older snapshot, or its question, the bot's turn or the offered
                correction is over.
            IllegalAction, NotationError, RulesError: The rules refuse it.
            DeviceError: The table is stopped; or the journal cannot be written, and the command's entries before
                the failed one stay; or the writer thread crashed, and the command may have been carried out or not.
            CompanionError: A fault in the program. Entries already journaled stay; everything else is unchanged.
        """
        answer: Future[Snapshot] = Future()
        with self._gate:
            thread = self._thread
            if not self._open or thread is None:
                raise DeviceError("The table is not running.", "Start it again.")
            self._queue.put((command, answer))
        return _result(answer, thread)

    def _write(self, opened: Future[None]) -> None:
        """Run the table's writer thread: replay the journal, publish the first snapshot, then carry out commands.

        `opened` is set once commands are accepted. If the start fails, `opened` gets a CompanionError, and the journal
        is closed; a fault in the program is logged and becomes a DeviceError. The commands queued before `stop` are
        carried out. Then, or after a later fault, the rest of the queue is refused and the journal is closed.
        """
        try:
            self._replay()
            self._publish()
        except BaseException as fault:  # `start` must learn about every kind of failure
            self._journal.close()
            ill = fault
            if not isinstance(fault, CompanionError):
                log.exception("the table can't be started")
                why = f"The table can't be started because of a fault in the program ({cause(fault)})."
                ill = DeviceError(why, "Update pegpip, or give another --data folder; this one stays as it is.")
            opened.set_exception(ill)
            return
        self._thread = threading.current_thread()
        self._open = True
        opened.set_result(None)
        try:
            while (asked := self._next()) is not None:
                self._answer(*asked)
        finally:
            with self._gate:
                self._open = False
                self._refuse_the_rest()
            self._journal.close()

    def _replay(self) -> None:
        """Open the journal, restore the writer's state, bring the archive up to date and tidy the photos' folder.

        Games in the archive are taken from there; only later entries are replayed. Raises DeviceError if the journal
        can't be read or replayed.
        """
        damage = self._journal.open()
        folder, tail = self._journal.path.parent, self._journal.tail
        first, games = self._archive.load()
        record = Record(first - 1, games=games)
        try:
            for entry in entries(folder, first):
                record = replayed((entry,), record)
                if entry.kind == "game":
                    self._archive.note(record.games)
        except Unplayable as no:
            raise DeviceError(f"The journal {self._journal.path}: {no}.", REPLAY_ELSEWHERE) from no
        self._archive_games()
        self._photos.start(tail.last_throw)
        record = replace(record, last_throw=tail.last_throw)
        self._state = TableState.restarted(record, damage)

    def _archive_games(self) -> None:
        """Write the archive's file with all games before the last one, so that the next start replays only that one."""
        begun = self._journal.tail.last_game
        if begun is not None:
            self._archive.write(begun.head)

    def _next(self) -> tuple[Command | None, Future[Snapshot]] | None:
        """Wait for the next command and return it with the future for its result; None if the writer must stop.

        If a `Tick` falls due first, it is returned with a new future. The pair (None, future) only asks whether the
        thread still answers (`answers`). While idle, the journal's upkeep is done.
        """
        while True:
            tick_s = self.tick_due_s()
            due_s = self._upkeep_s if tick_s is None else min(tick_s, self._upkeep_s)
            try:
                return self._queue.get(timeout=max(0.01, due_s - self._clock()))
            except Empty:
                if due_s == tick_s:
                    return Tick(), Future()
            try:
                self._upkeep_s = self._journal.upkeep(self._clock())
            except Exception:  # the writer must outlive a fault in the upkeep
                log.exception("the upkeep of the journal failed")
                self._upkeep_s = self._clock() + UPKEEP_EVERY_S

    def _answer(self, command: Command | None, answer: Future[Snapshot]) -> None:
        """Carry out a command and publish the state; put the snapshot, or the first error, into `answer`.

        The state is published even after an error. After an unexpected exception the state before the command is
        restored first, except that entries already journaled stay. For the command None nothing is published:
        `answer` gets the last snapshot. Nothing is raised.
        """
        if command is None:
            answer.set_result(self._snapshot)
            return
        before, no = self._state, None
        try:
            self._carry_out(command)
        except CompanionError as refusal:
            no = refusal
        except Exception as fault:  # noqa: BLE001  the writer must outlive a fault in the rules or in itself
            # Journaled entries stay; everything else is restored.
            self._state = replace(before, record=self._state.record)
            no = _fault(fault)
        try:
            self._publish()
        except Exception as fault:  # noqa: BLE001  a snapshot that cannot be made leaves the last one in place
            no = no or _fault(fault)
        if no is None:
            answer.set_result(self._snapshot)
        else:
            answer.set_exception(no)

    def _carry_out(self, command: Command) -> None:
        """Carry out the steps of `decide` for a command: journal and apply an entry, or take over a new state.

        An entry is on the disk before the state changes. If a command makes several entries, a snapshot is published
        after each but the last. After the entry that starts a game, earlier games are archived and the oldest photos
        above the size limit deleted. A `Tick` that is due counts as handled, even if it fails. Raises CompanionError if
        the command is refused or the disk fails; the steps before the failure stay.
        """
        now, due_s = Now(self._clock(), self._wall()), self._state.bank_due_s
        if isinstance(command, Tick) and due_s is not None and now.clock_s >= due_s:
            self._ticked = self._state.record.number, self._state.memory.empty_since_s
        for step in decide(self._state, command, now):
            if isinstance(step, Draft):
                if self._state.record.number > self._snapshot.number:
                    self._publish()  # every number is published, also where one command makes two entries
                self._state = self._state.after(self._written(step))
                if step.entry.kind == "game":
                    self._archive.note(self._state.record.games)
                    self._archive_games()
                    self._photos.prune()
            else:
                self._state = replace(step, record=self._state.record)

    def _written(self, draft: Draft) -> Entry:
        """Write a draft's photo and entry to the disk, and return the entry as written.

        If only the photo can't be written, the entry is written without photo and reading, and no error is raised. If
        the entry can't be written, the photo is deleted and DeviceError is raised.

        In the latter case the table's state changes too if `draft.fallback` is not None. The fallback becomes the
        memory of the tray, and the error becomes the notice. If the tray is empty, the time since which it is empty is
        set to now, so that the table tries to bank again.
        """
        entry, throw = draft.entry, draft.entry.throw or 0
        photo = bool(draft.photo_jpeg) and self._photos.keep(throw, draft.photo_jpeg or b"")
        if draft.photo_jpeg and not photo:
            body = {key: value for key, value in entry.body.items() if key != "seen"}
            entry = msgspec.structs.replace(entry, body={**body, "photo": False})
        try:
            self._journal.append(entry)
        except DeviceError as ill:
            if photo:
                self._photos.discard(throw)
            if draft.fallback is not None:
                notice, memory = Phrase("ill", {"what": ill.what, "cure": ill.cure}), draft.fallback
                if memory.empty_since_s is not None:
                    memory = replace(memory, empty_since_s=self._clock())  # the bank is tried again after its time
                self._state = replace(self._state, memory=memory, notice=notice)
            raise
        return entry

    def _refuse_the_rest(self) -> None:
        """Empty the queue: every command in it gets a DeviceError that says the table was stopped."""
        while True:
            try:
                asked = self._queue.get_nowait()
            except Empty:
                return
            if asked is not None:
                asked[1].set_exception(DeviceError("The table was stopped.", "Start it again."))

    def _publish(self) -> None:
        """Store a new snapshot of the table's state, and call every subscriber with it and the new events.

        Do nothing if the snapshot equals the last one. The new snapshot's `pulse` is one higher. A subscriber's
        exception is logged and kept in `_fault`, not raised; the next snapshot without one clears `_fault`.
        """
        made = snapshot_of(self._state, self._snapshot if self._snapshot.pulse else None)
        newest = msgspec.structs.replace(made, pulse=self._snapshot.pulse)
        if newest == self._snapshot and self._snapshot.pulse:
            return
        newest = msgspec.structs.replace(newest, pulse=self._snapshot.pulse + 1)
        news = news_between(self._snapshot, newest) if self._snapshot.pulse else News()
        with self._following:
            self._snapshot = newest
            subscribers = self._subscribers
        failed: str | None = None
        for subscriber in subscribers:
            try:
                subscriber(newest, news)
            except Exception as fault:  # a fault in a page or a light must not stop the table
                failed = cause(fault)
                log.exception("a subscriber of the table failed")
        self._fault = failed


def _result(answer: Future[T], thread: threading.Thread) -> T:
    """Wait for the writer thread's answer and return it, or raise its error; DeviceError if the thread has crashed."""
    while not wait((answer,), LIVENESS_POLL_S).done:
        if not thread.is_alive() and not answer.done():
            raise DeviceError("The table's writer crashed.", "It is being restarted. Check the page, then try again.")
    return answer.result()


def _fault(error: Exception) -> CompanionError:
    """Log an unexpected exception and return the error that people see."""
    log.error("a command failed", exc_info=error)
    return CompanionError("The table could not do that because of a fault in the program. Check what the page shows.")
