"""Optional parts that reach beyond the table. Each is imported only when the settings turn it on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from companion.diagnostics.health import Health
from companion.errors import DeviceError
from companion.history.export import PastGames
from companion.libraries import missing_library
from companion.service.parts import Part, following
from companion.settings.live import LiveSettings
from companion.settings.load import Settings
from companion.table.snapshot import Event
from companion.table.writer import Table
from web.loudspeaker import words_of


def opened_beyond(
    settings: Settings,
    folder: Path,
    table: Table,
    past: PastGames,
    live: LiveSettings,
    report: Callable[[], dict[str, Any]],
) -> tuple[list[Part], dict[str, Health]]:
    """Return the optional parts that the settings turn on (league, MQTT, webhook), not started, and health checks.

    A part is left out if a library is missing or its settings are wrong; its health check, under its name, says so.
    `live` has the present settings, and mutes the sounds. `report` returns the answer of `/healthz`.
    """
    wanted: dict[str, tuple[str, Callable[[], tuple[Part, Health]]]] = {
        "league": (settings.league.server, lambda: _league(settings, folder, table, past)),
        "mqtt": (settings.mqtt.host, lambda: _mqtt(settings, table, live, report)),
        "webhook": (settings.webhook.url, lambda: _webhook(settings, table, live)),
    }
    parts, checks = list[Part](), dict[str, Health]()
    for name, (turned_on, opened) in wanted.items():
        try:
            if turned_on:
                part, checks[name] = opened()
                parts.append(part)
        except (ImportError, DeviceError) as ill:
            says = missing_library(ill) if isinstance(ill, ImportError) else str(ill)
            if says is None:
                raise
            checks[name] = _failing(says)
    return parts, checks


def _failing(why: str) -> Health:
    """Return a health check that always fails, and says why."""
    return lambda: (False, why)


def _league(settings: Settings, folder: Path, table: Table, past: PastGames) -> tuple[Part, Health]:
    """Return the part that sends finished games to the league's server, and its health check."""
    from companion.league.sender import Sender

    sender = Sender(settings.league.server, folder, past, settings.league.aliases)
    return following("league", table, sender.hear, sender.start, sender.stop, sender.alive), sender.health


def _mqtt(
    settings: Settings, table: Table, live: LiveSettings, report: Callable[[], dict[str, Any]]
) -> tuple[Part, Health]:
    """Return the part that publishes the table's state and events to the MQTT broker, and its health check.

    Only if the settings allow commands, the broker may mute the table and start a game. `report` returns the answer of
    `/healthz`, from which the table's health is published. Raises ImportError if the MQTT library is missing.
    """
    from companion.mqtt.publisher import Broker, Publisher

    broker = msgspec.convert(settings.mqtt, Broker, from_attributes=True)
    sounds = live if settings.mqtt.commands else None
    publisher = Publisher(broker, lambda: live.now.table.name, table, _words(live), report, sounds)
    part = following("mqtt", table, publisher.hear, publisher.start, publisher.stop, publisher.alive)
    return part, publisher.health


def _webhook(settings: Settings, table: Table, live: LiveSettings) -> tuple[Part, Health]:
    """Return the part that posts events of games to the webhook's URL, and its health check.

    Raises DeviceError if the URL or the secret of the settings is wrong.
    """
    from companion.mqtt.webhook import Webhook

    wanted, words = settings.webhook, _words(live)
    webhook = Webhook(
        wanted.url,
        wanted.secret_password,
        lambda: live.now.table.name,
        lambda event: mentioning_nobody(words(event)),
    )
    return following("webhook", table, webhook.hear, webhook.start, webhook.stop, webhook.alive), webhook.health


def _words(live: LiveSettings) -> Callable[[Event], str]:
    """Return a function that gives the sentence for an event in the table's present language, or in English without."""
    return lambda event: words_of(event, live.now.table.language or "en")


def mentioning_nobody(text: str) -> str:
    """Return a text that notifies nobody in Slack, Teams or Discord: a player's name such as `@everyone` would.

    A zero-width space follows each `@`, and `<` becomes a single angle quotation mark.

    >>> mentioning_nobody("<!channel> wins")
    '‹!channel> wins'
    """
    return text.replace("@", "@\N{ZERO WIDTH SPACE}").replace("<", "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}")
