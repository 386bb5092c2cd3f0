"""Requests that must be refused: foreign hosts and origins, guesses at the PIN, malformed bodies, hostile names."""

from __future__ import annotations

import html
import logging
import re
from pathlib import Path

import pytest

from tests.web.pub import HEADER, PIN, MemoryTokens, Pub, opened
from web.guard import host_name, same_origin, token_of
from web.pairing.guesses import MAX_ADDRESSES, Guesses
from web.pairing.phones import Pairing
from web.pairing.refused import WRONG_PIN, Refused
from web.pairing.tokens import FileTokens

CHANGES = ["/api/lines", "/api/games", "/api/throws/1", "/api/answers", "/api/corrections", "/api/abandon", "/api/next"]


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "evil.example:8000", "a@127.0.0.1", "", "[::1"]
)
def test_guard_refuses_a_request_with_a_foreign_host_header(pub: Pub, host: str) -> None:
    answer = pub.stranger().get("/api/state", headers={"Host": host}, environ_overrides={"HTTP_HOST": host})
    assert (answer.status_code, answer.json["error"]) == (403, "foreign_host")


@pytest.mark.parametrize(
    "host", ["192.168.4.1:8000", "localhost:8000", "[::1]:8000", "pegpip.local", "DICE.PUB.EXAMPLE:8000", "10.0.0.7"]
)
def test_guard_admits_a_host_header_with_the_tables_name_or_any_ip_address(pub: Pub, host: str) -> None:
    assert pub.stranger().get("/api/state", environ_overrides={"HTTP_HOST": host}).status_code == 200


@pytest.mark.parametrize("header", [b"other=caf\xe9; pegpip=a-token", b"\xff\xfe; pegpip=a-token; \xc3"])
def test_a_phones_token_cookie_is_read_even_beside_another_cookie_that_is_not_utf_8(header: bytes) -> None:
    """Cookies ignore ports, so another program on the host may have set one."""
    assert token_of(header) == "a-token"


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:9999", "file://", "http://[", "x"])
def test_guard_refuses_a_foreign_origin_even_from_a_paired_phone(pub: Pub, origin: str) -> None:
    number, host = pub.start(), pub.host()
    body = {"number": number, "line": {"throw": [5, 5, 2, 2, 1, 4, 6]}}
    answer = host.post("/api/lines", json=body, headers={"Origin": origin})
    assert (answer.status_code, answer.json["error"]) == (403, "foreign_origin")
    assert pub.table.snapshot().number == number


def test_guard_accepts_a_post_whose_origin_is_the_tables_own_address(pub: Pub) -> None:
    number, host = pub.start(), pub.host()
    body = {"number": number, "line": {"throw": [5, 5, 2, 2, 1, 4, 6]}}
    assert host.post("/api/lines", json=body, headers={"Origin": "http://localhost"}).status_code == 200


def test_the_web_server_refuses_a_cross_site_post_without_an_origin_header(pub: Pub) -> None:
    answer = pub.host().post("/api/games", json=HEADER, headers={"Sec-Fetch-Site": "cross-site"})
    assert (answer.status_code, answer.json["error"]) == (403, "foreign_origin")


@pytest.mark.parametrize("path", CHANGES)
@pytest.mark.parametrize(
    "body", [b"", b"{", b"[1]", b'{"number": "x"}', b"\xff\xfe", b"[" * 3000, b'{"number": 1e400}']
)
def test_api_answers_malformed_json_with_400_or_422_and_a_message(pub: Pub, path: str, body: bytes) -> None:
    number = pub.start()
    answer = pub.host().post(path, data=body, content_type="application/json")
    assert answer.status_code in {400, 422}
    assert set(answer.json) >= {"error", "message"}
    assert pub.table.snapshot().number == number


def test_a_post_request_with_a_body_that_is_not_json_is_refused_with_415(pub: Pub) -> None:
    answer = pub.host().post("/api/lines", data={"number": "1"})
    assert (answer.status_code, answer.json["error"]) == (415, "not_json")


