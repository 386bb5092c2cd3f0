"""A stand-in for lgpio 0.2.2 below gpiozero's own LGPIOFactory.

Environment: `PI_BUSY_PINS` names the pins that another program holds, as `17,22`. `press` closes a contact.
"""

from __future__ import annotations

import os
from collections.abc import Callable

SET_PULL_NONE, SET_PULL_UP, SET_PULL_DOWN = 128, 32, 64
RISING_EDGE, FALLING_EDGE, BOTH_EDGES = 1, 2, 3

claimed: set[int] = set()
_heard: dict[int, Callable[[int, int, int, int], None]] = {}
_ticks = [0]


class error(Exception):
    def __init__(self, value: str) -> None:
        self.value = value

    def __str__(self) -> str:
        return repr(self.value)


def gpiochip_open(_chip: int) -> int:
    return 0


def gpiochip_close(_handle: int) -> int:
    return 0


def gpio_claim_input(_handle: int, pin: int, _flags: int = 0) -> int:
    if str(pin) in os.environ.get("PI_BUSY_PINS", "").split(","):
        raise error("GPIO busy")
    claimed.add(pin)
    return 0


def gpio_claim_output(handle: int, pin: int, _level: int = 0) -> int:
    return gpio_claim_input(handle, pin)


def gpio_claim_alert(handle: int, pin: int, _edges: int, flags: int = 0) -> int:
    return gpio_claim_input(handle, pin, flags)


def gpio_set_debounce_micros(_handle: int, _pin: int, _micros: int) -> int:
    return 0


def gpio_free(_handle: int, pin: int) -> int:
    claimed.discard(pin)
    return 0


def gpio_get_mode(_handle: int, _pin: int) -> int:
    return 1 << 5


def gpio_read(_handle: int, _pin: int) -> int:
    return 1


class callback:
    def __init__(self, _handle: int, pin: int, _edges: int, heard: Callable[[int, int, int, int], None]) -> None:
        self._pin = pin
        _heard[pin] = heard

    def cancel(self) -> None:
        _heard.pop(self._pin, None)


def press(pin: int, *, down: bool) -> None:
    """Change the level of a pin, as a finger on a button would."""
    _ticks[0] += 1_000_000
    _heard[pin](0, pin, 0 if down else 1, _ticks[0])
