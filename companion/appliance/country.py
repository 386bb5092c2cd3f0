"""The country whose law the Pi's Wi-Fi keeps: Raspberry Pi OS blocks the Wi-Fi of a Pi that was told none."""

from __future__ import annotations

import argparse
import os
import re
from dataclasses import dataclass

from companion.appliance.machine import Machine
from companion.table.atomic import write_file

COMMAND_LINE = "/boot/firmware/cmdline.txt"
CURE = "Tell it: sudo raspi-config nonint do_wifi_country GB (your own country's two letters)."
ZONES = "/usr/share/zoneinfo"
_WORD = re.compile(r"( ?)(?<!\S)cfg80211\.ieee80211_regdom=(\S*)")
"""As raspi-config and Raspberry Pi Imager write it; cfg80211 is the kernel's part that knows what is allowed where."""


def named(machine: Machine, letters: str) -> str:
    """A country as somebody wrote it. Raises argparse.ArgumentTypeError for what ISO 3166 does not have."""
    code = letters.upper()
    table = machine.at(f"{ZONES}/iso3166.tab")  # not on every Debian: the shape is enough there
    if not re.fullmatch("[A-Z]{2}", code) or (table.exists() and not _country_of(table.read_text(), code, 0)):
        raise argparse.ArgumentTypeError(f"{letters!r} is not a country's two letters in ISO 3166 (GB, not UK)")
    return code


def set_in(text: str) -> str:
    """The country that a kernel's command line names, "" where it names none."""
    found = _WORD.search(text)
    return found[2] if found else ""


def known(machine: Machine) -> bool:
    """Whether the Pi has a country, from its next start on; what is no Pi needs none."""
    file = machine.at(COMMAND_LINE)
    return not file.exists() or bool(set_in(file.read_text()))


def changed(text: str, country: str) -> str:
    """That command line with this country in it, in the old one's place or at its end; with none for ""."""
    if not country or _WORD.search(text):
        return _WORD.sub(rf"\1cfg80211.ieee80211_regdom={country}" if country else "", text)
    end = len(text.splitlines()[0]) if text else 0  # the firmware reads no other line
    return f"{text[:end]} cfg80211.ieee80211_regdom={country}{text[end:]}"


def by_time_zone(machine: Machine) -> str:
    """The country of the machine's time zone, "" where that is none's (`Etc/UTC`) or can't be told."""
    try:
        zone = os.readlink(machine.at("/etc/localtime")).partition("zoneinfo/")[2]
        return _country_of(machine.at(f"{ZONES}/zone.tab").read_text(), zone, 2)
    except OSError:
        return ""


def _country_of(table: str, value: str, column: int) -> str:
    """The country, zoneinfo's first field, of the line that has that value in a column; "" when none has."""
    rows = (line.split("\t") for line in table.splitlines() if not line.startswith("#"))
    return next((row[0] for row in rows if row[column : column + 1] == [value]), "")


@dataclass(frozen=True, slots=True)
class WifiCountry:
    """The country in the Pi's `cmdline.txt`, from its next start on; the file as it was lies beside it.

    Attributes:
        asked: Its two letters. "": the time zone's, unless the Pi has one already.
        memory: Where it is kept what was there before and what we made of it, for the way back.
    """

    asked: str = ""
    path: str = COMMAND_LINE
    memory: str = "/var/lib/pegpip-country"

    def missing(self, machine: Machine) -> list[str]:
        """The country, where another is wanted; nothing on a machine without that file."""
        country = self._wanted(machine)
        why = "as asked" if self.asked else "by the time zone; --country names another"
        return [f"{self.path}: the Wi-Fi's country is {country} ({why})"] if country else []

    def do(self, machine: Machine) -> None:
        """Write it, keeping the file as it was."""
        file, memory, country = machine.at(self.path), machine.at(self.memory), self._wanted(machine)
        text = file.read_text()
        before = memory.read_text().split(",")[0] if memory.exists() else set_in(text)
        kept = file.with_name(file.name + ".before-pegpip")
        if not kept.exists():
            write_file(kept, (text.encode(),))
        write_file(memory, (f"{before},{country}".encode(),))
        write_file(file, (changed(text, country).encode(),))

    def left(self, machine: Machine) -> list[str]:
        """Our country."""
        return [f"take our country out of {self.path}"] if machine.at(self.memory).exists() else []

    def undo(self, machine: Machine) -> None:
        """Put the one before back; one that somebody set since stays."""
        file, memory = machine.at(self.path), machine.at(self.memory)
        if not memory.exists():
            return
        before, ours = memory.read_text().split(",")
        if file.exists() and set_in(file.read_text()) == ours:
            write_file(file, (changed(file.read_text(), before).encode(),))
        file.with_name(file.name + ".before-pegpip").unlink(missing_ok=True)
        memory.unlink()

    def _wanted(self, machine: Machine) -> str:
        """The country that is to be written; "" when none is."""
        file = machine.at(self.path)
        there = set_in(file.read_text()) if file.exists() else ""
        wanted = self.asked or there or by_time_zone(machine)
        return wanted if file.exists() and wanted != there else ""
