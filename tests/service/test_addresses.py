"""Ports and addresses, with real sockets on this machine only."""

from __future__ import annotations

import errno
import http.server
import io
import os
import socket
import subprocess
import threading
from pathlib import Path

import msgspec
import pytest
import segno

from companion.appliance import hotspot
from companion.commands.join import codes_of
from companion.commands.join import command as join
from companion.errors import SetupError
from companion.service import addresses, site
from companion.service.addresses import (
    announced,
    listening_socket,
    local_page,
    own_addresses,
    page_address,
    published,
    served_port,
    wifi_code,
)
from companion.service.site import addresses_of
from tests.waiting import until
from web.guard import Hosts
from web.serving.settings import WebSettings


def test_mdns_announces_the_served_port_until_the_server_stops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program, told, ended = (tmp_path / name for name in ("avahi-publish-service", "told", "ended"))
    at_the_end = f"trap 'touch {ended}; exit' TERM"
    program.write_text(f"#!/bin/sh\n{at_the_end}\necho $* > {told}\nwhile :; do sleep 0.05; done\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    with announced(8123):
        assert until(lambda: told.exists() and told.read_text())
        assert not ended.exists()
    assert told.read_text() == f"--no-fail Peg and Pip on {socket.gethostname()} _http._tcp 8123\n"
    assert ended.exists()


def test_announcing_the_web_page_on_the_network_without_avahi_raises_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []

    def missing(words: tuple[str, ...], **_: object) -> None:
        tried.append(words[0])
        raise FileNotFoundError

    monkeypatch.setattr(subprocess, "Popen", missing)
    with announced(8123):
        assert tried == ["avahi-publish-service"]


def test_the_page_server_on_a_taken_port_listens_on_the_next_free_port() -> None:
    with listening_socket("127.0.0.1", 0) as first:
        taken = first.getsockname()[1]
        with listening_socket("127.0.0.1", taken) as second:
            assert taken < second.getsockname()[1] <= taken + 20


def test_the_error_that_lists_the_taken_ports_stops_at_port_65535(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_host: str, _port: int) -> socket.socket:
        raise OSError(errno.EADDRINUSE, "taken")

    monkeypatch.setattr(addresses, "bound", refuse)
    with pytest.raises(SetupError, match="Ports 65530 to 65535 are all taken"):
        listening_socket("127.0.0.1", 65530)


def test_serving_pages_on_another_machines_address_is_refused_with_advice() -> None:
    with pytest.raises(SetupError, match="--host"):
        listening_socket("192.0.2.7", 8000)


@pytest.mark.parametrize("host", ["pub..example", "pub..örtlich", "ö" * 64, "pub\0"])
def test_serving_pages_on_an_impossible_host_name_is_refused_with_advice(host: str) -> None:
    with pytest.raises(SetupError, match="--host"):
        listening_socket(host, 8000)


@pytest.mark.parametrize(
    ("host", "own", "page"),
    [
        ("127.0.0.1", ("192.0.2.7",), "http://127.0.0.1:8000/"),
        ("::1", (), "http://[::1]:8000/"),
        ("0.0.0.0", ("192.0.2.7", "192.0.2.8"), "http://192.0.2.7:8000/"),
        ("0.0.0.0", (), "http://127.0.0.1:8000/"),
    ],
)
def test_the_page_address_is_the_configured_host_or_the_first_own_address(
    host: str, own: tuple[str, ...], page: str
) -> None:
    assert page_address(host, 8000, own) == page


def test_a_page_address_made_from_a_configured_host_name_passes_the_host_header_check() -> None:
    found = addresses_of(WebSettings(host="table.pub.example"), 8000)
    assert found.page == "http://table.pub.example:8000/"
    assert Hosts(found.names).allows("table.pub.example:8000")


def test_a_machine_without_a_default_route_still_finds_its_network_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a table whose only network is its own hotspot."""
    known = own_addresses()

    class NoWayOut(socket.socket):
        def connect(self, address: object) -> None:
            raise OSError(101, "Network is unreachable")

    monkeypatch.setattr(socket, "socket", NoWayOut)
    assert set(own_addresses()) == set(known)


OWN = WebSettings(wifi="Peg and Pip 42", wifi_password="a.b.c.d", hotspot="Peg and Pip 42")


@pytest.mark.parametrize(
    ("settings", "own", "page", "joins"),
    [
        (OWN, (hotspot.ADDRESS,), hotspot.ADDRESS, True),
        (OWN, ("192.0.2.7", hotspot.ADDRESS), hotspot.ADDRESS, True),
        (OWN, ("192.0.2.7",), "192.0.2.7", False),
        (msgspec.structs.replace(OWN, wifi="The Plough"), ("192.0.2.7",), "192.0.2.7", True),
        (msgspec.structs.replace(OWN, wifi="The Plough"), ("192.0.2.7", hotspot.ADDRESS), "192.0.2.7", True),
        (msgspec.structs.replace(OWN, wifi="The Plough"), (hotspot.ADDRESS,), hotspot.ADDRESS, False),
        (msgspec.structs.replace(OWN, wifi=""), ("192.0.2.7", hotspot.ADDRESS), hotspot.ADDRESS, False),
        (WebSettings(wifi="The Plough"), ("192.0.2.7", hotspot.ADDRESS), "192.0.2.7", True),
        (WebSettings(), ("192.0.2.7",), "192.0.2.7", False),
        (WebSettings(wifi="The Plough"), (), "127.0.0.1", False),
        (WebSettings(wifi="The Plough", host="127.0.0.1"), ("192.0.2.7",), "127.0.0.1", False),
        (WebSettings(wifi="The Plough", host="localhost"), ("192.0.2.7",), "localhost", False),
        (WebSettings(wifi="The Plough", host="::1"), ("192.0.2.7",), "[::1]", False),
        (msgspec.structs.replace(OWN, host="127.0.0.1"), (hotspot.ADDRESS,), "127.0.0.1", False),
        (msgspec.structs.replace(OWN, host="192.0.2.7"), ("192.0.2.7", hotspot.ADDRESS), "192.0.2.7", False),
        (
            msgspec.structs.replace(OWN, host=hotspot.ADDRESS, wifi="The Plough"),
            ("192.0.2.7", hotspot.ADDRESS),
            hotspot.ADDRESS,
            False,
        ),
    ],
)
def test_the_wifi_qr_code_is_shown_only_if_the_page_can_be_reached_over_that_wifi(
    monkeypatch: pytest.MonkeyPatch, settings: WebSettings, own: tuple[str, ...], page: str, joins: bool
) -> None:
    """The code of a network that is not there would be the first thing that every guest scans."""
    monkeypatch.setattr(site, "own_addresses", lambda: own)
    found = addresses_of(settings, 8000)
    assert (found.page, bool(found.wifi)) == (f"http://{page}:8000/", joins)


def test_guests_are_told_each_network_address_besides_that_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site, "own_addresses", lambda: ("192.0.2.7", "198.51.100.7"))
    assert addresses_of(WebSettings(), 8000).others == ("http://198.51.100.7:8000/",)


def test_the_hotspots_phone_limit_is_shown_only_while_the_hotspot_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hotspot, "phones", lambda: 7)
    found = []
    for own in ((hotspot.ADDRESS,), ("192.0.2.7",)):
        monkeypatch.setattr(site, "own_addresses", lambda own=own: own)
        found.append(addresses_of(OWN, 8000).phones)
    assert found == [7, None]


def test_hotspot_phone_limit_is_not_shown_if_the_page_has_another_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hotspot, "phones", lambda: 7)
    monkeypatch.setattr(site, "own_addresses", lambda: ("192.0.2.7", hotspot.ADDRESS))
    assert addresses_of(msgspec.structs.replace(OWN, host="192.0.2.7"), 8000).phones is None


@pytest.mark.parametrize(
    ("network", "password", "code"),
    [
        ("Plough Dice", "six of one", "WIFI:T:WPA;S:Plough Dice;P:six of one;;"),
        ("Garden", "", "WIFI:T:nopass;S:Garden;;"),
        ('a;b:"c"', "p\\,w", 'WIFI:T:WPA;S:a\\;b\\:\\"c\\";P:p\\\\\\,w;;'),
        ("", "unused", None),
    ],
)
def test_wifi_qr_text_escapes_names_and_is_none_without_a_network_name(
    network: str, password: str, code: str | None
) -> None:
    assert wifi_code(network, password) == code


def test_the_join_command_draws_the_wifi_qr_code_before_the_page_qr_code(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site, "own_addresses", lambda: (hotspot.ADDRESS,))
    file = tmp_path / "pegpip.toml"
    file.write_text(
        f"[data]\ndir = '{tmp_path}'\n[web]\nwifi = 'Pub 42'\nwifi_password = 'a.b.c.d'\nhotspot = 'Pub 42'\n"
    )
    with published(tmp_path, 8003):  # not the port of the settings: that was taken
        assert join(["--config", str(file)], standalone_mode=False) is None
    assert served_port(tmp_path) is None
    drawn = capsys.readouterr().out
    codes = [drawn_as(wifi_code("Pub 42", "a.b.c.d")), drawn_as(f"http://{hotspot.ADDRESS}:8003/")]
    places = [drawn.index(code) for code in codes]
    assert places == sorted(places)
    assert "Wi-Fi: Pub 42, password: a.b.c.d" in drawn


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "localhost"])
def test_the_join_command_prints_no_qr_code_for_a_host_that_no_phone_can_reach(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, host: str
) -> None:
    file = tmp_path / "pegpip.toml"
    file.write_text(f"[data]\ndir = '{tmp_path}'\n[web]\nhost = '{host}'\nport = 8003\nwifi = 'Pub 42'\n")
    join(["--config", str(file)], standalone_mode=False)
    told = capsys.readouterr().out
    assert told.startswith("No phone can open this page")
    assert drawn_as(f"http://{host}:8003/") not in told
    assert "Wi-Fi" not in told


def test_the_join_command_finds_no_table_where_another_program_answers() -> None:
    def answer(link: socket.socket) -> None:
        caller, _ = link.accept()
        with caller:
            caller.recv(4096)
            caller.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")

    with listening_socket("127.0.0.1", 0) as link:
        other = threading.Thread(target=answer, args=(link,))
        other.start()
        assert codes_of(local_page("127.0.0.1", link.getsockname()[1])) == {}
        other.join()


@pytest.mark.parametrize("host", ["127.0.0.1", next(iter(own_addresses()), "127.0.0.2")])
def test_the_join_command_calls_the_table_from_127_0_0_1_and_bypasses_any_proxy(
    monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    """A table tells its PIN to its own machine alone, also where it serves one address of a network."""
    callers = []

    class Codes(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            callers.append(self.client_address[0])
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"pin": "123456", "first": null}')

        def log_message(self, *_: object) -> None: ...

    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "")
    with http.server.HTTPServer((host, 0), Codes) as server:
        threading.Thread(target=server.handle_request).start()
        assert codes_of(local_page(host, server.server_port))["pin"] == "123456"
    assert callers == ["127.0.0.1"]


def drawn_as(text: str | None) -> str:
    out = io.StringIO()
    assert text is not None
    segno.make(text).terminal(out, compact=True)
    return out.getvalue()
