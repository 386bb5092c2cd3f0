"""Impossible wiring is refused, all of it at once, with what to change."""

from __future__ import annotations

import pytest

from hardware.settings import ButtonSettings, StripSettings
from hardware.wiring import strip_pins, wiring_problems

PI_4, PI_5 = "Raspberry Pi 4 Model B Rev 1.4", "Raspberry Pi 5 Model B Rev 1.0"


def test_default_strip_and_button_settings_have_no_wiring_problem() -> None:
    assert wiring_problems("spi", StripSettings(), ButtonSettings(), PI_4) == []
    assert wiring_problems("ws281x", StripSettings(), ButtonSettings(), PI_4) == []
    assert wiring_problems("memory", StripSettings(), None, "") == []


def test_a_button_on_a_pin_of_the_led_strip_is_a_wiring_problem() -> None:
    (problem,) = wiring_problems("ws281x", StripSettings(pin=18), ButtonSettings(bank=18), PI_4)
    assert "bank" in problem
    assert "18" in problem
    (problem,) = wiring_problems("spi", StripSettings(), ButtonSettings(undo=10), PI_4)
    assert "SPI" in problem


@pytest.mark.parametrize(
    ("bus", "machine", "data"),
    [
        *((0, PI_4, 10), (1, PI_4, 20), (3, PI_4, 2), (4, PI_4, 6), (5, PI_4, 14), (6, PI_4, 20)),
        *((0, PI_5, 10), (1, PI_5, 20), (2, PI_5, 2), (3, PI_5, 6), (5, PI_5, 14)),
    ],
)
def test_spi_led_strip_data_pin_depends_on_bus_and_raspberry_pi_model(bus: int, machine: str, data: int) -> None:
    strip = StripSettings(spi_bus=bus)
    assert next(iter(strip_pins("spi", strip, machine))) == data
    (problem,) = wiring_problems("spi", strip, ButtonSettings(undo=data), machine)
    assert f"undo is on pin {data}" in problem


@pytest.mark.parametrize(("bus", "device", "button"), [(0, 0, 7), (1, 1, 17), (1, 2, 16), (6, 1, 27)])
def test_a_button_on_a_chip_enable_pin_of_the_spi_strip_is_a_problem(bus: int, device: int, button: int) -> None:
    strip = StripSettings(spi_bus=bus, spi_device=device)
    (problem,) = wiring_problems("spi", strip, ButtonSettings(bank=button, undo=23, next=22), PI_4)
    assert f"bank is on pin {button}" in problem


def test_a_button_on_pin_17_is_no_problem_beside_spi_bus_1_device_0() -> None:
    assert wiring_problems("spi", StripSettings(spi_bus=1), ButtonSettings(bank=17), PI_4) == []


def test_an_spi_strip_on_a_bus_absent_from_the_pis_header_occupies_no_header_pins() -> None:
    assert not strip_pins("spi", StripSettings(spi_bus=2), PI_4)
    assert not strip_pins("spi", StripSettings(spi_bus=4), PI_5)


def test_a_ws281x_strip_with_pin_10_uses_gpio_10_even_if_the_spi_bus_setting_is_1() -> None:
    assert next(iter(strip_pins("ws281x", StripSettings(pin=10, spi_bus=1), PI_4))) == 10


def test_a_ws281x_strip_on_a_pi_5_is_a_wiring_problem_with_advice() -> None:
    (problem,) = wiring_problems("ws281x", StripSettings(), None, PI_5)
    assert "spi or pio" in problem


def test_led_strip_and_button_wiring_problems_are_all_reported_together() -> None:
    strip = StripSettings(pin=5, order="GGB")
    problems = wiring_problems("ws281x", strip, ButtonSettings(bank=5, undo=5), PI_5)
    words = ("can't drive LEDs", "spi or pio", "'GGB'", "share pin 5", "bank is on", "undo is on")
    assert [word in problem for word, problem in zip(words, problems, strict=True)] == [True] * 6
