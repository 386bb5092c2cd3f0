"""Print the discovery messages of a table as a JSON object, the message of each entity by its topic."""

from __future__ import annotations

import sys

import msgspec

from companion.mqtt.discovery import discovery

if __name__ == "__main__":
    sys.stdout.buffer.write(msgspec.json.encode(discovery("pegpip", "Peg & Pip", commands=True)))
