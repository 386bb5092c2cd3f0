"""Settings changed on the page: written with the comments kept, applied at once if possible, or refused."""

from __future__ import annotations

import errno
import os
import tomllib
from pathlib import Path
from typing import get_type_hints

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.errors import PinNeeded, SetupError
from companion.settings import load as config
from companion.settings.file import SettingsFile, declared
from companion.settings.load import LeftOut, Origin, Settings
from tests.system.running import Running

TEXT = """# Our table at the Plough.
[strip]
brightness = 0.5   # not too bright: there are candles
layout = "strip122"

[web]
port = 8000
"""


def settings_file(path: Path, taken: list[Settings], **overrides: dict[str, object]) -> SettingsFile:
    def check(settings: Settings) -> list[str]:
        return ["That layout has no holes."] if settings.strip.layout == "own" else []

    return SettingsFile(Origin(path, overrides), config.load(path, overrides), check, taken.append)


def with_defaults(path: Path, *left_out: LeftOut) -> SettingsFile:
    """Return the settings file of a table that runs with the defaults."""
    return SettingsFile(Origin(path), Settings(), lambda _: [], lambda _: None, left_out)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "pegpip.toml"
    file.write_text(TEXT)
    return file


def test_changing_a_key_in_a_settings_section_set_to_a_string_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "pegpip.toml"
    file.write_text("strip = 'spi'\n")
    with pytest.raises(SetupError, match=r"can't be changed: \[strip\] is a section with keys"):
        with_defaults(file).change("strip", "brightness", 0.5)
    assert file.read_text() == "strip = 'spi'\n"


def test_changing_a_setting_keeps_the_comments_of_the_settings_file_and_applies_at_once(path: Path) -> None:
    taken: list[Settings] = []
    file = settings_file(path, taken)
    file.change("strip", "brightness", 0.25)
    assert path.read_text() == TEXT.replace("brightness = 0.5 ", "brightness = 0.25 ")
    assert [settings.strip.brightness for settings in taken] == [0.25]
    shown = {(one.section, one.key): one for one in file.shown()}
    assert (shown["strip", "brightness"].value, shown["strip", "brightness"].waits) == (0.25, False)


def test_a_changed_settings_file_that_only_its_owner_may_read_stays_so(path: Path) -> None:
    """A settings file may hold passwords."""
    path.chmod(0o600)
    settings_file(path, []).change("strip", "brightness", 0.25)
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_changed_port_setting_is_shown_as_waiting_for_a_restart(path: Path) -> None:
    taken: list[Settings] = []
    file = settings_file(path, taken)
    file.change("web", "port", 9000)
    shown = {(one.section, one.key): one for one in file.shown()}
    assert (shown["web", "port"].value, shown["web", "port"].waits, shown["web", "port"].live) == (9000, True, False)
    assert (file.running.web.port, taken) == (8000, [])
    file.change("web", "port", 8000)
    assert not any(one.waits for one in file.shown())


@pytest.mark.parametrize(
    ("section", "key", "value", "why"),
    [
        ("strip", "brightness", 1.5, "brightness"),
        ("strip", "brightness", "bright", "brightness"),
        ("table", "name", "", "name"),
        ("strip", "layout", "own", "no holes"),
        ("web", "host", "0.0.0.0", "is not changed here"),
        ("buttons", "shutdown_command", "rm", "is not changed here"),
        ("strip", "colour", 1, "is not changed here"),
        ("data", "photos_mb", 2**70, "photos_mb"),
        *(("strip", key, low, key) for key, low in (("channel_ma", 0), ("channel_ma", 11.9), ("idle_ma", 0))),
        ("strip", "limit_ma", 99, "limit_ma"),
    ],
)
def test_a_change_of_an_invalid_or_non_editable_setting_is_refused_and_changes_nothing(
    path: Path, section: str, key: str, value: object, why: str
) -> None:
    taken: list[Settings] = []
    with pytest.raises(SetupError, match=why):
        settings_file(path, taken).change(section, key, value, pin_typed=True)
    assert (path.read_text(), taken) == (TEXT, [])


def test_a_setting_given_on_the_command_line_can_not_be_changed(path: Path) -> None:
    file = settings_file(path, [], strip={"brightness": 0.9})
    with pytest.raises(SetupError, match="command line"):
        file.change("strip", "brightness", 0.1)
    assert next(one for one in file.shown() if one.key == "brightness").fixed


def test_the_first_change_creates_a_missing_settings_file(tmp_path: Path) -> None:
    path = tmp_path / "new" / "pegpip.toml"
    with_defaults(path).change("table", "name", "The Plough")
    assert tomllib.loads(path.read_text()) == {"table": {"name": "The Plough"}}


