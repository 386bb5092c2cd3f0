"""Impossible wiring is refused, all of it at once, with what to change."""

from __future__ import annotations

from hardware.settings import ButtonSettings, StripSettings
from hardware.wiring import wiring_problems

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


def test_a_ws281x_strip_on_a_pi_5_is_a_wiring_problem_with_advice() -> None:
    (problem,) = wiring_problems("ws281x", StripSettings(), None, PI_5)
    assert "spi or pio" in problem


def test_all_wiring_problems_are_reported_together() -> None:
    strip = StripSettings(pin=5, order="GGB", spi_bits=7)
    problems = wiring_problems("ws281x", strip, ButtonSettings(bank=5, undo=5), PI_5)
    assert len(problems) == 7
