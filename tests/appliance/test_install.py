"""Installing makes exactly the changes that it announces, once; uninstalling takes all of them back."""

from __future__ import annotations

import argparse
import grp
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.appliance import country, hotspot
from companion.appliance import install as install_module
from companion.appliance import steps as steps_module
from companion.appliance.country import COMMAND_LINE, WifiCountry
from companion.appliance.install import (
    COPIES,
    KEYFILE,
    LAYOUT,
    PROJECT,
    Release,
    _settings,
    changes,
    farewell,
    install,
    leavings,
    main,
    uninstall,
)
from companion.appliance.install import steps as all_steps
from companion.appliance.machine import Machine
from companion.appliance.releases import Source
from companion.appliance.signature import KEY
from companion.appliance.steps import BEGIN, END, BootLines, File, OldFile, Packages, Services, Step, TablesUser
from companion.appliance.trial import SETTINGS
from companion.errors import DeviceError
from companion.settings import load as config
from hardware.strips.pio import overlay_line
from hardware.track import PRESETS, preset
from tests.appliance.machines import Noted

CONFIG = "/boot/firmware/config.txt"
REGDOM = "cfg80211.ieee80211_regdom="
LINES = BootLines(("dtparam=spi=on", "core_freq=500"))


def quiet(_line: str) -> None:
    """Print nothing."""


def files_under(root: Path) -> dict[str, str]:
    return {str(f.relative_to(root)): f.read_text() for f in root.rglob("*") if f.is_file()}


def folders_under(root: Path) -> set[str]:
    return {str(f.relative_to(root)) for f in root.rglob("*") if f.is_dir()}


@pytest.fixture
def machine(tmp_path: Path) -> Noted:
    config = tmp_path / CONFIG.lstrip("/")
    config.parent.mkdir(parents=True)
    config.write_text("camera_auto_detect=1\n[cm4]\notg_mode=1\n")
    config.with_name("cmdline.txt").write_text("console=tty1 rootwait\n")
    (tmp_path / "var/lib").mkdir(parents=True)
    return Noted(tmp_path)


@pytest.fixture
def steps() -> list[Step]:
    return [
        Packages(("python3-venv",), ("python3-picamera2", "avahi-daemon")),
        File("/etc/systemd/system/pegpip.service", lambda: "[Unit]\n"),
        File(SETTINGS, lambda: "[web]\n", 0o640, once=True, keep=True),
        File(KEY, lambda: "a key\n"),
        File(KEYFILE, lambda: hotspot.keyfile("Pub", "one.two.three.four"), 0o600, once=True),
        LINES,
        WifiCountry("FI"),
        Services(("pegpip.service",)),
    ]


def test_the_installer_announces_each_change_and_makes_none_when_run_again(machine: Noted, steps: list[Step]) -> None:
    told = changes(steps, machine)
    assert "install the package avahi-daemon" in told
    assert "install the package python3-picamera2" not in told  # these sources don't have it
    said: list[str] = []
    assert install(steps, machine, said.append) == len(told)
    assert said == told
    before = files_under(machine.root)
    assert install(steps, machine, said.append) == 0
    assert changes(steps, machine) == []
    assert files_under(machine.root) == before


def test_uninstalling_restores_all_files_and_keeps_only_the_settings_file(machine: Noted, steps: list[Step]) -> None:
    before = files_under(machine.root)
    rules = machine.at("/etc/systemd/system")  # a package's, and empty
    rules.mkdir(parents=True)
    machine.installed.add("/etc/systemd/system")
    folders = folders_under(machine.root)
    install(steps, machine, quiet)
    machine.at(SETTINGS).write_text("[web]\nport = 80\n")
    told = leavings(steps, machine)
    said: list[str] = []
    uninstall(steps, machine, said.append)
    assert said == told
    assert folders_under(machine.root) - folders == {"var/lib/pegpip", "etc/systemd/system/multi-user.target.wants"}
    assert folders <= folders_under(machine.root)
    assert files_under(machine.root) == {**before, "var/lib/pegpip/pegpip.toml": "[web]\nport = 80\n"}
    assert ("apt-mark", "auto", "avahi-daemon", "python3-venv") in machine.asked
    assert uninstall(steps, machine, said.append) == 0
    assert farewell(machine, [], uninstalled=True) == "Nothing to remove."


class HalfInstalling(Noted):
    """A machine on which apt installs all packages but the last, then fails."""

    def run(self, *words: str, user: str = "") -> str:
        if words[:2] == ("apt-get", "install"):
            super().run(*words[:-1])
            raise DeviceError("apt-get failed.", "Try again.")
        return super().run(*words, user=user)


def test_uninstalling_lists_the_packages_that_a_failed_apt_had_installed(machine: Noted) -> None:
    packages, half = Packages(("python3-venv", "avahi-daemon")), HalfInstalling(machine.root)
    with pytest.raises(DeviceError):
        packages.do(half)
    assert packages.left(half) == ["leave the package python3-venv to `apt autoremove`"]


