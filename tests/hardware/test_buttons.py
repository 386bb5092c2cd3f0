"""Buttons: bounce and noise count once; pins of a mock Pi; keys of a real pseudo-terminal."""

from __future__ import annotations

import importlib
import itertools
import os
import pty
import queue
import random
import sys
import termios
from typing import Any

import gpiozero
import pytest
from gpiozero.pins.mock import MockFactory

from companion.errors import DeviceError, SetupError
from hardware.buttons import Buttons, Press, Touch
from hardware.buttons.debounce import Contact, due_s, step
from hardware.buttons.gpio import GpioButtons
from hardware.buttons.keys import KeyButtons
from hardware.buttons.opening import open_buttons
from hardware.settings import ButtonSettings
from tests.hardware.pi_drivers import fresh_driver

SETTLE_S, LONG_S = 0.02, 1.0


def told(levels: list[tuple[float, bool]]) -> list[tuple[float, str]]:
    """Return the events of a contact with their times, from its changes of level.

    The state machine is called at each change and when it is due.
    """
    contact, all_told = Contact(), []
    for index, (at_s, closed) in enumerate(levels):
        contact, happened = step(contact, closed, at_s, SETTLE_S, LONG_S)
        all_told += [(at_s, word) for word in happened]
        end_s = levels[index + 1][0] if index + 1 < len(levels) else at_s + 10
        while (due := due_s(contact, SETTLE_S, LONG_S)) is not None and due < end_s:
            contact, happened = step(contact, contact.raw, due, SETTLE_S, LONG_S)
            all_told += [(due, word) for word in happened]
    return all_told


def presses(levels: list[tuple[float, bool]]) -> list[str]:
    return [word for _, word in told(levels) if word in ("short", "long")]


def bounced(chance: random.Random, at_s: float, closed: bool) -> list[tuple[float, bool]]:
    """Return a change of level with the contact bounce of a worn button: up to nine flickers within 10 ms.

    J. Ganssle ("A Guide to Debouncing") measured up to 6.2 ms on ordinary switches.
    """
    flickers = sorted(chance.uniform(0, 0.01) for _ in range(2 * chance.randint(0, 4)))
    return [(at_s + f, closed if i % 2 == 0 else not closed) for i, f in enumerate(flickers)] + [(at_s + 0.01, closed)]


@pytest.mark.parametrize(
    ("levels", "reported"),
    [
        ([(1.0, True), (1.2, False)], ["short"]),
        ([(1.0, True), (5.0, False)], ["long"]),
        ([(1.0, True), (1.015, False)], []),
    ],
    ids=["clean", "held", "spike shorter than the settling time"],
)
def test_debouncing_reports_a_button_press_as_short_or_long_and_ignores_a_spike(
    levels: list[tuple[float, bool]], reported: list[str]
) -> None:
    assert presses(levels) == reported


def test_a_bouncing_button_is_reported_down_and_up_20_ms_after_settling() -> None:
    bouncing = [(1.0, True), (1.002, False), (1.005, True), (1.9, False)]
    times_s, words = zip(*told(bouncing), strict=True)
    assert words == ("down", "up", "short")
    assert times_s == pytest.approx((1.025, 1.92, 1.92))


def test_a_button_polled_late_reports_down_then_long_press_then_up() -> None:
    contact, _ = step(Contact(), True, 1.0, SETTLE_S, LONG_S)
    contact, happened = step(contact, False, 3.0, SETTLE_S, LONG_S)
    assert happened == ("down", "long")
    assert step(contact, False, 3.1, SETTLE_S, LONG_S)[1] == ("up",)


def test_ten_thousand_bouncing_button_presses_count_once_each() -> None:
    chance = random.Random(6)
    levels: list[tuple[float, bool]] = []
    expected, now_s = [], 0.0
    for _ in range(10_000):
        held_s = chance.choice([chance.uniform(0.05, 0.9), chance.uniform(1.1, 3.0)])
        levels += bounced(chance, now_s, True) + bounced(chance, now_s + held_s, False)
        expected.append("long" if held_s > 1 else "short")
        if chance.random() < 0.3:  # a spike from the mains in between
            levels += [(now_s + held_s + 0.05, True), (now_s + held_s + 0.056, False)]
        now_s += held_s + chance.uniform(0.1, 0.5)
    happened = [word for _, word in told(levels)]
    assert [word for word in happened if word in ("short", "long")] == expected
    assert happened.count("down") == happened.count("up") == 10_000


