"""A strip on a WLED controller in the network, driven by the Distributed Display Protocol (DDP) over UDP.

A packet is a header of ten bytes and the colours of up to 480 LEDs (http://www.3waylabs.com/ddp/). WLED listens on port
4048. It returns to its own effect 2.5 s after the last packet, so the board repeats its frame each second.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import struct
import threading
from collections.abc import Iterator
from typing import Any

from companion.errors import DeviceError, SetupError
from hardware.strips import DrivenStrip, FrameRGB, StripKind

PORT = 4048
"""Default UDP port that a WLED controller listens on for DDP; frames to another port are lost."""
MAX_DATA_BYTES = 1440
"""Largest number of bytes of colours in one packet: DDP's own limit, which fits an Ethernet frame. Larger packets break
the protocol; smaller ones are more packets a frame."""
VERSION_1, PUSH = 0x40, 0x01
"""Flags in a DDP packet's header: protocol version 1, and show the frame now. Only a frame's last packet has PUSH."""
RGB24, DISPLAY = 0x0B, 0x01
"""Data type and destination in the DDP header. They mean three colours of eight bits, and the default output."""

LOOKUP_WAIT_S = 0.5
"""Longest wait, in seconds, for the address of a host name when its lookup begins; the lookup goes on in a thread of
its own. Longer: the board freezes for longer while the controller is off; shorter: a slow router's answer is missed."""
HOST_NAME = re.compile(r"[0-9A-Za-z_.:%-]{1,253}")
"""Characters of a host name (RFC 1123, with the underscore that some routers use), or of an IPv4 or IPv6 address."""
MAX_SHOWN_CHARS = 40
"""Largest number of characters of a wrong host name that the error message shows; the rest is cut off. A
higher limit lets a long wrong name hide the rest of the message."""

Address = tuple[socket.AddressFamily, socket.SocketKind, int, str, tuple[Any, ...]]
"""An address as `socket.getaddrinfo` returns it: family, kind, protocol, canonical name, and the address itself."""


class WledDriver:
    """A UDP socket to a WLED controller.

    Args:
        host: Host name or address of the controller.
        port: UDP port that it listens on.
    """

    name = "wled"
    errors: tuple[type[Exception], ...] = (OSError, UnicodeError)  # UnicodeError: a name that no domain can have

    def __init__(self, host: str, port: int = PORT) -> None:
        self._host, self._port = host, port
        self._sent = 0
        self._lookup: threading.Thread | None = None
        self._found: Address | Exception

    def open(self, leds: int) -> None:
        """Look up the controller's host and open a UDP socket to it. `leds` is not used.

        Nothing is sent: only a later frame can show whether a controller listens there. Raises OSError, also for an
        unknown host and for a name whose lookup takes longer than LOOKUP_WAIT_S; a later call then has the answer.
        """
        family, kind, protocol, _, address = self._looked_up()
        self._link = socket.socket(family, kind, protocol)
        try:
            self._link.connect(address)
        except OSError:
            self._link.close()
            raise

    def _looked_up(self) -> Address:
        """Return the host's address, or raise the error of its lookup; raise TimeoutError while that is not over.

        Waits for at most LOOKUP_WAIT_S, and only in the call that begins the lookup.
        """
        if self._lookup is None:
            self._lookup = threading.Thread(target=self._look_up, name="wled lookup", daemon=True)
            self._lookup.start()
            self._lookup.join(LOOKUP_WAIT_S)
        if self._lookup.is_alive():
            raise TimeoutError("its name is still being looked up")
        self._lookup = None
        if isinstance(self._found, Exception):
            raise self._found
        return self._found

    def _look_up(self) -> None:
        """Set `_found` to the host's address, or to the error of its lookup. May take seconds."""
        try:
            self._found = socket.getaddrinfo(self._host, self._port, type=socket.SOCK_DGRAM)[0]
        except self.errors as unknown:
            self._found = unknown

    def send(self, frame_rgb: FrameRGB) -> None:
        """Send a frame to the controller as DDP packets."""
        self._sent = self._sent % 15 + 1
        for packet in packets(frame_rgb, self._sent):
            self._link.send(packet)

    def close(self) -> None:
        """Close the socket; WLED then returns to its own effect."""
        self._link.close()

    def error_for(self, refused: Exception) -> DeviceError:
        """Return the error that says that the controller can't be reached and why, with the cure."""
        why = getattr(refused, "strerror", None) or refused
        return DeviceError(
            f"The WLED controller {self._host} can't be reached ({why}).",
            "Check that it is switched on and in the same network, and give its IP address, not its name.",
        )


def packets(frame_rgb: FrameRGB, sequence: int) -> Iterator[bytes]:
    """Yield the DDP packets of a frame as bytes; the last one tells the controller to show it.

    `sequence` is the frame's number, 1 to 15 and then from 1 again; it lets the controller recognise repeated packets.
    """
    data = frame_rgb.tobytes()
    for offset in range(0, len(data), MAX_DATA_BYTES):
        part = data[offset : offset + MAX_DATA_BYTES]
        flags = VERSION_1 | (PUSH if offset + len(part) == len(data) else 0)
        yield struct.pack(">BBBBIH", flags, sequence, RGB24, DISPLAY, offset, len(part)) + part


def checked_host(host: str) -> str:
    """Return `host` unchanged if it may be a host name or an IP address. Looks nothing up.

    Raises SetupError otherwise, also for a name or an IPv4 address with a port.
    """
    try:
        ascii_name = host.encode("idna").decode()  # refuses empty labels, and labels of more than 63 bytes
        if ":" in host:
            ipaddress.IPv6Address(host)
    except ValueError:
        ascii_name = ""
    if not HOST_NAME.fullmatch(ascii_name):
        shown = ascii(host[:MAX_SHOWN_CHARS])
        raise SetupError([f"wled:{shown} is no host name or address. Write it like wled:192.168.1.50."])
    return host


KIND = StripKind(
    make=lambda leds, settings, host: DrivenStrip(leds, WledDriver(checked_host(host), settings.wled_port)),
    summary="A WLED controller on the network; no pin of the Pi.",
    argument="HOST",
)