def test_the_web_server_refuses_a_request_body_of_70000_bytes_with_413(pub: Pub) -> None:
    answer = pub.host().post("/api/lines", data=b" " * 70_000, content_type="application/json")
    assert (answer.status_code, answer.json["error"]) == (413, "too_large")


def test_web_server_404_is_json_under_api_and_an_html_page_elsewhere(pub: Pub) -> None:
    missing = pub.stranger().get("/api/nothing")
    assert (missing.status_code, missing.json["error"]) == (404, "not_found")
    page = pub.stranger().get("/nothing")
    assert (page.status_code, page.mimetype) == (404, "text/html")
    assert pub.stranger().delete("/api/state", content_type="application/json").status_code == 405


def test_pages_escape_html_in_player_and_table_names(tmp_path: Path) -> None:
    name = "</script><img src=x>&<b>"
    with opened(tmp_path, evening=True, review=True, name=name) as pub:
        pub.start(players=[name, "Ben"])
        for path in ("/", "/control", "/tv", "/tray", "/help", "/evening", "/dice", "/learn", "/review"):
            page = pub.host().get(path).text
            assert name not in page
            assert f"{html.escape(name)}</title>" in page, path
            assert "<img src=x>" not in page


def test_pages_have_a_strict_csp_and_no_inline_script_or_style(pub: Pub) -> None:
    for path in ("/", "/control", "/tv", "/tray", "/help", "/nothing"):
        answer = pub.stranger().get(path)
        policy = answer.headers["Content-Security-Policy"]
        assert "script-src 'self';" in policy
        assert "unsafe" not in policy
        assert re.findall(r"<script(?![^>]*(?:src=|application/json))", answer.text) == []
        assert re.findall(r"\sstyle=|\son\w+=|<style", answer.text) == []


def test_the_home_control_tv_and_tray_pages_link_to_no_other_host(pub: Pub) -> None:
    for path in ("/", "/control", "/tv", "/tray"):
        answer = pub.stranger().get(path)
        assert answer.status_code == 200, path
        assert re.findall(r'(?:src|href)="(?:https?:)?//', answer.text) == []


def test_only_five_of_10000_pin_guesses_from_one_address_are_compared_with_the_pairing_pin(
    pub: Pub, caplog: pytest.LogCaptureFixture
) -> None:
    guesser, seen = pub.stranger("192.168.4.66"), set()
    with caplog.at_level(logging.WARNING, logger="web.pairing"):
        for guess in range(10_000):
            seen.add(pub.pairing.pair(f"{guess:06d}", "", "192.168.4.66").__class__.__name__)
        refused = guesser.post("/api/pair", json={"pin": PIN})
    assert seen == {"Refused"}
    assert (refused.status_code, refused.json["error"]) == (429, "too_many_pins")
    assert int(refused.headers["Retry-After"]) > 0
    assert sum("wrong PIN" in record.message for record in caplog.records) == 5


def test_wrong_pins_block_only_their_address_and_the_second_block_twice_as_long(pub: Pub) -> None:
    guesser = pub.stranger("192.168.4.66")
    for _ in range(6):
        guesser.post("/api/pair", json={"pin": "000000"})
    assert pub.stranger("192.168.4.67").post("/api/pair", json={"pin": PIN}).status_code == 200
    assert guesser.post("/api/pair", json={"pin": PIN}).status_code == 429
    pub.clock.now_s += 61
    assert guesser.post("/api/pair", json={"pin": "000000"}).status_code == 401
    pub.clock.now_s += 61
    assert int(guesser.post("/api/pair", json={"pin": PIN}).headers["Retry-After"]) == 59
    pub.clock.now_s += 60
    assert guesser.post("/api/pair", json={"pin": PIN}).status_code == 200


