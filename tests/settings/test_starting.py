"""Choosing the settings of a start: wrong ones are replaced by the last good ones, and reported."""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from companion.errors import SetupError
from companion.service import addresses, site
from companion.service.opening import opened_door, opened_parts, problems_of
from companion.settings import last_good
from companion.settings.load import Origin, Settings
from companion.settings.starting import Starting, begin

GOOD = msgspec.convert(
    {"table": {"name": "The Plough"}, "web": {"port": 8123}, "strip": {"layout": "matrix16", "limit_ma": 3000}},
    Settings,
)


def written(folder: Path, text: str, **typed: dict[str, Any]) -> Origin:
    file = folder / "pegpip.toml"
    file.write_text(text)
    return Origin(file, {"data": {"dir": str(folder)}, **typed})


def test_the_report_of_settings_left_out_after_a_failed_start_hides_the_webhook_url(tmp_path: Path) -> None:
    now, before = (msgspec.convert({"webhook": {"url": f"https://chat.example/{word}"}}, Settings) for word in "ab")
    starting = Starting(now, Origin(tmp_path / "pegpip.toml"), before)
    assert starting.go_back("It failed.")
    assert [each.why for each in starting.left_out] == [
        "[webhook] url is left out. The table did not start: It failed."
    ]


def test_the_report_of_a_wrong_shutdown_command_setting_does_not_quote_its_value(tmp_path: Path) -> None:
    """Its arguments may hold a password; the reports are in the log and at /healthz."""
    command = "shutdown_command = ['true', 'http://admin:SECRET@plug'"
    pins = "kind = 'gpio'\nbank = 5\nundo = 5\nshutdown = 3"
    for wrong in (f"{pins}\n{command}]", f"{command}, 1]"):
        starting = begin(written(tmp_path, f"[buttons]\n{wrong}\n"), service=True)
        opened_parts(starting)
        assert "[buttons] shutdown_command" in whys(starting).replace("`", "")
        assert "SECRET" not in whys(starting)


def test_a_service_with_an_unreachable_settings_file_starts_on_default_settings(tmp_path: Path) -> None:
    starting = begin(Origin(tmp_path / ("x" * 300), {"data": {"dir": str(tmp_path)}}), service=True)
    assert starting.settings.table == Settings().table
    assert [each.why for each in starting.left_out if "File name too long" in each.why]


def whys(starting: Starting) -> str:
    return "\n".join(each.why for each in starting.left_out)


def test_a_first_start_at_a_terminal_fails_and_names_every_wrong_setting(tmp_path: Path) -> None:
    with pytest.raises(SetupError) as wrong:
        begin(written(tmp_path, "[web]\nport = 'x'\n[strip]\ncolour = 1\n"), service=False)
    assert len(wrong.value.problems) == 2


def test_a_wrong_setting_is_replaced_by_its_last_good_value_and_reported(tmp_path: Path) -> None:
    last_good.keep(tmp_path, GOOD)
    starting = begin(written(tmp_path, "[web]\nport = 'x'\n[strip]\ncolour = 1\nbrightness = 0.2\n"), service=False)
    assert (starting.settings.web.port, starting.settings.strip.brightness) == (8123, 0.2)
    assert starting.settings.strip.layout == "strip122", "what is not wrong comes from the file and the defaults"
    assert "`port` = 'x'" in whys(starting)
    assert "`colour`" in whys(starting)


def test_a_first_service_start_uses_the_default_for_a_wrong_setting_and_reports_it(tmp_path: Path) -> None:
    starting = begin(written(tmp_path, "[web]\nport = -1\n"), service=True)
    assert starting.settings.web.port == 8000
    assert "port" in whys(starting)


def test_last_good_settings_file_with_a_flipped_bit_is_ignored_until_the_next_save(tmp_path: Path) -> None:
    last_good.keep(tmp_path, GOOD)
    file = tmp_path / last_good.FILE_NAME
    file.write_bytes(file.read_bytes().replace(b"Plough", b"\xd0lough"))
    assert last_good.read(tmp_path) is None
    last_good.keep(tmp_path, GOOD)
    assert last_good.read(tmp_path) == GOOD


def test_a_wrong_setting_gets_its_default_if_the_last_good_file_is_deeply_nested(tmp_path: Path) -> None:
    (tmp_path / last_good.FILE_NAME).write_text(f'{{"web": {{"port": {"[" * 100_000}{"]" * 100_000}}}}}')
    assert begin(written(tmp_path, "[web]\nport = -1\n"), service=True).settings.web.port == 8000


@pytest.mark.parametrize("text", ["[web\n", f"a = {'[' * 9_000}", f"a = {'9' * 9_000}"], ids=["cut", "deep", "huge"])
def test_an_unreadable_settings_file_gives_way_to_last_good_settings(tmp_path: Path, text: str) -> None:
    last_good.keep(tmp_path, GOOD)
    starting = begin(written(tmp_path, text), service=False)
    assert (starting.settings.table.name, starting.settings.strip.layout) == ("The Plough", "matrix16")
    assert starting.settings.data.folder == tmp_path
    assert "not TOML" in whys(starting)