@pytest.fixture
def pins() -> Any:
    before = gpiozero.Device.pin_factory
    gpiozero.Device.pin_factory = MockFactory()
    yield gpiozero.Device.pin_factory
    gpiozero.Device.pin_factory.reset()
    gpiozero.Device.pin_factory = before


def test_a_gpio_button_reports_a_bouncing_press_once(pins: Any) -> None:
    now = [0.0]
    buttons = GpioButtons(ButtonSettings(), clock=lambda: now[0])
    heard = queue.Queue[Press]()
    buttons.start(heard.put)
    pin = pins.pin(17)
    for at_s, low in [(1.0, True), (1.001, False), (1.002, True), (1.5, False), (1.501, True), (1.502, False)]:
        now[0] = at_s
        pin.drive_low() if low else pin.drive_high()
    now[0] = 1.6
    buttons.level("undo", False)  # wakes the listener at the new time
    assert heard.get(timeout=60) == Press("bank")
    buttons.stop()
    assert heard.empty()


def test_a_long_press_takes_3_seconds_on_the_shutdown_button_and_1_second_on_others(pins: Any) -> None:
    now = [0.0]
    buttons = GpioButtons(ButtonSettings(shutdown=3), clock=lambda: now[0])
    for button in ("bank", "undo", "next", "shutdown"):
        buttons.level(button, True)
    long = []
    for now[0] in (0.02, 1.0, 2.9, 3.0):
        long += [(now[0], told.button) for told in buttons.take_events(now[0]) if isinstance(told, Press)]
    assert long == [(1.0, "bank"), (1.0, "undo"), (1.0, "next"), (3.0, "shutdown")]


def test_gpio_button_released_while_the_listener_is_stopped_reports_no_press_after_restart(pins: Any) -> None:
    now = [0.0]
    buttons = GpioButtons(ButtonSettings(shutdown=3), clock=lambda: now[0])
    felt, pressed = queue.Queue[Touch](), list[Press]()
    buttons.start(pressed.append, felt.put)
    pins.pin(3).drive_low()
    now[0] = 0.1
    buttons.level("undo", False)  # wakes the listener at the new time
    assert felt.get(timeout=60) == Touch("shutdown", down=True)
    buttons.stop()
    pins.pin(3).drive_high()
    now[0] = 9.0
    buttons.start(pressed.append)
    buttons.stop()
    assert pressed == [], "the machine must not be shut down"


class PinFinger:
    """Presses the button on pin 17 of the mock Pi."""

    def __init__(self, pins: Any) -> None:
        # However busy the machine is, a press of these tests is never a long one.
        self.buttons: Buttons = GpioButtons(ButtonSettings(settle_s=0.001, long_s=600))
        self._pin = pins.pin(17)

    def down(self) -> None:
        self._pin.drive_low()

    def up(self) -> None:
        self._pin.drive_high()

    def close(self) -> None: ...


class KeyFinger:
    """Types into a real pseudo-terminal, where a key comes up by itself."""

    def __init__(self, _pins: Any) -> None:
        self._ours, theirs = pty.openpty()
        self._terminal = os.fdopen(theirs, "r")
        self.buttons: Buttons = KeyButtons(self._terminal)

    def down(self) -> None:
        os.write(self._ours, b"b")

    def up(self) -> None: ...

    def close(self) -> None:
        os.close(self._ours)
        self._terminal.close()


@pytest.mark.parametrize("kind", [PinFinger, KeyFinger])
def test_gpio_and_keyboard_buttons_report_each_touch_and_press_until_they_are_stopped(kind: Any, pins: Any) -> None:
    finger = kind(pins)
    told: queue.Queue[Press | Touch] = queue.Queue()
    for _ in range(2):
        for _ in range(2):
            finger.buttons.start(told.put, told.put)
        finger.down()
        first = told.get(timeout=60)
        assert isinstance(first, Touch)
        assert first.down
        finger.up()
        happened = [first, *(told.get(timeout=60) for _ in range(2))]
        assert sorted(type(one).__name__ for one in happened) == ["Press", "Touch", "Touch"]
        (press,) = (one for one in happened if isinstance(one, Press))
        assert (press.button, press.long) == ("bank", False)
        for _ in range(2):
            finger.buttons.stop()
        finger.down()
        finger.up()
        assert told.empty(), "nothing is told after the end"
        if isinstance(finger, KeyFinger):
            termios.tcflush(finger._terminal.fileno(), termios.TCIFLUSH)  # what nobody read is not for the next round
    assert finger.buttons.name
    finger.close()


