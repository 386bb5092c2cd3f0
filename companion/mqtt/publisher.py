"""The publisher: a thread that tells an MQTT broker the table's state, events and health, and takes its commands.

The table never waits for the broker. After a lost connection the newest state is published, and missed events are not.
"""

from __future__ import annotations

import contextlib
import logging
import sys
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, Protocol

import msgspec
from paho.mqtt.client import Client, ConnectFlags, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from companion.errors import CompanionError, DeviceError, RulesError
from companion.games.engine.notation import header_of
from companion.games.registry import game_named
from companion.mqtt.discovery import CODES, discovery
from companion.outgoing import BackgroundThread
from companion.table.commands import NextGame, StartGame
from companion.table.snapshot import Event, News, Snapshot
from companion.table.writer import Table
from web.names import problem_of

log = logging.getLogger(__name__)

KEEPALIVE_S = 20
"""MQTT keep-alive in seconds: the table pings the broker after this silence, and is lost after 1.5 times this.
Higher: a lost table is shown as offline later. Lower: more traffic, and a gap in the Wi-Fi counts as a loss."""
LONGEST_PAUSE_S = 3
"""Longest pause between two attempts to connect to the MQTT broker, in seconds. Higher: the table reconnects later
after an outage; lower: more attempts meanwhile."""
HEALTH_EVERY_S = 10.0
"""Longest time between two health checks, in seconds. Higher: a broken part is published later; lower: more work."""
MAX_EVENTS = 100
"""Most events that wait to be published to the MQTT broker; one more drops the oldest. Higher: more memory while
publishing is slow; lower: events are lost sooner."""
MAX_COMMAND_BYTES = 4096
"""Largest command from the broker, in bytes; a larger one is ignored. Higher: a message may take more of the table's
memory. Lower: the header of a game does not fit."""
MAX_PACKET_BYTES = 2 * MAX_COMMAND_BYTES
"""Largest MQTT packet, in bytes, that the broker may send to a table with commands; it drops larger ones. Higher: one
message takes more of the table's memory. Lower: topic and properties do not fit beside the largest command."""
UNTRIED = "not connected yet"
"""Reason that the health check gives until the first attempt to connect to the MQTT broker has ended."""


class Broker(msgspec.Struct, frozen=True):
    """Where the broker is: the section [mqtt] of the settings, without `commands`."""

    host: str
    port: int
    tls: bool
    user: str
    password: str
    topic: str


class Sounding(Protocol):
    """An output of sound that can be muted."""

    muted: bool


