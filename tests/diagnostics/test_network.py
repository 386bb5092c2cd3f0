"""Checks of the network: addresses, the port, the table's own Wi-Fi."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from companion.diagnostics.network import check_hotspot, check_network, check_port


def test_the_doctor_reports_a_machine_without_an_address_for_phones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.diagnostics.network.own_addresses", lambda: ())
    none = check_network()
    assert (none.ok, "no phone" in none.says, bool(none.cure)) == (False, True, True)
    monkeypatch.setattr("companion.diagnostics.network.own_addresses", lambda: ("192.0.2.7",))
    assert "192.0.2.7" in check_network().says


def test_the_doctor_reports_a_taken_port_and_an_unusable_web_host() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = check_port("127.0.0.1", other.getsockname()[1])
    assert (taken.ok, "taken" in taken.says, "If that program is the table" in taken.cure) == (False, True, True)
    elsewhere = check_port("203.0.113.9", 8000)
    assert (elsewhere.ok, "[web] host" in elsewhere.cure) == (False, True)


WIFI_SWITCH = "sys/class/rfkill/rfkill0"


def a_machine_with_wifi(root: Path, *, soft: str = "0", hard: str = "0", country: str = "GB") -> Path:
    for file, text in {
        "sys/class/ieee80211/phy0/index": "0",
        f"{WIFI_SWITCH}/type": "wlan",
        f"{WIFI_SWITCH}/soft": soft,
        f"{WIFI_SWITCH}/hard": hard,
        "sys/class/rfkill/rfkill1/type": "bluetooth",
        "sys/class/rfkill/rfkill1/soft": "1",
        "sys/module/cfg80211/parameters/ieee80211_regdom": country,
    }.items():
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(f"{text}\n")
    return root


@pytest.mark.parametrize(
    ("kernel", "nmcli", "ok", "says"),
    [
        ({}, "/usr/bin/nmcli", True, "the country is GB"),
        ({"country": "00"}, "/usr/bin/nmcli", True, "no country is set"),
        ({"soft": "1"}, "/usr/bin/nmcli", False, "blocked"),
        ({"hard": "1"}, "/usr/bin/nmcli", False, "switch on the machine"),
        ({}, None, False, "no NetworkManager"),
    ],
)
def test_the_doctor_reports_whether_the_hotspot_can_open(
    tmp_path: Path, kernel: dict[str, str], nmcli: str | None, ok: bool, says: str
) -> None:
    found = check_hotspot("Pub", a_machine_with_wifi(tmp_path, **kernel), lambda _: nmcli)
    assert (found.ok, says in found.says, bool(found.cure)) == (ok, True, not ok), found


@pytest.mark.parametrize(("firmware", "phones", "offers"), [("standard", 7, True), ("minimal", 19, False)])
def test_the_doctor_reports_how_many_phones_the_wifi_firmware_can_serve(
    tmp_path: Path, firmware: str, phones: int, offers: bool
) -> None:
    root = a_machine_with_wifi(tmp_path)
    assert "phones" not in check_hotspot("Pub", root, lambda _: "nmcli").says  # a PC's limit is unknown
    link = root / "etc/alternatives/cyfmac43455-sdio.bin"
    link.parent.mkdir(parents=True)
    link.symlink_to(f"/lib/firmware/cypress/cyfmac43455-sdio-{firmware}.bin")
    says = check_hotspot("Pub", root, lambda _: "nmcli").says
    assert f"about {phones} phones" in says
    assert "router" in says
    assert ("update-alternatives --set" in says) is offers


def test_the_doctors_hotspot_check_passes_on_a_machine_without_wifi(tmp_path: Path) -> None:
    assert check_hotspot("Pub", tmp_path, lambda _: None).ok
