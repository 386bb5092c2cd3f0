"""Roles of every route and page: docs/reference/roles.md and the guard agree."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.table.commands import Command
from companion.table.snapshot import Snapshot
from tests.web.every_part import everything
from tests.web.pub import HEADER, PIN, Pub, play
from web.app import OTHER_ROUTES
from web.pairing.roles import ANYONE, Role
from web.serving.stream import PATH

PAGE = Path(__file__).resolve().parents[2] / "docs/reference/roles.md"
REFUSALS = {"not_paired", "not_owner", "not_player"}


def table_of_the_page() -> dict[str, frozenset[Role]]:
    """Return the roles with a tick in the table of docs/reference/roles.md, by route."""
    rows = [row for row in PAGE.read_text(encoding="utf-8").splitlines() if row.startswith("| `")]
    told = {}
    for row in rows:
        route, *cells = (cell.strip() for cell in row.strip("|").split("|"))
        told[route.strip("`")] = frozenset(role for role, cell in zip(Role, cells, strict=True) if cell == "✓")
    return told


TABLE = table_of_the_page()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pub]:
    with everything(tmp_path_factory.mktemp("roles")) as pub:
        yield pub


def test_roles_md_lists_exactly_the_routes_that_the_web_server_serves(whole: Pub) -> None:
    served = {
        f"{method} {rule.rule}"
        for rule in whole.app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    assert set(TABLE) == served | {f"GET {PATH}"}
    assert {route for route in OTHER_ROUTES if TABLE[route] != ANYONE} == set()


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("route", [route for route in TABLE if route != f"GET {PATH}"])
def test_each_web_route_admits_exactly_the_roles_that_roles_md_lists_for_it(whole: Pub, route: str, role: Role) -> None:
    client = visitor(whole, role)
    method, rule = route.split(" ")
    answer = client.open(re.sub(r"<[^>]+>", "1", rule), method=method, json={} if method == "POST" else None)
    code = answer.json.get("error") if answer.mimetype == "application/json" and isinstance(answer.json, dict) else None
    assert (code not in REFUSALS) == (role in TABLE[route]), answer.text[:200]
    assert answer.status_code < 500


def visitor(pub: Pub, role: Role) -> Any:
    """Return a new test client with a role; earlier paired phones lose theirs."""
    if role is Role.GUEST:
        return pub.stranger()
    if role is Role.HERE:
        return pub.stranger("127.0.0.1")
    for phone in pub.pairing.phones():
        pub.pairing.unpair(phone.id)
    pub.pairing.pin = PIN  # one of the routes renews it
    return pub.paired(role)


def test_a_guest_can_open_every_page_but_sees_no_pin_and_no_owner_code(whole: Pub) -> None:
    assert "host.svg" in visitor(whole, Role.SCREEN).get("/tv").text
    code = whole.pairing.owner_code()
    assert code is not None
    for route in TABLE:
        method, rule = route.split(" ")
        if method == "GET" and "/api/" not in rule and "<" not in rule and "qr/" not in rule:
            answer = whole.stranger().get(rule)
            assert answer.status_code == 200, rule
            assert [each for each in ("host.svg", PIN, code) if each in answer.text] == [], rule


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"])
def test_web_server_treats_visitors_through_a_local_proxy_as_not_local(whole: Pub, header: str) -> None:
    assert whole.stranger("127.0.0.1").get("/api/pair/codes").status_code == 200
    assert whole.stranger("127.0.0.1").get("/api/pair/codes", headers={header: "127.0.0.1"}).status_code == 401
    assert whole.stranger("192.168.4.9").get("/api/pair/codes", headers={header: "127.0.0.1"}).status_code == 401


def test_phones_api_lets_no_player_change_roles_or_see_the_pin_and_pairing_requests(pub: Pub) -> None:
    owner, player = pub.host(), pub.paired(Role.PLAYER, "Ann")
    answer = player.post("/api/phones/role", json={"id": 2, "role": "owner"})
    assert (answer.status_code, answer.json["error"]) == (403, "not_owner")
    assert {"pin", "asking"}.isdisjoint(player.get("/api/phones").json)
    assert [each["role"] for each in owner.get("/api/phones").json["phones"]] == ["owner", "player"]


def test_phones_api_lets_owners_admit_promote_demote_and_remove_phones(pub: Pub) -> None:
    owner, guest = pub.host(), pub.stranger("192.168.4.30")
    guest.post("/api/pair/ask", json={"name": "Ann"})
    asks = owner.get("/api/phones").json["asking"]
    assert [(each["name"], each["screen"]) for each in asks] == [("Ann", False)]
    assert owner.post("/api/phones/let_in", json={"id": asks[0]["id"]}).status_code == 200
    assert owner.post("/api/phones/let_in", json={"id": asks[0]["id"]}).status_code == 404
    assert guest.get("/api/phones").json["role"] == "player"
    ann = next(each["id"] for each in guest.get("/api/phones").json["phones"] if each["you"])
    assert owner.post("/api/phones/role", json={"id": ann, "role": "owner"}).status_code == 200
    host = next(each["id"] for each in owner.get("/api/phones").json["phones"] if each["you"])
    assert guest.post("/api/phones/role", json={"id": host, "role": "player"}).status_code == 200
    assert owner.post("/api/phones/remove", json={"id": ann}).status_code == 403
    assert guest.post("/api/phones/remove", json={"id": host}).status_code == 200
    assert owner.get("/api/phones").json["role"] == "guest"
    assert guest.post("/api/phones/leave", json={}).status_code == 200
    assert pub.pairing.phones() == ()


def test_a_player_phone_may_abandon_or_replace_a_game_in_progress_only_if_it_started_it(pub: Pub) -> None:
    owner, ann, ben = pub.host(), pub.paired(Role.PLAYER, "Ann"), pub.paired(Role.PLAYER, "Ben")
    assert ann.post("/api/games", json=HEADER).status_code == 200
    assert ben.post("/api/games", json=HEADER).status_code == 200, "nobody has thrown yet"
    play(pub, {"throw": [5, 5, 2, 2, 1, 4, 6]})
    number = pub.table.snapshot().number
    for refused in (ann.post("/api/games", json=HEADER), ann.post("/api/abandon", json={"number": number})):
        assert (refused.status_code, refused.json["error"]) == (403, "others_game")
        assert "pegpip join" in refused.json["message"], "the next step where nobody hosts"
    assert ben.post("/api/abandon", json={"number": number}).status_code == 200
    assert ann.post("/api/games", json=HEADER).status_code == 200
    play(pub, {"throw": [5, 5, 2, 2, 1, 4, 6]})
    assert owner.post("/api/abandon", json={"number": pub.table.snapshot().number}).status_code == 200


def test_a_phone_whose_game_start_overlaps_anothers_may_abandon_its_own_game(
    pub: Pub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ben's game starts after Ann's, but before her phone is noted."""
    ann, ben = pub.paired(Role.PLAYER, "Ann", "192.168.4.21"), pub.paired(Role.PLAYER, "Ben", "192.168.4.22")
    submit, later = pub.table.submit, threading.Thread(target=lambda: ben.post("/api/games", json=HEADER))

    def interrupted(command: Command) -> Snapshot:
        started = submit(command)
        monkeypatch.setattr(pub.table, "submit", submit)
        later.start()
        later.join(0.5)
        return started

    monkeypatch.setattr(pub.table, "submit", interrupted)
    assert ann.post("/api/games", json=HEADER).status_code == 200
    later.join()
    play(pub, {"throw": [5, 5, 2, 2, 1, 4, 6]})
    assert ben.post("/api/abandon", json={"number": pub.table.snapshot().number}).status_code == 200


