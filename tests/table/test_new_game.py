"""A game that the table does not know, played with throws from the tray and decisions by phone."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest

from companion.games import registry
from companion.table.commands import Observe, PlayLine, Tick
from companion.table.writer import Table
from tests.games.high import GAME
from tests.known import known
from tests.table.acting import Clock, Tray, started

HEADER: dict[str, Any] = {"transcript": 1, "game": "high", "players": ["Ann", "Ben"], "rules": {"twice": True}}


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "GAMES", MappingProxyType({**registry.GAMES, "high": GAME}))


def test_a_game_added_to_the_registry_is_playable_by_tray_and_phone(table: Table, clock: Clock) -> None:
    tray = Tray(clock=clock)
    started(table, HEADER)
    thrown = table.submit(Observe(tray.throw(4)))
    assert (known(thrown.state)["turn_points"], thrown.options) == (4, ({"do": "stop"},))
    tray.lift()
    table.submit(Observe(tray.observation()))
    clock.now_s += 60.0
    assert table.submit(Tick()).number == thrown.number, "an empty tray says nothing here"
    table.submit(PlayLine(number=thrown.number, line={"do": "stop"}))
    table.submit(Observe(tray.throw(3)))
    over = table.submit(Observe(tray.throw(6)))
    assert known(over.state)["outcome"]["winners"] == ["Ben"]
    codes = [event.code for event in over.events]
    assert codes == ["game_started", "threw", "banked", "topped", "threw", "threw", "banked", "topped", "game_over"]
    table.stop()
    table.start()
    assert table.snapshot().state == over.state