def test_a_settings_change_on_a_full_disk_asks_for_space_not_for_rights(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("companion.settings.file.write_file", full)
    with pytest.raises(SetupError, match=r"No space left on device\). Free some space on the disk\.$"):
        settings_file(path, []).change("strip", "brightness", 0.25)


def test_a_settings_file_with_a_byte_order_mark_can_be_changed(path: Path) -> None:
    path.write_text(TEXT, encoding="utf-8-sig")
    settings_file(path, []).change("strip", "brightness", 0.25)
    assert path.read_bytes() == TEXT.replace("0.5", "0.25").encode()


def test_changing_a_setting_in_an_unparsable_settings_file_is_refused_and_writes_nothing(path: Path) -> None:
    file = settings_file(path, [])
    path.write_text("[strip\n")
    with pytest.raises(SetupError, match="Correct it by hand"):
        file.change("strip", "brightness", 0.1)
    assert path.read_text() == "[strip\n"


def test_the_settings_page_offers_no_buttons_or_league_and_asks_for_a_pin_only_for_led_currents() -> None:
    """Only the three currents need the PIN; buttons, the league and most settings of the web server are not offered."""
    with_pin = {(one.section, one.key) for one in declared() if one.page == "pin"}
    assert with_pin == {("strip", key) for key in ("limit_ma", "channel_ma", "idle_ma")}
    assert {one.section for one in declared()} <= {"table", "camera", "strip", "track", "sound", "web", "data"}
    assert {one.key for one in declared() if one.section == "web"} == {"port", "wifi", "wifi_password"}


def test_every_numeric_setting_has_a_lower_and_an_upper_bound() -> None:
    for section, kind in get_type_hints(Settings).items():
        for key, hint in get_type_hints(kind, include_extras=True).items():
            about = msgspec.inspect.type_info(hint)
            number = about.type if isinstance(about, msgspec.inspect.Metadata) else about
            if isinstance(number, msgspec.inspect.IntType | msgspec.inspect.FloatType):
                assert number.le is not None, f"[{section}] {key}"
                assert (number.ge, number.gt) != (None, None), f"[{section}] {key}"


@pytest.mark.parametrize("text", ["A\x00B", "two\nlines", "right\u202eto left", "\u2066Ann", "\u200b", " ", "x" * 5000])
def test_every_text_setting_refuses_unprintable_blank_or_overlong_text(path: Path, text: str) -> None:
    file = settings_file(path, [])
    for one in declared():
        if one.kind == "text":
            with pytest.raises(SetupError, match=one.key):
                file.change(one.section, one.key, text)
    assert path.read_text() == TEXT


def test_changing_led_current_settings_needs_the_pin_code_unless_limit_ma_is_lowered(path: Path) -> None:
    file = settings_file(path, [])
    for key, value in (("limit_ma", 2001), ("channel_ma", 19.0), ("channel_ma", 21.0), ("idle_ma", 0.7)):
        with pytest.raises(PinNeeded, match="PIN"):
            file.change("strip", key, value)
    file.change("strip", "limit_ma", 1500)
    with pytest.raises(PinNeeded):
        file.change("strip", "limit_ma", 2000)
    file.change("strip", "limit_ma", 3000, pin_typed=True)
    file.change("strip", "channel_ma", 12, pin_typed=True)
    assert (file.running.strip.limit_ma, file.running.strip.channel_ma) == (3000, 12)


def test_an_invalid_line_in_the_settings_file_does_not_stop_a_change_of_another_setting(path: Path) -> None:
    path.write_text(TEXT.replace("8000", "80_000"))
    file = with_defaults(path)
    file.change("strip", "brightness", 0.25)
    assert "0.25" in path.read_text()
    assert next(one for one in file.shown() if one.key == "port").value == 8000


def test_the_settings_health_check_fails_with_the_reason_until_a_rejected_setting_is_corrected(path: Path) -> None:
    why = "Port 80 needs administrator rights; choose 1024 or above."
    file = with_defaults(path, LeftOut("web", "port", why))
    assert file.health() == (False, why)
    assert next(one for one in file.shown() if one.key == "port").left_out == why
    file.change("web", "port", 8001)
    assert file.health()[0]


@given(st.text(max_size=24))
def test_any_table_name_is_stored_unchanged_or_refused(tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    path = tmp_path_factory.getbasetemp() / "any.toml"
    path.write_text(TEXT)
    try:
        settings_file(path, []).change("table", "name", name)
    except SetupError:
        assert path.read_text() == TEXT
    else:
        assert config.load(path, {}).table.name == name


def test_a_changed_table_name_applies_at_once_and_survives_a_restart(tmp_path: Path) -> None:
    """The settings API answers 401 before pairing and 422 to a brightness of 7."""
    settings = tmp_path / "pegpip.toml"
    settings.write_text(TEXT.replace("8000", "0"))
    table = Running(tmp_path / "data", "--config", str(settings))
    try:
        assert table.ask("/api/settings")[0] == 401
        assert table.ask("/api/settings", {"section": "table", "key": "name", "value": "x"})[0] == 401
        table.pair()
        status, told = table.ask("/api/settings", {"section": "table", "key": "name", "value": "The Plough"})
        assert (status, told["file"]) == (200, str(settings))
        assert b"The Plough" in table.ask("/")[1]
        status, told = table.ask("/api/settings", {"section": "strip", "key": "brightness", "value": 7})
        assert (status, "brightness" in told["message"]) == (422, True)
    finally:
        table.stop()
    again = Running(tmp_path / "data", "--config", str(settings))
    try:
        assert b"The Plough" in again.ask("/")[1]
    finally:
        again.stop()
    assert "candles" in settings.read_text()
