"""`install.sh`: makes this machine a table, tells what that changes, and takes it back.

Runs with the system's Python, from the project's folder or (`--wheels`) from what the Debian package holds.
"""

from __future__ import annotations

import argparse
import configparser
import contextlib
import os
import shutil
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from companion.appliance import country, hotspot
from companion.appliance.country import WifiCountry
from companion.appliance.machine import Machine
from companion.appliance.releases import Releases, Source
from companion.appliance.steps import USER, BootLines, File, Packages, Services, Step, TablesUser
from companion.appliance.trial import PORT, SETTINGS, back
from companion.errors import CompanionError

PROJECT = Path(__file__).resolve().parents[2]
UNITS = "systemd"
DATA = "/var/lib/pegpip"
NEEDED = ("systemd", "python3-venv", "python3-numpy", "python3-pil")
USEFUL = ("python3-picamera2", "python3-gpiozero", "python3-lgpio", "python3-spidev", "avahi-daemon", "espeak-ng")
CORE_LINES = {
    "Raspberry Pi 3": ("dtparam=spi=on", "core_freq=250"),
    "Raspberry Pi Zero 2": ("dtparam=spi=on", "core_freq=250"),
    "Raspberry Pi 4": ("dtparam=spi=on", "core_freq=500", "core_freq_min=500"),
    "Raspberry Pi 5": ("dtparam=spi=on",),
}
"""What an LED strip on SPI asks of each model (docs/build.md): a clock that stands still."""
COPIES = {
    "pegpip.service": "/etc/systemd/system/pegpip.service",
    "pegpip-hotspot.service": "/etc/systemd/system/pegpip-hotspot.service",
    "99-pegpip.rules": "/etc/udev/rules.d/99-pegpip.rules",
    "50-pegpip.rules": "/etc/polkit-1/rules.d/50-pegpip.rules",
    "journald.conf": "/etc/systemd/journald.conf.d/pegpip.conf",
    "pegpip.avahi.xml": "/etc/avahi/services/pegpip.service",
}
"""File in systemd/ -> where it goes."""
KEYFILE = "/etc/NetworkManager/system-connections/pegpip-hotspot.nmconnection"


@dataclass(frozen=True, slots=True)
class Release:
    """The program itself, and the command `pegpip`."""

    source: Source
    releases: Releases
    command: str = "/usr/local/bin/pegpip"

    def missing(self, machine: Machine) -> list[str]:
        """The release, unless this very one runs."""
        name = self.source.name()
        if self.releases.current() == self.releases.proven() == name and name in self.releases.names():
            return []
        return [f"make the release {name} in {self.releases.base}, and let the service run it"]

    def do(self, machine: Machine) -> None:
        """Make it, switch to it, and start the service anew where it runs. Who installs looks on: it is on no trial."""
        name = self.releases.make(self.source)
        self.releases.switch(name)
        self.releases.trust(name)
        back(self.releases)  # what an unfinished trial has left is gone
        self.releases.prune()
        command = machine.at(self.command)
        if not command.is_symlink():
            command.symlink_to(f"{self.releases.base}/current/bin/pegpip")
        if machine.has_systemd:
            machine.run("systemctl", "try-restart", "pegpip.service")

    def left(self, machine: Machine) -> list[str]:
        """All releases."""
        return [f"remove {self.releases.base}"] if self.releases.folder.exists() else []

    def undo(self, machine: Machine) -> None:
        """Remove all releases, and the command."""
        machine.at(self.command).unlink(missing_ok=True)
        shutil.rmtree(self.releases.place, ignore_errors=True)


def steps(machine: Machine, source: Source, *, packages: bool, wifi_country: str = "") -> list[Step]:
    """All that a table has, in the order of installing.

    Args:
        machine: What is installed on.
        source: What the release is made from.
        packages: Whether apt is asked: not from within a package, whose dependencies dpkg has seen to.
        wifi_country: Its two letters, where somebody named one.
    """
    units = (source.path if source.is_tree else PROJECT) / UNITS
    name, password = _wifi(machine)
    copies = [File(place, partial((units / file).read_text)) for file, place in COPIES.items()]
    boot = next((lines for model, lines in CORE_LINES.items() if machine.model().startswith(model)), ())
    return [
        *([Packages(NEEDED, USEFUL)] if packages else []),
        TablesUser(DATA),
        Release(source, Releases(machine)),
        *copies,
        File(SETTINGS, partial(_settings, machine, name, password), 0o640, USER, once=True, keep=DATA),
        File(KEYFILE, partial(hotspot.keyfile, name, password), 0o600, once=True),
        BootLines(boot),
        WifiCountry(wifi_country),
        Services(("pegpip.service", "pegpip-hotspot.service")),
    ]


def _wifi(machine: Machine) -> tuple[str, str]:
    """The hotspot's name and password: those it has, else new ones."""
    with contextlib.suppress(OSError, KeyError, configparser.Error):
        return hotspot.read(machine.at(KEYFILE).read_text())
    return hotspot.new_name(), hotspot.new_password()


