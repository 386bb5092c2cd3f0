"""The doctor's look at the Wi-Fi that the table opens itself: whether this machine can."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable
from pathlib import Path

from companion.appliance.country import CURE
from companion.diagnostics.doctor import Finding

NO_COUNTRY = ("", "00")
"""The kernel's word for no country: the channels that are allowed everywhere."""


def check_hotspot(name: str, root: Path = Path("/"), find: Callable[[str], str | None] = shutil.which) -> Finding:
    """Whether the hotspot could be opened.

    Args:
        name: Of the network.
        root: What the kernel's files lie under.
        find: Where a program lies, None where there is none.
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
            return Finding("hotspot", False, "The Wi-Fi is blocked: a Pi's is till it knows its country.", CURE)
    country = _text(root / "sys/module/cfg80211/parameters/ieee80211_regdom")
    law = "no country is set" if country in NO_COUNTRY else f"the country is {country}"
    return Finding("hotspot", True, f"{name} is opened where no other network is found; {law}.")


def _text(file: Path) -> str:
    with contextlib.suppress(OSError):
        return file.read_text().strip()
    return ""
