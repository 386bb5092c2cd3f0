"""Opens a strip by the few words of a setting; `auto` picks the one for this machine and says why."""

from __future__ import annotations

from pathlib import Path

from companion.errors import SetupError, nearest
from hardware.machine import is_pi, is_pi_5, model
from hardware.settings import StripSettings
from hardware.strips import Strip
from hardware.strips.memory import MemoryStrip
from hardware.strips.pio import PioStrip
from hardware.strips.spi import SpiStrip
from hardware.strips.terminal import TerminalStrip
from hardware.strips.wled import WledStrip
from hardware.strips.ws281x import Ws281xStrip

KINDS = ("auto", "memory", "terminal", "spi", "pio", "ws281x", "wled:HOST")


def open_strip(kind: str, leds: int, wired: StripSettings) -> Strip:
    """The strip of that kind, not started. Raises SetupError with the nearest known kind."""
    word, _, host = kind.partition(":")
    if word == "auto" and not host:
        word, _ = automatic(model(), Path(wired.pio_path).exists())
    if word == "wled" and host:
        return WledStrip(leds, host, wired.wled_port)
    strip = None if host else _wired_here(word, leds, wired)
    if strip is not None:
        return strip
    raise SetupError([f"There is no strip {kind!r}{nearest(kind, KINDS)}"])


def automatic(machine: str, has_pio: bool) -> tuple[str, str]:
    """The kind of strip for a machine, and why."""
    if is_pi_5(machine) and has_pio:
        return "pio", f"{machine} with the overlay ws2812-pio."
    if is_pi(machine):
        return "spi", f"{machine}: SPI works on every Pi and needs no root."
    return "memory", "This is no Raspberry Pi: the board is drawn in the page."


def _wired_here(word: str, leds: int, wired: StripSettings) -> Strip | None:
    """A strip that needs no address, or None when there is none of that kind."""
    if word == "memory":
        return MemoryStrip(leds)
    if word == "terminal":
        return TerminalStrip(leds)
    if word == "spi":
        return SpiStrip(leds, wired.spi_bus, wired.spi_device, wired.order, wired.spi_bits)
    if word == "pio":
        return PioStrip(leds, Path(wired.pio_path))
    return Ws281xStrip(leds, wired.pin, wired.order) if word == "ws281x" else None
