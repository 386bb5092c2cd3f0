"""The registry of strips: builds the strip that a word of the settings names. `auto` picks one for this machine."""

from __future__ import annotations

from companion.errors import SetupError, nearest
from hardware.machine import is_pi, is_pi_5, model
from hardware.settings import StripSettings
from hardware.strips import Strip, StripKind, memory, pio, spi, terminal, wled, ws281x

STRIPS: dict[str, StripKind] = {
    "memory": memory.KIND,
    "terminal": terminal.KIND,
    "spi": spi.KIND,
    "pio": pio.KIND,
    "ws281x": ws281x.KIND,
    "wled": wled.KIND,
}
"""Every strip by its name. Settings, wiring checks, help and documentation read it (docs/how-to/add-a-strip.md)."""

AUTO = "auto"
"""Value of the setting `[strip] kind` that chooses the strip by the machine's model."""


def known_kinds() -> tuple[str, ...]:
    """Return every form of the setting `[strip] kind` as a person writes it, such as `spi`, `wled:HOST` and `auto`.

    >>> "wled:HOST" in known_kinds()
    True
    """
    return (*(f"{name}:{kind.argument}" if kind.argument else name for name, kind in STRIPS.items()), AUTO)


def open_strip(kind: str, leds: int, wired: StripSettings) -> Strip:
    """Return the strip of `leds` LEDs that the setting `[strip] kind` names, not started.

    `kind` is one of `known_kinds()`, such as `spi` or `wled:192.168.1.50`; `auto` fits this machine. `wired` says how
    the strip is wired. Raises SetupError, with the nearest kind, for an unknown one, or if the host is no host name.
    """
    name, _, argument = resolved(kind).partition(":")
    found = STRIPS.get(name)
    if found is None or bool(argument) != bool(found.argument):
        raise SetupError([f"There is no strip {kind!r}{nearest(kind, known_kinds())}"])
    return found.make(leds, wired, argument)


def is_simulated(name: str) -> bool:
    """Return whether a strip of that name, without an argument, lights no LEDs; False for an unknown one."""
    return name in STRIPS and STRIPS[name].simulated


def resolved(kind: str, machine: str | None = None) -> str:
    """Return a strip's kind with `auto` replaced by the kind for a machine of that model, by default this one."""
    return automatic(model() if machine is None else machine)[0] if kind == AUTO else kind


def automatic(machine: str) -> tuple[str, str]:
    """Return the kind of strip that suits a machine, by its model, and a sentence with the reason.

    The kind is `pio` for a Raspberry Pi 5, `spi` for any other Pi, else `memory`, which lights no LEDs.
    """
    if is_pi_5(machine):
        return "pio", f"{machine}: the kernel's PIO driver makes the signal, and other loads can't disturb it."
    if is_pi(machine):
        return "spi", f"{machine}: SPI works on every Pi and needs no root."
    return "memory", "This is no Raspberry Pi: the board is drawn in the page."
