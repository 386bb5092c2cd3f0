"""The country of a Pi's Wi-Fi: Raspberry Pi OS blocks the Wi-Fi of a Pi without one."""

from __future__ import annotations

import argparse
import os
import re
from dataclasses import dataclass

from companion.appliance.machine import Machine
from companion.appliance.steps import encoded, text_of
from companion.table.atomic import write_file

COMMAND_LINE = "/boot/firmware/cmdline.txt"
"""File with the kernel's parameters on Raspberry Pi OS, read at each start; the Wi-Fi's country is one."""
CURE = "Set it: sudo raspi-config nonint do_wifi_country GB (your own country's two letters)."
"""Advice to print for a Pi whose Wi-Fi country is not set."""
ZONES = "/usr/share/zoneinfo"
"""Folder with the time zone database's tables: zone.tab (countries of zones) and iso3166.tab (country codes)."""
_WORD = re.compile(r"( ?)(?<!\S)cfg80211\.ieee80211_regdom=(\S*)")
"""Pattern of the kernel parameter that sets the Wi-Fi's country; its second group is the country."""


def checked_code(machine: Machine, letters: str) -> str:
    """Return a country's two-letter ISO 3166 code in capitals. Raises ArgumentTypeError if there is no such country.

    `letters` is the code as typed. On a machine without the table of countries only its shape is checked.
    """
    code = letters.upper()
    table = machine.at(f"{ZONES}/iso3166.tab")  # missing on some machines: then only the shape is checked
    if not re.fullmatch("[A-Z]{2}", code) or (table.exists() and not _country_of(table.read_text(), code, 0)):
        raise argparse.ArgumentTypeError(f"{letters!r} is not a country's two letters in ISO 3166 (GB, not UK)")
    return code


def set_in(text: str) -> str:
    """Return the two-letter Wi-Fi country that a kernel command line sets; empty without one."""
    found = _WORD.search(text)
    return found[2] if found else ""


def known(machine: Machine) -> bool:
    """Return whether a Pi's `cmdline.txt` sets a Wi-Fi country; true on machines without that file, which need none."""
    file = machine.at(COMMAND_LINE)
    return not file.exists() or bool(set_in(text_of(file)))


def changed(text: str, country: str) -> str:
    """Return a kernel command line with this Wi-Fi country set in its first line, with none if `country` is empty."""
    if not country or _WORD.search(text):
        return _WORD.sub(rf"\1cfg80211.ieee80211_regdom={country}" if country else "", text)
    end = len(text.splitlines()[0]) if text else 0  # the firmware reads no other line
    return f"{text[:end]} cfg80211.ieee80211_regdom={country}{text[end:]}"


def by_time_zone(machine: Machine) -> str:
    """Return the two-letter country code of the machine's time zone.

    The result is empty if the time zone is unknown or belongs to no country, such as `Etc/UTC`.
    """
    try:
        zone = os.readlink(machine.at("/etc/localtime")).partition("zoneinfo/")[2]
        return _country_of(machine.at(f"{ZONES}/zone.tab").read_text(), zone, 2)
    except OSError:
        return ""


def _country_of(table: str, value: str, column: int) -> str:
    """Return the country code of the first row of a zoneinfo table with `value` in that column; empty without one."""
    rows = (line.split("\t") for line in table.splitlines() if not line.startswith("#"))
    return next((row[0] for row in rows if row[column : column + 1] == [value]), "")


@dataclass(frozen=True, slots=True)
class WifiCountry:
    """Installation step: set the Wi-Fi's country in a Pi's `cmdline.txt`. The original is kept as `*.before-pegpip`.

    Attributes:
        asked: Two letters. If empty, a country that is set is kept; a missing one is taken from the time zone.
        path: The kernel's command line.
        memory_path: File with the country before the installation and the one that was written, for undoing.
    """

    asked: str = ""
    path: str = COMMAND_LINE
    memory_path: str = "/var/lib/pegpip-country"

    def missing(self, machine: Machine) -> list[str]:
        """Return one line with the Wi-Fi country to set; empty if nothing would change, or without a `cmdline.txt`."""
        country = self._wanted(machine)
        why = "as asked" if self.asked else "by the time zone; --country names another"
        return [f"{self.path}: the Wi-Fi's country is {country} ({why})"] if country else []

    def do(self, machine: Machine) -> None:
        """Write the wanted Wi-Fi country to `cmdline.txt`, which takes effect at the next start of the Pi.

        The file `memory_path` gets the country from before the installation and the new one, for `undo`. The first
        version of `cmdline.txt` is kept beside it as `cmdline.txt.before-pegpip`. Call it only while `missing` returns
        a line: else it takes the country out of the file.
        """
        file, memory, country = machine.at(self.path), machine.at(self.memory_path), self._wanted(machine)
        text = text_of(file)
        before = text_of(memory).split(",")[0] if memory.exists() else set_in(text)
        kept = file.with_name(file.name + ".before-pegpip")
        if not kept.exists():
            write_file(kept, (encoded(text),))
        write_file(memory, (encoded(f"{before},{country}"),))
        write_file(file, (encoded(changed(text, country)),))

    def left(self, machine: Machine) -> list[str]:
        """Return one line when this step has set a Wi-Fi country that `undo` would take out, else an empty list."""
        return [f"take our country out of {self.path}"] if machine.at(self.memory_path).exists() else []

    def undo(self, machine: Machine) -> None:
        """Restore the Wi-Fi country from before Peg & Pip in `cmdline.txt`; a country set by others since then is kept.

        Either way, the file's backup is deleted, and so is the file `memory_path`, which held both countries. Call it
        only while `left` returns a line: without `memory_path` it raises OSError.
        """
        file, memory = machine.at(self.path), machine.at(self.memory_path)
        before, ours = text_of(memory).split(",")
        if file.exists() and set_in(text := text_of(file)) == ours:
            write_file(file, (encoded(changed(text, before)),))
        file.with_name(file.name + ".before-pegpip").unlink(missing_ok=True)
        memory.unlink()

    def _wanted(self, machine: Machine) -> str:
        """Return the two-letter Wi-Fi country to write; empty when it is set or unknown, or without a `cmdline.txt`."""
        file = machine.at(self.path)
        there = set_in(text_of(file)) if file.exists() else ""
        wanted = self.asked or there or by_time_zone(machine)
        return wanted if file.exists() and wanted != there else ""
