"""Fixtures of the events for the home: a real Mosquitto, a table, its publisher, and a listener."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from companion.mqtt.publisher import Broker, Publisher
from companion.table.snapshot import Event
from companion.table.writer import Table
from tests.league.services import LOOPBACK, needed
from tests.mqtt.broker import PROGRAM, Listener, Mosquitto
from tests.table.acting import HEADER, started, table_in

WELL = {"status": "ok", "parts": {"camera": {"ok": True, "says": "sees the tray"}}}


def in_words(event: Event) -> str:
    return f"{event.code} in words"


class Sounds:
    """The table's sounds."""

    muted = False


@dataclass
class Home:
    """A home with a broker and a table that publishes to it.

    Attributes:
        broker: The broker.
        table: The table, with a game on it.
        sounds: Its sounds.
        report: What its health checks say.
        listener: Hears what is published.
    """

    broker: Mosquitto
    table: Table
    sounds: Sounds
    report: dict[str, Any]
    listener: Listener

    def publisher(self, commands: bool = False) -> Publisher:
        """Make a publisher that follows the table, and start it."""
        where = Broker(LOOPBACK, self.broker.port, False, "", "", "pub")
        sounds = self.sounds if commands else None
        made = Publisher(where, lambda: "The Lion", self.table, in_words, lambda: self.report, sounds)
        self.table.subscribe(made.hear)
        made.start()
        return made


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    needed("mosquitto", PROGRAM.exists())
    broker, table = Mosquitto(tmp_path), table_in(tmp_path / "data")
    table.start()
    started(table, HEADER)
    listener = Listener(broker.port)
    yield Home(broker, table, Sounds(), dict(WELL), listener)
    listener.close()
    table.stop()
    broker.kill()
