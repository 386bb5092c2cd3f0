"""A strip on a WLED controller in the network, driven by the Distributed Display Protocol (DDP) over UDP.

A packet is a header of ten bytes and the colours of up to 480 LEDs (http://www.3waylabs.com/ddp/). WLED listens on port
4048. It returns to its own effect 2.5 s after the last packet, so the board repeats its frame each second.
"""

from __future__ import annotations

import contextlib
import re
import socket
import struct
from collections.abc import Iterator

import numpy as np

from companion.errors import DeviceError, SetupError
from hardware.strips import FrameRGB, StripKind, checked, not_open

PORT = 4048
"""Default UDP port that a WLED controller listens on for DDP; frames to another port are lost."""
MAX_DATA_BYTES = 1440
"""Largest number of bytes of colours in one packet: DDP's own limit, which fits an Ethernet frame. Larger packets break
the protocol; smaller ones are more packets a frame."""
VERSION_1, PUSH = 0x40, 0x01
"""Flags in a DDP packet's header: protocol version 1, and show the frame now. Only a frame's last packet has PUSH."""
RGB24, DISPLAY = 0x0B, 0x01
"""Data type and destination in the DDP header. They mean three colours of eight bits, and the default output."""

HOST_NAME = re.compile(r"[0-9A-Za-z_.:%-]{1,253}")
"""A host name (RFC 1123, with the underscore that some routers use), or an IPv4 or IPv6 address."""
MAX_SHOWN_CHARS = 40
"""Largest number of characters of a wrong host name that the error message shows; the rest is cut off. A
higher limit lets a long wrong name hide the rest of the message."""


class WledStrip:
    """LEDs of a WLED controller on the network.

    Args:
        leds: Number of LEDs.
        host: Host name or address of the controller.
        port: UDP port that it listens on.
    """

    name = "wled"

    def __init__(self, leds: int, host: str, port: int = PORT) -> None:
        self.leds = leds
        self._host, self._port = host, port
        self._link: socket.socket | None = None
        self._sent = 0

    def start(self) -> None:
        """Look the host up and open a UDP socket to it, unless one is open. Raises DeviceError if either fails.

        Whether a controller listens there is not known before a frame is sent.
        """
        if self._link is not None:
            return
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(self._host, self._port, type=socket.SOCK_DGRAM)[0]
            link = socket.socket(family, kind, protocol)
        except (OSError, UnicodeError) as refused:  # UnicodeError: a name that no domain can have
            raise self._ill(refused) from refused
        try:
            link.connect(address)
        except OSError as refused:
            link.close()
            raise self._ill(refused) from refused
        self._link = link

    def show(self, frame_rgb: FrameRGB) -> None:
        """Send a frame to the controller as DDP packets.

        Raises DeviceError if the socket is not open or sending fails; a failure closes the socket. Raises ValueError
        for a frame of another length.
        """
        frame = checked(frame_rgb, self.leds)
        if self._link is None:
            raise not_open(self.name)
        self._sent = self._sent % 15 + 1
        try:
            for packet in packets(frame, self._sent):
                self._link.send(packet)
        except OSError as refused:
            self._close()
            raise self._ill(refused) from refused

    def stop(self) -> None:
        """Send a dark frame and close the socket; WLED then returns to its own effect. Never raises."""
        if self._link is not None:
            with contextlib.suppress(OSError):
                for packet in packets(np.zeros((self.leds, 3), np.uint8), self._sent % 15 + 1):
                    self._link.send(packet)
            self._close()

    def _close(self) -> None:
        """Close the socket if it is open."""
        link, self._link = self._link, None
        if link is not None:
            link.close()

    def _ill(self, refused: OSError | UnicodeError) -> DeviceError:
        """Return the DeviceError that says that the controller can't be reached and why, with the cure."""
        why = getattr(refused, "strerror", None) or refused
        return DeviceError(
            f"The WLED controller {self._host} can't be reached ({why}).",
            "Check that it is switched on and in the same network, and give its IP address, not its name.",
        )


def packets(frame_rgb: FrameRGB, sequence: int) -> Iterator[bytes]:
    """Yield the DDP packets of a frame as bytes; the last one tells the controller to show it.

    Args:
        frame_rgb: (leds, 3) uint8.
        sequence: Number of the frame, 1 to 15 and then from 1 again, by which the controller recognises repeated
            packets.
    """
    data = frame_rgb.tobytes()
    for offset in range(0, len(data), MAX_DATA_BYTES):
        part = data[offset : offset + MAX_DATA_BYTES]
        flags = VERSION_1 | (PUSH if offset + len(part) == len(data) else 0)
        yield struct.pack(">BBBBIH", flags, sequence, RGB24, DISPLAY, offset, len(part)) + part


def checked_host(host: str) -> str:
    """Return `host` unchanged if it may be a host name or an address. Raises SetupError otherwise; looks nothing up.

    >>> checked_host("wled-bar.local")
    'wled-bar.local'
    """
    try:
        ascii_name = host.encode("idna").decode()  # refuses empty labels, and labels of more than 63 bytes
    except UnicodeError:
        ascii_name = ""
    if not HOST_NAME.fullmatch(ascii_name):
        shown = ascii(host[:MAX_SHOWN_CHARS])
        raise SetupError([f"wled:{shown} is no host name or address. Write it like wled:192.168.1.50."])
    return host


KIND = StripKind(
    make=lambda leds, settings, host: WledStrip(leds, checked_host(host), settings.wled_port),
    summary="A WLED controller on the network; no pin of the Pi.",
    argument="HOST",
)
"""The registry's entry of the strip on a WLED controller."""
