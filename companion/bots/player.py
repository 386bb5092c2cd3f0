"""The player that the house seats: sees what everyone sees, waits so that people can follow, decides.

Somebody throws its dice; at a tray that can be thrown by machine it throws them itself. It holds still while a throw is
in question, while a correction waits or is being made, and longer after something was taken back.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from typing import Protocol

from companion.errors import CompanionError, RulesError, StaleAction
from companion.games.engine.game import Action, State
from companion.games.engine.notation import line_of
from companion.games.engine.players import level_named
from companion.table.commands import Command, HouseAwaits, HouseDecides
from companion.table.events import TAKEN_BACK
from companion.table.projection import TableState, staying
from companion.table.snapshot import News, Snapshot
from companion.table.tray.observation import Die
from companion.table.writer import Table

log = logging.getLogger(__name__)

PAUSE_S = 2.0
"""So long people see a throw before the house decides on it, and a decision before it throws."""
AFTER_UNDO_S = 8.0
"""So long it waits when something was taken back: who mends one thing often mends another."""
AGAIN_S = 20.0
"""After that time without a throw that counts it throws once more."""
MOVING_S = 10.0
"""So long it waits for a tray to come to rest before it decides all the same."""
LOOK_S = 0.5
"""So often it looks whether the tray can be thrown."""
HELD_S = 60.0
"""The longest that people can hold it up at a time."""


class Hands(Protocol):
    """What can throw dice by itself."""

    def throw_beside(self, staying: Sequence[Die], count: int) -> None:
        """Lay those dice into the keep zone and throw so many of the others."""


class HousePlayer:
    """Plays the seat that is the house's, in whatever game is on.

    Args:
        table: Where it plays.
        clock: Seconds, monotonic.
        hands: What throws for it; None where people do.
        pause_s: So long it waits before it acts.
    """

    def __init__(
        self, table: Table, clock: Callable[[], float], hands: Hands | None = None, pause_s: float = PAUSE_S
    ) -> None:
        self._table, self._clock, self._hands, self._pause_s = table, clock, hands, pause_s
        self._seen: int | None = None  # the number that is waited at, while it may act
        self._from_s = 0.0
        self._choice: tuple[int, Action | int] | None = None
        self._throw_s: float | None = None
        self._held_s = 0.0
        self._wake = threading.Event()
        self._stopping = False
        self._thread: threading.Thread | None = None

    def hold(self, seconds: float) -> None:
        """Do nothing for so long: somebody is about to correct something. 0: go on."""
        self._held_s = self._clock() + min(HELD_S, seconds)
        self._wake.set()

    def hear(self, _: Snapshot, __: News) -> None:
        """The table has changed."""
        self._wake.set()

    def start(self) -> None:
        """Begin to play, on a thread of its own; again when that has fallen. May be called twice."""
        if self.alive():
            return
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="house", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Play no more. May be called twice."""
        self._stopping = True
        self._wake.set()
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.join(timeout=5.0)

    def alive(self) -> bool:
        """Whether its thread runs."""
        return self._thread is not None and self._thread.is_alive()

    def step(self) -> float | None:
        """Do what is due now; in how many seconds to look again, None: when the table has changed."""
        table, now_s = self._table.standing(), self._clock()
        number = table.record.number
        if not table.houses_turn or table.asked or table.offer:
            self._seen = self._throw_s = None
            return None
        if number != self._seen:
            self._seen, self._throw_s = number, None
            self._from_s = now_s + self._pause_after(table)
        if now_s < self._held_s:
            return self._held_s - now_s
        if table.house is not None and table.house.number == number:
            return self._thrown(table, table.house.dice, now_s)
        state = _state(table)
        due_s = self._from_s if state.decisions or _has_decided(table) else now_s
        if now_s < due_s:
            return due_s - now_s
        if state.decisions and table.moving and now_s < due_s + MOVING_S:
            return due_s + MOVING_S - now_s
        return self._act(table, state)

    def _act(self, table: TableState, state: State) -> float | None:
        number, choice = table.record.number, self._chosen(table, state)
        command: Command = (
            HouseAwaits(number=number, dice=choice, itself=self._hands is not None)
            if isinstance(choice, int)
            else HouseDecides(number=number, line=line_of(choice))
        )
        try:
            self._table.submit(command)
        except StaleAction:
            return 0.0
        except CompanionError as refused:
            log.warning("the house can't play: %s", refused)
            return self._pause_s + 1.0
        return 0.0

    def _chosen(self, table: TableState, state: State) -> Action | int:
        """Best play takes a while to find where it is found: once a number."""
        game = table.record.game
        assert game is not None, "it is the house's turn"
        assert game.terms.house is not None, "it is the house's turn"
        number = table.record.number
        if self._choice is None or self._choice[0] != number:
            try:
                choice = level_named(game.terms.house.level)(state)
            except RulesError:  # house rules that put exact odds out of reach
                choice = level_named("careless")(state)
            self._choice = number, choice
        return self._choice[1]

    def _thrown(self, table: TableState, count: int, now_s: float) -> float | None:
        """Throw where it can, once people had time to see what it keeps, and again where nothing came of it."""
        if self._hands is None:
            return None
        if not table.memory.awake or table.moving:  # nobody is told of the first look at a tray that shows nothing new
            return LOOK_S
        due_s = self._throw_s
        if due_s is None:
            due_s = self._throw_s = max(now_s, self._from_s) + (self._pause_s / 2 if _state(table).decisions else 0.0)
        if now_s < due_s:
            return due_s - now_s
        self._hands.throw_beside(staying(table), count)
        self._throw_s = now_s + AGAIN_S
        return AGAIN_S

    def _pause_after(self, table: TableState) -> float:
        game = table.record.game
        undone = game is not None and bool(game.log) and game.log[-1].code in TAKEN_BACK
        return max(AFTER_UNDO_S, self._pause_s) if undone else self._pause_s

    def _run(self) -> None:
        while not self._stopping:
            self._wake.clear()
            wait_s = self.step()
            if wait_s is None or wait_s > 0:
                self._wake.wait(wait_s)


def _has_decided(table: TableState) -> bool:
    """Whether the house's own decision is the last line: people are still reading it."""
    game = table.record.game
    assert game is not None, "it is the house's turn"
    before = game.transcript.before
    return bool(before and before.state.player == game.transcript.state.player and not game.lines[-1].thrown)


def _state(table: TableState) -> State:
    game = table.record.game
    assert game is not None, "it is the house's turn"
    return game.transcript.state
