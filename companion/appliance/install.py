"""`install.sh`: installs the table on this machine, prints each change, and can undo all of them.

Runs with the system's Python, from the project's folder or (`--wheels`) from the Debian package's files.
"""

from __future__ import annotations

import argparse
import configparser
import contextlib
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from companion.appliance import country, hotspot
from companion.appliance.country import WifiCountry
from companion.appliance.machine import USER, Machine
from companion.appliance.releases import Releases, Source
from companion.appliance.signature import KEY
from companion.appliance.steps import BootLines, File, OldFile, Packages, Services, Step, TablesUser
from companion.appliance.trial import PORT, SETTINGS, back, value_in
from companion.errors import CompanionError

PROJECT = Path(__file__).resolve().parents[2]
"""Folder that holds `companion/`: the project, or /usr/share/pegpip of the Debian package."""
UNITS = "systemd"
"""Folder in the project with the systemd units and the other files to copy."""
PUBLIC_KEY = "release/release-key.asc"
"""Public key of signed updates in the project (`make release-key`). Without it a table takes no signed update."""
DATA = "/var/lib/pegpip"
"""Data folder of an installed table; uninstalling keeps it."""
NEEDED = ("systemd", "python3-venv", "python3-numpy", "python3-pil", "gpgv")
"""Debian packages that installing and running a table need."""
USEFUL = (
    *("python3-picamera2", "python3-gpiozero", "python3-lgpio", "python3-spidev", "avahi-utils", "alsa-utils"),
    *("avahi-daemon", "espeak-ng"),
)
"""Debian packages for camera, strip, network name, effects and voice; skipped where the system's sources lack them."""
CORE_LINES = {
    "Raspberry Pi 3": ("dtparam=spi=on", "core_freq=250"),
    "Raspberry Pi Zero 2": ("dtparam=spi=on", "core_freq=250"),
    "Raspberry Pi 4": ("dtparam=spi=on", "core_freq=500", "core_freq_min=500"),
    "Raspberry Pi 5": ("dtparam=spi=on",),
}
"""Model of Pi -> lines in config.txt that an LED strip on SPI needs there (docs/build.md): mostly a constant clock."""
PIO_LINE = "dtoverlay=ws2812-pio,gpio={pin},num_leds={leds},brightness=0"
"""Line in config.txt that loads the Pi 5's driver for an LED strip with its data on BCM pin `pin`."""
PIN, MAX_PIN = 18, 27
"""BCM numbers of the strip's default and last data pin, as in `hardware.settings`; another counts as PIN."""
LEDS = {"strip122": 122, "board3x121": 363, "matrix16": 256, "table300": 300}
"""Number of LEDs of each ready-made layout, for PIO_LINE; copied from `hardware.track`, which can't be imported before
installing. Smaller than there: the Pi 5's driver refuses frames, and the LEDs stay dark."""
COPIES = {
    "pegpip.service": "/etc/systemd/system/pegpip.service",
    "pegpip-hotspot.service": "/etc/systemd/system/pegpip-hotspot.service",
    "99-pegpip.rules": "/etc/udev/rules.d/99-pegpip.rules",
    "50-pegpip.rules": "/etc/polkit-1/rules.d/50-pegpip.rules",
    "journald.conf": "/etc/systemd/journald.conf.d/pegpip.conf",
}
"""File in systemd/ -> absolute path that it is copied to."""
LAYOUT = "strip122"
"""Layout of a new table's LEDs."""
MAX_LEDS = 4096
"""Largest [track] leds of a custom layout that the installer prepares for; with a larger one it prepares for LAYOUT. A
copy of the bound in `hardware.settings`: raised alone, the installer takes a number that the table refuses."""
KEYFILE = "/etc/NetworkManager/system-connections/pegpip-hotspot.nmconnection"
"""NetworkManager's file with the hotspot's name and password."""