def test_pairing_owner_code_makes_one_phone_owner_and_then_is_invalid(pub: Pub) -> None:
    assert pub.stranger().get("/api/pair").json == {"code": None, "hosted": False}
    code = pub.pairing.owner_code()
    assert code is not None
    for wrong in ("0", code[:-1], code + "0", "é"):
        refused = pub.stranger().post("/api/pair", json={"first": wrong})
        assert (refused.status_code, refused.json["error"]) == (401, "old_code")
    first = pub.stranger()
    assert first.post("/api/pair", json={"first": code, "name": "Ann"}).status_code == 200
    assert first.get("/api/phones").json["role"] == "owner"
    late = pub.stranger().post("/api/pair", json={"first": code})
    assert (late.status_code, late.json["error"]) == (401, "hosted")
    assert pub.pairing.owner_code() is None
    assert pub.stranger().get("/api/pair").json["hosted"]


def test_of_an_hour_of_pin_guesses_from_one_address_ten_are_compared_and_others_can_still_pair(pub: Pub) -> None:
    guesser = "192.168.4.66"
    host = pub.stranger(guesser)  # even at the guesser's own address, for it was paired before
    assert host.post("/api/pair", json={"pin": PIN}).status_code == 200
    told = []
    for second in range(3600):
        pub.clock.now_s += 1
        told += [pub.pairing.pair(f"{second * 3 + at:06d}", "", guesser) for at in range(3)]
        if second % 60 == 30:
            new_phone = pub.stranger(f"192.168.4.{100 + second // 60}")
            assert new_phone.post("/api/pair", json={"pin": PIN}).status_code == 200
            assert host.post("/api/pair", json={"pin": "000000"}).status_code == 401
            assert host.post("/api/pair", json={"pin": PIN}).status_code == 200
    assert sum(answer == WRONG_PIN for answer in told) == 10
    assert {type(answer) for answer in told} == {Refused}


def test_pairing_pin_guess_limit_remembers_a_bounded_number_of_addresses() -> None:
    guesses = Guesses(lambda: 0.0)
    for at in range(MAX_ADDRESSES + 100):
        guesses.count_wrong(f"10.0.{at >> 8}.{at & 255}")
    assert len(guesses._wrong) == MAX_ADDRESSES


def test_pin_guard_makes_an_address_wait_an_hour_after_2000_wrong_guesses() -> None:
    guesses = Guesses(lambda: 0.0)
    for _ in range(2000):
        guesses.count_wrong("10.0.0.1")
    assert guesses.wait_s("10.0.0.1") == 3600


def test_the_pairing_button_pairs_only_the_phone_whose_code_the_tables_screen_shows(pub: Pub) -> None:
    ann, ben, screen = pub.stranger("192.168.4.20"), pub.stranger("192.168.4.21"), pub.stranger("192.168.4.22")
    codes = [phone.post("/api/pair/ask", json={"name": "x"}).json["code"] for phone in (ann, ben)]
    assert codes[0] != codes[1]
    assert screen.get("/api/pair").json["code"] == codes[0]
    assert [phone.get("/api/phones").json["code"] for phone in (ann, ben, screen)] == [*codes, None]
    pub.clock.now_s += 3
    assert pub.pairing.let_in()
    assert [phone.get("/api/phones").json["paired"] for phone in (ann, ben, screen)] == [True, False, False]
    assert screen.get("/api/pair").json["code"] == codes[1]


def test_pairing_button_admits_no_phone_just_after_the_shown_code_changed(pub: Pub) -> None:
    for at in (20, 21):
        pub.stranger(f"192.168.4.{at}").post("/api/pair/ask", json={})
    pub.clock.now_s += 61  # the first has just given up: the second is shown from now on
    assert not pub.pairing.let_in()
    pub.clock.now_s += 3
    assert pub.pairing.let_in()


