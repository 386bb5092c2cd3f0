"""Buttons: bounce and noise count once; pins of a mock Pi; keys of a real pseudo-terminal."""

from __future__ import annotations

import os
import pty
import random
import threading
from typing import Any

import gpiozero
import pytest
from gpiozero.pins.mock import MockFactory

from companion.errors import DeviceError, SetupError
from hardware.buttons import Press
from hardware.buttons.debounce import Contact, due_s, step
from hardware.buttons.gpio import GpioButtons
from hardware.buttons.keys import KeyButtons
from hardware.buttons.opening import open_buttons

SETTLE_S, LONG_S = 0.02, 1.0


def presses(levels: list[tuple[float, bool]]) -> list[str]:
    """What a contact that changes like that tells, looked at when it changes and when something is due."""
    contact, told = Contact(), []
    for index, (at_s, closed) in enumerate(levels):
        contact, press = step(contact, closed, at_s, SETTLE_S, LONG_S)
        told += [press] if press else []
        end_s = levels[index + 1][0] if index + 1 < len(levels) else at_s + 10
        while (due := due_s(contact, SETTLE_S, LONG_S)) is not None and due < end_s:
            contact, press = step(contact, contact.raw, due, SETTLE_S, LONG_S)
            told += [press] if press else []
    return told


def bounced(chance: random.Random, at_s: float, closed: bool) -> list[tuple[float, bool]]:
    """A change of level as a contact makes it: up to nine flickers within 8 ms before it holds."""
    flickers = sorted(chance.uniform(0, 0.008) for _ in range(2 * chance.randint(0, 4)))
    return [(at_s + f, closed if i % 2 == 0 else not closed) for i, f in enumerate(flickers)] + [(at_s + 0.009, closed)]


def test_a_clean_press_is_one_short_press() -> None:
    assert presses([(1.0, True), (1.2, False)]) == ["short"]


def test_a_long_press_is_told_once_while_it_is_held() -> None:
    assert presses([(1.0, True), (5.0, False)]) == ["long"]


def test_a_spike_shorter_than_the_settling_time_is_nothing() -> None:
    assert presses([(1.0, True), (1.015, False)]) == []


def test_ten_thousand_bouncing_presses_count_once_each() -> None:
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
    assert presses(levels) == expected


@pytest.fixture
def pins() -> Any:
    before = gpiozero.Device.pin_factory
    gpiozero.Device.pin_factory = MockFactory()
    yield gpiozero.Device.pin_factory
    gpiozero.Device.pin_factory.reset()
    gpiozero.Device.pin_factory = before


def test_a_button_on_a_pin_is_heard_once(pins: Any) -> None:
    now = [0.0]
    buttons = GpioButtons({"bank": 17, "undo": 27}, clock=lambda: now[0])
    heard: list[Press] = []
    arrived = threading.Event()
    buttons.start(lambda press: (heard.append(press), arrived.set()))
    pin = pins.pin(17)
    for at_s, low in [(1.0, True), (1.001, False), (1.002, True), (1.5, False), (1.501, True), (1.502, False)]:
        now[0] = at_s
        pin.drive_low() if low else pin.drive_high()
    now[0] = 1.6
    buttons.level("undo", False)  # wakes the listener at the new time
    assert arrived.wait(5)
    buttons.stop()
    assert [(press.button, press.long) for press in heard] == [("bank", False)]


def test_buttons_may_be_started_and_stopped_twice(pins: Any) -> None:
    buttons = GpioButtons({"bank": 17})
    for _ in range(2):
        buttons.start(print)
        buttons.start(print)
        buttons.stop()
        buttons.stop()


def test_a_pin_that_is_taken_is_told(pins: Any) -> None:
    with gpiozero.LED(17), pytest.raises(DeviceError, match="pins"):
        GpioButtons({"bank": 17}).start(print)


def test_keys_are_buttons_and_capitals_long_presses() -> None:
    ours, theirs = pty.openpty()
    heard: list[Press] = []
    arrived = threading.Event()

    def hear(press: Press) -> None:
        heard.append(press)
        if len(heard) == 2:
            arrived.set()

    with os.fdopen(theirs, "r") as terminal:
        buttons = KeyButtons({"b": "bank", "n": "next"}, terminal, clock=lambda: 3.0)
        buttons.start(hear)
        buttons.start(hear)
        os.write(ours, b"bxN")
        assert arrived.wait(5)
        buttons.stop()
        buttons.stop()
    os.close(ours)
    assert heard == [Press("bank", 3.0), Press("next", 3.0, long=True)]


def test_keys_without_a_terminal_are_told() -> None:
    with open(os.devnull) as nothing, pytest.raises(DeviceError, match="terminal"):
        KeyButtons({"b": "bank"}, nothing).start(print)


def test_unknown_buttons_are_told_with_the_nearest() -> None:
    with pytest.raises(SetupError, match="'gpio'"):
        open_buttons("gpoi")
    assert open_buttons("none").name == "no"
