"""Wiring that can't work, told all at once before anything is switched on."""

from __future__ import annotations

from collections.abc import Mapping

from hardware.machine import is_pi_5
from hardware.settings import ButtonSettings, StripSettings

PWM_PINS = (12, 13, 18, 19)
PCM_PIN = 21
SPI_PINS = {10: "MOSI", 9: "MISO", 11: "SCLK", 8: "CE0", 7: "CE1"}


def wiring_problems(kind: str, strip: StripSettings, buttons: ButtonSettings | None, machine: str) -> list[str]:
    """What is wrong with the pins, each with what to change; empty when all is well.

    Args:
        kind: The strip's kind.
        strip: How it is wired.
        buttons: The buttons on pins, or None when there are none.
        machine: The machine's model, as `hardware.machine.model` tells it.
    """
    problems = [*_strip_problems(kind, strip, machine)]
    if buttons is not None:
        problems += _shared_pins(buttons.pins)
        problems += _taken_pins(buttons.pins, strip_pins(kind, strip))
    return problems


def strip_pins(kind: str, strip: StripSettings) -> dict[int, str]:
    """The pins that a strip takes, with what for, that of its data first; none where it is not on the Pi's pins."""
    if kind in ("spi", "auto") or (kind == "ws281x" and strip.pin == 10):
        return {pin: f"the strip's SPI ({role})" for pin, role in SPI_PINS.items()}
    if kind in ("ws281x", "pio"):
        return {strip.pin: "the strip's data"}
    return {}


def _strip_problems(kind: str, strip: StripSettings, machine: str) -> list[str]:
    problems = []
    if kind == "ws281x" and strip.pin not in (*PWM_PINS, PCM_PIN, 10):
        problems.append(f"[strip] pin {strip.pin} can't drive LEDs; use 18 or 12 (PWM), 21 (PCM) or 10 (SPI).")
    if kind == "ws281x" and is_pi_5(machine):
        problems.append("[strip] kind ws281x does not work on a Raspberry Pi 5; use spi or pio.")
    if kind == "pio" and machine and not is_pi_5(machine):
        problems.append("[strip] kind pio needs a Raspberry Pi 5; use spi.")
    if sorted(strip.order) != ["B", "G", "R"]:
        problems.append(f"[strip] order {strip.order!r} is no order of the letters R, G and B; most strips are GRB.")
    if strip.spi_bits not in (3, 4):
        problems.append(f"[strip] spi_bits {strip.spi_bits} is neither 3 nor 4.")
    return problems


def _shared_pins(pins: Mapping[str, int]) -> list[str]:
    by_pin: dict[int, list[str]] = {}
    for button, pin in pins.items():
        by_pin.setdefault(pin, []).append(button)
    return [
        f"[buttons] {' and '.join(sorted(names))} share pin {pin}; give each a pin of its own."
        for pin, names in by_pin.items()
        if len(names) > 1
    ]


def _taken_pins(pins: Mapping[str, int], taken: Mapping[int, str]) -> list[str]:
    return [
        f"[buttons] {button} is on pin {pin}, which is {taken[pin]}; move the button."
        for button, pin in pins.items()
        if pin in taken
    ]