@dataclass(frozen=True, slots=True)
class Release:
    """Installation step: the program itself, made from `source` as one of `releases`, and its link `command`."""

    source: Source
    releases: Releases
    command: str = "/usr/local/bin/pegpip"

    def missing(self, machine: Machine) -> list[str]:
        """Return a line for each change that installing the release makes; empty if there is none.

        Changes are the release itself, and the link from the command to it. A release is not made again if it is
        complete, current and proven, by an earlier installation or a passed trial.
        """
        name, lines = self.source.name(), list[str]()
        runs = self.releases.current() == self.releases.proven() == name
        if not runs or name not in self.releases.names():
            lines.append(f"make the release {name} in {self.releases.base}, and let the service run it")
        if not self._is_linked(machine):
            lines.append(f"make {self.command} a link to it")
        return lines

    def do(self, machine: Machine) -> None:
        """Build the release, make it current without a trial, delete old releases, and link the command `pegpip`.

        The release counts as proven at once. An unfinished trial of another release, begun by an update, ends. Raises
        DeviceError if an update or another installation is running, or if the release can't be built or its `pegpip
        --version` fails. The current release then stays. Raises OSError if the disk refuses.
        """
        with self.releases.locked():
            name = self.releases.make(self.source)
            self.releases.switch(name)
            self.releases.trust(name)
            back(self.releases)  # ends an unfinished trial
            self.releases.prune()
        if not self._is_linked(machine):
            command = machine.at(self.command)
            command.unlink(missing_ok=True)  # a script of pip's, perhaps
            command.symlink_to(self._program)

    def left(self, machine: Machine) -> list[str]:
        """Return one line with the releases' folder when it exists, else nothing."""
        return [f"remove {self.releases.base}"] if self.releases.folder.exists() else []

    def undo(self, machine: Machine) -> None:
        """Remove all releases, and the command `pegpip` if it is their link."""
        if self._is_linked(machine):
            machine.at(self.command).unlink()
        shutil.rmtree(self.releases.place, ignore_errors=True)

    @property
    def _program(self) -> str:
        """The path that the command `pegpip` is a link to."""
        return f"{self.releases.base}/current/bin/pegpip"

    def _is_linked(self, machine: Machine) -> bool:
        """Return whether the command `pegpip` is a link to the current release's program."""
        command = machine.at(self.command)
        return command.is_symlink() and str(command.readlink()) == self._program


def steps(machine: Machine, source: Source, *, packages: bool, wifi_country: str = "") -> list[Step]:
    """Return all installation steps, in the order of installing; uninstalling undoes them in reverse.

    Nothing is changed yet. `packages` tells whether apt installs the dependencies; a .deb needs no such step.
    `wifi_country` has two letters; empty keeps the Wi-Fi country that is set, else takes that of the time zone.
    """
    project = source.path if source.is_tree else PROJECT
    units, key = project / UNITS, project / PUBLIC_KEY
    name, password = _wifi(machine)
    copies = [File(place, partial((units / file).read_text)) for file, place in COPIES.items()]
    boot = next((lines for model, lines in CORE_LINES.items() if machine.model().startswith(model)), ())
    if machine.model().startswith("Raspberry Pi 5"):
        boot = (*boot, PIO_LINE.format(pin=_pin(machine), leds=_leds(machine)))
    return [
        *([Packages(NEEDED, USEFUL)] if packages else []),
        TablesUser(DATA),
        Release(source, Releases(machine)),
        *copies,
        OldFile("/etc/avahi/services/pegpip.service"),  # it named port 8000; the service announces its own
        File(SETTINGS, partial(_settings, machine, name, password), 0o640, USER, once=True, keep=True),
        *([File(KEY, key.read_text)] if key.exists() else []),
        File(KEYFILE, partial(hotspot.keyfile, name, password), 0o600, once=True),
        BootLines(boot),
        WifiCountry(wifi_country),
        Services(("pegpip.service", "pegpip-hotspot.service")),
    ]


def _wifi(machine: Machine) -> tuple[str, str]:
    """Return the hotspot's name and password from its keyfile, else from the settings, else new random ones.

    Uninstalling removes the keyfile and keeps the settings. The settings are used only if the Wi-Fi of their QR code
    is the hotspot, and if a keyfile can hold name and password without escaping.
    """
    if (stored := _stored_wifi(machine)) is not None:
        return stored
    name, wifi, password = (value_in(machine.at(SETTINGS), "web", key) for key in ("hotspot", "wifi", "wifi_password"))
    if (
        isinstance(name, str)
        and isinstance(password, str)
        and name == wifi
        and hotspot.SAFE_NAME.fullmatch(name)
        and hotspot.SAFE_PASSWORD.fullmatch(password)
    ):
        return name, password
    return hotspot.new_name(), hotspot.new_password()


