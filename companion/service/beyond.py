"""Optional parts that reach beyond the table. Each is imported only when the settings turn it on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from companion.league.sender import Sender
    from companion.mqtt.publisher import Publisher
    from companion.mqtt.webhook import Webhook


def opened_beyond(
    settings: Settings,
    folder: Path,
    table: Table,
    past: PastGames,
    live: LiveSettings,
    report: Callable[[], dict[str, Any]],
) -> tuple[list[Part], dict[str, Health]]:
    """Return the optional parts that the settings turn on (league, MQTT, webhook), not started, and health checks.

    A part with a missing library or wrong settings is left out; its health check, under its name, says so. The league
    sends the games that `past` reads from the data folder `folder`. `live` has the present settings and can mute the
    sounds. `report` returns the answer of `/healthz`. MQTT commands, which mute the table or start a game, work only if
    the settings allow them.
    """

    def name() -> str:
        return live.now.table.name

    def words(event: Event) -> str:
        return words_of(event, live.now.table.language or "en")

    def league() -> Sender:
        from companion.league.sender import Sender

        return Sender(settings.league.server, folder, past, settings.league.aliases)

    def mqtt() -> Publisher:
        from companion.mqtt.publisher import Broker, Publisher

        broker = msgspec.convert(settings.mqtt, Broker, from_attributes=True)
        return Publisher(broker, name, table, words, report, live if settings.mqtt.commands else None)

    def webhook() -> Webhook:
        from companion.mqtt.webhook import Webhook

        wanted = settings.webhook
        return Webhook(wanted.url, wanted.secret_password, name, lambda event: mentioning_nobody(words(event)))

    wanted: dict[str, tuple[str, Callable[[], Sender | Publisher | Webhook]]] = {
        "league": (settings.league.server, league),
        "mqtt": (settings.mqtt.host, mqtt),
        "webhook": (settings.webhook.url, webhook),
    }
    parts, checks = list[Part](), dict[str, Health]()
    for part, (turned_on, opened) in wanted.items():
        try:
            if turned_on:
                sender = opened()
                parts.append(following(part, table, sender.hear, sender.start, sender.stop, sender.alive))
                checks[part] = sender.health
        except (ImportError, DeviceError) as ill:
            says = missing_library(ill) if isinstance(ill, ImportError) else str(ill)
            if says is None:
                raise
            checks[part] = _failing(says)
    return parts, checks


def _failing(why: str) -> Health:
    """Return a health check that always fails, and says why."""
    return lambda: (False, why)


def mentioning_nobody(text: str) -> str:
    """Return a text changed so that it notifies nobody in Slack, Teams or Discord.

    A zero-width space follows each `@`, as in a name `@everyone`. `<` becomes a single angle quotation mark.

    >>> mentioning_nobody("<!channel> wins")
    '‹!channel> wins'
    """
    return text.replace("@", "@\N{ZERO WIDTH SPACE}").replace("<", "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}")
