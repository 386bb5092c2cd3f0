"""The sender: a thread of the table that takes what waits in the outbox to the league's server.

A message is repeated until the server has acknowledged it; its key makes that harmless. The table never waits for it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from companion.errors import CompanionError, DeviceError
from companion.history.export import PastGames
from companion.league.key import key_of, name_of
from companion.league.message import SIGNATURE, Reply, signed
from companion.league.outbox import Outbox, Pending, aliases_of
from companion.outgoing import BackgroundThread, check_address, pause_s, sent
from companion.table.snapshot import News, Snapshot

log = logging.getLogger(__name__)

FINAL_REFUSALS = frozenset({400, 409, 413, 422})
"""Statuses that the same message will always get. Others, such as 401 before the table is registered, are retried."""


Put = Callable[[str, bytes, str], tuple[int, Reply]]
"""Sends a body with its signature to an address; returns status and answer. Raises OSError if nobody answers."""


class Sender(BackgroundThread):
    """Sends the messages that wait in the outbox.

    A message on its way when the thread is stopped is sent again after the next start.

    Args:
        server: Address of the league's server.
        folder: The table's data folder.
        past: Its games.
        aliases: Settings of the names to publish.
        put: Sends one message; another one in tests.
    """

    def __init__(self, server: str, folder: Path, past: PastGames, aliases: tuple[str, ...], put: Put | None = None):
        super().__init__("league")
        self._server, self._folder, self._past, self._aliases = server.rstrip("/"), folder, past, aliases
        self._put = put or put_over_http
        self._refused = dict[str, tuple[str, str]]()  # game -> hash of what the server refuses, and why
        self._state = (True, "nothing was sent yet")
        self._was_over = False

    def health(self) -> tuple[bool, str]:
        """Return (has the server everything, a sentence): how many games wait or are refused, and why."""
        return self._state

    def hear(self, snapshot: Snapshot, news: News) -> None:
        """Wake the thread if a game ended or a past one may have changed, by the table's newest snapshot and events."""
        over = snapshot.phase == "over"
        if over or self._was_over or news.taken_back:
            self._wake.set()
        self._was_over = over

    def _run(self, stopped: threading.Event) -> None:
        """Send all waiting messages, then wait to be woken, until `stopped` is set. Runs in the thread.

        After a failure it pauses, longer after each failure in a row, and tries again.
        """
        failures = 0
        outbox: tuple[Outbox, Ed25519PrivateKey] | None = None
        while not stopped.is_set():
            self._wake.clear()
            try:
                outbox = outbox or self._outbox()
                self._send_all(*outbox, stopped)
                failures = 0
            except (OSError, CompanionError) as ill:
                failures += 1
                log.info("the league can't be reached: %s", ill)
            except Exception as fault:  # the sender must outlive a fault in itself; health tells it
                failures += 1
                log.exception("the league's sender failed")
                self._state = False, f"The sender failed ({type(fault).__name__}: {fault}). Update pegpip."
            self._wake.wait(pause_s(failures) if failures else None)

    def _outbox(self) -> tuple[Outbox, Ed25519PrivateKey]:
        """Return the outbox and the table's private key. If address, key or aliases are wrong, raises DeviceError.

        `health` then reports that error.
        """
        try:
            check_address("[league] server", self._server)
            key = key_of(self._folder)
            return Outbox(self._folder, self._past, name_of(key), aliases_of(self._aliases)), key
        except DeviceError as ill:
            self._state = False, str(ill)
            raise

    def _send_all(self, outbox: Outbox, key: Ed25519PrivateKey, stopped: threading.Event) -> None:
        """Send every waiting message, except those that the server refused for good, until `stopped` is set.

        Sets what `health` says. Raises OSError if the server can't be reached or can't take a message now.
        """
        waiting = outbox.waiting()
        for at, each in enumerate(waiting):
            if stopped.is_set():
                return
            if self._refused.get(each.message.game, ("", ""))[0] == each.message.content:
                continue
            try:
                self._send(outbox, key, each)
            except OSError as ill:
                self._state = False, f"{len(waiting) - at} games wait for {self._server} ({ill}). They are kept."
                raise
        self._state = self._settled(outbox)

    def _send(self, outbox: Outbox, key: Ed25519PrivateKey, waiting: Pending) -> None:
        """Send one message, and store in the outbox that the server has it, or remember its refusal for good.

        The server may hold the same or a later revision with other content, because the journal was restored from a
        backup. If `waiting.rises`, the message is then sent again as the next revision, up to 3 times in all.

        Raises OSError if the server can't be reached or refuses for now.
        """
        message = waiting.message
        for _ in range(3):
            status, answer = self._put(self._server + message.path, *signed(message, key))
            taken = status == 200 and (answer.current <= message.revision or not waiting.rises)
            if taken or answer.content == message.content:
                self._refused.pop(message.game, None)
                revision = max(message.revision, answer.current)
                outbox.acknowledge(message.game, msgspec.structs.replace(waiting.known, revision=revision))
                return
            if status not in (200, 409) or answer.current < message.revision:
                break
            message = msgspec.structs.replace(message, revision=answer.current + 1)
        if status not in FINAL_REFUSALS:
            raise ConnectionError(f"it answers {status}: {answer.message}")
        log.warning("the league refuses game %s: %s", message.game, answer.message)
        self._refused[message.game] = message.content, answer.message

    def _settled(self, outbox: Outbox) -> tuple[bool, str]:
        """Return what `health` says once all messages were offered: (did the server take all, a sentence)."""
        refused = [why for _, why in self._refused.values()]
        if refused:
            return False, f"{self._server} refuses {len(refused)} games, the last because: {refused[-1]}"
        return True, f"{self._server} has every finished game"


def put_over_http(address: str, body: bytes, signature: str) -> tuple[int, Reply]:
    """Send a signed body by HTTP PUT and return (status, reply). Raises OSError if nobody answers.

    A body that is no reply of a league, perhaps from a proxy, is returned as a reply with its first 200 bytes as
    message.
    """
    status, content = sent("PUT", address, body, {SIGNATURE: signature})
    try:
        return status, msgspec.json.decode(content, type=Reply)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):  # no answer of this server, perhaps of a proxy
        return status, Reply(content[:200].decode("latin-1"))
