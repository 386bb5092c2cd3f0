"""The bot's thread: waits so that people can follow, then decides by its level and has its dice thrown.

A person throws its dice, or a simulated tray does. It waits while the table asks about a throw or offers a correction,
and longer after an undo.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from companion.errors import CompanionError, StaleAction
from companion.games.engine.game import State, Throw
from companion.games.engine.notation import line_of
from companion.games.engine.players import level_named
from companion.table.commands import BotAwaits, BotDecides, Command
from companion.table.evening.game_record import PlayedGame
from companion.table.events import TAKEN_BACK
from companion.table.snapshot import News, Snapshot
from companion.table.state import TableState
from companion.table.writer import Table

log = logging.getLogger(__name__)

PAUSE_S = 2.0
"""Pause in seconds before the bot decides or throws, so that people see what came before. Higher: a slower game."""
AFTER_UNDO_S = 8.0
"""Pause in seconds before the bot acts after an undo or correction. Higher: people wait longer for it.

A second undo often follows; with a lower value the bot plays on in between."""
RETHROW_S = 20.0
"""Seconds after a throw until the simulated tray throws the bot's dice again, if no reading was accepted. Higher: a
doubtful reading holds up the game longer; lower: dice may be thrown again while they are still being read."""
MAX_SETTLE_S = 10.0
"""Longest wait in seconds for a moving tray to come to rest; then the bot decides anyway. Higher: a longer wait."""
POLL_S = 0.5
"""Interval in seconds at which the bot looks whether the tray is ready for its throw. Higher: a later throw."""
MAX_HELD_S = 60.0
"""Longest time in seconds for which one call of `hold` stops the bot; the page's route refuses a longer one. Higher: a
longer stop. A phone holds the bot while somebody corrects a line. A forgotten dialog must not stop the game."""


class BotPlayer:
    """Plays the bot's seat in the current game, on its own thread.

    Args:
        table: Table that it plays at.
        clock: Seconds, monotonic.
        throw: Throws that many of the dice that do not stay, as in the simulated tray; None where people throw them.
        pause_s: Pause before it acts, in seconds.
    """

    def __init__(
        self,
        table: Table,
        clock: Callable[[], float],
        throw: Callable[[int], None] | None = None,
        pause_s: float = PAUSE_S,
    ) -> None:
        self._table, self._clock, self._throw, self._pause_s = table, clock, throw, pause_s
        self._seen: int | None = None  # entry number that the pause belongs to, while it may act
        self._from_s = 0.0
        self._throw_s: float | None = None
        self._held_s: dict[int, float] = {}  # until when, by phone
        self._wake = threading.Event()
        self._stopping = False
        self._thread: threading.Thread | None = None

    def hold(self, seconds: float, phone: int = 0) -> None:
        """Pause the bot for `seconds`, at most `MAX_HELD_S`, while somebody corrects a line on a phone.

        `phone` is the phone's number; 0 stands for a browser that is not paired. A new call replaces the phone's
        pause, and 0 seconds end it. The bot goes on once no phone pauses it.
        """
        self._held_s[phone] = self._clock() + min(MAX_HELD_S, seconds)
        self._wake.set()

    def hear(self, _: Snapshot, __: News) -> None:
        """Wake the bot's thread because the table has changed; for `Table.subscribe`."""
        self._wake.set()

    def start(self) -> None:
        """Start the bot's thread if it is not running, for instance after a crash."""
        if self.alive():
            return
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="house", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ask the bot's thread to end and wait up to 5 s for it. Does nothing if it does not run."""
        self._stopping = True
        self._wake.set()
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.join(timeout=5.0)

    def alive(self) -> bool:
        """Whether the bot's thread runs."""
        return self._thread is not None and self._thread.is_alive()

    def step(self) -> float | None:
        """Make the bot's next move if it is due: submit a decision, announce a throw, or throw the simulated dice.

        Nothing is due in another player's turn, or while the table asks people or offers a correction. The bot also
        waits while a phone has paused it (`hold`), during its pause between moves, and for a moving tray. A decision
        waits for the tray for at most MAX_SETTLE_S. A refused command is logged, not raised.

        Returns:
            Seconds until the next call; None if nothing is to be done until the table changes.
        """
        table, now_s = self._table.state(), self._clock()
        game, number = table.playing, table.record.number
        if game is None or not table.bots_turn or table.asked or table.offer:
            self._seen = self._throw_s = None
            return None
        state = game.transcript.state
        if number != self._seen:
            self._seen, self._throw_s = number, None
            undone = any(event.code in TAKEN_BACK for event in game.log[-1:])
            self._from_s = now_s + (max(AFTER_UNDO_S, self._pause_s) if undone else self._pause_s)
        held_s = max(self._held_s.values(), default=0.0)
        if now_s < held_s:
            return held_s - now_s
        if table.announced is not None and table.announced.number == number:
            return self._thrown(table, state, table.announced.dice, now_s)
        due_s = self._from_s if state.decisions or _has_decided(game) else now_s
        if now_s < due_s:
            return due_s - now_s
        if state.decisions and table.moving and now_s < due_s + MAX_SETTLE_S:
            return due_s + MAX_SETTLE_S - now_s
        return self._act(game, number)

    def _act(self, game: PlayedGame, number: int) -> float:
        """Submit what the bot's level chooses: a decision, or the announcement that dice are to be thrown.

        `number` is that of the journal's newest entry.

        Returns:
            Seconds until the next `step`: 0 if the command was accepted or the table has changed meanwhile. After
            any other refusal, which is logged, the bot's pause plus one second.
        """
        assert game.terms.house is not None, "it is the bot's turn"
        choice = level_named(game.terms.house.level)(game.transcript.state)
        command: Command = (
            BotAwaits(number=number, dice=choice, itself=self._throw is not None)
            if isinstance(choice, int)
            else BotDecides(number=number, line=line_of(choice))
        )
        try:
            self._table.submit(command)
        except StaleAction:
            return 0.0
        except CompanionError as refused:
            log.warning("the bot can't play: %s", refused)
            return self._pause_s + 1.0
        return 0.0

    def _thrown(self, table: TableState, state: State, count: int, now_s: float) -> float | None:
        """Throw `count` dice in the simulated tray once the bot's pause is over; return the seconds to the next `step`.

        The pause is 1.5 times as long if the state also allows a decision. Dice that the rules leave in the tray go to
        the keep zone. Nothing is thrown while the tray moves or before it was first observed. If no reading of the
        throw is accepted within RETHROW_S, the dice are thrown again. Returns None where people throw the bot's dice.
        """
        if self._throw is None:
            return None
        if not table.memory.awake or table.moving:  # an unchanged tray has no second reading
            return POLL_S
        due_s = self._throw_s
        if due_s is None:
            due_s = self._throw_s = max(now_s, self._from_s) + (self._pause_s / 2 if state.decisions else 0.0)
        if now_s < due_s:
            return due_s - now_s
        self._throw(count)
        self._throw_s = now_s + RETHROW_S
        return RETHROW_S

    def _run(self) -> None:
        """Call `step` again and again until `stop` is called, with a wait after each call.

        `step` returns the length of the wait in seconds: 0 for none, None for no limit. A wait ends early when the
        table changes, a phone pauses the bot, or `stop` is called.
        """
        while not self._stopping:
            self._wake.clear()
            wait_s = self.step()
            if not self._stopping and (wait_s is None or wait_s > 0):  # `stop` may have come just before the clear
                self._wake.wait(wait_s)


def _has_decided(game: PlayedGame) -> bool:
    """Whether the bot's own decision is the last line, which people may still be reading."""
    last = game.transcript.turns()[-1:]
    return bool(last and not last[0].ended and not isinstance(game.transcript.last, Throw))
