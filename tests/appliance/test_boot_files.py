"""The installer's lines in config.txt and cmdline.txt: added once, taken back, and nothing else touched."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.appliance import country
from companion.appliance.country import COMMAND_LINE, WifiCountry
from companion.appliance.install import (
    LAYOUT,
    PROJECT,
    Release,
    changes,
    farewell,
    install,
    main,
)
from companion.appliance.install import steps as all_steps
from companion.appliance.machine import Machine
from companion.appliance.releases import Source
from companion.appliance.steps import BEGIN, END, BootLines
from companion.appliance.trial import SETTINGS
from hardware.strips.pio import overlay_line
from hardware.track import PRESETS, preset
from tests.appliance.machines import CONFIG, LINES, Noted, files_under, quiet

REGDOM = "cfg80211.ieee80211_regdom="


@given(st.text("ab=#\n[]", max_size=40), st.text("cd=\n", max_size=20))
def test_uninstalling_removes_only_the_installers_lines_from_config_txt(text: str, added: str) -> None:
    whole = LINES.with_block(text)
    assert LINES.with_block(whole) == whole
    assert [line for line in whole.splitlines() if line in LINES.lines] == list(LINES.lines)
    bare = BootLines(()).with_block(whole + added)
    assert bare.rstrip("\n") == ((text if text.endswith("\n") or not text else text + "\n") + added).rstrip("\n")


@pytest.mark.parametrize(
    "others", ["dtparam=audio=on\n", LINES.with_block("dtparam=audio=on\n")], ids=["alone", "again"]
)
def test_installer_keeps_other_config_txt_lines_if_its_end_marker_is_missing(machine: Noted, others: str) -> None:
    """A hand edit or a power cut can take the end mark."""
    file = machine.at(CONFIG)
    original = file.read_text()
    LINES.do(machine)
    file.write_text(file.read_text().replace(f"{END}\n", "") + others)
    LINES.do(machine)
    assert LINES.missing(machine) == []
    assert file.read_text().count(BEGIN) == 1
    assert "dtparam=audio=on\n" in file.read_text()
    file.write_text(file.read_text().replace(f"{END}\n", ""))
    LINES.undo(machine)
    assert file.read_text().startswith(original)
    assert "dtparam=audio=on\n" in file.read_text()
    assert LINES.left(machine) == []
    assert file.with_name("config.txt.before-pegpip").read_text() == original, "lines that nobody told apart are left"


def test_the_installer_keeps_bytes_of_config_txt_that_are_not_utf_8(machine: Noted) -> None:
    file = machine.at(CONFIG)
    before = "# für den Tisch\r\ndtparam=audio=on\r\n".encode("latin-1")
    file.write_bytes(before)
    LINES.do(machine)
    assert LINES.missing(machine) == []
    assert file.read_bytes().startswith(before)
    LINES.undo(machine)
    assert file.read_bytes() == before


def test_installer_removes_boot_lines_that_the_present_pi_does_not_need(machine: Noted) -> None:
    """The card was moved to another Pi."""
    before = files_under(machine.root)
    LINES.do(machine)
    none = BootLines(())
    assert install([none], machine, quiet) == 1
    assert files_under(machine.root) == before
    assert none.missing(machine) == []


@pytest.mark.parametrize("change", [LINES.do, LINES.undo], ids=["do", "undo"])
def test_an_installer_write_to_a_full_disk_leaves_config_txt_unchanged(
    change: Callable[[Machine], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A Pi with half a config.txt does not start."""
    machine = Noted(tmp_path)
    file = machine.at(CONFIG)
    file.parent.mkdir(parents=True)
    file.write_text(LINES.with_block("camera_auto_detect=1\n") if change == LINES.undo else "camera_auto_detect=1\n")
    before = files_under(tmp_path)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        change(machine)
    assert files_under(tmp_path) == before


def test_the_installer_makes_no_config_txt_on_a_machine_without_one(tmp_path: Path) -> None:
    assert LINES.missing(Noted(tmp_path)) == []
    assert LINES.left(Noted(tmp_path)) == []
    assert list(tmp_path.iterdir()) == []


@given(st.text("ab= \r\n", max_size=30), st.sampled_from(["", "GB"]))
def test_the_wifi_country_is_put_into_cmdline_txt_once_and_can_be_removed(text: str, before: str) -> None:
    was = country.changed(text, before) if before else text
    now = country.changed(was, "FI")
    assert country.set_in(now) == "FI"
    assert now.count(REGDOM) == now.split("\r")[0].split("\n")[0].count(REGDOM) == 1
    assert country.changed(now, before) == was


