"""Wiring in the settings file: custom layouts, and wiring problems that are reported before anything starts."""

from __future__ import annotations

from pathlib import Path
from typing import get_type_hints

import pytest
import tomlkit
from click.testing import CliRunner

from companion.app import build
from companion.commands.leds import command as leds
from companion.errors import SetupError
from companion.settings import load as config
from companion.settings.starting import Starting
from hardware.settings import PowerSettings
from hardware.track import layout_of


def settings(tmp_path: Path, text: str) -> config.Settings:
    file = tmp_path / "pegpip.toml"
    file.write_text(text)
    return config.load(file, {"data": {"dir": str(tmp_path)}, "web": {"port": 0, "host": "127.0.0.1"}})


def refused(wrong: config.Settings, tmp_path: Path) -> str:
    """Return all problems for which no table is built from these settings, a line each."""
    with pytest.raises(SetupError) as refused:
        build(Starting(wrong, config.Origin(tmp_path / "pegpip.toml")))
    return "\n".join(refused.value.problems)


def test_a_custom_led_layout_is_built_from_the_track_settings(tmp_path: Path) -> None:
    own = settings(tmp_path, "[strip]\nlayout = 'own'\n[track]\nleds = 140\nlanes = ['139-80,75-14']\n")
    layout = layout_of("own", own.track)
    assert (layout.name, layout.leds, layout.holes) == ("own", 140, 120)
    assert (layout.lanes[0][0], layout.lanes[0][60], layout.lanes[0][121]) == ((139,), (75,), (14,))


def test_the_settings_file_accepts_the_default_values_of_every_section(tmp_path: Path) -> None:
    """A section is the part's own struct: `Settings` adds nothing and leaves out nothing."""
    for section, kind in get_type_hints(config.Settings).items():
        part = kind()
        written = {key: getattr(part, key) for key in kind.__struct_fields__ if getattr(part, key) is not None}
        (tmp_path / "pegpip.toml").write_text(tomlkit.dumps({section: written}))
        assert getattr(config.load(tmp_path / "pegpip.toml", {}), section) == part
        assert kind.__module__ != config.__name__, "a part declares its settings beside it"


def test_a_ready_made_led_layout_needs_no_track_section_in_the_settings(tmp_path: Path) -> None:
    assert layout_of("matrix16", settings(tmp_path, "").track).leds == 256


def test_led_colour_order_led_pin_and_button_pins_are_read_from_the_settings(tmp_path: Path) -> None:
    wired = settings(tmp_path, "[strip]\norder = 'rgb'\npin = 21\n[buttons]\nbank = 5\n")
    assert (wired.strip.order, wired.strip.pin) == ("RGB", 21)
    assert wired.buttons.pins == {"bank": 5, "undo": 27, "next": 22}


def test_led_brightness_gamma_white_and_limit_are_read_from_the_settings(tmp_path: Path) -> None:
    asked = "[strip]\nbrightness = 0.5\nlimit_ma = 900\ngamma = 2.2\nwhite = [0.9, 0.8, 1.0]\n"
    strip = settings(tmp_path, asked).strip
    assert (strip.brightness, strip.gamma, strip.white, strip.limit_ma) == (0.5, 2.2, (0.9, 0.8, 1.0), 900)
    assert settings(tmp_path, "").strip.gamma == PowerSettings().gamma


def test_led_gamma_and_white_settings_out_of_range_are_both_reported(tmp_path: Path) -> None:
    with pytest.raises(SetupError) as refused:
        settings(tmp_path, "[strip]\ngamma = 9\nwhite = [0.9, 0.8, 2.0]\n")
    assert [problem.split()[1] for problem in refused.value.problems] == ["`gamma`", "`white`"]


def test_all_wiring_problems_are_reported_at_once_with_their_cures(tmp_path: Path) -> None:
    wrong = settings(
        tmp_path,
        "[strip]\nkind = 'spi'\nlayout = 'own'\norder = 'GRX'\n"
        "[track]\nleds = 100\nlanes = ['0-121', '5-90']\n"
        "[buttons]\nkind = 'gpio'\nbank = 10\nundo = 4\nnext = 4\n",
    )
    told = refused(wrong, tmp_path)
    for words in (
        "'GRX' is no order",
        "undo share pin 4",
        "bank is on pin 10",
        "Lane 2 names 86 LEDs, but 120 holes with their pockets need 122; add 36",
        "set leds = 122 or shorten",
        "are mapped twice",
    ):
        assert words in told


def test_startup_on_a_pi_5_reports_all_wrong_settings_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.service.opening.model", lambda: "Raspberry Pi 5 Model B Rev 1.0")
    wrong = settings(
        tmp_path,
        "[strip]\nkind = 'ws281x'\npin = 18\nlayout = 'own'\n"
        "[track]\nleds = 50\nlanes = ['0-121', '100-160']\n"
        "[buttons]\nkind = 'gpio'\nbank = 18\nshutdown = 3\n"
        "[camera]\nsource = 'virtal'\n",
    )
    told = refused(wrong, tmp_path)
    for words in (
        "ws281x does not work on a Raspberry Pi 5; use spi or pio",
        "bank is on pin 18, which is the strip's data; move the button",
        "set leds = ",
        "are mapped twice",
        "set shutdown_command",
        "'virtual'",
    ):
        assert words in told, told


def test_a_track_lane_of_a_billion_leds_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="is no list of LEDs"):
        layout_of("own", settings(tmp_path, "[strip]\nlayout = 'own'\n[track]\nlanes = ['0-999999999']\n").track)


def test_the_leds_map_and_leds_design_commands_draw_a_layout_from_the_settings(tmp_path: Path) -> None:
    settings(tmp_path, "[strip]\nlayout = 'own'\n[track]\nleds = 12\nlanes = ['0-11']\nholes = 10\nrow_holes = 5\n")
    for words in (["map"], ["map", "--out", f"{tmp_path}/m.svg"], ["design", "--out", f"{tmp_path}/d.svg"]):
        done = CliRunner().invoke(leds, [*words, "--config", str(tmp_path / "pegpip.toml")])
        assert done.exit_code == 0, done.output
    assert "hole 10" in (tmp_path / "m.svg").read_text()
    assert "<svg" in (tmp_path / "d.svg").read_text()