def _settings(machine: Machine, name: str, password: str) -> str:
    """The settings that a table begins with; `pegpip doctor` says what of it is not there."""
    camera = "picamera2" if machine.works("/usr/bin/python3", "-c", "import picamera2") else "virtual"
    return f"""# Peg & Pip: all keys are told in docs/build.md; what is left out has its default.
[camera]
source = "{camera}"     # picamera2, opencv:0 (USB), virtual (simulated dice)

[strip]
kind = "{"auto" if machine.model() else "memory"}"    # auto, spi, ws281x, pio, wled:HOST, memory (drawn in the page)
layout = "strip122"

[web]
port = {PORT}
wifi = "{name}"                 # the QR code before the page's own: the Wi-Fi that phones join first
wifi_password = "{password}"
hotspot = "{name}"              # that one is the table's own, up where no other is found: its code is shown then

[data]
dir = "{DATA}"
"""


def changes(wanted: Iterable[Step], machine: Machine) -> list[str]:
    """A line for each change that installing would make."""
    return [line for step in wanted for line in step.missing(machine)]


def leavings(wanted: Iterable[Step], machine: Machine) -> list[str]:
    """A line for each change that uninstalling would make."""
    return [line for step in reversed(list(wanted)) for line in step.left(machine)]


def install(wanted: Iterable[Step], machine: Machine, say: Callable[[str], None]) -> int:
    """Do what is missing, telling each change as it is made; how many those were."""
    return sum(_changed(step.missing(machine), step.do, machine, say) for step in wanted)


def uninstall(wanted: Iterable[Step], machine: Machine, say: Callable[[str], None]) -> int:
    """Take back what is there, last first; the data stays. How many changes those were."""
    taken = sum(_changed(step.left(machine), step.undo, machine, say) for step in reversed(list(wanted)))
    if taken and machine.has_systemd:
        machine.run("systemctl", "daemon-reload")
    return taken


def _changed(lines: list[str], change: Callable[[Machine], None], machine: Machine, say: Callable[[str], None]) -> int:
    for line in lines:
        say(line)
    if lines:
        change(machine)
    return len(lines)


def main(arguments: list[str] | None = None) -> int:
    """The command. Exit status: 0 done, 1 a step failed, 2 wrong usage or not root."""
    parser = argparse.ArgumentParser(
        prog="install.sh", description="Make this machine a Peg & Pip table: it starts with it and looks after itself."
    )
    parser.add_argument("--dry-run", action="store_true", help="list every change, make none")
    parser.add_argument("--uninstall", action="store_true", help=f"take all of it back; {DATA} (the games) stays")
    parser.add_argument("--wheels", type=Path, metavar="DIR", help="install from these wheels, asking no index or apt")
    machine = Machine()
    parser.add_argument(
        "--country",
        type=partial(country.named, machine),
        metavar="GB",
        help="whose law a Pi's Wi-Fi keeps (two letters); where the Pi has none, that of its time zone is taken",
    )
    given = parser.parse_args(arguments)
    source = Source(given.wheels or PROJECT)
    say, complain = partial(print, flush=True), partial(print, "install.sh:", file=sys.stderr)
    if os.geteuid() != 0 and not given.dry_run:
        complain("this changes the system: run it with sudo, or with --dry-run to see what it would do.")
        return 2
    try:
        wanted = steps(machine, source, packages=given.wheels is None, wifi_country=given.country or "")
        if given.dry_run:
            for line in leavings(wanted, machine) if given.uninstall else changes(wanted, machine):
                say(line)
            return 0
        count = (uninstall if given.uninstall else install)(wanted, machine, say)
    except (CompanionError, OSError) as ill:
        complain(ill)
        return 1
    say(_farewell(machine, count, uninstalled=given.uninstall))
    return 0


def _farewell(machine: Machine, count: int, *, uninstalled: bool) -> str:
    if not count:
        return "Nothing to change: all of it is as it should be."
    if uninstalled:
        return f"Gone. The games, photos and settings stay in {DATA}."
    name, password = _wifi(machine)
    text = (
        "The table is installed. Its address and PIN: `journalctl -u pegpip -n 20`. What works: `sudo -u pegpip pegpip "
        f"doctor --config {SETTINGS}`.\nWhere no Wi-Fi is known it opens its own: {name}, password {password}\n"
        f"The QR codes for phones, here and on the screen at /tv: `sudo pegpip join --config {SETTINGS}`."
    )
    if not machine.model():
        return text
    unknown = (
        "" if country.known(machine) else f"\nThe Pi does not know its country, and blocks its Wi-Fi. {country.CURE}"
    )
    return f"{text}{unknown}\nStart the Pi anew: what it reads when it starts was changed."


if __name__ == "__main__":
    sys.exit(main())
