"""Buttons on the Pi's pins through gpiozero: each connects its pin to ground; the pull-up is the Pi's own."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from companion.errors import DeviceError
from hardware.buttons import Press, Touch, ignore_touch
from hardware.buttons.debounce import Contact, due_s, step
from hardware.machine import load_library
from hardware.motion import SHUTDOWN_PRESS_S
from hardware.settings import ButtonSettings

BUSY = "GPIO busy"
"""lgpio's text for a pin that another program or a kernel driver holds (lgpio.h, LG_GPIO_BUSY)."""


class GpioButtons:
    """Buttons on pins of the Pi, each between its pin and ground.

    Args:
        settings: Pins and times. A press of the shutdown button is long after `SHUTDOWN_PRESS_S` seconds.
        clock: Returns the time in seconds; monotonic.
    """

    name = "gpio"

    def __init__(self, settings: ButtonSettings, clock: Callable[[], float] = time.monotonic) -> None:
        self._pins, self._settle_s, self._clock = settings.pins, settings.settle_s, clock
        self._holds_s = dict.fromkeys(self._pins, settings.long_s) | {"shutdown": SHUTDOWN_PRESS_S}
        self._contacts = dict.fromkeys(self._pins, Contact())
        self._pending: list[tuple[str, bool, float]] = []
        self._devices: dict[str, Any] = {}
        self._changed = threading.Condition()
        self._running = False
        self._thread: threading.Thread | None = None

    def start(self, on_press: Callable[[Press], None], on_touch: Callable[[Touch], None] = ignore_touch) -> None:
        """Open the pins that are not open yet, and start a thread that calls `on_press` and `on_touch` until `stop`.

        If the thread runs already, it goes on with its own callbacks. Raises DeviceError if gpiozero is missing, or if
        pins can't be used. The error then names their buttons; the other buttons work.
        """
        if not self._running:
            self._contacts, self._pending = dict.fromkeys(self._pins, Contact()), []  # a release may have gone unseen
        # lgpio makes a pipe in its working directory, which a service may not write to.
        os.environ.setdefault("LG_WD", os.environ.get("RUNTIME_DIRECTORY", "/tmp"))  # noqa: S108
        gpiozero = load_library("gpiozero", "sudo apt install python3-gpiozero python3-lgpio.")
        refusals: dict[str, list[str]] = {}
        for button, pin in self._pins.items():
            if button in self._devices:
                continue
            try:
                self._open(gpiozero, button, pin)
            except _library_errors() as refused:
                refusals.setdefault(str(refused).strip("'"), []).append(f"{button} on GPIO{pin}")
        if self._devices and not self._running:
            self._running = True
            self._thread = threading.Thread(target=self._wait, args=(on_press, on_touch), name="buttons", daemon=True)
            self._thread.start()
        if refusals:
            raise _refused_pins(refusals)

    def stop(self) -> None:
        """Stop listening and release the pins. Waits for the listening thread for at most 2 s; never raises."""
        with self._changed:
            self._running = False
            self._changed.notify()
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.join(timeout=2)
        devices, self._devices = self._devices, {}
        for device in devices.values():
            with contextlib.suppress(*_library_errors()):
                device.close()

    def alive(self) -> bool:
        """Return whether the listening thread runs, or was never started."""
        return self._thread is None or self._thread.is_alive()

    def level(self, button: str, closed: bool) -> None:
        """Queue a button's new level (True: pressed) with the present time. gpiozero's thread calls this."""
        with self._changed:
            self._pending.append((button, closed, self._clock()))
            self._changed.notify()

    def take_events(self, now_s: float) -> list[Press | Touch]:
        """Empty the queue of levels, debounce them, and return the touches and presses up to the time `now_s`.

        The events of each button are in order of time. A press that has become long by `now_s` is among them.
        """
        with self._changed:
            pending, self._pending = self._pending, []
        happened: list[Press | Touch] = []
        for button, closed, at_s in pending:
            happened += self._step(button, closed, at_s)
        for button, contact in list(self._contacts.items()):
            happened += self._step(button, contact.raw, now_s)
        return happened

    def _open(self, gpiozero: Any, button: str, pin: int) -> None:
        """Open a button's pin with its pull-up; changes of its level are passed to `level`."""
        device = gpiozero.DigitalInputDevice(pin, pull_up=True)
        self._devices[button] = device
        device.when_activated = lambda: self.level(button, True)
        device.when_deactivated = lambda: self.level(button, False)

    def _step(self, button: str, closed: bool, at_s: float) -> list[Press | Touch]:
        """Advance a button's debouncing to `at_s` seconds; return the resulting touches and presses, often none.

        `closed` is whether the contact is closed then. A `Touch` reports that the button went down or came up, a
        `Press` that a short or long press was recognised.
        """
        long_s = self._holds_s[button]
        self._contacts[button], happened = step(self._contacts[button], closed, at_s, self._settle_s, long_s)
        return [
            Touch(button, down=word == "down") if word in ("down", "up") else Press(button, long=word == "long")
            for word in happened
        ]

    def _wait(self, on_press: Callable[[Press], None], on_touch: Callable[[Touch], None]) -> None:
        """Pass debounced button events to the callbacks until `stop`.

        `on_touch` gets each touch: a button that went down or came up. `on_press` gets each press, once it is known to
        be short or long.
        """
        while True:
            for happened in self.take_events(self._clock()):
                if isinstance(happened, Touch):
                    on_touch(happened)
                else:
                    on_press(happened)
            with self._changed:
                if not self._running:
                    return
                dues = [due_s(c, self._settle_s, self._holds_s[button]) for button, c in self._contacts.items()]
                soonest = min((due for due in dues if due is not None), default=None)
                if not self._pending:
                    self._changed.wait(None if soonest is None else max(0.001, soonest - self._clock()))


def _library_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions that gpiozero and the drivers below it raise: the libraries' own once they are imported."""
    libraries = (sys.modules.get("gpiozero"), sys.modules.get("lgpio"))
    own = (getattr(library, name, None) for library in libraries for name in ("GPIOZeroError", "error"))
    return (OSError, RuntimeError, *(kind for kind in own if isinstance(kind, type) and issubclass(kind, Exception)))


def _refused_pins(refusals: dict[str, list[str]]) -> DeviceError:
    """Return the error, with a cure, that names the buttons whose pins can't be used.

    `refusals` maps each error message of the GPIO library to the buttons that it is about, such as `bank on GPIO17`.
    """
    says = "; ".join(f"{', '.join(buttons)} ({why})" for why, buttons in refusals.items())
    cure = "Check the pin numbers, and that the user is in the group gpio."
    if BUSY in refusals:
        cure = "Another program or an overlay holds the pin (`gpioinfo` names it): free it and restart, or move it."
    return DeviceError(f"The pins of these buttons can't be used: {says}.", cure)
