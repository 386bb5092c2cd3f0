"""A game against the bot over HTTP: it is seated with the game, and only paired phones make it wait."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.web.pub import HEADER, Pub, opened


class FakeBot:
    def __init__(self) -> None:
        self.held: list[tuple[float, int]] = []

    def hold(self, seconds: float, phone: int) -> None:
        self.held.append((seconds, phone))


def test_games_api_stores_the_bots_player_and_level_as_terms_outside_the_game_header(pub: Pub) -> None:
    house = {"player": HEADER["players"][1], "level": "steady"}
    assert pub.host().post("/api/games", json={**HEADER, "terms": {"house": house}}).status_code == 200
    told = pub.stranger().get("/api/state").json
    assert told["terms"] == {"house": house}
    assert "terms" not in told["header"]


@pytest.mark.parametrize(
    "terms",
    [
        {"house": {"player": "Nobody", "level": "best"}},
        {"house": {"player": "Ann", "level": "perfect"}},
        {"house": {"player": "Ann"}},
        {"level": "best"},
        "best",
        None,
    ],
)
def test_games_api_refuses_malformed_terms_and_a_bot_of_unknown_player_or_level(pub: Pub, terms: Any) -> None:
    answer = pub.host().post("/api/games", json={**HEADER, "terms": terms})
    assert (answer.status_code, answer.json["error"]) == (422, "rules")
    assert pub.table.snapshot().game is None


def test_only_paired_phones_can_make_the_bot_wait(tmp_path: Path) -> None:
    """A wait of 61 seconds is refused."""
    house = FakeBot()
    with opened(tmp_path, house=house) as pub:
        assert pub.stranger().post("/api/house/hold", json={"seconds": 5}).status_code == 401
        host = pub.host()
        assert host.post("/api/house/hold", json={"seconds": 5}).status_code == 200
        assert host.post("/api/house/hold", json={"seconds": 61}).status_code == 400
    assert house.held == [(5, 1)]
