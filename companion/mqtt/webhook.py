"""The webhook: a thread that posts each great moment of a game to one address, signed and repeated until it is taken.

Form and signature: Standard Webhooks 1.0 (https://www.standardwebhooks.com).
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime
from typing import NamedTuple

import msgspec

from companion.errors import DeviceError, counted
from companion.outgoing import DeliveryThread, check_address, send_json
from companion.table.snapshot import Event, News, Snapshot

log = logging.getLogger(__name__)

MAX_WAITING = 200
"""Most messages that wait for the server; one more drops the oldest. Higher: a longer outage loses no message, but each
takes memory until it is posted."""
ALWAYS = frozenset({"game_started", "game_over"})
"""Codes of the events that are posted besides those which the pub's screen shows full-size."""
PASSING = frozenset({408, 425, 429})
"""HTTP statuses below 500 after which the message stays queued and is posted again, as after all from 500 on. After any
other error status it is dropped. More statuses: a message refused for good holds up all later ones."""


class Unposted(NamedTuple):
    """A message that waits: its name, which is the same in each attempt, and its body."""

    name: str
    body: bytes


class Webhook(DeliveryThread):
    """Posts to one address. What waits when it is stopped is posted after the next start of the same process.

    `secret` is the base64 secret of the signature, or empty. `name` returns the table's present name, `words` the
    sentence for an event. Raises DeviceError if address or secret are wrong.
    """

    def __init__(self, url: str, secret: str, name: Callable[[], str], words: Callable[[Event], str]) -> None:
        super().__init__("webhook")
        check_address("[webhook] url", url)
        self._url, self._key, self._table_name, self._words = url, key_of(secret), name, words
        self._waiting: deque[Unposted] = deque(maxlen=MAX_WAITING)

    def hear(self, snapshot: Snapshot, news: News) -> None:
        """Queue a message for each new event that is cheered or in `ALWAYS`, and wake the thread to post it."""
        for place, event in enumerate(news.events):
            if event.cheered or event.code in ALWAYS:
                self._waiting.append(self._message(snapshot, event, place))
                self._wake.set()

    def _message(self, snapshot: Snapshot, event: Event, place: int) -> Unposted:
        """Return the message about an event: its JSON body, and an id that no other message has.

        The id has the time, the snapshot's number and `place`, the event's index among the snapshot's new events.
        """
        said = self._words(event)
        told = {
            "type": f"game.{event.code}",
            "timestamp": datetime.now(UTC).isoformat(timespec="seconds"),
            "text": said,  # Slack, Mattermost, Teams
            "content": said,  # Discord
            "data": {
                "table": self._table_name(),
                "game": snapshot.game,
                "code": event.code,
                "args": event.args,
                "scores": {side.name: side.score for side in snapshot.sides},
            },
        }
        return Unposted(f"msg_{int(time.time())}_{snapshot.number}_{place}", msgspec.json.encode(told))

    def _deliver(self, stopped: threading.Event) -> None:
        """Post the webhook's waiting messages, oldest first, until none is left or `stopped` is set.

        A message that the receiver refuses is logged and dropped. If nobody answers, or the answer asks for a retry,
        OSError is raised: this message and all later ones stay queued.
        """
        while self._waiting and not stopped.is_set():
            message = self._waiting[0]
            self._try(message)
            with contextlib.suppress(ValueError):  # dropped meanwhile
                self._waiting.remove(message)

    def _try(self, message: Unposted) -> None:
        """Post a message once, and set the result of `health`.

        A refusal is logged, and the message counts as done. Raises OSError if the message must be posted again:
        nobody answers, or the status is 500 or above or in PASSING.
        """
        seconds = str(int(time.time()))
        headers = {"webhook-id": message.name, "webhook-timestamp": seconds}
        if self._key:
            headers["webhook-signature"] = signature(self._key, message.name, seconds, message.body)
        try:
            status, _ = send_json("POST", self._url, message.body, headers)
            if status >= 500 or status in PASSING:
                raise ConnectionError(f"it answers {status}")
        except OSError as away:
            waiting = counted(len(self._waiting), "message waits", "messages wait")
            self._state = False, f"{waiting} for the webhook ({away})."
            raise
        if status >= 300:  # the answer is not quoted: it may hold the path of the URL, which is a secret
            log.warning("the webhook refuses a message: %d", status)
            self._state = False, f"The webhook refuses messages ({status}). Check [webhook] url."
        else:
            self._state = True, "the webhook has every message"


def key_of(secret: str) -> bytes:
    """Return the bytes of a base64 secret, with or without the prefix `whsec_`. Raises DeviceError if it is none."""
    try:
        return base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except ValueError:
        raise DeviceError("[webhook] secret_password is no base64 text.", "Run `openssl rand -base64 24`.") from None


def signature(key: bytes, name: str, seconds: str, body: bytes) -> str:
    """Return the value of a message's header `webhook-signature`: "v1," and the HMAC-SHA256 in base64.

    It signs the text `name.seconds.body`: the headers `webhook-id` and `webhook-timestamp`, and the message's body.
    The example is the specification's.

    >>> key = key_of("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    >>> signature(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", b'{"test": 2432232314}')
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
    """
    digest = hmac.new(key, f"{name}.{seconds}.".encode() + body, hashlib.sha256).digest()
    return "v1," + base64.b64encode(digest).decode()
