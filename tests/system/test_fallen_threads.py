"""Threads of sounds and buttons that crash, by an exception of any type, are reported and restarted."""

from __future__ import annotations

import gc
import itertools
import os
import pty
from collections.abc import Callable, Iterator
from typing import Any

import gpiozero
import pytest
from gpiozero.pins.mock import MockFactory

from companion.service import supervision
from companion.service.parts import Part
from companion.service.supervision import Supervisor
from hardware.buttons import Press
from hardware.buttons.gpio import GpioButtons
from hardware.buttons.keys import KeyButtons
from hardware.settings import ButtonSettings
from hardware.sounds import TRIAL, Chimes
from tests.waiting import until

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")


class Unheard(BaseException):
    """Nobody catches this on purpose."""


EXCEPTIONS = pytest.mark.parametrize("with_", [ValueError, SystemExit, Unheard], ids=lambda e: e.__name__)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(supervision, "CHECK_EVERY_S", 0.1)
    yield
    gc.collect()


@pytest.fixture
def pins() -> Iterator[Any]:
    before = gpiozero.Device.pin_factory
    gpiozero.Device.pin_factory = MockFactory()
    yield gpiozero.Device.pin_factory
    gpiozero.Device.pin_factory.reset()
    gpiozero.Device.pin_factory = before


def falls_and_comes_back(part: Part, fall: Callable[[], None], works: Callable[[], object]) -> None:
    """Start the part, fell it, and see that it is told and works again."""
    now_s = [0.0]
    supervisor = Supervisor((part,), {}, lambda: None, None, lambda: now_s[0])
    health = supervisor.supervised(part.name, lambda: (True, "well"))
    part.start()
    supervisor.start()
    try:
        assert health() == (True, "well")
        fall()
        assert until(lambda: not health()[0])
        assert until(lambda: "was started again" in health()[1])
        now_s[0] += supervision.SHOWN_AFTER_RESTART_S
        assert health()[0]
        assert "started again 1 time," in health()[1]
        assert works()
    finally:
        supervisor.stop()
        part.stop()


@EXCEPTIONS
def test_a_crashed_sound_thread_is_reported_and_restarted(with_: type[BaseException]) -> None:
    played, wrong = list[bytes](), [with_]

    def play(sound: bytes) -> str | None:
        if wrong:
            raise wrong.pop()
        played.append(sound)
        return None

    chimes = Chimes(play)

    def works() -> bool:
        chimes.chime(TRIAL)
        return until(lambda: played)

    part = Part("sounds", chimes.start, chimes.stop, chimes.alive)
    falls_and_comes_back(part, lambda: chimes.chime(TRIAL), works)


class Pins:
    def __init__(self, pins: Any) -> None:
        asked = itertools.count()  # each look at the clock finds it 10 ms later: no press is too short
        settings = ButtonSettings(settle_s=0.001, long_s=600)
        self.buttons, self._pin = GpioButtons(settings, clock=lambda: next(asked) / 100), pins.pin(17)

    def press(self) -> None:
        self._pin.drive_low()
        self._pin.drive_high()

    def close(self) -> None: ...


class Keys:
    def __init__(self, _: Any) -> None:
        self._ours, theirs = pty.openpty()
        self._terminal = os.fdopen(theirs, "r")
        self.buttons = KeyButtons(self._terminal)

    def press(self) -> None:
        os.write(self._ours, b"b")

    def close(self) -> None:
        os.close(self._ours)
        self._terminal.close()


@EXCEPTIONS
@pytest.mark.parametrize("kind", [Pins, Keys])
def test_a_crashed_button_thread_is_reported_and_restarted(kind: Any, with_: type[BaseException], pins: Any) -> None:
    fingers, heard, wrong = kind(pins), list[Press](), [with_]

    def pressed(press: Press) -> None:
        if wrong:
            raise wrong.pop()
        heard.append(press)

    def listen() -> None:
        if not fingers.buttons.alive():
            fingers.buttons.stop()
        fingers.buttons.start(pressed)

    def works() -> bool:
        heard.clear()
        fingers.press()
        return until(lambda: heard)

    falls_and_comes_back(Part("buttons", listen, fingers.buttons.stop, fingers.buttons.alive), fingers.press, works)
    fingers.close()
