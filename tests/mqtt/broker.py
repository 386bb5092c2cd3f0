"""A real Mosquitto on a free port, and a client that remembers what it hears."""

from __future__ import annotations

import subprocess
import threading
from pathlib import Path
from typing import Any

import msgspec
from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion

from tests.league.services import LOOPBACK, free_port
from tests.waiting import until

PROGRAM = Path("/usr/sbin/mosquitto")


class Mosquitto:
    """The broker. It keeps nothing on the disk: after a kill it knows no retained message.

    Args:
        folder: Folder for its settings.
        anonymous: Whether it takes clients without a user; it knows no user.
    """

    def __init__(self, folder: Path, anonymous: bool = True) -> None:
        self.port = free_port()
        self._settings = folder / "mosquitto.conf"
        self._log = folder / "mosquitto.log"
        allowed, log = f"allow_anonymous {str(anonymous).lower()}", "log_type all\nlog_dest stderr"
        self._settings.write_text(f"listener {self.port} {LOOPBACK}\n{allowed}\npersistence false\n{log}\n")
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        command = ["setpriv", "--pdeathsig=KILL", str(PROGRAM), "-c", str(self._settings)]
        with self._log.open("a") as log:
            self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=log)

    def dropped(self, client: str) -> int:
        """Return how many messages were too large for a client so far, and not sent to it."""
        return self._log.read_text().count(f"Dropping too large outgoing PUBLISH for {client} ")

    def kill(self) -> None:
        assert self._process is not None, "it runs"
        self._process.kill()
        self._process.wait()


class Listener:
    """Subscribes to all topics and remembers the last message of each, and every message of `event`."""

    def __init__(self, port: int) -> None:
        self.last: dict[str, bytes] = {}
        self.events: list[dict[str, Any]] = []
        self._heard = threading.Event()
        self.client = Client(CallbackAPIVersion.VERSION2)
        self.client.reconnect_delay_set(1, 1)
        self.client.on_connect = lambda client, *_: client.subscribe("#", 1)
        self.client.on_subscribe = lambda *_: self._heard.set()
        self.client.on_message = self._take
        self.client.connect_async(LOOPBACK, port)
        self.client.loop_start()
        assert until(self._heard.is_set)

    def _take(self, _: Client, __: Any, message: MQTTMessage) -> None:
        if message.topic.endswith("/event"):
            self.events.append(msgspec.json.decode(message.payload))
        self.last[message.topic] = bytes(message.payload)

    def state(self) -> dict[str, Any]:
        """Return the last message about the table's state; an empty one before the first."""
        found: dict[str, Any] = msgspec.json.decode(self.last.get("pub/state", b"{}"))
        return found

    def close(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()
