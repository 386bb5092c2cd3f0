"""A stand-in for spidev 3.6 that opens the real device file: without one it fails as the real library does."""

from __future__ import annotations

import os


class SpiDev:
    max_speed_hz = mode = 0

    def open(self, bus: int, device: int) -> None:
        self._descriptor = os.open(f"/dev/spidev{bus}.{device}", os.O_RDWR)

    def writebytes2(self, data: bytes) -> None:
        os.write(self._descriptor, data)

    def close(self) -> None:
        if hasattr(self, "_descriptor"):
            os.close(self._descriptor)
