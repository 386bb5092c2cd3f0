"""Tell systemd that the service is ready, alive or stopping (the sd_notify protocol, one datagram a message)."""

from __future__ import annotations

import contextlib
import os
import socket


def notify(message: str) -> None:
    """Send a message such as `READY=1` or `WATCHDOG=1` to the socket in NOTIFY_SOCKET; do nothing if that is unset.

    Errors of the socket are ignored.
    """
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as link:
        link.sendto(message.encode(), "\0" + address[1:] if address[0] == "@" else address)


def under_systemd() -> bool:
    """Return whether systemd runs this program as a service, so that nobody reads its messages at a terminal."""
    return bool(os.environ.get("NOTIFY_SOCKET"))


def watchdog_s() -> float | None:
    """Return the seconds between two watchdog notifications, half of systemd's timeout; None without a watchdog."""
    text = os.environ.get("WATCHDOG_USEC", "")
    return int(text) / 2e6 if text.isdigit() and int(text) else None
