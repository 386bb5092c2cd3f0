"""The table's own Wi-Fi: NetworkManager's keyfile, a password to read out, and how many phones it can hold."""

from __future__ import annotations

import configparser
import os
import re
import secrets
import uuid
from pathlib import Path

WORDS = """
amber anchor apple arrow badger barley barrel basket beacon bench biscuit bottle brass bridge bucket butter
button candle carrot castle cherry chimney cider cinder clover cobble copper corner cottage cricket crown
daisy domino donkey drum ember fiddle finch garden ginger harbour hazel hearth hedge heron honey hornet jacket
kettle ladder lantern lemon linen lobster magpie maple marble meadow mellow mitten mustard nettle nutmeg
oyster paddle parsley pebble penny pepper pewter pickle pigeon pillow plum pocket poppy porter pretzel puddle
quarry rabbit raven ribbon robin rocket saddle saffron sailor shilling skittle spanner sparrow stable stamp
teapot thistle thunder timber tobacco tractor treacle trumpet tulip turnip velvet violet wagon walnut whistle
willow window winter yeoman
"""
"""Words that a hotspot's password is drawn from: short English ones, easy to hear and to spell. Four of them give 27
bits, and WPA makes each guess slow. Fewer words: easier to guess."""
ADDRESS = "10.42.0.1"
"""IPv4 address of the table in its hotspot, the Wi-Fi network that it opens itself."""
SAFE_NAME = re.compile(r"\w(?:[\w .-]{0,30}[\w.-])?", re.ASCII)
"""Pattern of a network name that NetworkManager's keyfile can hold without escaping. Root copies the hotspot's name
from the settings, which the unprivileged service can change. A wider pattern could let it add lines to the file."""
SAFE_PASSWORD = re.compile(r"[\w.-]{8,63}", re.ASCII)
"""Pattern of a WPA password that a keyfile can hold without escaping. With any other password in the settings the
installer makes a new name and password. A wider pattern could let the settings add lines to the file."""
PHONES = 7
"""Phones that a Pi's hotspot serves with the default Wi-Fi firmware: 7 to 10 measured (raspberrypi/linux #3010). Too
high: the pages and the doctor promise more than can join."""
MINIMAL_PHONES = 19
"""Phones that a Pi's hotspot serves with the "minimal" Wi-Fi firmware (raspberrypi/linux #3010). Too high: the pages
and the doctor promise more than can join."""
_CHIP = "cyfmac43455-sdio"
"""Wi-Fi chip of a Pi 3 B+, 4, 400 and 5, as the names of its firmware files spell it."""
_FIRMWARE = f"etc/alternatives/{_CHIP}.bin"
"""Path below / of the symbolic link by which Raspberry Pi OS chooses the Wi-Fi firmware. `phones` reads from its target
whether that is the "minimal" firmware, which serves more phones."""
MORE_PHONES = f"sudo update-alternatives --set {_CHIP}.bin /lib/firmware/cypress/{_CHIP}-minimal.bin"
"""Command that selects the "minimal" Wi-Fi firmware, which serves MINIMAL_PHONES, from the Pi's next start on."""


def new_password() -> str:
    """Return a hotspot password: four random words joined by dots, easy to read out and to type on a phone."""
    return ".".join(secrets.choice(WORDS.split()) for _ in range(4))


def new_name() -> str:
    """Return a hotspot's network name with a random number from 10 to 99, so that two tables nearby differ."""
    return f"Peg and Pip {secrets.randbelow(90) + 10}"


def phones(root: Path = Path("/")) -> int | None:
    """Return how many phones this machine's hotspot can serve at once, by its Wi-Fi firmware; None if unknown.

    The number is known on a Pi 3 B+, 4, 400 and 5 whose system has the link that chooses the Wi-Fi firmware. The link
    is read below `root`.
    """
    try:
        return MINIMAL_PHONES if "minimal" in os.readlink(root / _FIRMWARE) else PHONES
    except OSError:
        return None


def read(text: str) -> tuple[str, str]:
    """Return name and password of a keyfile that `keyfile` made; other text raises KeyError or configparser.Error."""
    parsed = configparser.ConfigParser(interpolation=None)
    parsed.read_string(text)
    return parsed["wifi"]["ssid"], parsed["wifi-security"]["psk"]


def keyfile(name: str, password: str) -> str:
    """Return the text of NetworkManager's keyfile (nm-settings-keyfile(5)) for a Wi-Fi access point on 2.4 GHz.

    `pegpip-hotspot.service`, not NetworkManager, starts the access point where no other network is found. `pmf=1` turns
    protected management frames off: a Pi's brcmfmac can't install their key (raspberrypi/linux #7247). Name and
    password (8 to 63 ASCII characters) are written as they are, unchecked.
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
