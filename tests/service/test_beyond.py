"""The optional parts that reach beyond the table: what the settings page changes counts for them at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from companion.diagnostics.health import Health
from companion.evidence.folder import PackageFolder
from companion.history.export import PastGames
from companion.mqtt import webhook
from companion.service.beyond import opened_beyond
from companion.service.parts import Part
from companion.settings.live import LiveSettings
from companion.settings.load import Settings
from companion.table.photos import Photos
from companion.table.snapshot import Event
from hardware.board import Board
from hardware.power import Power
from hardware.sounds import Chimes
from hardware.strips.memory import MemoryStrip
from hardware.track import preset
from tests.system.restarts import health, running_app
from tests.table.acting import table_in
from web.loudspeaker import Loudspeaker, words_of

WON = Event(number=1, code="game_over", args={"winners": ["Ann"]})


def test_the_health_report_for_mqtt_has_every_part_of_healthz(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reports: list[Callable[[], dict[str, Any]]] = []

    def opened(*given: Any) -> tuple[list[Part], dict[str, Health]]:
        reports.append(given[-1])
        return [], {}

    monkeypatch.setattr("companion.app.opened_beyond", opened)
    with running_app(tmp_path) as app:
        parts = reports[0]()["parts"].keys(), health(app).keys()
    assert parts[0] == parts[1]


def in_language(language: str) -> Settings:
    tree = {"webhook": {"url": "https://chat.example"}, "table": {"language": language, "name": f"The {language}"}}
    return msgspec.convert(tree, Settings)


def test_a_webhook_follows_table_name_and_language_changes_while_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Any] = []

    class Noted(webhook.Webhook):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            made.extend(given[-2:])

    monkeypatch.setattr(webhook, "Webhook", Noted)
    table, settings = table_in(tmp_path), in_language("en")
    layout = preset("strip122")
    board = Board(MemoryStrip(layout.leds), layout, Power())
    packages = PackageFolder(tmp_path, 0)
    live = LiveSettings(settings, board, Photos(tmp_path), packages, Chimes(), Loudspeaker())
    parts, _ = opened_beyond(settings, tmp_path, table, PastGames(tmp_path), live, dict)
    assert [part.name for part in parts] == ["webhook"]
    live.apply(in_language("de"))
    name, words = made
    assert words(WON) == words_of(WON, "de") != words_of(WON, "en")
    assert name() == "The de"
    called = Event(number=1, code="game_over", args={"winners": ["@everyone"]})
    assert words(called) == "@\N{ZERO WIDTH SPACE}everyone gewinnt", "a chat would notify all its members"
