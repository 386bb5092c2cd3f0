"""The guided first evening tests strip, buttons, sound, phones and the machine, and reports each that is ill."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.diagnostics.first_evening import steps
from companion.diagnostics.first_evening.holding import phones_joined
from companion.diagnostics.health import Finding
from hardware.settings import ButtonSettings, StripSettings
from tests.diagnostics.guided import BROKEN, STEPS, FakeButtons, RealStrip, Table, is_ill, told


@pytest.mark.parametrize(
    ("denied", "part", "words"),
    [
        ("red, green, blue", "LED colours", ("SPI coding", "level shifter")),
        ("walk through every hole", "LED by LED", ("mend the joint",)),
    ],
)
def test_the_first_evening_check_reports_leds_that_the_user_sees_wrong(
    denied: str, part: str, words: tuple[str, ...], table: Table
) -> None:
    table.person.denies = (denied,)
    shown: list[RealStrip] = []

    def opened(_kind: str, leds: int, _wired: StripSettings) -> RealStrip:
        shown.append(RealStrip(leds))
        return shown[-1]

    evening = table.held(open_strip=opened)
    assert is_ill(evening, part, *words)
    assert shown[0].shown == 4 + 122


def test_the_led_step_of_the_first_evening_check_reports_rising_progress_up_to_its_total(table: Table) -> None:
    ticks: list[tuple[int, int]] = []
    list(steps.leds(table.held(), lambda done, of: ticks.append((done, of))))
    assert ticks == [(number, 126) for number in range(1, 127)]


@pytest.mark.parametrize("broken_at", [0, 60])
def test_the_first_evening_check_reports_an_led_strip_failing_while_lit(broken_at: int, table: Table) -> None:
    def opened(_kind: str, leds: int, _wired: StripSettings) -> RealStrip:
        strip = RealStrip(leds)
        strip.broken_at = broken_at
        return strip

    assert is_ill(table.held(open_strip=opened), "LEDs", "Plug it in")


@pytest.mark.parametrize(
    ("heard", "part", "words"),
    [
        (["bank", "bank", "next"], "button undo", ("GPIO27", "bank was heard")),
        (["bank", "undo"], "button next", ("GPIO22", "nothing was heard")),
    ],
)
def test_first_evening_check_reports_the_gpio_pin_of_a_miswired_or_dead_button(
    heard: list[str], part: str, words: tuple[str, ...], table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{STEPS}.PRESS_WAIT_S", 0.01)
    table.settings = {"buttons": {"kind": "gpio"}}
    buttons = FakeButtons(heard)
    table.person.pressing = buttons.asked
    evening = table.held(open_buttons=lambda _kind, _wired: buttons)
    assert is_ill(evening, part, *words)
    assert told(evening, "button bank").ok


def test_the_first_evening_button_checks_all_pass_even_if_the_bank_button_is_pressed_twice(table: Table) -> None:
    table.settings = {"buttons": {"kind": "gpio"}}
    buttons = FakeButtons(["bank bank", "undo", "next"])
    table.person.pressing = buttons.asked
    evening = table.held(open_buttons=lambda _kind, _wired: buttons)
    assert all(told(evening, f"button {name}").ok for name in ("bank", "undo", "next"))


def test_the_first_evening_check_reports_buttons_that_cannot_be_opened(table: Table) -> None:
    table.settings = {"buttons": {"kind": "gpio"}}

    def opened(_kind: str, _wired: ButtonSettings) -> FakeButtons:
        return FakeButtons([], BROKEN)

    assert is_ill(table.held(open_buttons=opened), "button presses", "Plug it in")


def test_the_first_evening_check_reports_a_sound_not_played_or_not_heard(table: Table) -> None:
    table.settings = {"sound": {"effects": True}}
    assert is_ill(table.held(play=lambda _wav: "No sound card. Plug one in."), "sounds", "Plug one in")
    table.person.denies = ("hear a short tone",)
    assert is_ill(table.held(play=lambda _wav: None), "sound", "alsamixer")
    table.person.denies = ()
    assert told(table.held(play=lambda _wav: None), "sounds").ok


def test_the_first_evening_check_reports_if_a_phone_cannot_join_the_tables_wi_fi(table: Table) -> None:
    evening = table.held(clients=lambda: 0)
    assert is_ill(evening, "phones", "No phone is on the table's own Wi-Fi.", "router")
    assert "Others" not in told(evening, "phones").says
    table.person.denies = ("all that tried",)
    assert is_ill(table.held(clients=lambda: 7), "phones", "7 phones", "router")
    table.person.denies = ()
    assert told(table.held(clients=lambda: 7), "phones").ok


def test_the_first_evening_check_counts_phones_on_the_access_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    iw = tmp_path / "iw"
    listed = (
        "phy#0\n\tInterface uap0\n\t\ttype managed\n\tInterface wlan0\n\t\ttype AP\n"
        "phy#1\n\tInterface wlan1\n\t\ttype managed\n"
    )
    stations = "Station aa:bb (on wlan0)\n\tinactive time: 3 ms\nStation cc:dd (on wlan0)\n"
    script = f"""#!/bin/sh
case "$*" in
dev) printf '{listed}' ;;
'dev wlan0 station dump') printf '{stations}' ;;
*) printf 'Station 00:11 (the router)\\n' ;;
esac
"""
    iw.write_text(script)
    iw.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert phones_joined() == 2
    monkeypatch.setenv("PATH", "/nowhere")
    assert phones_joined() is None


def test_the_first_evening_check_reports_a_hot_processor_and_weak_supply(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    weak = Finding("power", False, "The supply's voltage has been too low.", "Use the Pi's own supply.")
    monkeypatch.setattr(f"{STEPS}.check_power", lambda **_: weak)
    heats = iter([50.0, 84.0, *[60.0] * 50])
    evening = table.held(temperature=lambda: next(heats))
    assert is_ill(evening, "temperature", "84 °C", "heat sink")
    assert is_ill(evening, "power under load", "own supply")