class Publisher(BackgroundThread):
    """Publishes to one MQTT broker. When it is stopped, it first publishes that the table is offline.

    `name` returns the table's present name, `words` the sentence for an event and `report` the answer of `/healthz`.
    With `sounds` the broker may mute them and start a game; None allows no commands. Raises DeviceError if the broker's
    host can't be looked up, as one with an empty part.
    """

    def __init__(
        self,
        broker: Broker,
        name: Callable[[], str],
        table: Table,
        words: Callable[[Event], str],
        report: Callable[[], dict[str, Any]],
        sounds: Sounding | None = None,
    ) -> None:
        super().__init__("mqtt")
        try:
            broker.host.encode("idna")
        except UnicodeError as wrong:
            reason = f"[mqtt] `host` = {broker.host!a} is no name of a host ({wrong})."
            raise DeviceError(reason, "Write the broker's name or IP address.") from None
        self._broker, self._table, self._words, self._report, self._sounds = broker, table, words, report, sounds
        self._events: deque[Event] = deque(maxlen=MAX_EVENTS)
        self._table_name, self._connected = name, threading.Event()
        self._retained: dict[str, bytes] = {}  # what the broker retains since the connection, by topic
        self._trouble = UNTRIED

    def health(self) -> tuple[bool, str]:
        """Return (is the broker connected, a sentence that says so or why not and what to do)."""
        where = f"{self._broker.host}:{self._broker.port}"
        if self._connected.is_set():
            return True, f"the MQTT broker {where} is connected"
        return False, f"The MQTT broker {where} can't be reached ({self._trouble}). Check [mqtt] and the broker."

    def hear(self, _: Snapshot, news: News) -> None:
        """Queue the new events in `CODES` while the broker is connected, and wake the thread to publish the state."""
        if self._connected.is_set():
            self._events.extend(event for event in news.events if event.code in CODES)
        self._wake.set()

    def _run(self, stopped: threading.Event) -> None:
        """Publish what has changed, while the MQTT broker is connected, until `stopped` is set; then publish "offline".

        The client connects in the background and reconnects by itself. Events that occur without a connection are
        dropped. Changes are published after each snapshot, command and connection, and every HEALTH_EVERY_S.
        """
        client = self._client()
        limits = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        limits.MaximumPacketSize = MAX_PACKET_BYTES
        client.connect_async(self._broker.host, self._broker.port, KEEPALIVE_S, clean_start=True, properties=limits)
        client.loop_start()
        try:
            while not stopped.is_set():
                if self._connected.is_set():
                    self._publish(client)
                else:
                    self._events.clear()
                self._wake.wait(HEALTH_EVERY_S)
                self._wake.clear()
        finally:
            with contextlib.suppress(RuntimeError):  # the connection was lost just now
                if self._connected.is_set():
                    client.publish(f"{self._broker.topic}/available", "offline", 1, retain=True).wait_for_publish(2.0)
            client.disconnect()
            client.loop_stop()
            self._connected.clear()

    def _client(self) -> Client:
        """Return an MQTT client, not connected yet, whose last will has the broker report a lost table as offline.

        If commands are allowed (`sounds` was given), the client speaks MQTT 5, so that it can tell the broker its
        largest packet. Otherwise it speaks MQTT 3.1.1.
        """
        protocol = MQTTProtocolVersion.MQTTv311 if self._sounds is None else MQTTProtocolVersion.MQTTv5
        client = Client(CallbackAPIVersion.VERSION2, client_id=f"pegpip-{self._broker.topic}", protocol=protocol)
        client.reconnect_delay_set(1, LONGEST_PAUSE_S)
        client.will_set(f"{self._broker.topic}/available", "offline", 1, retain=True)
        if self._broker.user:
            client.username_pw_set(self._broker.user, self._broker.password)
        if self._broker.tls:
            client.tls_set()
        client.on_connect, client.on_disconnect = self._on_connect, self._on_disconnect
        client.on_connect_fail = self._on_connect_fail
        client.on_message = self._on_message
        return client

    def _on_connect(self, client: Client, _: Any, __: ConnectFlags, reason: ReasonCode, ___: Properties | None) -> None:
        """Mark the broker as connected, and everything as not yet published to it; or store the broker's refusal.

        If commands are allowed, subscribe with QoS 0 to the commands that start a game and mute the sound. With QoS 1
        Mosquitto would wait forever for acknowledgements of packets that it dropped as too large.
        """
        if reason.is_failure:
            self._trouble = str(reason)
            return
        if self._sounds is not None:
            client.subscribe([(f"{self._broker.topic}/{command}", 0) for command in ("start", "mute")])
        self._retained.clear()
        self._connected.set()
        self._wake.set()

    def _on_disconnect(self, _: Client, __: Any, ___: Any, reason: ReasonCode, ____: Properties | None) -> None:
        """Mark the broker as not connected, store the reason, and wake the thread to drop the events that wait.

        If the broker refused the connection, its refusal stays the reason, as `reason` is only "Unspecified error".
        """
        if self._connected.is_set() or self._trouble == UNTRIED:
            self._trouble = str(reason)
        self._connected.clear()
        self._wake.set()

    def _on_connect_fail(self, _: Client, __: Any) -> None:
        """Store why the broker could not be reached: the error that the MQTT client is handling during this call."""
        error = sys.exception()
        self._trouble = (isinstance(error, OSError) and error.strerror) or str(error)

    def _publish(self, client: Client) -> None:
        """Send the broker each retained MQTT message that has changed since last sent, then all waiting events.

        If commands are not allowed, empty messages delete what the broker still retains about commands. Nothing is
        awaited: the client sends in the background, and again after a lost connection.
        """
        topic = self._broker.topic
        found = discovery(topic, self._table_name(), self._sounds is not None)
        told = {f"{topic}/state": state_of(self._table.snapshot()), f"{topic}/health": health_of(self._report())}
        messages = dict.fromkeys(discovery(topic, "", True), b"")
        messages |= {where: msgspec.json.encode(message) for where, message in {**found, **told}.items()}
        messages[f"{topic}/muted"] = b"" if self._sounds is None else b"ON" if self._sounds.muted else b"OFF"
        messages[f"{topic}/available"] = b"online"
        for where, message in messages.items():
            if self._retained.get(where) != message:
                client.publish(where, message, 1, retain=True)
                self._retained[where] = message
        while self._events:
            event = self._events.popleft()
            happened = {"event_type": event.code, "text": self._words(event), **event.args}
            client.publish(f"{topic}/event", msgspec.json.encode(happened), 1)

    def _on_message(self, _: Client, __: Any, message: MQTTMessage) -> None:
        """Execute a command from the broker: mute or unmute the sound, or start a game.

        A refusal is logged. On the topic `mute`, `ON` mutes, `OFF` unmutes, and other payloads are refused. On `start`,
        a game's header in JSON starts that game; an empty payload starts the next one. After a command, refused or not,
        the publishing thread is woken. A retained or too large message is ignored; without `sounds`, every message is.
        """
        if self._sounds is None or message.retain or len(message.payload) > MAX_COMMAND_BYTES:
            return
        try:
            if message.topic.endswith("/mute"):
                if message.payload not in (b"ON", b"OFF"):
                    raise RulesError(f"{bytes(message.payload)!r} is neither ON nor OFF.")
                self._sounds.muted = message.payload == b"ON"
            elif message.payload:
                header = msgspec.json.decode(message.payload)
                wrong = problem_of(header_of(header).players)
                if wrong is not None:
                    raise RulesError(wrong)
                self._table.submit(StartGame(header=header))
            else:
                self._table.submit(NextGame(number=self._table.snapshot().number))
        except (CompanionError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as refused:
            log.warning("a command of the MQTT broker is refused: %s", refused)
        self._wake.set()


def state_of(snapshot: Snapshot) -> dict[str, Any]:
    """Return a snapshot as the JSON message of the topic `.../state`.

    - `game`, `turn`: the game's title and the name of the side to play; None if there is none.
    - `throw`, `thrown_by`: the values of this game's last throw as text, and the player's name; None without a throw.
    - `score`: the names and scores of all sides as one text, cut to Home Assistant's 255 characters.
    - `sides`: a list with `name`, `score` and `won` of each side.
    - `phase`: the snapshot's phase. `number`: the number of the journal's last entry.
    """
    thrown = snapshot.throws[-1] if snapshot.throws else None
    return {
        "game": game_named(snapshot.game).title if snapshot.game else None,
        "phase": snapshot.phase,
        "turn": next((side.name for side in snapshot.sides if side.to_play), None),
        "score": ", ".join(f"{side.name} {side.score}" for side in snapshot.sides)[:255],
        "throw": " ".join(map(str, thrown.values)) if thrown else None,
        "thrown_by": thrown.player if thrown else None,
        "sides": [{"name": side.name, "score": side.score, "won": side.won} for side in snapshot.sides],
        "number": snapshot.number,
    }


def health_of(report: dict[str, Any]) -> dict[str, str]:
    """Return the message of `.../health` from the answer of `/healthz`: `problem`, ON or OFF, and what is broken."""
    ill = [f"{part}: {check['says']}" for part, check in report["parts"].items() if not check["ok"]]
    return {"problem": "ON" if ill else "OFF", "says": " ".join(ill)}
