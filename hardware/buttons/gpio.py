"""Buttons on the Pi's pins through gpiozero: each joins its pin to ground; the pull-up is the Pi's own."""

from __future__ import annotations

import importlib
import os
import threading
import time
from collections.abc import Callable
from typing import Any

from companion.errors import DeviceError
from hardware.buttons import Press, Touch, unfelt
from hardware.buttons.debounce import Contact, due_s, step
from hardware.motion import COUNT_DOWN_S
from hardware.settings import ButtonSettings


class GpioButtons:
    """Any number of buttons.

    Args:
        settings: Their pins, when a level counts and when a press is a long one; shutting down takes a countdown.
        clock: Seconds, monotonic.
    """

    name = "gpio"

    def __init__(self, settings: ButtonSettings, clock: Callable[[], float] = time.monotonic) -> None:
        self._pins, self._settle_s, self._clock = settings.pins, settings.settle_s, clock
        self._holds_s = dict.fromkeys(self._pins, settings.long_s) | {"shutdown": COUNT_DOWN_S}
        self._contacts = dict.fromkeys(self._pins, Contact())
        self._pending: list[tuple[str, bool, float]] = []
        self._devices: list[Any] = []
        self._changed = threading.Condition()
        self._running = False
        self._thread: threading.Thread | None = None

    def start(self, on_press: Callable[[Press], None], on_touch: Callable[[Touch], None] = unfelt) -> None:
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
        self._thread = threading.Thread(target=self._wait, args=(on_press, on_touch), name="buttons", daemon=True)
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

    def alive(self) -> bool:
        """Whether the thread that waits for them runs."""
        return self._thread is None or self._thread.is_alive()

    def level(self, button: str, closed: bool) -> None:
        """A contact has closed or opened; called by gpiozero's thread."""
        with self._changed:
            self._pending.append((button, closed, self._clock()))
            self._changed.notify()

    def due(self, now_s: float) -> list[Press | Touch]:
        """What the contacts' levels come to by that time: touches, and presses that are complete."""
        with self._changed:
            pending, self._pending[:] = list(self._pending), []
        happened: list[Press | Touch] = []
        for button, closed, at_s in pending:
            happened += self._step(button, closed, at_s)
        for button, contact in list(self._contacts.items()):
            happened += self._step(button, contact.raw, now_s)
        return happened

    def _step(self, button: str, closed: bool, at_s: float) -> list[Press | Touch]:
        long_s = self._holds_s[button]
        self._contacts[button], happened = step(self._contacts[button], closed, at_s, self._settle_s, long_s)
        return [
            Touch(button, down=word == "down") if word in ("down", "up") else Press(button, long=word == "long")
            for word in happened
        ]

    def _wait(self, on_press: Callable[[Press], None], on_touch: Callable[[Touch], None]) -> None:
        while True:
            for happened in self.due(self._clock()):
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