def test_an_invalid_setting_given_on_the_command_line_ends_the_start_with_an_error(tmp_path: Path) -> None:
    last_good.keep(tmp_path, GOOD)
    with pytest.raises(SetupError, match="70000"):
        begin(written(tmp_path, "", web={"port": 70000}), service=False)
    starting = begin(written(tmp_path, "", strip={"kind": "spii"}, camera={"source": "video:gone"}), service=False)
    with pytest.raises(SetupError, match="gone") as wrong:
        opened_parts(starting)
    assert "spii" in str(wrong.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[strip]\nkind = 'spii'\n", "spii"),
        ("[strip]\nkind = 'wled:" + "a" * 300 + "'\n", "wled"),
        ("[strip]\nlayout = 'own'\n[track]\nlanes = ['0-5']\n", "Lane 1"),
        ("[buttons]\nkind = 'gpio'\nbank = 5\nundo = 5\n", "share pin 5"),
        ("[camera]\nsource = 'video:/no/such/file.mp4'\n", "/no/such/file.mp4"),
        ("[camera]\nsource = 'picamra2'\n", "picamra2"),
        ("[table]\nplayers = ['Ann']\n", "[table]"),
        ("[table]\ngame = 'crip_dice'\n", "crip_dice"),
        (f"[web]\nwifi = '{'ä' * 17}'\n", "at most 32 bytes"),
        ("[web]\nwifi = 'Pub'\nwifi_password = 'secret7'\n", "8 to 63 characters"),
        (f"[web]\nhotspot = '{'ä' * 17}'\n", f"`hotspot` = '{'ä' * 17}' has 34 bytes"),
    ],
)
@pytest.mark.parametrize("has_run", [False, True])
def test_a_service_starts_despite_a_wrong_setting_that_other_commands_refuse(
    tmp_path: Path, text: str, told: str, has_run: bool
) -> None:
    if has_run:
        last_good.keep(tmp_path, GOOD)
    starting = begin(written(tmp_path, text), service=True)
    opened = opened_parts(starting)
    assert told in whys(starting)
    assert opened.layout.leds > 0
    with pytest.raises(SetupError, match=told.replace("[", r"\[")):
        opened_parts(Starting(starting_as_written(tmp_path, text), Origin(tmp_path / "pegpip.toml")))


def test_the_table_starts_without_wifi_settings_if_the_wifi_password_is_too_short(tmp_path: Path) -> None:
    text = "[web]\nwifi = 'Pub'\nwifi_password = 'secret7'\n"
    last_good.keep(tmp_path, starting_as_written(tmp_path, text))
    starting = begin(written(tmp_path, text), service=False)
    opened_parts(starting)
    assert (starting.settings.web.wifi, starting.settings.web.wifi_password) == ("", ""), "no QR code that fails"
    assert "8 to 63 characters" in whys(starting)
    assert "secret7" not in whys(starting)


def test_a_start_drops_a_stored_hotspot_name_over_32_bytes_and_keeps_the_stored_wifi_name(tmp_path: Path) -> None:
    text = f"[web]\nwifi = 'Pub'\nhotspot = '{'ä' * 17}'\n"
    last_good.keep(tmp_path, starting_as_written(tmp_path, text))
    starting = begin(written(tmp_path, text), service=False)
    opened_parts(starting)
    assert (starting.settings.web.wifi, starting.settings.web.hotspot) == ("Pub", "")


@pytest.mark.parametrize("password", ["", "secret78", "x" * 63])
def test_a_wifi_name_of_32_bytes_and_its_password_are_used(tmp_path: Path, password: str) -> None:
    starting = begin(
        written(tmp_path, "", web={"wifi": "ä" * 16, "hotspot": "ä" * 16, "wifi_password": password}), service=False
    )
    opened_parts(starting)
    used = starting.settings.web
    assert (used.wifi, used.hotspot, used.wifi_password) == ("ä" * 16, "ä" * 16, password)


def test_a_wifi_password_of_7_characters_is_reported_as_a_settings_problem(tmp_path: Path) -> None:
    wanted = starting_as_written(tmp_path, "[web]\nwifi_password = 'secret7'\n")
    assert len(problems_of(wanted, starting_as_written(tmp_path, ""), 8000)) == 1


def test_the_files_camera_starts_if_its_folder_is_made_after_the_service_start(tmp_path: Path) -> None:
    """The page said "missing camera" while it showed the photos of a folder that was made after the start."""
    photos = tmp_path / "photos"
    camera = opened_parts(begin(written(tmp_path, f"[camera]\nsource = 'files:{photos}'\n"), service=True)).camera
    photos.mkdir()
    (photos / "1.png").touch()
    camera.start()
    assert camera.name == "files"


def starting_as_written(folder: Path, text: str) -> Settings:
    return begin(written(folder, text), service=True).settings


