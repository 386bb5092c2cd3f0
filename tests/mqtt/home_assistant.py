"""Check discovery messages against Home Assistant's own schemas; run by its own Python: `make home-assistant`.

Reads a JSON object from standard input: the message of each entity by its topic.
"""

from __future__ import annotations

import importlib
import json
import sys


def main() -> None:
    messages = json.load(sys.stdin)
    for topic, message in messages.items():
        kind = topic.split("/")[1]
        schema = importlib.import_module(f"homeassistant.components.mqtt.{kind}").DISCOVERY_SCHEMA
        schema(message)
        print(f"valid: {topic}")
    version = importlib.import_module("homeassistant.const").__version__
    print(f"{len(messages)} discovery messages are valid for Home Assistant {version}")


if __name__ == "__main__":
    main()