def test_starting_gpio_buttons_on_a_pin_in_use_is_a_device_error(pins: Any) -> None:
    with gpiozero.LED(17), pytest.raises(DeviceError, match="pins"):
        GpioButtons(ButtonSettings()).start(print)


def test_gpio_buttons_start_once_a_pin_that_was_in_use_is_free_again(pins: Any) -> None:
    now = [0.0]
    buttons = GpioButtons(ButtonSettings(), clock=lambda: now[0])
    heard = queue.Queue[Press]()
    with gpiozero.LED(17):
        for _ in range(2):
            with pytest.raises(DeviceError, match="bank on GPIO17"):
                buttons.start(heard.put)
    buttons.start(heard.put)
    for now[0], move in ((1.0, pins.pin(17).drive_low), (1.5, pins.pin(17).drive_high)):
        move()
    now[0] = 1.6
    buttons.level("undo", False)  # wakes the listener at the new time
    assert heard.get(timeout=60) == Press("bank")
    buttons.stop()


def test_a_busy_gpio_pin_is_an_error_that_disables_only_its_own_button(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gpiozero's own LGPIOFactory over a stand-in for lgpio, whose `error` is neither GPIOZeroError nor OSError."""
    lgpio = fresh_driver(monkeypatch, "lgpio")
    monkeypatch.delitem(sys.modules, "gpiozero.pins.lgpio", raising=False)
    monkeypatch.setenv("PI_BUSY_PINS", "17")
    monkeypatch.setattr("gpiozero.pins.local.get_pi_revision", lambda: 0xB03114)
    factory = importlib.import_module("gpiozero.pins.lgpio").LGPIOFactory()
    monkeypatch.setattr(gpiozero.Device, "pin_factory", factory)
    asked = itertools.count()  # each look at the clock finds it 10 ms later: no press is too short
    buttons = GpioButtons(ButtonSettings(settle_s=0.001, long_s=600), clock=lambda: next(asked) / 100)
    told: queue.Queue[Press] = queue.Queue()
    with pytest.raises(DeviceError) as ill:
        buttons.start(told.put)
    assert "bank on GPIO17 (GPIO busy)" in ill.value.what
    assert "undo" not in ill.value.what
    assert "gpioinfo" in ill.value.cure
    lgpio.press(27, down=True)
    lgpio.press(27, down=False)
    assert told.get(timeout=60) == Press("undo")
    buttons.stop()
    factory.close()


@pytest.mark.parametrize(
    "typed", [b"bxN", b"b\x1b[B\x1b[1;5B\x1b[[B\x1bOS\x1bu\x1b\x1b[BN"], ids=["letters", "arrows and F keys"]
)
def test_keyboard_buttons_read_small_letters_as_short_and_capitals_as_long_presses(typed: bytes) -> None:
    ours, theirs = pty.openpty()
    heard, felt = queue.Queue[Press](), list[Touch]()
    with os.fdopen(theirs, "r") as terminal:
        buttons = KeyButtons(terminal)
        buttons.start(heard.put, felt.append)
        os.write(ours, typed)
        presses = [heard.get(timeout=60) for _ in range(2)]
        buttons.stop()
    os.close(ours)
    assert presses == [Press("bank"), Press("next", long=True)]
    assert felt == [Touch(button, down=down) for button in ("bank", "next") for down in (True, False)]


def test_keyboard_keys_as_buttons_without_a_terminal_are_an_error() -> None:
    with open(os.devnull) as nothing, pytest.raises(DeviceError, match="terminal"):
        KeyButtons(nothing).start(print)


def test_an_unknown_kind_of_push_buttons_is_refused_with_the_nearest_known_kind() -> None:
    with pytest.raises(SetupError, match="'gpio'"):
        open_buttons("gpoi", ButtonSettings())
    assert open_buttons("none", ButtonSettings()).name == "no"
