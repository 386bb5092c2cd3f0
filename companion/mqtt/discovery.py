"""Home Assistant discovery: the messages that make the table a device with entities.

Source: https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping
from typing import Any

from companion.games.engine.event import SHARED_EFFECTS
from companion.games.registry import GAMES

PREFIX = "homeassistant"
"""First part of the topics that Home Assistant listens to."""
PHASES = ("ready", "settling", "read", "asking", "over")
"""Values of `Snapshot.phase`, which Home Assistant gets as the options of the sensor `phase`."""
CODES = tuple(sorted({"game_started", *SHARED_EFFECTS, *(code for game in GAMES.values() for code in game.effects)}))
"""Codes of the game events that are published over MQTT. An event with another code is not published."""


def discovery(topic: str, name: str, commands: bool) -> Mapping[str, Mapping[str, Any]]:
    """Return the discovery messages that make the table a device in Home Assistant: MQTT topic -> message.

    There is one for each entity: seven read-only ones and, with `commands`, a start button and a mute switch. `topic`
    is the first part of the table's topics, and identifies the device; `name` is the device's name.
    """
    version = importlib.metadata.version("peg-and-pip")
    device = {"identifiers": [f"pegpip_{topic}"], "name": name, "manufacturer": "Peg & Pip", "sw_version": version}
    origin = {"name": "Peg & Pip", "sw_version": version}
    of_all = {"availability_topic": f"{topic}/available", "device": device, "origin": origin}
    return {
        f"{PREFIX}/{kind}/pegpip_{topic}/{key}/config": {
            "unique_id": f"pegpip_{topic}_{key}",
            "object_id": f"{topic}_{key}",  # before Home Assistant 2025.10
            "default_entity_id": f"{kind}.{topic}_{key}",
            **entity,
            **of_all,
        }
        for (kind, key), entity in _entities(topic, commands).items()
    }


def _entities(topic: str, commands: bool) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the table's Home Assistant entities: (kind, key) -> discovery fields, without those common to all.

    The kind is Home Assistant's, such as `sensor`. With `commands` there are also a button for the next game and a
    switch for muting. `topic` is the first part of the table's topics.
    """

    def sensor(key: str, name: str, icon: str, **more: Any) -> dict[tuple[str, str], dict[str, Any]]:
        template = f"{{{{ value_json.{key} }}}}"
        shown = {"name": name, "icon": f"mdi:{icon}", "state_topic": f"{topic}/state", "value_template": template}
        return {("sensor", key): {**shown, **more}}

    entities = {
        **sensor("game", "Game", "dice-multiple", json_attributes_topic=f"{topic}/state"),
        **sensor("phase", "Phase", "state-machine", device_class="enum", options=list(PHASES)),
        **sensor("turn", "Turn", "account-arrow-right"),
        **sensor("score", "Score", "scoreboard"),
        **sensor("throw", "Last throw", "dice-5"),
        ("event", "event"): {
            "name": "Event",
            "icon": "mdi:party-popper",
            "state_topic": f"{topic}/event",
            "event_types": list(CODES),
        },
        ("binary_sensor", "problem"): {
            "name": "Problem",
            "device_class": "problem",
            "entity_category": "diagnostic",
            "state_topic": f"{topic}/health",
            "value_template": "{{ value_json.problem }}",
            "json_attributes_topic": f"{topic}/health",
        },
    }
    if commands:
        mute = {"command_topic": f"{topic}/mute", "state_topic": f"{topic}/muted"}
        next_game = {"name": "Next game", "icon": "mdi:play", "command_topic": f"{topic}/start", "payload_press": ""}
        entities[("button", "start")] = next_game
        entities[("switch", "mute")] = {"name": "Mute", "icon": "mdi:volume-off", **mute}
    return entities
