"""A strip on a WLED controller in the network, by DDP: UDP packets of a ten-byte header and the LEDs' bytes.

The protocol: http://www.3waylabs.com/ddp/. WLED listens on port 4048, takes at most 1,440 bytes a packet, and goes back
to its own effect 2.5 s after the last one: the board sends a frame each second.
"""

from __future__ import annotations

import contextlib
import socket
import struct
from collections.abc import Iterator

import numpy as np

from companion.errors import DeviceError
from hardware.strips import FrameRGB, checked

PORT = 4048
DATA_BYTES = 1440
VERSION_1, PUSH = 0x40, 0x01
RGB24, DISPLAY = 0x0B, 0x01


class WledStrip:
    """LEDs of a WLED controller."""

    name = "wled"

    def __init__(self, leds: int, host: str, port: int = PORT) -> None:
        self.leds = leds
        self._host, self._port = host, port
        self._link: socket.socket | None = None
        self._sent = 0

    def start(self) -> None:
        """Find the host. Raises DeviceError."""
        if self._link is not None:
            return
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(self._host, self._port, type=socket.SOCK_DGRAM)[0]
            link = socket.socket(family, kind, protocol)
        except OSError as refused:
            raise self._ill(refused) from refused
        try:
            link.connect(address)
        except OSError as refused:
            link.close()
            raise self._ill(refused) from refused
        self._link = link

    def show(self, frame_rgb: FrameRGB) -> None:
        """Send a frame. Raises DeviceError, or ValueError for a frame of another length."""
        frame = checked(frame_rgb, self.leds)
        if self._link is None:
            raise DeviceError("The WLED strip is not open.", "It is opened again by itself.")
        self._sent = self._sent % 15 + 1
        try:
            for packet in packets(frame, self._sent):
                self._link.send(packet)
        except OSError as refused:
            self._close()
            raise self._ill(refused) from refused

    def stop(self) -> None:
        """All dark, and close: WLED then goes back to its own effect."""
        if self._link is not None:
            with contextlib.suppress(OSError):
                for packet in packets(np.zeros((self.leds, 3), np.uint8), self._sent % 15 + 1):
                    self._link.send(packet)
            self._close()

    def _close(self) -> None:
        link, self._link = self._link, None
        if link is not None:
            link.close()

    def _ill(self, refused: OSError) -> DeviceError:
        return DeviceError(
            f"The WLED controller {self._host} can't be reached ({refused.strerror or refused}).",
            "Check that it is switched on and in the same network, and give its number, not its name.",
        )


def packets(frame_rgb: FrameRGB, sequence: int) -> Iterator[bytes]:
    """The DDP packets of a frame; `sequence` 1 to 15. The last one carries the push flag: show it now."""
    data = frame_rgb.tobytes()
    for offset in range(0, len(data), DATA_BYTES):
        part = data[offset : offset + DATA_BYTES]
        flags = VERSION_1 | (PUSH if offset + len(part) == len(data) else 0)
        yield struct.pack(">BBBBIH", flags, sequence, RGB24, DISPLAY, offset, len(part)) + part
