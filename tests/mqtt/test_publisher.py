"""The publisher with a real Mosquitto: a home hears the table, and commands only where they are switched on."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from companion.errors import DeviceError
from companion.mqtt.publisher import Broker, Publisher
from companion.table.snapshot import News
from tests.league.services import LOOPBACK, free_port, needed
from tests.mqtt.broker import PROGRAM, Mosquitto
from tests.mqtt.conftest import Home
from tests.table.acting import FIRST, HEADER, played, table_in
from tests.waiting import until


@pytest.fixture
def publisher(home: Home) -> Iterator[Publisher]:
    made = home.publisher()
    assert until(lambda: "pub/available" in home.listener.last)  # the last of what it publishes at first
    yield made
    made.stop()


@pytest.fixture
def commanded(home: Home) -> Iterator[Publisher]:
    made = home.publisher(commands=True)
    assert until(lambda: "pub/muted" in home.listener.last)
    yield made
    made.stop()


def test_mqtt_state_has_the_game_and_whose_turn_and_the_score_and_last_throw(home: Home, publisher: Publisher) -> None:
    assert publisher.health()[0]
    assert home.listener.last["pub/available"] == b"online"
    state = home.listener.state()
    assert (state["game"], state["turn"], state["score"]) == ("Crib Dice", "Ann", "Ann 0, Ben 0")
    played(home.table, [{"throw": list(FIRST)}])
    assert until(lambda: home.listener.state()["throw"] == "1 2 2 4 5 5 6")
    assert home.listener.state()["thrown_by"] == "Ann"


def test_mqtt_publishes_a_throw_event_once_with_its_text_and_player(home: Home, publisher: Publisher) -> None:
    played(home.table, [{"throw": list(FIRST)}, {"do": "point", "value": 5}, {"do": "stop"}])
    assert until(lambda: any(event["event_type"] == "banked" for event in home.listener.events))
    (threw,) = [event for event in home.listener.events if event["event_type"] == "threw"]
    assert threw["text"] == "threw in words"
    assert threw["player"] == "Ann"


def test_a_late_mqtt_subscriber_gets_the_state_but_no_past_event(home: Home, publisher: Publisher) -> None:
    played(home.table, [{"throw": list(FIRST)}])
    assert until(lambda: home.listener.events)
    later = type(home.listener)(home.broker.port)
    assert until(lambda: later.state().get("throw"))
    assert until(lambda: later.last.get("pub/available") == b"online")
    assert later.events == []
    later.close()


def test_mqtt_health_names_a_failed_part_and_the_reason(home: Home, publisher: Publisher) -> None:
    assert msgspec.json.decode(home.listener.last["pub/health"]) == {"problem": "OFF", "says": ""}
    home.report["parts"] = {"camera": {"ok": False, "says": "is unplugged"}}
    played(home.table, [{"throw": list(FIRST)}])  # the next health check comes with the next news
    assert until(lambda: b"camera: is unplugged" in home.listener.last["pub/health"])


def test_a_restarted_mqtt_broker_gets_discovery_and_the_newest_state(home: Home, publisher: Publisher) -> None:
    home.broker.kill()
    assert until(lambda: not publisher.health()[0])
    assert "Check [mqtt]" in publisher.health()[1]
    played(home.table, [{"throw": list(FIRST)}])
    home.listener.last.clear()
    home.broker.start()
    assert until(lambda: home.listener.state().get("throw") == "1 2 2 4 5 5 6")
    assert until(lambda: home.listener.last.get("pub/available") == b"online")
    assert until(lambda: any(topic.startswith("homeassistant/") for topic in home.listener.last))
    assert until(lambda: publisher.health()[0])


def publisher_for(folder: Path, host: str, port: int) -> Publisher:
    broker, table = Broker(host, port, False, "", "", "pub"), table_in(folder / "data")
    return Publisher(broker, lambda: "The Lion", table, str, lambda: {"parts": {}})


def test_mqtt_health_keeps_a_brokers_refusal_after_the_disconnection(tmp_path: Path) -> None:
    """The client reports "Unspecified error" right after the refusal, each time that it tries."""
    needed("mosquitto", PROGRAM.exists())
    broker = Mosquitto(tmp_path, anonymous=False)
    publisher = publisher_for(tmp_path, LOOPBACK, broker.port)
    publisher.start()
    assert until(lambda: "Not authorized" in publisher.health()[1])
    publisher.stop()
    assert until(lambda: not publisher.alive())
    assert "Not authorized" in publisher.health()[1]
    broker.kill()


def test_mqtt_health_says_why_no_broker_was_reached(tmp_path: Path) -> None:
    publisher = publisher_for(tmp_path, LOOPBACK, free_port())
    publisher.start()
    assert until(lambda: "Connection refused" in publisher.health()[1])
    publisher.stop()


@pytest.mark.parametrize("host", ["a..b", ".local", "a" * 64])
def test_a_text_that_can_not_be_a_host_name_is_refused_as_mqtt_host(tmp_path: Path, host: str) -> None:
    with pytest.raises(DeviceError, match="no name of a host"):
        publisher_for(tmp_path, host, 1883)


def test_stopping_the_mqtt_publisher_reports_the_table_offline(home: Home, publisher: Publisher) -> None:
    publisher.stop()
    assert until(lambda: home.listener.last["pub/available"] == b"offline")
    assert until(lambda: not publisher.alive())


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_crashed_mqtt_publisher_disconnects_before_it_is_restarted(home: Home, publisher: Publisher) -> None:
    """Two clients of one name would push each other off the broker for ever."""
    home.report["parts"] = {"camera": "no report"}
    publisher.hear(home.table.snapshot(), News())
    assert until(lambda: not publisher.alive())
    assert not publisher.health()[0]
    assert until(lambda: home.listener.last["pub/available"] == b"offline")
    assert until(lambda: not [each for each in threading.enumerate() if each.name.endswith("pegpip-pub")])
    home.report["parts"] = {}
    publisher.start()
    assert until(lambda: home.listener.last["pub/available"] == b"online")


ALONE = """
import sys, threading
from pathlib import Path
from companion.mqtt.publisher import Broker, Publisher
from companion.table.journal import Journal
from companion.table.photos import Photos
from companion.table.writer import Table
folder = Path(sys.argv[2])
table, broker = Table(Journal(folder), Photos(folder)), Broker("127.0.0.1", int(sys.argv[1]), False, "", "", "pub")
Publisher(broker, lambda: "The Lion", table, str, lambda: {"parts": {}}).start()
threading.Event().wait()
"""


def test_mqtt_reports_a_killed_table_offline_by_its_last_will(home: Home, tmp_path: Path) -> None:
    table = subprocess.Popen([sys.executable, "-c", ALONE, str(home.broker.port), str(tmp_path)])
    assert until(lambda: home.listener.last.get("pub/available") == b"online")
    table.send_signal(signal.SIGKILL)
    assert until(lambda: home.listener.last["pub/available"] == b"offline")
    table.wait()


def test_mqtt_commands_have_no_effect_unless_enabled(home: Home, publisher: Publisher) -> None:
    number = home.table.snapshot().number
    home.listener.client.publish("pub/start", msgspec.json.encode({**HEADER, "players": ["Eve", "Fay"]}), 1)
    home.listener.client.publish("pub/mute", b"ON", 1)
    assert until(lambda: home.listener.last.get("pub/mute") == b"ON")
    played(home.table, [{"throw": list(FIRST)}])
    assert until(lambda: home.listener.state()["throw"] == "1 2 2 4 5 5 6"), "it has had time to obey both"
    assert home.listener.state()["turn"] == "Ann"
    assert (home.table.snapshot().number, home.sounds.muted) == (number + 1, False)
    assert not [topic for topic, said in home.listener.last.items() if said and re.search("/(button|switch)/", topic)]


def test_mqtt_commands_switched_off_remove_their_home_assistant_controls(home: Home, commanded: Publisher) -> None:
    commanded.stop()
    assert until(lambda: home.listener.last["pub/available"] == b"offline")
    publisher = home.publisher()
    assert until(lambda: home.listener.last["pub/available"] == b"online")
    publisher.stop()
    later = type(home.listener)(home.broker.port)
    assert until(lambda: "pub/available" in later.last)
    assert not [topic for topic in later.last if re.search("/(button|switch)/|/muted", topic)]
    later.close()


def test_enabled_mqtt_commands_start_a_game_and_mute_the_sounds(home: Home, commanded: Publisher) -> None:
    home.listener.client.publish("pub/start", msgspec.json.encode({**HEADER, "players": ["Eve", "Fay"]}), 1)
    assert until(lambda: home.listener.state()["turn"] == "Eve")
    home.listener.client.publish("pub/mute", b"ON", 1)
    assert until(lambda: home.listener.last["pub/muted"] == b"ON")
    assert home.sounds.muted
    home.listener.client.publish("pub/mute", b"OFF", 1)
    assert until(lambda: home.listener.last["pub/muted"] == b"OFF")


@pytest.mark.parametrize("name", ["\u202eAnn", "  ", "a\nb"])
def test_an_mqtt_game_start_with_a_blank_or_unprintable_player_name_is_ignored(
    home: Home, commanded: Publisher, name: str
) -> None:
    number = home.table.snapshot().number
    for players in ([name, "Fay"], ["Eve", "Fay"]):
        home.listener.client.publish("pub/start", msgspec.json.encode({**HEADER, "players": players}), 1)
    assert until(lambda: home.listener.state()["turn"] == "Eve")
    assert home.table.snapshot().number == number + 1, "one game was started, Eve's"


@pytest.mark.parametrize("muted", [False, True])
@pytest.mark.parametrize("payload", [b"", b"on", b"true", b"ON\n"])
def test_an_mqtt_mute_command_not_on_or_off_in_capitals_is_ignored(
    home: Home, commanded: Publisher, payload: bytes, muted: bool
) -> None:
    home.sounds.muted = muted
    home.listener.client.publish("pub/mute", payload, 1)
    home.listener.client.publish("pub/start", msgspec.json.encode({**HEADER, "players": ["Eve", "Fay"]}), 1)
    assert until(lambda: home.listener.state()["turn"] == "Eve"), "both commands are done"
    assert home.sounds.muted == muted


@pytest.mark.parametrize("nonsense", [b"{", b"\xff", b"[]", b'{"game": "chess"}', b"x" * 5000, b'"\xff"', b"[" * 4000])
def test_a_malformed_mqtt_command_is_ignored_and_later_ones_work(
    home: Home, commanded: Publisher, nonsense: bytes
) -> None:
    number = home.table.snapshot().number
    home.listener.client.publish("pub/start", nonsense, 1)
    home.listener.client.publish("pub/mute", b"ON", 1)
    assert until(lambda: home.listener.last["pub/muted"] == b"ON"), "it lives on"
    assert home.table.snapshot().number == number


def test_huge_mqtt_commands_are_dropped_and_a_later_small_one_still_works(home: Home, commanded: Publisher) -> None:
    for _ in range(30):  # more than Mosquitto sends without an acknowledgement
        home.listener.client.publish("pub/start", bytes(100_000), 1)
    home.listener.client.publish("pub/mute", b"ON", 1)
    assert until(lambda: home.listener.last["pub/muted"] == b"ON")
    assert home.broker.dropped("pegpip-pub") == 30


def test_a_retained_mqtt_command_is_ignored(home: Home) -> None:
    home.listener.client.publish("pub/mute", b"ON", 1, retain=True)
    assert until(lambda: "pub/mute" in home.listener.last)
    publisher = home.publisher(commands=True)
    assert until(lambda: "pub/muted" in home.listener.last)
    home.listener.client.publish("pub/start", msgspec.json.encode({**HEADER, "players": ["Eve", "Fay"]}), 1)
    assert until(lambda: home.listener.state().get("turn") == "Eve")
    assert home.listener.last["pub/muted"] == b"OFF"
    publisher.stop()
