"""Optional parts that reach beyond the table. Each is imported only when the settings turn it on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
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


@dataclass(slots=True)
class Beyond:
    """The parts that the settings turn on, and the health check of each."""

    parts: list[Part] = field(default_factory=list)
    checks: dict[str, Health] = field(default_factory=dict)


def opened_beyond(
    settings: Settings,
    folder: Path,
    table: Table,
    past: PastGames,
    live: LiveSettings,
    report: Callable[[], dict[str, Any]],
) -> Beyond:
    """Return the optional parts that the settings turn on, league, MQTT and webhook, not started, with health checks.

    A part that can't be opened is left out; its health check then says why.

    Args:
        settings: The settings.
        folder: The data folder.
        table: The table.
        past: Its games.
        live: The present settings; mutes the sounds.
        report: Returns the answer of `/healthz`.
    """
    found = Beyond()
    if settings.league.server:
        _add(found, "league", lambda: _league(settings, folder, table, past))
    if settings.mqtt.host:
        _add(found, "mqtt", lambda: _mqtt(settings, table, live, report))
    if settings.webhook.url:
        _add(found, "webhook", lambda: _webhook(settings, table, live))
    return found


def _add(found: Beyond, name: str, open_it: Callable[[], tuple[Part, Health]]) -> None:
    """Call `open_it`, and add the part and health check that it returns to `found` under a name.

    If a library or a device is missing, only a failing check is added, which says what is missing. Raises any other
    ImportError.
    """
    try:
        part, health = open_it()
    except (ImportError, DeviceError) as ill:
        says = missing_library(ill) if isinstance(ill, ImportError) else str(ill)
        if says is None:
            raise
        found.checks[name] = lambda: (False, says)
    else:
        found.parts.append(part)
        found.checks[name] = health


def _league(settings: Settings, folder: Path, table: Table, past: PastGames) -> tuple[Part, Health]:
    """Return the part that sends finished games to the league's server, not started, and its health check."""
    from companion.league.sender import Sender

    sender = Sender(settings.league.server, folder, past, settings.league.aliases)
    return following("league", table, sender.hear, sender.start, sender.stop, sender.alive), sender.health


def _mqtt(
    settings: Settings, table: Table, live: LiveSettings, report: Callable[[], dict[str, Any]]
) -> tuple[Part, Health]:
    """Return the part that publishes the table's state and events to the MQTT broker, and its health check.

    Nothing is started. Only if the settings allow commands, the broker may mute the table and start a game. Raises
    ImportError if the MQTT library is missing.

    Args:
        settings: All settings.
        table: The table that is followed.
        live: The settings of the running table; a command from the broker mutes it through them.
        report: Returns the answer of `/healthz`, which is published too.
    """
    from companion.mqtt.publisher import Broker, Publisher

    broker = msgspec.convert(settings.mqtt, Broker, from_attributes=True)
    sounds = live if settings.mqtt.commands else None
    publisher = Publisher(broker, lambda: live.now.table.name, table, _words(live), report, sounds)
    part = following("mqtt", table, publisher.hear, publisher.start, publisher.stop, publisher.alive)
    return part, publisher.health


def _webhook(settings: Settings, table: Table, live: LiveSettings) -> tuple[Part, Health]:
    """Return the part that posts events of games to the webhook's URL, not started, and its health check.

    Raises DeviceError if the URL or the secret is wrong.
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
