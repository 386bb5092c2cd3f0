"""Home Assistant discovery: each entity is its own, and reads what the publisher publishes."""

from __future__ import annotations

import re

from companion.games.registry import GAMES
from companion.mqtt.discovery import discovery
from companion.mqtt.publisher import health_of, state_of
from companion.table.snapshot import Snapshot

MESSAGES = discovery("pub", "The Lion", commands=True)


def test_mqtt_discovery_announces_9_unique_entities_of_one_device() -> None:
    names = [message["unique_id"] for message in MESSAGES.values()]
    assert len(set(names)) == len(names) == 9
    assert len({str(message["device"]) for message in MESSAGES.values()}) == 1
    assert all(re.fullmatch(r"homeassistant/[a-z_]+/[\w-]+/[\w-]+/config", topic) for topic in MESSAGES)


def test_mqtt_discovery_gives_each_entity_the_same_id_for_old_and_new_home_assistant_versions() -> None:
    """2026.4 ignores `object_id`; the automation in docs/how-to/home-events.md names `event.pegpip_event`."""
    for topic, message in MESSAGES.items():
        assert message["default_entity_id"] == f"{topic.split('/')[1]}.{message['object_id']}"
    assert "event.pub_event" in {message["default_entity_id"] for message in MESSAGES.values()}


def test_every_mqtt_discovery_template_reads_a_published_field() -> None:
    published = {"pub/state": state_of(Snapshot(number=0)), "pub/health": health_of({"parts": {}})}
    read = [
        (message["state_topic"], re.findall(r"value_json\.(\w+)", message["value_template"]))
        for message in MESSAGES.values()
        if "value_template" in message
    ]
    assert len(read) == 6
    for topic, fields in read:
        assert set() < set(fields) <= published[topic].keys()


def test_mqtt_discovery_announces_every_event_code_of_every_game() -> None:
    (announced,) = (set(message["event_types"]) for message in MESSAGES.values() if "event_types" in message)
    assert {code for game in GAMES.values() for code in game.effects} < announced
    assert {"game_started", "fuchled", "bombed", "game_over", "threw"} <= announced


def test_mqtt_discovery_without_commands_has_no_button_or_switch() -> None:
    kinds = {topic.split("/")[1] for topic in discovery("pub", "The Lion", commands=False)}
    assert kinds == {"sensor", "event", "binary_sensor"}
