"""Tell systemd that the service is ready, alive or stopping (the sd_notify protocol, one datagram a message)."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping


def notify(message: str, environment: Mapping[str, str] | None = None) -> bool:
    """Send a message such as `READY=1` or `WATCHDOG=1` to systemd's socket, which NOTIFY_SOCKET in `environment` names.

    Return whether it was sent; False if there is no socket or it does not take the message.
    """
    address = (os.environ if environment is None else environment).get("NOTIFY_SOCKET", "")
    if not address:
        return False
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as link:
        try:
            link.sendto(message.encode(), "\0" + address[1:] if address[0] == "@" else address)
        except OSError:
            return False
    return True


def under_systemd(environment: Mapping[str, str] | None = None) -> bool:
    """Return whether systemd runs this program as a service, so that nobody reads its messages at a terminal."""
    return bool((os.environ if environment is None else environment).get("NOTIFY_SOCKET"))


def watchdog_s(environment: Mapping[str, str] | None = None) -> float | None:
    """Return the seconds between two watchdog notifications, half of systemd's timeout; None without a watchdog."""
    text = (os.environ if environment is None else environment).get("WATCHDOG_USEC", "")
    return int(text) / 2e6 if text.isdigit() and int(text) else None
