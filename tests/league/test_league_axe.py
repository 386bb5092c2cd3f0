"""axe-core finds nothing wrong with the league's pages, on a phone and a desk, dark and light; nothing is cut off."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from werkzeug.serving import make_server

from companion.league import fixtures
from companion.league.database import as_owner
from companion.tournaments import Draw
from tests.league.services import LOOPBACK, Postgres
from tests.league.test_pages import Season, played_season
from tests.web.accessibility import SMALL, in_each_look

pytestmark = pytest.mark.browser
SIZES = {"phone": (390, 844), "desk": (1280, 800)}
WIDER = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def served(postgres: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, dict[str, str]]]:
    """Serve a season with two tournaments; yield the address, and the path of each page by its name."""
    with played_season(postgres, tmp_path_factory.mktemp("axe")) as season:
        pages = with_tournaments(season)
        server = make_server(LOOPBACK, 0, season.league.app, threaded=True)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://{LOOPBACK}:{server.server_port}", pages
        finally:
            server.shutdown()
            thread.join()
            server.server_close()


def with_tournaments(season: Season) -> dict[str, str]:
    number = season.number
    players = {row["name"]: row["player"] for row in season.json(f"/api/seasons/{number}/crapola")}
    drawn = tuple(players.values())
    with as_owner(season.league.url) as connection:
        robin = fixtures.plan_tournament(
            connection, number, "crapola", Draw("round_robin", drawn, {players["Ben"]: 50}))  # fmt: skip
        cup = fixtures.plan_tournament(connection, number, "crapola", Draw("knockout", drawn))
        fixtures.withdraw(connection, robin, drawn[0])
    return {
        "seasons": "/",
        "season": f"/seasons/{number}/crapola",
        "by rating": f"/seasons/{number}/crapola?by=rating",
        "empty season": f"/seasons/{number}/crag",
        "round robin": f"/tournaments/{robin}",
        "knockout": f"/tournaments/{cup}",
        "game": f"/games/{season.game}",
        "players": "/players",
        "player": f"/players/{players['Ann']}",
        "missing": "/nowhere",
    }


def test_league_pages_have_no_axe_violation_small_target_or_overflow(
    chromium: Any, served: tuple[str, dict[str, str]]
) -> None:
    address, pages = served
    page = chromium.new_page()
    found: dict[tuple[str, str, str], Any] = {}
    for name, path in pages.items():
        page.goto(f"{address}{path}")
        page.wait_for_load_state("networkidle")
        for size, (width, height) in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            found[size, name, "axe"] = in_each_look(page, ("light", "dark"))
            found[size, name, "small"] = page.evaluate(SMALL)
            found[size, name, "wider"] = page.evaluate(WIDER)
    page.close()
    assert {where: ill for where, ill in found.items() if ill} == {}