def test_the_installer_adds_user_pegpip_only_to_groups_the_machine_has(
    machine: Noted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A group that came later, with a package, is joined by the next installation."""
    groups = [grp.struct_group((name, "x", 1, members)) for name, members in (("gpio", []), ("video", ["pegpip"]))]
    monkeypatch.setattr(grp, "getgrall", lambda: [*groups, grp.struct_group(("lp", "x", 2, []))])
    monkeypatch.setattr(steps_module, "_user_exists", lambda: True)
    user = TablesUser()
    assert user.missing(machine) == ["add pegpip to the group gpio"]
    user.do(machine)
    assert ("gpasswd", "--add", "pegpip", "gpio") in machine.asked
    assert not any(words[0] == "useradd" for words in machine.asked)


def test_installing_again_keeps_settings_journal_calibration_and_pairings(machine: Noted, steps: list[Step]) -> None:
    install(steps, machine, quiet)
    settings = machine.at(SETTINGS)
    settings.write_text("[table]\nname = 'The Plough'\n")
    assert changes(steps, machine) == []
    kept = {name: f"{name} of this table" for name in ("journal.jsonl", "calibration.json", "paired.json")}
    for name, text in kept.items():
        settings.with_name(name).write_text(text)
    machine.at("/etc/systemd/system/pegpip.service").write_bytes("# für uns\n".encode("latin-1"))
    assert changes(steps, machine) == ["write /etc/systemd/system/pegpip.service anew"]
    install(steps, machine, quiet)
    assert "Plough" in settings.read_text()
    assert {name: settings.with_name(name).read_text() for name in kept} == kept


def test_installing_a_changed_unit_restarts_a_running_service_with_it(machine: Noted, steps: list[Step]) -> None:
    machine.at("/run/systemd/system").mkdir(parents=True)
    install(steps, machine, quiet)
    assert ("systemctl", "try-restart", "pegpip.service") not in machine.asked, "the last step has started it"
    unit = machine.at("/etc/systemd/system/pegpip.service")
    unit.write_text("an older one\n")
    install(steps, machine, quiet)
    assert unit.read_text() == "[Unit]\n"
    assert machine.asked[-2:] == [("systemctl", "daemon-reload"), ("systemctl", "try-restart", "pegpip.service")]
    machine.asked.clear()
    assert install(steps, machine, quiet) == 0
    assert not any("try-restart" in words for words in machine.asked)


@pytest.mark.parametrize("target", ["/dev/null", "others", "missing"])
def test_installer_replaces_a_link_in_a_files_place_not_what_it_leads_to(machine: Noted, target: str) -> None:
    unit = File("/etc/systemd/system/pegpip.service", lambda: "[Unit]\n")
    place = machine.at(unit.path)
    place.parent.mkdir(parents=True)
    place.with_name("others").touch()
    place.symlink_to(target)
    assert install([unit], machine, quiet) == 1
    assert (place.is_symlink(), place.read_text(), place.with_name("others").read_text()) == (False, "[Unit]\n", "")


def test_uninstalling_removes_a_dangling_link_in_the_place_of_a_file(machine: Noted) -> None:
    unit = File("/etc/systemd/system/pegpip.service", lambda: "[Unit]\n")
    place = machine.at(unit.path)
    place.parent.mkdir(parents=True)
    place.symlink_to("gone")
    assert uninstall([unit], machine, quiet) == 1
    assert not place.is_symlink()


def test_after_a_failed_uninstallation_systemd_forgets_the_removed_unit(machine: Noted) -> None:
    unit = File("/etc/systemd/system/pegpip.service", lambda: "[Unit]\n")
    wanted: list[Step] = [Services(("pegpip-hotspot.service",)), unit]
    machine.at("/run/systemd/system").mkdir(parents=True)
    install(wanted, machine, quiet)
    machine.broken.add("disable")
    with pytest.raises(DeviceError):
        uninstall(wanted, machine, quiet)
    assert not machine.at(unit.path).exists()
    assert machine.asked[-1] == ("systemctl", "daemon-reload")


@pytest.mark.parametrize("change", [install, uninstall])
def test_installing_and_uninstalling_remove_a_file_of_earlier_releases(
    machine: Noted, change: Callable[..., int]
) -> None:
    step = next(each for each in all_steps(machine, Source(PROJECT), packages=False) if isinstance(each, OldFile))
    assert (step.missing(machine), step.left(machine)) == ([], [])
    place = machine.at(step.path)
    place.parent.mkdir(parents=True)
    place.touch()
    said: list[str] = []
    assert change([step], machine, said.append) == 1
    assert (said, place.exists()) == (["remove /etc/avahi/services/pegpip.service"], False)
    assert change([step], machine, said.append) == 0


def test_after_a_failed_step_the_next_installation_makes_only_that_step(machine: Noted, steps: list[Step]) -> None:
    machine.broken.add("enable")
    with pytest.raises(DeviceError):
        install(steps, machine, quiet)
    machine.broken.clear()
    said: list[str] = []
    install(steps, machine, said.append)
    assert said == ["enable pegpip.service"]


@given(st.text("ab=#\n[]", max_size=40), st.text("cd=\n", max_size=20))
def test_uninstalling_removes_only_its_own_lines_from_config_txt(text: str, added: str) -> None:
    whole = LINES.with_block(text)
    assert LINES.with_block(whole) == whole
    assert [line for line in whole.splitlines() if line in LINES.lines] == list(LINES.lines)
    bare = BootLines(()).with_block(whole + added)
    assert bare.rstrip("\n") == ((text if text.endswith("\n") or not text else text + "\n") + added).rstrip("\n")


@pytest.mark.parametrize(
    "others", ["dtparam=audio=on\n", LINES.with_block("dtparam=audio=on\n")], ids=["alone", "again"]
)
def test_installer_keeps_config_txt_lines_after_a_lost_block_end_marker(machine: Noted, others: str) -> None:
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


def test_the_wifi_country_is_set_in_a_command_line_that_is_not_utf_8(machine: Noted) -> None:
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


def test_the_hotspot_keyfile_has_mode_600_and_holds_name_and_password(machine: Noted, steps: list[Step]) -> None:
    install(steps, machine, quiet)
    assert machine.at(KEYFILE).stat().st_mode & 0o777 == 0o600
    assert hotspot.read(machine.at(KEYFILE).read_text()) == ("Pub", "one.two.three.four")


def test_installer_settings_file_has_systemd_data_folder_and_wifi_login(machine: Noted) -> None:
    """Otherwise the doctor and the export, given these settings, look into another folder."""
    file, name, password = machine.root / "pegpip.toml", 'The "Pub"', "a\\b.c.d"
    file.write_text(_settings(machine, name, password))
    settings = config.load(file, {})
    unit = (PROJECT / "systemd/pegpip.service").read_text()
    assert f"--data {settings.data.folder}\n" in unit
    assert (settings.web.wifi, settings.web.hotspot, settings.web.wifi_password) == (name, name, password)


@pytest.mark.parametrize("layout", [*PRESETS, "own", "none of them"])
def test_installer_adds_led_overlay_with_leds_and_pin_on_pi_5_not_pi_4(machine: Noted, layout: str) -> None:
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


def test_the_installers_settings_file_does_not_mention_the_ws281x_strip(machine: Noted) -> None:
    """`ws281x` needs root and a library that is not installed."""
    assert "ws281x" not in _settings(machine, 'The "Pub"', "a\\b.c.d")


def test_every_systemd_file_that_the_installer_copies_exists() -> None:
    assert all((PROJECT / "systemd" / name).is_file() for name in COPIES)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may")
def test_without_root_the_installer_exits_2_and_asks_for_sudo() -> None:
    done = subprocess.run([PROJECT / "install.sh"], capture_output=True, text=True, check=False)
    assert (done.returncode, "sudo" in done.stderr) == (2, True)


@pytest.mark.parametrize("uninstalling", [False, True], ids=["install", "uninstall"])
def test_the_installers_dry_run_lists_changes_and_makes_none(
    machine: Noted,
    steps: list[Step],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    uninstalling: bool,
) -> None:
    if uninstalling:
        install(steps, machine, quiet)
    monkeypatch.setattr(install_module, "Machine", lambda: machine)
    monkeypatch.setattr(os, "umask", lambda mask: mask)  # the installer sets that of the whole process
    before = everything_in(machine.root)
    machine.asked.clear()
    assert main(["--dry-run", *(["--uninstall"] if uninstalling else [])]) == 0
    told = capsys.readouterr().out
    if uninstalling:
        assert "remove /etc/systemd/system/pegpip.service" in told
    else:
        assert "make the release" in told
        assert f"write {SETTINGS}" in told
    assert everything_in(machine.root) == before
    assert machine.asked == []


def everything_in(root: Path) -> dict[str, tuple[int, int, bytes]]:
    """Return mode, time of change in ns, and content (a folder's is empty) of every path under a folder."""
    return {
        str(path.relative_to(root)): (
            path.lstat().st_mode,
            path.lstat().st_mtime_ns,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in root.rglob("*")
    }


def test_an_installer_command_that_fails_is_an_error_with_its_output() -> None:
    machine = Machine()
    with pytest.raises(DeviceError, match="no such luck"):
        machine.run("sh", "-c", "echo no such luck; exit 3")
    with pytest.raises(DeviceError, match="not installed"):
        machine.run("pegpip-no-such-program")
    assert not machine.works("pegpip-no-such-program")