def _stored_wifi(machine: Machine) -> tuple[str, str] | None:
    """Return the hotspot's name and password from its keyfile; None if that is missing, or lacks one of them."""
    with contextlib.suppress(OSError, KeyError, ValueError, configparser.Error):
        return hotspot.read(machine.at(KEYFILE).read_text())
    return None


def _leds(machine: Machine) -> int:
    """Return the number of LEDs of the layout in the installed settings file, or of LAYOUT without a valid one."""
    settings = machine.at(SETTINGS)
    layout, own = value_in(settings, "strip", "layout"), value_in(settings, "track", "leds")
    if layout == "own" and type(own) is int and 1 <= own <= MAX_LEDS:
        return own
    return LEDS.get(str(layout), LEDS[LAYOUT])


def _pin(machine: Machine) -> int:
    """Return the BCM number of the strip's data pin in the installed settings file; PIN if that has no valid one."""
    pin = value_in(machine.at(SETTINGS), "strip", "pin")
    return pin if type(pin) is int and 0 <= pin <= MAX_PIN else PIN


def _settings(machine: Machine, name: str, password: str) -> str:
    """Return the TOML text of a new table's settings, with a camera and a strip that suit this machine.

    The camera is the Pi's if the library picamera2 is installed, else the virtual one; other cameras are not looked
    for. The strip is detected on a Pi, else drawn in the page. `name` and `password` are those of the table's own
    hotspot, which is also the Wi-Fi of the QR code.
    """
    name, password = (json.dumps(text, ensure_ascii=False) for text in (name, password))  # TOML's quotes and escapes
    camera = "picamera2" if machine.works("/usr/bin/python3", "-c", "import picamera2") else "virtual"
    return f"""# Peg & Pip: docs/reference/settings.md lists all keys; each has a default.
[camera]
source = "{camera}"     # picamera2, opencv:0 (USB), virtual (simulated dice)

[strip]
kind = "{"auto" if machine.model() else "memory"}"    # auto, spi, pio (Pi 5), wled:HOST, memory (drawn in the page)
layout = "{LAYOUT}"

[web]
port = {PORT}
wifi = {name}                 # the Wi-Fi that phones join; has a QR code
wifi_password = {password}
hotspot = {name}              # name of the table's own Wi-Fi, used where there is no other

[data]
dir = "{DATA}"
"""


def changes(wanted: Iterable[Step], machine: Machine) -> list[str]:
    """Return one line for each change that installing would make."""
    return [line for step in wanted for line in step.missing(machine)]


def leavings(wanted: Iterable[Step], machine: Machine) -> list[str]:
    """Return one line for each change that uninstalling would make, in the order of uninstalling."""
    return [line for step in reversed(list(wanted)) for line in step.left(machine)]


def install(wanted: Iterable[Step], machine: Machine, say: Callable[[str], None]) -> int:
    """Carry out each installation step that has changes to make, and return the number of changes.

    Before a step, `say` gets a line for each of its changes. After changes the service `pegpip` is restarted if it runs
    and was enabled before. Raises DeviceError or OSError if a step fails; the steps before it stay done.
    """
    before = machine.has_systemd and not Services(("pegpip.service",)).missing(machine)
    made = sum(_applied(step.missing(machine), step.do, machine, say) for step in wanted)
    if made and before:
        machine.run("systemctl", "daemon-reload")
        machine.run("systemctl", "try-restart", "pegpip.service")
    return made


def uninstall(wanted: Iterable[Step], machine: Machine, say: Callable[[str], None]) -> int:
    """Undo the steps of an installation, the last one first, and return the number of changes.

    Before a step is undone, `say` gets a line for each of its changes. Raises DeviceError or OSError if a step fails;
    that step and those before it in `wanted` may still be installed. If any step was undone, systemd reloads its units,
    even after a failure.
    """
    taken = 0
    try:
        for step in reversed(list(wanted)):
            taken += _applied(step.left(machine), step.undo, machine, say)
    finally:
        if taken and machine.has_systemd:
            machine.run("systemctl", "daemon-reload")
    return taken