def test_falling_back_to_the_last_good_strip_settings_still_applies_the_new_current_limit(tmp_path: Path) -> None:
    last_good.keep(tmp_path, GOOD)
    starting = begin(written(tmp_path, "[strip]\nkind = 'spii'\nlimit_ma = 500\n"), service=True)
    opened_parts(starting)
    assert (starting.settings.strip.layout, starting.settings.strip.limit_ma) == ("matrix16", 500)


def test_only_a_start_as_a_service_accepts_a_current_limit_below_the_draw_of_dark_leds(tmp_path: Path) -> None:
    """A service reports the limit and starts; a start that must not replace settings is refused."""
    text = "[strip]\nlayout = 'board3x121'\nlimit_ma = 200\n"
    starting = begin(written(tmp_path, text), service=True)
    opened_parts(starting)
    assert "363 LEDs draw 218 mA" in whys(starting)
    with pytest.raises(SetupError, match="218 mA"):
        opened_parts(Starting(starting.settings, starting.origin))


@pytest.mark.parametrize(
    ("text", "section", "change"),
    [
        ("[camera]\nsource = 'video:/gone.mp4'\n", "camera", {"source": "video:/gone, too.mp4"}),
        ("[strip]\nlayout = 'board3x121'\nlimit_ma = 200\n", "strip", {"limit_ma": 210}),
    ],
)
def test_changes_of_other_settings_are_accepted_while_one_setting_does_not_work(
    tmp_path: Path, text: str, section: str, change: dict[str, Any]
) -> None:
    starting = begin(written(tmp_path, text), service=True)
    opened_parts(starting)
    running = starting.settings
    quieter = msgspec.structs.replace(running, sound=msgspec.structs.replace(running.sound, volume=0.1))
    assert problems_of(quieter, running, 8000) == []
    changed = msgspec.structs.replace(getattr(running, section), **change)
    assert len(problems_of(msgspec.structs.replace(running, **{section: changed}), running, 8000)) == 1


def test_failed_starts_bring_back_the_last_good_settings_except_limit_ma_and_the_data_folder(tmp_path: Path) -> None:
    """After failed starts the file's settings give way to the last good ones and are reported; `limit_ma` stays."""
    last_good.keep(tmp_path, GOOD)
    starting = begin(written(tmp_path, "[strip]\nbrightness = 0.2\n"), service=True)
    assert starting.go_back("It ended before it was ready.")
    kept = msgspec.structs.replace(GOOD.strip, limit_ma=Settings().strip.limit_ma)
    assert starting.settings == msgspec.structs.replace(GOOD, data=starting.settings.data, strip=kept)
    assert "brightness = 0.2 is left out; 0.6 is used. The table did not start" in whys(starting)


def test_the_last_good_settings_file_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    last_good.keep(tmp_path, GOOD)
    file = tmp_path / last_good.FILE_NAME
    assert file.stat().st_mode & 0o777 == 0o600
    assert last_good.read(tmp_path) == GOOD


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"web": 3}', b'{"web": {"port": -1}}', b'{"no": {"such": 1}}'])
def test_damaged_last_good_settings_are_ignored(tmp_path: Path, content: bytes) -> None:
    (tmp_path / last_good.FILE_NAME).write_bytes(content)
    assert last_good.read(tmp_path) in (None, Settings())


@pytest.mark.parametrize("host", ["203.0.113.7", "a" * 70, "no..host"])
def test_an_unusable_host_setting_is_replaced_by_default_and_reported(tmp_path: Path, host: str) -> None:
    starting = begin(written(tmp_path, f"[web]\nport = 0\nhost = '{host}'\n"), service=True)
    opened_door(starting, lambda: 0.0, lambda _dice, _for_s: None).link.close()
    assert starting.settings.web.host == Settings().web.host
    assert f"host = '{host}' is left out" in whys(starting)


def test_the_page_address_changes_with_the_machines_ip_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    door = opened_door(
        begin(written(tmp_path, "[web]\nport = 0\n"), service=True), lambda: 0.0, lambda _dice, _for_s: None
    )
    door.link.close()
    for own in ("192.168.4.1", "192.168.4.7"):
        monkeypatch.setattr(site, "own_addresses", lambda own=own: (own,))
        assert door.addresses().page.startswith(f"http://{own}:")


def test_a_web_port_that_cannot_be_bound_is_replaced_but_the_host_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(addresses, "bound", refusing(80, addresses.bound))
    starting = begin(written(tmp_path, "[web]\nport = 80\nhost = '127.0.0.1'\n"), service=True)
    door = opened_door(starting, lambda: 0.0, lambda _dice, _for_s: None)
    assert door.link.getsockname() == ("127.0.0.1", door.port)
    assert door.port != 80
    assert "port = 80 is left out" in whys(starting)
    door.link.close()


def refusing(port: int, bound: Callable[[str, int], socket.socket]) -> Callable[[str, int], socket.socket]:
    """A `bound` that refuses a port as the kernel does to a user without administrator rights."""

    def refused(host: str, wanted: int) -> socket.socket:
        if wanted == port:
            raise PermissionError(errno.EACCES, "Permission denied")
        return bound(host, wanted)

    return refused
