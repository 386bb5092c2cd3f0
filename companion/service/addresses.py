"""Where phones find the page: this machine's addresses, and a free port to serve on."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import socket
import struct
import subprocess
import urllib.request
from collections.abc import Iterator
from functools import partial
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any

from companion.errors import DeviceError, SetupError
from companion.table.atomic import write_file

PORTS_TRIED = 20
"""How many ports after the wanted one are tried when it is taken. More: phones can't guess where the table is; fewer:
it may find no free port and not start."""
LISTEN_BACKLOG = 4096
"""Connections that the kernel queues while the table starts; Linux cuts it to its own limit. Fewer: phones that connect
then must retry. Once the server runs, `KERNEL_QUEUE` in web/serving/server.py replaces it."""

PORT_FILE = ".port"
"""File in the data folder that names the served port while a table runs."""
ANSWER_TIMEOUT_S = 5.0
"""Longest wait in seconds for an answer of the table's pages on this machine. Longer: a hanging table delays `pegpip
join` and `pegpip update`; shorter: a busy table counts as stopped."""
_OUTSIDE = ("192.0.2.1", 9)
"""Address in TEST-NET-1 (RFC 5737) and port, to find the machine's own address on the default route.

Connecting a UDP socket to it only asks the routing table. Nothing is sent."""
_SIOCGIFADDR = 0x8915
"""The ioctl that reads an interface's IPv4 address, netdevice(7)."""


def own_addresses() -> tuple[str, ...]:
    """Return this machine's IPv4 addresses for phones, the likeliest first; empty without a network.

    First comes the address of the default route, then those of all interfaces, because a table in its own hotspot has
    no default route. Loopback addresses are left out.
    """
    found: list[str] = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        with contextlib.suppress(OSError):
            probe.connect(_OUTSIDE)
            found.append(probe.getsockname()[0])
        for _, name in socket.if_nameindex():
            with contextlib.suppress(OSError):  # an interface without an address, or another system than Linux
                answer = fcntl.ioctl(probe, _SIOCGIFADDR, struct.pack("256s", name.encode()))
                found.append(socket.inet_ntoa(answer[20:24]))
    return tuple(dict.fromkeys(address for address in found if not address.startswith(("127.", "0."))))


def page_address(host: str, port: int, own: tuple[str, ...]) -> str:
    """Return the URL of the pages, with the port, to print and to draw as a QR code.

    `own` are this machine's addresses. The first replaces a `host` that stands for all addresses; 127.0.0.1 if there is
    none.
    """
    if host not in ("", "0.0.0.0", "::"):  # noqa: S104 - compared, not bound
        return f"http://{f'[{host}]' if ':' in host else host}:{port}/"
    return f"http://{next(iter(own), '127.0.0.1')}:{port}/"


def local_page(host: object, port: int) -> str:
    """Return the URL at which programs on this machine reach the table's pages.

    It contains the setting `host` if that names one address of this machine. It contains 127.0.0.1 if `host` stands for
    all addresses, is no string, or belongs to another machine, because the service then serves all addresses.
    """
    served = host if isinstance(host, str) else ""
    with contextlib.suppress(OSError):
        bound(served, 0).close()
        return page_address(served, port, ())
    return page_address("", port, ())


class _FromLoopback(urllib.request.HTTPHandler):
    """Opens HTTP URLs of this machine from a loopback address."""

    def http_open(self, req: urllib.request.Request) -> HTTPResponse:
        source = ("::1" if req.host.startswith("[") else "127.0.0.1", 0)
        return self.do_open(partial(HTTPConnection, source_address=source), req)


def json_here(url: str) -> Any:
    """Return the JSON at a URL of this machine, decoded, requested from a loopback address.

    A loopback address tells the table that the caller is on its own machine, even if the table serves only one network
    address. No proxy (`http_proxy`) is used.

    Raises:
        OSError: Nobody answers within ANSWER_TIMEOUT_S, or the status is 400 or above (HTTPError).
        ValueError: `url` is malformed, or the answer is not JSON.
        http.client.HTTPException: `url` or the answer is not valid HTTP.
        RecursionError: The JSON is nested too deeply.
    """
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _FromLoopback)
    with opener.open(url, timeout=ANSWER_TIMEOUT_S) as answer:
        return json.load(answer)


def wifi_code(network: str, password: str) -> str | None:
    """Return the text of the QR code that joins a Wi-Fi, in ZXing's format; None if `network` is empty.

    An empty password means an open network.

    >>> wifi_code("Pub; Ann's", "")
    "WIFI:T:nopass;S:Pub\\\\; Ann's;;"
    """
    if not network:
        return None
    security = f"T:WPA;S:{_escaped(network)};P:{_escaped(password)}" if password else f"T:nopass;S:{_escaped(network)}"
    return f"WIFI:{security};;"


def _escaped(text: str) -> str:
    """Return a text with a backslash before each special character of a Wi-Fi QR code."""
    return "".join(f"\\{sign}" if sign in '\\;,:"' else sign for sign in text)


def listening_socket(host: str, port: int) -> socket.socket:
    """Return a listening socket on `port`, or the next free one of the PORTS_TRIED ports after it; any for port 0.

    Raises SetupError if the host is not this machine's, the port needs rights we lack, or no port is free.
    """
    last = min(port + PORTS_TRIED, 65535)
    for candidate in range(port, last + 1) if port else (0,):
        try:
            return bound(host, candidate)
        except OSError as refused:
            if refused.errno != errno.EADDRINUSE:
                raise SetupError([str(refusal_of(host, candidate, refused))]) from None
    raise SetupError([f"Ports {port} to {last} are all taken. Choose another with --port."])


def bound(host: str, port: int) -> socket.socket:
    """Return a socket that listens on exactly this host and port; port 0 takes any free port.

    Raises OSError if the port is taken or needs rights, or the host is not this machine's.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    link = socket.socket(family, socket.SOCK_STREAM)
    link.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        link.bind((host, port))
        link.listen(LISTEN_BACKLOG)
    except OSError:
        link.close()
        raise
    except (UnicodeError, TypeError):  # a name that no host can have
        link.close()
        raise OSError(errno.EADDRNOTAVAIL, "no such host") from None
    return link


def refusal_of(host: str, port: int, refused: OSError) -> DeviceError:
    """Return the error that says why listening on this address and port failed with `refused`, and the cure."""
    if refused.errno == errno.EACCES:
        return DeviceError(f"Port {port} needs administrator rights.", "Choose 1024 or above: --port, or [web] port.")
    if refused.errno == errno.EADDRINUSE:
        return DeviceError(f"Port {port} is taken by another program.", "Choose another: --port, or [web] port.")
    what = f"Can't serve on {host}:{port}: {refused.strerror or refused}."
    return DeviceError(what, "Choose an address of this machine: --host, or [web] host.")


@contextlib.contextmanager
def published(folder: Path, port: int) -> Iterator[None]:
    """Context manager: write the served port to the file `.port` in the data folder, and delete the file at the end.

    Errors of the disk are ignored. `served_port` then finds no port, or an old one that a crash left.
    """
    file = folder / PORT_FILE
    with contextlib.suppress(OSError):
        write_file(file, (str(port).encode(),))
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            file.unlink(missing_ok=True)


@contextlib.contextmanager
def announced(port: int) -> Iterator[None]:
    """Context manager: while open, announce the web server's port on the network by mDNS, as `Peg and Pip on HOST`.

    Nothing is announced if Avahi's program `avahi-publish-service` is missing.
    """
    service = (f"Peg and Pip on {socket.gethostname()}", "_http._tcp", str(port))
    try:
        announcer = subprocess.Popen(("avahi-publish-service", "--no-fail", *service), stderr=subprocess.DEVNULL)
    except OSError:
        yield
        return
    try:
        yield
    finally:
        announcer.terminate()
        announcer.wait()


def served_port(folder: Path) -> int | None:
    """Return the port in a data folder's file `.port`; None if the file is missing, unreadable or holds no number.

    A running table writes the file and deletes it when it stops; after a crash an old port may stay. Root may call
    this for a folder of the service: no link is followed, and a pipe does not block.
    """
    try:
        with open(os.open(folder / PORT_FILE, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            return int(file.read(len("65535")) or b"")
    except (OSError, ValueError):
        return None