def test_games_api_refuses_an_outdated_or_malformed_snapshot_number(pub: Pub) -> None:
    ann, ben = pub.paired(Role.PLAYER, "Ann"), pub.paired(Role.PLAYER, "Ben")
    seen = {**HEADER, "number": pub.table.snapshot().number}
    assert ann.post("/api/games", json=seen).status_code == 200
    refused = ben.post("/api/games", json={**seen, "game": "crag"})
    assert (refused.status_code, refused.json["error"]) == (409, "stale")
    assert pub.table.snapshot().game == "crib_dice"
    for number in ("17", True, 1.5):
        assert ben.post("/api/games", json={**HEADER, "number": number}).status_code == 400


def test_only_the_player_phone_that_started_a_next_game_may_abandon_it(pub: Pub) -> None:
    pub.start()
    ann, ben = pub.paired(Role.PLAYER, "Ann", "192.168.4.21"), pub.paired(Role.PLAYER, "Ben", "192.168.4.22")
    number = ann.post("/api/games", json=HEADER).json["number"]
    number = ann.post("/api/abandon", json={"number": number}).json["number"]
    number = ben.post("/api/next", json={"number": number}).json["number"]
    number = ben.post("/api/lines", json={"number": number, "line": {"throw": [5, 5, 2, 2, 1, 4, 6]}}).json["number"]
    assert ann.post("/api/abandon", json={"number": number}).status_code == 403
    assert ben.post("/api/abandon", json={"number": number}).status_code == 200


