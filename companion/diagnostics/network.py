"""Checks of the network: the addresses for phones, the page's port, and the table's own Wi-Fi."""

from __future__ import annotations

import contextlib
import errno
import shutil
from collections.abc import Callable
from pathlib import Path

from companion.appliance import hotspot
from companion.appliance.country import CURE
from companion.diagnostics.health import Finding
from companion.service.addresses import bound, own_addresses, refusal_of

NO_COUNTRY = ("", "00")
"""Values of the kernel's Wi-Fi country that mean none: then only channels allowed everywhere are used."""


def check_network() -> Finding:
    """Return the finding whether this machine has network addresses for phones, and which."""
    found = own_addresses()
    if not found:
        return Finding("network", False, "There is no network: no phone can reach the table.", "Join a Wi-Fi: nmtui.")
    return Finding("network", True, f"Phones reach the table at {', '.join(found)}.")


def check_port(host: str, port: int) -> Finding:
    """Check whether the page can be served at `host` and `port`, by binding them for a moment; return the finding."""
    try:
        bound(host, port).close()
    except OSError as refused:
        ill = refusal_of(host, port, refused)
        running = "If that program is the table, all is well. " if refused.errno == errno.EADDRINUSE else ""
        return Finding("port", False, ill.what, running + ill.cure)
    return Finding("port", True, f"Port {port} is free.")


def check_hotspot(name: str, root: Path = Path("/"), find: Callable[[str], str | None] = shutil.which) -> Finding:
    """Return the finding of a check: whether this machine can open the hotspot `name`, and for how many phones.

    The check fails without NetworkManager, or while the Wi-Fi is switched off or blocked. A machine without Wi-Fi
    passes: phones reach it through its wired network. `root` stands for `/`; `find` returns a program's path, or None.
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
    says = f"{name} opens where no other network is found; {law}."
    phones = hotspot.phones(root)
    if phones is not None:
        more = "" if phones == hotspot.MINIMAL_PHONES else f", {hotspot.MINIMAL_PHONES} after `{hotspot.MORE_PHONES}`"
        says += f" It holds about {phones} phones{more}; for more use a router's Wi-Fi."
    return Finding("hotspot", True, says)


def _text(file: Path) -> str:
    """Return a small file's text without spaces around it; empty when it can't be read."""
    with contextlib.suppress(OSError):
        return file.read_text().strip()
    return ""
