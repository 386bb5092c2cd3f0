"""The country of a Pi's Wi-Fi: Raspberry Pi OS blocks the Wi-Fi of a Pi without one."""

from __future__ import annotations

import argparse
import os
import re
from dataclasses import dataclass

from companion.appliance.machine import Machine
from companion.table.atomic import write_file

COMMAND_LINE = "/boot/firmware/cmdline.txt"
CURE = "Set it: sudo raspi-config nonint do_wifi_country GB (your own country's two letters)."
ZONES = "/usr/share/zoneinfo"
_WORD = re.compile(r"( ?)(?<!\S)cfg80211\.ieee80211_regdom=(\S*)")
"""The word in `cmdline.txt` that raspi-config and Raspberry Pi Imager write."""


def named(machine: Machine, letters: str) -> str:
    """Return a country's two letters in capitals, checked against the machine's table of ISO 3166.

    Raises:
        argparse.ArgumentTypeError: There is no such country.
    """
    code = letters.upper()
    table = machine.at(f"{ZONES}/iso3166.tab")  # missing on some machines: then only the shape is checked
    if not re.fullmatch("[A-Z]{2}", code) or (table.exists() and not _country_of(table.read_text(), code, 0)):
        raise argparse.ArgumentTypeError(f"{letters!r} is not a country's two letters in ISO 3166 (GB, not UK)")
    return code


def set_in(text: str) -> str:
    """Return the country in a kernel's command line, or ""."""
    found = _WORD.search(text)
    return found[2] if found else ""


def known(machine: Machine) -> bool:
    """Return whether the Pi has a country from its next start on; true on other machines, which need none."""
    file = machine.at(COMMAND_LINE)
    return not file.exists() or bool(set_in(file.read_text()))


def changed(text: str, country: str) -> str:
    """Return a command line with its country replaced or added; "" removes it."""
    if not country or _WORD.search(text):
        return _WORD.sub(rf"\1cfg80211.ieee80211_regdom={country}" if country else "", text)
    end = len(text.splitlines()[0]) if text else 0  # the firmware reads no other line
    return f"{text[:end]} cfg80211.ieee80211_regdom={country}{text[end:]}"


def by_time_zone(machine: Machine) -> str:
    """Return the country of the machine's time zone; "" when the zone has none (`Etc/UTC`) or is unknown."""
    try:
        zone = os.readlink(machine.at("/etc/localtime")).partition("zoneinfo/")[2]
        return _country_of(machine.at(f"{ZONES}/zone.tab").read_text(), zone, 2)
    except OSError:
        return ""


def _country_of(table: str, value: str, column: int) -> str:
    """Return the first field of the line of a zoneinfo table that has a value in a column, or ""."""
    rows = (line.split("\t") for line in table.splitlines() if not line.startswith("#"))
    return next((row[0] for row in rows if row[column : column + 1] == [value]), "")


@dataclass(frozen=True, slots=True)
class WifiCountry:
    """The Wi-Fi's country in a Pi's `cmdline.txt`; the original file is kept beside it as `*.before-pegpip`.

    Attributes:
        asked: Two letters; "" keeps the Pi's country, else takes the time zone's.
        path: The kernel's command line.
        memory: File with the country before and the one that was written, for undoing.
    """

    asked: str = ""
    path: str = COMMAND_LINE
    memory: str = "/var/lib/pegpip-country"

    def missing(self, machine: Machine) -> list[str]:
        """Return the country when it would change; nothing on a machine without that file."""
        country = self._wanted(machine)
        why = "as asked" if self.asked else "by the time zone; --country names another"
        return [f"{self.path}: the Wi-Fi's country is {country} ({why})"] if country else []

    def do(self, machine: Machine) -> None:
        """Write it, keeping a copy of the original file."""
        file, memory, country = machine.at(self.path), machine.at(self.memory), self._wanted(machine)
        text = file.read_text()
        before = memory.read_text().split(",")[0] if memory.exists() else set_in(text)
        kept = file.with_name(file.name + ".before-pegpip")
        if not kept.exists():
            write_file(kept, (text.encode(),))
        write_file(memory, (f"{before},{country}".encode(),))
        write_file(file, (changed(text, country).encode(),))

    def left(self, machine: Machine) -> list[str]:
        """Return whether there is a country to take out."""
        return [f"take our country out of {self.path}"] if machine.at(self.memory).exists() else []

    def undo(self, machine: Machine) -> None:
        """Restore the country before; one that somebody set later stays."""
        file, memory = machine.at(self.path), machine.at(self.memory)
        if not memory.exists():
            return
        before, ours = memory.read_text().split(",")
        if file.exists() and set_in(file.read_text()) == ours:
            write_file(file, (changed(file.read_text(), before).encode(),))
        file.with_name(file.name + ".before-pegpip").unlink(missing_ok=True)
        memory.unlink()

    def _wanted(self, machine: Machine) -> str:
        """Return the country to write, or ""."""
        file = machine.at(self.path)
        there = set_in(file.read_text()) if file.exists() else ""
        wanted = self.asked or there or by_time_zone(machine)
        return wanted if file.exists() and wanted != there else ""
