"""Settings of what reaches beyond the table. All of it is off by default."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta


class LeagueSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A league that this table sends its finished games to.

    Attributes:
        server: Address of the league's server: https, or http in the own network. Empty: no game leaves the table.
        aliases: Names to publish instead of those at the table, each as `"Ann=Ann of the Lion"`.
    """

    server: Annotated[str, Meta(max_length=200)] = ""
    aliases: tuple[str, ...] = ()


class MqttSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An MQTT broker that hears the table's state and events, for Home Assistant and others.

    Attributes:
        host: Name or address of the broker. Empty: no MQTT.
        port: Port of the broker; 8883 is usual with TLS.
        tls: Whether the connection is encrypted, with the broker's certificate checked.
        user: User name at the broker; empty for none.
        password: Password at the broker.
        topic: First part of every topic: 1 to 40 letters, digits, `_` or `-`. Each table of a house needs its own.
        commands: Whether the broker may start a game and mute the table.
    """

    host: Annotated[str, Meta(max_length=253)] = ""
    port: Annotated[int, Meta(ge=1, le=65535)] = 1883
    tls: bool = False
    user: Annotated[str, Meta(max_length=200)] = ""
    password: Annotated[str, Meta(max_length=200)] = ""
    topic: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,40}$")] = "pegpip"
    commands: bool = False


class WebhookSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An address that gets a signed message when a game begins or ends, and at its great moments.

    Attributes:
        url: The address: https, or http in the own network. Empty: no webhook.
        secret_password: Base64 secret that signs each message (Standard Webhooks). Empty: no signature.
    """

    url: Annotated[str, Meta(max_length=500)] = ""
    secret_password: Annotated[str, Meta(max_length=200)] = ""
