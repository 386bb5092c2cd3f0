"""Buttons on the Pi's pins through gpiozero: each joins its pin to ground; the pull-up is the Pi's own."""

from __future__ import annotations

import importlib
import os
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from companion.errors import DeviceError
from hardware.buttons import Press
from hardware.buttons.debounce import Contact, due_s, step


class GpioButtons:
    """Any number of buttons.

    Args:
        pins: Name of a button -> BCM number of its pin.
        settle_s: A level counts when it has held this long.
        long_s: Held this long, a press is a long one.
        clock: Seconds, monotonic.
    """

    name = "gpio"

    def __init__(
        self,
        pins: Mapping[str, int],
        settle_s: float = 0.02,
        long_s: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._pins, self._settle_s, self._long_s, self._clock = dict(pins), settle_s, long_s, clock
        self._contacts = dict.fromkeys(self._pins, Contact())
        self._pending: list[tuple[str, bool, float]] = []
        self._devices: list[Any] = []
        self._changed = threading.Condition()
        self._running = False
        self._thread: threading.Thread | None = None

    def start(self, on_press: Callable[[Press], None]) -> None:
        """Listen to the pins. Raises DeviceError."""
        if self._running:
            return
        # lgpio leaves a pipe in its working directory, which a service may not write to.
        os.environ.setdefault("LG_WD", os.environ.get("RUNTIME_DIRECTORY", "/tmp"))  # noqa: S108
        try:
            gpiozero = importlib.import_module("gpiozero")
        except ImportError:
            raise DeviceError(
                "gpiozero is not installed.", "sudo apt install python3-gpiozero python3-lgpio."
            ) from None
        try:
            for button, pin in self._pins.items():
                device = gpiozero.DigitalInputDevice(pin, pull_up=True)
                self._devices.append(device)
                device.when_activated = lambda button=button: self.level(button, True)
                device.when_deactivated = lambda button=button: self.level(button, False)
        except gpiozero.GPIOZeroError as refused:
            self.stop()
            raise DeviceError(
                f"The buttons' pins can't be used ({refused}).",
                "Check their numbers, and that the user is in the group gpio.",
            ) from refused
        self._running = True
        self._thread = threading.Thread(target=self._wait, args=(on_press,), name="buttons", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Let go of the pins."""
        with self._changed:
            self._running = False
            self._changed.notify()
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.join(timeout=2)
        devices, self._devices = self._devices, []
        for device in devices:
            device.close()

    def level(self, button: str, closed: bool) -> None:
        """A contact has closed or opened; called by gpiozero's thread."""
        with self._changed:
            self._pending.append((button, closed, self._clock()))
            self._changed.notify()

    def due(self, now_s: float) -> list[Press]:
        """The presses that are complete by that time, from what the contacts did."""
        with self._changed:
            pending, self._pending[:] = list(self._pending), []
        told = []
        for button, closed, at_s in pending:
            told += self._step(button, closed, at_s)
        for button, contact in list(self._contacts.items()):
            told += self._step(button, contact.raw, now_s)
        return told

    def _step(self, button: str, closed: bool, at_s: float) -> list[Press]:
        self._contacts[button], press = step(self._contacts[button], closed, at_s, self._settle_s, self._long_s)
        return [] if press is None else [Press(button, at_s, long=press == "long")]

    def _wait(self, on_press: Callable[[Press], None]) -> None:
        while True:
            for press in self.due(self._clock()):
                on_press(press)
            with self._changed:
                if not self._running:
                    return
                dues = [due_s(contact, self._settle_s, self._long_s) for contact in self._contacts.values()]
                soonest = min((due for due in dues if due is not None), default=None)
                if not self._pending:
                    self._changed.wait(None if soonest is None else max(0.001, soonest - self._clock()))