def test_the_pairing_button_admits_nobody_without_a_current_request(pub: Pub) -> None:
    assert not pub.pairing.let_in()
    stranger = pub.stranger()
    assert stranger.post("/api/pair", json={"pin": ""}).status_code == 401
    told = stranger.get("/api/phones").json
    assert set(told) == {"paired", "role", "code", "phones"}, "nothing tells when it was pressed"
    stranger.post("/api/pair/ask", json={})
    pub.clock.now_s += 61
    assert stranger.get("/api/phones").json["code"] is None
    assert not pub.pairing.let_in()


def test_pairing_refuses_the_sixth_join_request_of_a_phone_whose_five_earlier_ones_expired(pub: Pub) -> None:
    asker, shown = pub.stranger("192.168.4.66"), []
    for _ in range(6):
        shown.append(asker.post("/api/pair/ask", json={}).status_code)
        asker.post("/api/pair/ask", json={})  # again at once: still one code, and behind all others
        pub.clock.now_s += 61
        assert pub.pairing.shown() is None
    assert shown == [200] * 5 + [429]
    other = pub.stranger("192.168.4.20")
    assert other.post("/api/pair/ask", json={}).json["code"] == list(pub.pairing.shown() or ())


def test_pairing_queue_holds_six_join_requests_and_refuses_more_with_429(pub: Pub) -> None:
    answers = [pub.stranger(f"192.168.4.{at}").post("/api/pair/ask", json={}) for at in range(8)]
    assert [answer.status_code for answer in answers] == [200] * 6 + [429] * 2
    assert answers[-1].json["error"] == "too_many_asking"
    assert int(answers[-1].headers["Retry-After"]) > 0


def test_pairing_token_of_a_removed_phone_is_refused(pub: Pub) -> None:
    number, lost, host = pub.start(), pub.host(), pub.host()
    phones = host.get("/api/phones").json["phones"]
    mine = next(phone["id"] for phone in lost.get("/api/phones").json["phones"] if phone["you"])
    assert host.post("/api/phones/remove", json={"id": mine}).status_code == 200
    assert len(host.get("/api/phones").json["phones"]) == len(phones) - 1
    body = {"number": number, "line": {"throw": [5, 5, 2, 2, 1, 4, 6]}}
    assert lost.post("/api/lines", json=body).status_code == 401
    assert host.post("/api/phones/remove", json={"id": 999}).status_code == 404


def test_pairing_tokens_have_128_bits_and_survive_a_restart_as_hashes(tmp_path: Path) -> None:
    store = FileTokens(tmp_path / "phones.json")
    token = Pairing(PIN, store, lambda: 0.0).pair(PIN, "Ann", "10.0.0.1")
    assert isinstance(token, str)
    assert re.fullmatch(r"[0-9a-f]{32}", token)
    assert token not in store.path.read_text()
    assert store.path.stat().st_mode & 0o077 == 0
    again = Pairing(PIN, FileTokens(store.path), lambda: 0.0).phone(token)
    assert again is not None
    assert again.name == "Ann"


def test_pair_api_refuses_a_25_character_phone_name_and_pairing_class_cuts_names_to_24(pub: Pub) -> None:
    assert pub.stranger().post("/api/pair", json={"pin": PIN, "name": "x" * 25}).status_code == 400
    pairing = Pairing(PIN, MemoryTokens(), lambda: 0.0)
    pairing.pair(PIN, "x" * 99, "10.0.0.1")
    assert pairing.phones()[0].name == "x" * 24


def test_web_guard_parses_host_names_and_same_origin_needs_the_same_port() -> None:
    assert host_name("Pub.Local.:8000") == "pub.local"
    assert host_name("[::1]:80") == "::1"
    assert {host_name(f"dice.local{rest}") for rest in (":port", "/", "?x", "?", "#x", "\t")} == {None}
    assert {host_name(dots) for dots in (".", "...", ".:8000")} == {None}
    assert same_origin("http://10.0.0.1:8000", "10.0.0.1:8000")
    assert not same_origin("http://10.0.0.1", "10.0.0.1:8000")
