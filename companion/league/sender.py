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

from companion.errors import counted
from companion.history.export import PastGames
from companion.league.key import key_of, name_of
from companion.league.message import SIGNATURE, Reply, signed
from companion.league.outbox import Outbox, Pending, aliases_of
from companion.outgoing import DeliveryThread, check_address, send_json
from companion.table.snapshot import News, Snapshot

log = logging.getLogger(__name__)

FINAL_REFUSALS = frozenset({400, 409, 413, 422})
"""HTTP statuses with which the league's server refuses a message for good; its game is skipped until it changes. With
others, such as 401 before the table is registered, the message is sent again later."""
SERVER_FAULT = 500
"""Status of a server that failed at one message. It may take others, unlike a server that is busy or away (503)."""
Put = Callable[[str, bytes, str], tuple[int, Reply]]
"""Sends a body with its signature to an address; returns status and answer. Raises OSError if nobody answers."""


def put_over_http(address: str, body: bytes, signature: str) -> tuple[int, Reply]:
    """Send a signed body by HTTP PUT; return (status, reply), also of a refusal. Raises OSError if nobody answers.

    If the answer is not a league's reply but, for example, a proxy's, its first 200 bytes become the message.
    """
    status, content = send_json("PUT", address, body, {SIGNATURE: signature})
    try:
        return status, msgspec.json.decode(content, type=Reply)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):  # no answer of this server, perhaps of a proxy
        return status, Reply(content[:200].decode("latin-1"))


class Sender(DeliveryThread):
    """Sends the messages that wait in the outbox of the data folder `folder` to the league's server.

    `past` reads the folder's games, `aliases` is the setting of the names to publish, and `put` sends one message.
    """

    def __init__(self, server: str, folder: Path, past: PastGames, aliases: tuple[str, ...], put: Put = put_over_http):
        super().__init__("league's sender")
        self._server, self._folder, self._past, self._aliases = server.rstrip("/"), folder, past, aliases
        self._put = put
        self._refused = dict[str, tuple[str, str]]()  # game -> hash of what the server refuses, and why
        self._opened: tuple[Outbox, Ed25519PrivateKey] | None = None
        self._was_over = False

    def hear(self, snapshot: Snapshot, news: News) -> None:
        """Wake the thread if a game ended or a past one may have changed, by the table's newest snapshot and events."""
        over = snapshot.phase == "over"
        if over or self._was_over or news.taken_back:
            self._wake.set()
        self._was_over = over

    def _deliver(self, stopped: threading.Event) -> None:
        """Send each new, changed or withdrawn game in the outbox to the league's server, and store what it accepts.

        A game that the server refused for good is skipped until it changes. If the server fails at one game, the others
        are sent all the same. Once `stopped` is set, the rest is left to a later call. The first call opens the outbox,
        and makes the table's key if there is none. `health` then reports what is unsent or refused.

        Raises:
            OSError: The server can't be reached, failed at a game, or takes none now.
            DeviceError: The server's address, the key or the aliases are wrong, or the journal can't be read.
        """
        if self._opened is None:
            check_address("[league] server", self._server)
            key = key_of(self._folder)
            aliases = aliases_of(self._aliases)
            self._opened = Outbox(self._folder, self._past, name_of(key), aliases, self._server), key
        outbox, key = self._opened
        waiting = outbox.waiting()
        games = {each.message.game for each in waiting}  # a refused one that is played on no longer waits
        self._refused = {game: refused for game, refused in self._refused.items() if game in games}
        left, fault = len(waiting), None
        try:
            for each in waiting:
                if stopped.is_set():
                    return
                is_refused = self._refused.get(each.message.game, ("", ""))[0] == each.message.content
                if not is_refused and (failed := self._send(outbox, key, each)):
                    fault = failed
                else:
                    left -= 1
            if fault:
                raise fault
        except OSError as ill:
            unsent = counted(left, "game waits", "games wait")
            self._state = False, f"{unsent} for {self._server} ({ill}). Nothing is lost."
            raise
        refused = [why for _, why in self._refused.values()]
        if refused:
            how_many = counted(len(refused), "game")
            self._state = False, f"{self._server} refuses {how_many}, the last because: {refused[-1]}"
        else:
            self._state = True, f"{self._server} has every finished game"

    def _send(self, outbox: Outbox, key: Ed25519PrivateKey, waiting: Pending) -> ConnectionError | None:
        """Send one message; store in the outbox that the server has it. A final refusal is logged and kept in memory.

        The server may hold the same or a later revision with other content, if the journal was restored from a backup.
        With `waiting.rises` the message is then sent again as the next revision, in 3 attempts altogether. Without, it
        is dropped: the outbox stores that the server has it.

        Returns:
            None, also after a final refusal; or the error if the server failed at this message (SERVER_FAULT) and may
            take others.

        Raises:
            OSError: The server can't be reached, or takes no message now.
        """
        message = waiting.message
        for _ in range(3):
            status, answer = self._put(self._server + message.path, *signed(message, key))
            taken = status == 200 and answer.current == message.revision
            yields = status in (200, 409) and not waiting.rises and answer.current >= message.revision
            if taken or yields or answer.content == message.content:
                self._refused.pop(message.game, None)
                outbox.acknowledge(waiting, max(message.revision, answer.current))
                return None
            if status not in (200, 409) or answer.current < message.revision:
                break
            message = msgspec.structs.replace(message, revision=answer.current + 1)
        if status not in FINAL_REFUSALS:
            ill = ConnectionError(f"it answers {status}: {answer.message}")
            if status == SERVER_FAULT:
                return ill
            raise ill
        why = answer.message
        if waiting.shared_name:
            why = f"[league] aliases publishes two of its players as {waiting.shared_name!r}."
            why += " Change one of them, and start the table again."
        log.warning("the league refuses game %s: %s", message.game, why)
        self._refused[message.game] = message.content, why
        return None