def test_after_undo_resumes_an_abandoned_game_only_the_phone_that_started_it_may_abandon_it_again(pub: Pub) -> None:
    pub.start()
    ann, ben = pub.paired(Role.PLAYER, "Ann", "192.168.4.21"), pub.paired(Role.PLAYER, "Ben", "192.168.4.22")
    number = ann.post("/api/games", json=HEADER).json["number"]
    play(pub, {"throw": [5, 5, 2, 2, 1, 4, 6]})
    number = ann.post("/api/abandon", json={"number": number + 1}).json["number"]
    number = ben.post("/api/next", json={"number": number}).json["number"]
    for _ in range(2):
        number = ben.post("/api/lines", json={"number": number, "line": {"undo": 1}}).json["number"]
    assert pub.table.snapshot().throws
    assert ben.post("/api/abandon", json={"number": number}).status_code == 403
    assert ann.post("/api/abandon", json={"number": number}).status_code == 200


def test_a_player_may_not_abandon_a_game_another_device_started_on_the_tray_page(pub: Pub) -> None:
    pub.start()
    ann, ben = pub.paired(Role.PLAYER, "Ann", "192.168.4.21"), pub.paired(Role.PLAYER, "Ben", "192.168.4.22")
    for starter in (ben, pub.stranger("127.0.0.1")):
        number = ann.post("/api/games", json=HEADER).json["number"]
        number = ann.post("/api/abandon", json={"number": number}).json["number"]
        assert starter.post("/api/tray/next", json={"number": number}).status_code == 200
        play(pub, {"throw": [5, 5, 2, 2, 1, 4, 6]})
        number = pub.table.snapshot().number
        assert ann.post("/api/abandon", json={"number": number}).status_code == 403
        asked = ben if starter is ben else pub.host()
        assert asked.post("/api/abandon", json={"number": number}).status_code == 200


@pytest.mark.parametrize("page", ["/settings", "/setup", "/review", "/calibrate", "/camera"])
def test_an_owner_only_page_offers_a_control_page_button_to_a_guest_but_not_to_a_player(whole: Pub, page: str) -> None:
    invitation = 'id="unpaired" hidden><p>'
    button = '<a class="button main" href="/control">'
    as_guest, as_player = (visitor(whole, role).get(page).text for role in (Role.GUEST, Role.PLAYER))
    assert invitation in as_guest
    assert button in as_guest
    assert invitation in as_player
    assert button not in as_player
