"""The table's own Wi-Fi: NetworkManager's keyfile, a password to read out, and how many phones it can hold."""

from __future__ import annotations

import configparser
import os
import secrets
import uuid
from pathlib import Path

_LIST = """
amber anchor apple arrow badger barley barrel basket beacon bench biscuit bottle brass bridge bucket butter
button candle carrot castle cherry chimney cider cinder clover cobble copper corner cottage cricket crown
daisy domino donkey drum ember fiddle finch garden ginger harbour hazel hearth hedge heron honey hornet jacket
kettle ladder lantern lemon linen lobster magpie maple marble meadow mellow mitten mustard nettle nutmeg
oyster paddle parsley pebble penny pepper pewter pickle pigeon pillow plum pocket poppy porter pretzel puddle
quarry rabbit raven ribbon robin rocket saddle saffron sailor shilling skittle spanner sparrow stable stamp
teapot thistle thunder timber tobacco tractor treacle trumpet tulip turnip velvet violet wagon walnut whistle
willow window winter yeoman
"""
ADDRESS = "10.42.0.1"
"""Address of the table in its own Wi-Fi."""
WORDS = tuple(_LIST.split())
"""Words of a password: four of these 106 are 26 bits, and WPA makes each guess slow."""
PHONES = 7
"""Phones that a Pi's own Wi-Fi holds with the default firmware: 7 to 10 were measured (raspberrypi/linux #3010)."""
MINIMAL_PHONES = 19
"""Phones that it holds with the "minimal" firmware of the same chip (raspberrypi/linux #3010)."""
_CHIP = "cyfmac43455-sdio"
_FIRMWARE = f"etc/alternatives/{_CHIP}.bin"
"""Link of Raspberry Pi OS to the firmware in use; the chip is that of a Pi 3 B+, 4, 400 and 5."""
MORE_PHONES = f"sudo update-alternatives --set {_CHIP}.bin /lib/firmware/cypress/{_CHIP}-minimal.bin"
"""Command that chooses the "minimal" firmware, from the next start on."""


def new_password() -> str:
    """Return four random words joined by stops: easy to read out, and typed without switching a phone's keyboard."""
    return ".".join(secrets.choice(WORDS) for _ in range(4))


def new_name() -> str:
    """Return a network name with a random number, so that two tables nearby differ."""
    return f"Peg and Pip {secrets.randbelow(90) + 10}"


def phones(root: Path = Path("/")) -> int | None:
    """Return how many phones this machine's own Wi-Fi holds; None when its chip is not a Pi's with known limits.

    Args:
        root: Folder that the machine's files are under.
    """
    try:
        return MINIMAL_PHONES if "minimal" in os.readlink(root / _FIRMWARE) else PHONES
    except OSError:
        return None


def read(text: str) -> tuple[str, str]:
    """Return name and password from a keyfile that `keyfile` made.

    Raises:
        KeyError, configparser.Error: It is another kind of file.
    """
    parsed = configparser.ConfigParser(interpolation=None)
    parsed.read_string(text)
    return parsed["wifi"]["ssid"], parsed["wifi-security"]["psk"]


def keyfile(name: str, password: str) -> str:
    """Return a NetworkManager connection (nm-settings-keyfile(5)) for an access point.

    It does not connect by itself: `pegpip-hotspot.service` starts it where no other network is found. `pmf=1` turns
    protected management frames off: a Pi's brcmfmac can't install their key (raspberrypi/linux #7247).

    Args:
        name: The network's name.
        password: Its WPA password, 8 to 63 ASCII characters.
    """
    return f"""[connection]
id=pegpip-hotspot
uuid={uuid.uuid5(uuid.NAMESPACE_URL, "pegpip-hotspot")}
type=wifi
autoconnect=false

[wifi]
mode=ap
band=bg
ssid={name}

[wifi-security]
key-mgmt=wpa-psk
proto=rsn;
pairwise=ccmp;
group=ccmp;
pmf=1
psk={password}

[ipv4]
method=shared
address1={ADDRESS}/24

[ipv6]
method=disabled
"""
