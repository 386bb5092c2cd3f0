"""Home Assistant discovery: each entity is its own, and reads what the publisher publishes."""

from __future__ import annotations

import re

from companion.games.registry import GAMES
from companion.mqtt.discovery import CODES, discovery
from companion.mqtt.publisher import health_of, state_of
from companion.table.snapshot import Snapshot

MESSAGES = discovery("pub", "The Lion", commands=True)


def test_each_entity_is_its_own_and_all_are_one_device() -> None:
    names = [message["unique_id"] for message in MESSAGES.values()]
    assert len(set(names)) == len(names) == 9
    assert len({str(message["device"]) for message in MESSAGES.values()}) == 1
    assert all(re.fullmatch(r"homeassistant/[a-z_]+/[\w-]+/[\w-]+/config", topic) for topic in MESSAGES)


def test_every_template_reads_a_field_that_is_published() -> None:
    published = {"pub/state": state_of(Snapshot(number=0)), "pub/health": health_of({"parts": {}})}
    read = [
        (message["state_topic"], re.findall(r"value_json\.(\w+)", message["value_template"]))
        for message in MESSAGES.values()
        if "value_template" in message
    ]
    assert len(read) == 6
    for topic, fields in read:
        assert set(fields) <= published[topic].keys()


def test_every_event_of_every_game_is_announced() -> None:
    assert {code for game in GAMES.values() for code in game.effects} <= set(CODES)
    assert {"fuchled", "bombed", "game_over", "threw"} <= set(CODES)


def test_without_commands_nothing_can_be_pressed() -> None:
    kinds = {topic.split("/")[1] for topic in discovery("pub", "The Lion", commands=False)}
    assert kinds == {"sensor", "event", "binary_sensor"}
