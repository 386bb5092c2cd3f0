"""Settings of the pages: where they are served, how many may look on, and the network that phones join first."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

Port = Annotated[int, Meta(ge=0, le=65535)]


class WebSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the pages are served, and to how many.

    Attributes:
        host: The address to serve on; by default all of this machine's.
        port: The port; when it is taken, the next free one. 0: any.
        streams: Event streams at once.
        hosts: Names besides our addresses that a request may have this table by.
        wifi: The network that phones join first, as a QR code of its own.
        wifi_password: Of that network; none: an open one.
        hotspot: Name of the network that the table opens itself where there is no other: the code of `wifi`, when that
            is it, is shown only while it is up.
    """

    host: str = "0.0.0.0"  # noqa: S104 - phones on the table's own network are what it is for
    port: Port = 8000
    streams: Annotated[int, Meta(ge=1, le=10_000)] = 2000
    hosts: tuple[str, ...] = ()
    wifi: Annotated[str, Meta(max_length=32)] = ""
    wifi_password: Annotated[str, Meta(max_length=63)] = ""
    hotspot: Annotated[str, Meta(max_length=32)] = ""
