"""The hotspot: its keyfile, its password, and what a new installation takes from kept settings."""

from __future__ import annotations

import configparser
from pathlib import Path

import pytest

from companion.appliance import hotspot
from companion.appliance.install import KEYFILE, PROJECT, _settings, farewell, install
from companion.appliance.install import steps as all_steps
from companion.appliance.machine import Machine
from companion.appliance.releases import Source
from companion.appliance.steps import File, Step
from companion.appliance.trial import SETTINGS
from tests.appliance.machines import Noted


@pytest.fixture
def machine(tmp_path: Path) -> Noted:
    (tmp_path / SETTINGS.lstrip("/")).parent.mkdir(parents=True)
    return Noted(tmp_path)


def test_reinstalling_reuses_the_hotspot_name_and_password_of_a_kept_settings_file(machine: Noted) -> None:
    name, password = hotspot.new_name(), hotspot.new_password()
    settings = machine.at(SETTINGS)
    settings.write_text(_settings(machine, name, password))  # as uninstalling keeps it, without the keyfile
    install([keyfile_step(machine)], machine, lambda line: None)
    assert hotspot.read(machine.at(KEYFILE).read_text()) == (name, password)


def test_a_hotspot_keyfile_that_is_not_utf_8_does_not_stop_the_installer(machine: Noted) -> None:
    machine.at(KEYFILE).parent.mkdir(parents=True)
    machine.at(KEYFILE).write_bytes("[wifi]\nssid=Zum Löwen\n".encode("latin-1"))
    assert install([keyfile_step(machine)], machine, lambda line: None) == 0, "it is the owner's, and kept"


@pytest.mark.parametrize("text", ["[wifi]\nssid=Pub\n", "[wifi-security]\npsk=one.two.three\n", "", "ssid=Pub\n"])
def test_the_installer_announces_no_wifi_name_if_the_hotspot_keyfile_is_incomplete(machine: Noted, text: str) -> None:
    """The fault: it showed a new name and password, which it had stored nowhere."""
    machine.at(KEYFILE).parent.mkdir(parents=True)
    machine.at(KEYFILE).write_text(text)
    said = farewell(machine, ["a change"], uninstalled=False)
    assert "Peg and Pip " not in said
    assert f"remove {KEYFILE}, and install again" in said


@pytest.mark.parametrize(
    ("name", "password"), [("Pub\n[x]", "one.two.three"), ("Pub", "one.two\n[x]\na=b"), ("Pub", "")]
)
def test_the_hotspot_keyfile_drops_settings_with_line_breaks_or_no_password(
    machine: Noted, name: str, password: str
) -> None:
    """The service can write the settings, and root writes the keyfile."""
    settings = machine.at(SETTINGS)
    settings.write_text(_settings(machine, name, password))
    install([keyfile_step(machine)], machine, lambda line: None)
    assert "[x]" not in machine.at(KEYFILE).read_text()
    assert hotspot.read(machine.at(KEYFILE).read_text())[1] != password


def test_the_hotspot_ignores_a_wifi_password_given_without_a_network_name(machine: Noted) -> None:
    """The fault: the two missing names counted as equal, and the hotspot was called None."""
    machine.at(SETTINGS).write_text('[web]\nwifi_password = "longpassword"\n')
    install([keyfile_step(machine)], machine, lambda line: None)
    name, password = hotspot.read(machine.at(KEYFILE).read_text())
    assert name.startswith("Peg and Pip ")
    assert password != "longpassword"


def keyfile_step(machine: Machine) -> Step:
    wanted = all_steps(machine, Source(PROJECT), packages=False)
    return next(step for step in wanted if isinstance(step, File) and step.path == KEYFILE)


def test_the_hotspot_keyfile_disables_protected_management_frames() -> None:
    parsed = configparser.ConfigParser(interpolation=None)
    parsed.read_string(hotspot.keyfile("Pub", "one.two.three.four"))
    assert parsed["wifi-security"]["pmf"] == "1"  # of NetworkManager's values: disable


def test_new_hotspot_passwords_differ_and_have_8_to_63_ascii_characters() -> None:
    made = {hotspot.new_password() for _ in range(50)}
    assert len(made) == 50
    assert all(8 <= len(word) <= 63 and word.isascii() for word in made)
