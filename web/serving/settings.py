"""Settings of the web server: its address, its number of event streams, and the Wi-Fi that phones join first."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

ON_PAGE = {"page": "start"}
"""Metadata of a setting: the settings page may change it, and the change takes effect at the next start."""


class WebSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the pages are served, and to how many viewers.

    Attributes:
        host: Address to serve on; the default is all addresses of this machine.
        port: Port to serve on, or the next free one when it is taken. 0 means any free port.
        streams: Most event streams at the same time.
        hosts: Host names, besides this machine's addresses, that a browser may use for the table.
        wifi: Name of the Wi-Fi that phones join first, at most 32 bytes in UTF-8; the page shows it as a QR code.
        wifi_password: Password of that Wi-Fi, 8 characters or more; empty for an open one.
        hotspot: Name of the table's own Wi-Fi, at most 32 bytes in UTF-8, which it opens when it finds no other. When
            `wifi` names it, its QR code is shown only while that Wi-Fi is up.
    """

    host: str = "0.0.0.0"  # noqa: S104 - phones on the table's own network are what it is for
    port: Annotated[int, Meta(ge=0, le=65535, extra=ON_PAGE)] = 8000
    streams: Annotated[int, Meta(ge=1, le=10_000)] = 2000
    hosts: tuple[str, ...] = ()
    wifi: Annotated[str, Meta(max_length=32, extra=ON_PAGE)] = ""
    wifi_password: Annotated[str, Meta(max_length=63, extra=ON_PAGE)] = ""
    hotspot: Annotated[str, Meta(max_length=32)] = ""
