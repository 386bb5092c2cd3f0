"""Installing makes exactly the changes that it announces, once; uninstalling takes all of them back."""

from __future__ import annotations

import grp
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from companion.appliance import hotspot
from companion.appliance import install as install_module
from companion.appliance import steps as steps_module
from companion.appliance.country import WifiCountry
from companion.appliance.install import (
    COPIES,
    KEYFILE,
    PROJECT,
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
from companion.appliance.steps import File, OldFile, Packages, Services, Step, TablesUser
from companion.appliance.trial import SETTINGS
from companion.errors import DeviceError
from companion.settings import load as config
from tests.appliance.machines import LINES, Noted, files_under, quiet


def folders_under(root: Path) -> set[str]:
    return {str(f.relative_to(root)) for f in root.rglob("*") if f.is_dir()}


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


def test_uninstalling_restores_original_files_but_keeps_the_settings_file(machine: Noted, steps: list[Step]) -> None:
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


def test_uninstalling_after_a_failed_apt_lists_the_packages_that_apt_had_installed(machine: Noted) -> None:
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
def test_installer_replaces_a_symlink_at_a_files_path_but_not_its_target(machine: Noted, target: str) -> None:
    unit = File("/etc/systemd/system/pegpip.service", lambda: "[Unit]\n")
    place = machine.at(unit.path)
    place.parent.mkdir(parents=True)
    place.with_name("others").touch()
    place.symlink_to(target)
    assert install([unit], machine, quiet) == 1
    assert (place.is_symlink(), place.read_text(), place.with_name("others").read_text()) == (False, "[Unit]\n", "")


def test_uninstalling_removes_a_dangling_symlink_at_the_path_of_an_installed_file(machine: Noted) -> None:
    unit = File("/etc/systemd/system/pegpip.service", lambda: "[Unit]\n")
    place = machine.at(unit.path)
    place.parent.mkdir(parents=True)
    place.symlink_to("gone")
    assert uninstall([unit], machine, quiet) == 1
    assert not place.is_symlink()


def test_a_failed_uninstallation_still_reloads_systemd_after_removing_the_unit_file(machine: Noted) -> None:
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


def test_the_hotspot_keyfile_has_mode_600_and_holds_name_and_password(machine: Noted, steps: list[Step]) -> None:
    install(steps, machine, quiet)
    assert machine.at(KEYFILE).stat().st_mode & 0o777 == 0o600
    assert hotspot.read(machine.at(KEYFILE).read_text()) == ("Pub", "one.two.three.four")


def test_the_installers_settings_hold_the_services_data_folder_and_the_wifi_name_and_password(machine: Noted) -> None:
    """Otherwise the doctor and the export, given these settings, look into another folder."""
    file, name, password = machine.root / "pegpip.toml", 'The "Pub"', "a\\b.c.d"
    file.write_text(_settings(machine, name, password))
    settings = config.load(file, {})
    unit = (PROJECT / "systemd/pegpip.service").read_text()
    assert f"--data {settings.data.folder}\n" in unit
    assert (settings.web.wifi, settings.web.hotspot, settings.web.wifi_password) == (name, name, password)


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
        machine.run("sh", "-c", "printf '\\377'; echo no such luck; exit 3")
    with pytest.raises(DeviceError, match="not installed"):
        machine.run("pegpip-no-such-program")
    assert not machine.works("pegpip-no-such-program")