def _applied(lines: list[str], change: Callable[[Machine], None], machine: Machine, say: Callable[[str], None]) -> int:
    """Pass each line to `say`, then call `change` with the machine if there was a line; return the number of lines."""
    for line in lines:
        say(line)
    if lines:
        change(machine)
    return len(lines)


def main(arguments: list[str] | None = None) -> int:
    """Run the installer's command line: install, uninstall (--uninstall), or only print the changes (--dry-run).

    Return the exit status: 0 done, 1 a step failed, 2 not root; --dry-run needs no root. Raises SystemExit with status
    2 for wrong usage, with 0 after --help. `arguments` of None stands for those of the process.
    """
    parser = argparse.ArgumentParser(
        prog="install.sh", description="Make this machine a Peg & Pip table: it starts with it and looks after itself."
    )
    parser.add_argument("--dry-run", action="store_true", help="list every change, make none")
    parser.add_argument(
        "--uninstall", action="store_true", help=f"take all of it back; {DATA} (games and settings) stays"
    )
    parser.add_argument(
        "--wheels", type=Path, metavar="DIR", help="install from these wheels; uses neither apt nor the package index"
    )
    machine = Machine()
    parser.add_argument(
        "--country",
        type=partial(country.checked_code, machine),
        metavar="GB",
        help="country of a Pi's Wi-Fi (two letters); by default the one it has, else that of its time zone",
    )
    given = parser.parse_args(arguments)
    source = Source((given.wheels or PROJECT).resolve())
    say, complain = partial(print, flush=True), partial(print, "install.sh:", file=sys.stderr)
    if os.geteuid() != 0 and not given.dry_run:
        complain("this changes the system: run it with sudo, or with --dry-run to see what it would do.")
        return 2
    os.umask(0o022)  # the service must be able to read what root installs, whatever root's own umask is
    try:
        wanted = steps(machine, source, packages=given.wheels is None, wifi_country=given.country or "")
        told = (leavings if given.uninstall else changes)(wanted, machine)
        if given.dry_run:
            for line in told:
                say(line)
            return 0
        (uninstall if given.uninstall else install)(wanted, machine, say)
    except (CompanionError, OSError) as ill:
        complain(ill)
        return 1
    say(farewell(machine, told, uninstalled=given.uninstall))
    return 0


def farewell(machine: Machine, told: list[str], *, uninstalled: bool) -> str:
    """Return the installer's closing message; `told` has a line for each change that was made.

    - No changes: the message only says so.
    - Uninstalled (`uninstalled`): where games, photos and settings stay.
    - Installed: the next commands, and the hotspot's name and password, or how to make a new one.
    - Installed on a Pi, also: a warning if no Wi-Fi country is set, and whether to restart.
    """
    if not told:
        return "Nothing to remove." if uninstalled else "Nothing to change: everything is installed."
    if uninstalled:
        return f"Removed. Games, photos and settings stay in {DATA}."
    wifi = f"Its own Wi-Fi has no name or password. For a new one remove {KEYFILE}, and install again."
    if (stored := _stored_wifi(machine)) is not None:
        wifi = "Where it finds no Wi-Fi it opens its own: {}, password {}".format(*stored)
    text = (
        "The table is installed. Its address and PIN: `journalctl -u pegpip -n 20`. A check of its parts: `sudo -u "
        f"pegpip pegpip doctor --config {SETTINGS}`.\n{wifi}\n"
        f"The QR codes for phones: `sudo -u pegpip pegpip join --config {SETTINGS}`, or the screen at /tv."
    )
    if not machine.model():
        return text
    unknown = "" if country.known(machine) else f"\nThe Pi has no country set and blocks its Wi-Fi. {country.CURE}"
    restart = "\nRestart the Pi: files that it reads at its start have changed."
    return f"{text}{unknown}{restart if any('/boot/' in line or '/udev/' in line for line in told) else ''}"


if __name__ == "__main__":
    sys.exit(main())
