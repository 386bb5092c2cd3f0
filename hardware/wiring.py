"""Checks of the wiring, which find impossible combinations of pins before anything is switched on."""

from __future__ import annotations

from collections.abc import Mapping

from hardware.settings import ORDERS, ButtonSettings, StripSettings
from hardware.strips.opening import STRIPS, resolved


def wiring_problems(kind: str, strip: StripSettings, buttons: ButtonSettings | None, machine: str) -> list[str]:
    """Return a sentence with a cure for each fault in the settings of strip and buttons; empty if there is none.

    The checks cover the strip's settings on the model `machine` (empty: no Pi), pins that buttons share, and buttons on
    the strip's pins. `kind` is the setting `[strip] kind`; an unknown kind is not reported. `buttons` is None if no
    buttons are wired to pins.
    """
    found = STRIPS.get(resolved(kind, machine).partition(":")[0])
    problems = found.problems(strip, machine) if found is not None else []
    if strip.order not in ORDERS:
        problems.append(f"[strip] order {strip.order!r} is no order of the letters R, G and B; most strips are GRB.")
    by_pin: dict[int, list[str]] = {}
    for button, pin in (buttons.pins if buttons is not None else {}).items():
        by_pin.setdefault(pin, []).append(button)
    problems += [
        f"[buttons] {' and '.join(sorted(names))} share pin {pin}; give each a pin of its own."
        for pin, names in by_pin.items()
        if len(names) > 1
    ]
    taken = strip_pins(kind, strip, machine)
    problems += [
        f"[buttons] {button} is on pin {pin}, which is {taken[pin]}; move the button."
        for pin, names in by_pin.items()
        if pin in taken
        for button in names
    ]
    return problems


def strip_pins(kind: str, strip: StripSettings, machine: str = "") -> Mapping[int, str]:
    """Return the Pi's pins that a strip occupies, BCM number -> role, the data pin first.

    Empty if the strip uses none or its kind is unknown. `machine` is the Pi's model, "" on any other computer, where
    the kind `auto` uses no pins.
    """
    found = STRIPS.get(resolved(kind, machine).partition(":")[0])
    return found.pins(strip, machine) if found is not None else {}