def test_the_installer_takes_the_wifi_country_from_time_zone_or_option(machine: Noted) -> None:
    """A Pi that knows no country keeps its Wi-Fi blocked, and the table can't open its hotspot."""
    zones, line, step = machine.at(country.ZONES), machine.at(COMMAND_LINE), WifiCountry()
    zones.mkdir(parents=True)
    (zones / "zone.tab").write_text("# a comment\nDE\t+5230+01322\tEurope/Berlin\tmost of Germany\n")
    machine.at("/etc").mkdir()
    assert (step.missing(machine), country.known(machine)) == ([], False)  # nobody told it where it is
    machine.at("/etc/localtime").symlink_to("../usr/share/zoneinfo/Europe/Berlin")
    assert "country is DE (by the time zone" in step.missing(machine)[0]
    step.do(machine)
    assert line.read_text() == f"console=tty1 rootwait {REGDOM}DE\n"
    assert (step.missing(machine), country.known(machine)) == ([], True)
    other = WifiCountry("AT")
    assert "country is AT (as asked)" in other.missing(machine)[0]
    other.do(machine)
    assert line.read_text() == f"console=tty1 rootwait {REGDOM}AT\n"
    assert (step.missing(machine), other.missing(machine)) == ([], [])  # who has one keeps it
    step.undo(machine)
    assert line.read_text() == "console=tty1 rootwait\n"
    assert (step.left(machine), list(line.parent.glob("cmdline.txt.*"))) == ([], [])


def test_the_wifi_country_is_set_in_a_kernel_command_line_that_is_not_utf_8(machine: Noted) -> None:
    line, step = machine.at(COMMAND_LINE), WifiCountry("FI")
    before = b"console=tty1 quiet=\xff " + REGDOM.encode() + b"\xfe\r\n"
    line.write_bytes(before)
    assert (len(step.missing(machine)), country.known(machine)) == (1, True)
    step.do(machine)
    assert line.read_bytes() == before.replace(b"\xfe", b"FI")
    step.undo(machine)
    assert line.read_bytes() == before


def test_uninstalling_keeps_a_wifi_country_set_after_the_installation(machine: Noted) -> None:
    step, line = WifiCountry("FI"), machine.at(COMMAND_LINE)
    step.do(machine)
    line.write_text(country.changed(line.read_text(), "SE"))
    step.undo(machine)
    assert country.set_in(line.read_text()) == "SE"


def test_the_installer_refuses_an_unknown_wifi_country(machine: Noted, capsys: pytest.CaptureFixture[str]) -> None:
    """The kernel accepts any word as a country, but allows no channel for an unknown country."""
    zones = machine.at(country.ZONES)
    for _ in range(2):  # without zoneinfo only the form of the code is checked
        for letters in ("gb", "FI"):
            assert country.checked_code(machine, letters) == letters.upper()
        with pytest.raises(argparse.ArgumentTypeError):
            country.checked_code(machine, "England")
        zones.mkdir(parents=True, exist_ok=True)
        (zones / "iso3166.tab").write_text("FI\tFinland\nGB\tBritain (UK)\n")
    with pytest.raises(argparse.ArgumentTypeError, match="GB, not UK"):
        country.checked_code(machine, "UK")
    with pytest.raises(SystemExit) as ended:
        main(["--dry-run", "--country", "England"])
    assert (ended.value.code, "ISO 3166" in capsys.readouterr().err) == (2, True)


@pytest.mark.parametrize("layout", [*PRESETS, "own", "none of them"])
def test_installer_adds_led_overlay_with_led_count_and_pin_on_pi_5_not_pi_4(machine: Noted, layout: str) -> None:
    model, settings = machine.at("/proc/device-tree/model"), machine.at(SETTINGS)
    for file in (model, settings):
        file.parent.mkdir(parents=True, exist_ok=True)
    model.write_text("Raspberry Pi 5 Model B Rev 1.0\0")
    settings.write_text(f"[strip]\nlayout = '{layout}'\n[track]\nleds = 77\n")
    leds = preset(layout).leds if layout in PRESETS else 77 if layout == "own" else preset(LAYOUT).leds
    told = changes(all_steps(machine, Source(PROJECT), packages=False), machine)
    assert f"{CONFIG}: {overlay_line(leds)}" in told
    settings.write_text("[strip]\nkind = 'pio'\npin = 19\n")
    told = changes(all_steps(machine, Source(PROJECT), packages=False), machine)
    assert f"{CONFIG}: {overlay_line(preset(LAYOUT).leds, 19)}" in told
    settings.write_text("[strip]\nlayout = 'own'\npin = false\n[track]\nleds = true\n")
    told = changes(all_steps(machine, Source(PROJECT), packages=False), machine)
    assert f"{CONFIG}: {overlay_line(preset(LAYOUT).leds)}" in told, "no number is true or false"
    model.write_text("Raspberry Pi 4 Model B Rev 1.4\0")
    assert not any(
        "ws2812-pio" in line for line in changes(all_steps(machine, Source(PROJECT), packages=False), machine)
    )


def test_the_installer_asks_for_a_restart_only_if_boot_files_changed(machine: Noted) -> None:
    model = machine.at("/proc/device-tree/model")
    model.parent.mkdir(parents=True)
    model.write_text("Raspberry Pi 4 Model B Rev 1.4\0")
    wanted = all_steps(machine, Source(PROJECT), packages=False)
    assert "Restart the Pi" in farewell(machine, changes(wanted, machine), uninstalled=False)
    release = next(step for step in wanted if isinstance(step, Release))
    assert "Restart the Pi" not in farewell(machine, release.missing(machine), uninstalled=False)
