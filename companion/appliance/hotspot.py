"""The table's own Wi-Fi, for a pub that has none to give: NetworkManager's keyfile, and a password to read out."""

from __future__ import annotations

import configparser
import secrets
import uuid

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
"""The table's own, where the hotspot is up."""
WORDS = tuple(_LIST.split())
"""Over a hundred: four of them are more than 26 bits, and WPA makes each guess slow."""


def new_password() -> str:
    """Four words with a stop between: to be read out across a bar, and typed on a phone without another keyboard."""
    return ".".join(secrets.choice(WORDS) for _ in range(4))


def new_name() -> str:
    """What phones show, unlike the table's at the pub next door."""
    return f"Peg and Pip {secrets.randbelow(90) + 10}"


def read(text: str) -> tuple[str, str]:
    """Name and password in a keyfile of ours. Raises KeyError, configparser.Error for anything else."""
    parsed = configparser.ConfigParser(interpolation=None)
    parsed.read_string(text)
    return parsed["wifi"]["ssid"], parsed["wifi-security"]["psk"]


def keyfile(name: str, password: str) -> str:
    """A connection of NetworkManager, as its `nm-settings-keyfile(5)` has it: an access point of our own.

    It never comes up by itself: `pegpip-hotspot.service` brings it up where no other network is found.
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
psk={password}

[ipv4]
method=shared
address1={ADDRESS}/24

[ipv6]
method=disabled
"""
