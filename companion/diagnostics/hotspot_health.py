"""Checks whether this machine can open the table's own Wi-Fi, and how many phones it holds."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable
from pathlib import Path

from companion.appliance import hotspot
from companion.appliance.country import CURE
from companion.diagnostics.doctor import Finding

NO_COUNTRY = ("", "00")
"""The kernel's words for no country: only channels that are allowed everywhere."""


def check_hotspot(name: str, root: Path = Path("/"), find: Callable[[str], str | None] = shutil.which) -> Finding:
    """Return whether the hotspot can be opened, and its limit of phones.

    Args:
        name: The network's name.
        root: Folder that the machine's files are under.
        find: Returns the place of a program, or None.
    """
    if not any((root / "sys/class/ieee80211").glob("*")):
        says = "No Wi-Fi in this machine: phones reach the table by the network it is wired to."
        return Finding("hotspot", True, says, simulated=True)
    if find("nmcli") is None:
        cure = "sudo apt install network-manager; or wire the table to a network."
        return Finding("hotspot", False, "There is no NetworkManager, so the table can't open its own Wi-Fi.", cure)
    for switch in (root / "sys/class/rfkill").glob("rfkill*"):
        if _text(switch / "type") != "wlan":
            continue
        if _text(switch / "hard") == "1":
            return Finding("hotspot", False, "The Wi-Fi is off by a switch on the machine.", "Turn it on.")
        if _text(switch / "soft") == "1":
            return Finding("hotspot", False, "The Wi-Fi is blocked, as a Pi's is without a country.", CURE)
    country = _text(root / "sys/module/cfg80211/parameters/ieee80211_regdom")
    law = "no country is set" if country in NO_COUNTRY else f"the country is {country}"
    return Finding("hotspot", True, f"{name} opens where no other network is found; {law}. {_limit(root)}".rstrip())


def _limit(root: Path) -> str:
    phones = hotspot.phones(root)
    if phones is None:
        return ""
    more = "" if phones == hotspot.MINIMAL_PHONES else f", {hotspot.MINIMAL_PHONES} after `{hotspot.MORE_PHONES}`"
    return f"It holds about {phones} phones{more}; for more use a router's Wi-Fi."


def _text(file: Path) -> str:
    with contextlib.suppress(OSError):
        return file.read_text().strip()
    return ""
