"""Where phones find the page: this machine's addresses, and a free port to serve on."""

from __future__ import annotations

import contextlib
import errno
import socket
import struct
import sys
from collections.abc import Iterator

from companion.errors import SetupError

PORTS_TRIED = 20
"""How many ports after the wanted one are tried before giving up."""
WAITING = 4096
"""Connections that the kernel keeps until they are accepted, as many as Linux allows: all of a full pub's at once. Who
comes after these is not told, and asks again after a second."""

_OUTSIDE = ("192.0.2.1", 9)  # TEST-NET-1 (RFC 5737): nothing is sent, the routing table alone is asked.


_SIOCGIFADDR = 0x8915  # netdevice(7)


def own_addresses() -> tuple[str, ...]:
    """IPv4 addresses of this machine that phones can reach, the likeliest first; empty with no network.

    Those of all interfaces: a table whose network is its own hotspot has no way to the outside that could be asked.
    """
    found: list[str] = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        with contextlib.suppress(OSError):
            probe.connect(_OUTSIDE)
            found.append(probe.getsockname()[0])
        found += _of_interfaces(probe)
    return tuple(dict.fromkeys(address for address in found if not address.startswith(("127.", "0."))))


def _of_interfaces(link: socket.socket) -> Iterator[str]:
    if sys.platform != "linux":
        return
    import fcntl

    for _, name in socket.if_nameindex():
        with contextlib.suppress(OSError):  # an interface without an address
            yield socket.inet_ntoa(fcntl.ioctl(link, _SIOCGIFADDR, struct.pack("256s", name.encode()))[20:24])


def page_address(host: str, port: int, own: tuple[str, ...]) -> str:
    """The address to print and to draw as a QR code, for a server bound to `host` on a machine of those addresses."""
    if host not in ("", "0.0.0.0", "::"):  # noqa: S104 - compared, not bound
        return f"http://{f'[{host}]' if ':' in host else host}:{port}/"
    return f"http://{next(iter(own), '127.0.0.1')}:{port}/"


def wifi_code(network: str, password: str) -> str | None:
    """The text of the QR code that joins a Wi-Fi, as phones' cameras read it; None for no network.

    The form is the one that ZXing brought in; of its own signs each in a name or password is escaped.

    >>> wifi_code("Pub; Ann's", "")
    "WIFI:T:nopass;S:Pub\\\\; Ann's;;"
    """
    if not network:
        return None
    security = f"T:WPA;S:{_escaped(network)};P:{_escaped(password)}" if password else f"T:nopass;S:{_escaped(network)}"
    return f"WIFI:{security};;"


def _escaped(text: str) -> str:
    return "".join(f"\\{sign}" if sign in '\\;,:"' else sign for sign in text)


def listening_socket(host: str, port: int) -> socket.socket:
    """Return a listening socket on that port, or on the next free one of the twenty after it (port 0: any).

    Raises:
        SetupError: The host is not this machine's, the port needs rights we lack, or no port is free.
    """
    for candidate in range(port, min(port + PORTS_TRIED, 65535) + 1) if port else (0,):
        try:
            return bound(host, candidate)
        except OSError as refused:
            if refused.errno != errno.EADDRINUSE:
                raise SetupError([refusal_of(host, candidate, refused)]) from None
    raise SetupError([f"Ports {port} to {port + PORTS_TRIED} are all taken. Choose another with --port."])


def bound(host: str, port: int) -> socket.socket:
    """Return a listening socket on just that port. Raises OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    link = socket.socket(family, socket.SOCK_STREAM)
    link.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        link.bind((host, port))
        link.listen(WAITING)
    except OSError:
        link.close()
        raise
    except UnicodeError:  # a name that no host can have
        link.close()
        raise OSError(errno.EADDRNOTAVAIL, "no such host") from None
    return link


def refusal_of(host: str, port: int, refused: OSError) -> str:
    """Return a sentence for a person about an address that can't be served: the reason, and what to do."""
    if refused.errno == errno.EACCES:
        return f"Port {port} needs administrator rights; choose 1024 or above (--port, or [web] port)."
    if refused.errno == errno.EADDRINUSE:
        return f"Port {port} is taken by another program; choose another (--port, or [web] port)."
    return f"Can't serve on {host}:{port}: {refused.strerror or refused}. Choose one of our own addresses with --host."
