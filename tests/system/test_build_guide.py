"""docs/build.md: its settings load, its numbers are worked out, its pictures are there and drawn from the settings."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from companion.settings import load as config
from hardware.pictures.plans import drilling_template, wiring_map
from hardware.pictures.wires import wiring_diagram
from hardware.settings import StripSettings
from hardware.strips.ws2812 import bytes_for
from hardware.track import PRESETS, preset
from hardware.wiring import wiring_problems
from vision.cameras.field import MODULES, height_mm
from vision.cameras.picamera import SIZE_WH

DOCS = Path(__file__).resolve().parents[2] / "docs"
GUIDE = (DOCS / "build.md").read_text(encoding="utf-8")


@pytest.fixture
def settings(tmp_path: Path) -> config.Settings:
    example = re.search(r"```toml\n(.*?)```", GUIDE, re.DOTALL)
    assert example is not None
    (tmp_path / "pegpip.toml").write_text(example[1])
    return config.load(tmp_path / "pegpip.toml", {})


def test_the_example_settings_load_and_their_wiring_can_work(settings: config.Settings) -> None:
    strip = settings.strip
    assert wiring_problems(strip.kind, strip, settings.buttons, "Raspberry Pi 5 Model B Rev 1.0") == []


def test_the_wiring_picture_is_that_of_the_example_settings(settings: config.Settings) -> None:
    drawn = wiring_diagram(
        settings.strip.kind, StripSettings(pin=settings.strip.pin), settings.buttons.pins, settings.strip.limit_ma
    )
    assert (DOCS / "img" / "wiring.svg").read_text(encoding="utf-8") == drawn


def test_template_and_map_are_those_of_the_layout() -> None:
    board = preset("board3x121")
    assert (DOCS / "img" / "template-board3x121.svg").read_text(encoding="utf-8") == drilling_template(board)
    assert (DOCS / "img" / "map-board3x121.svg").read_text(encoding="utf-8") == wiring_map(board)


def test_camera_heights_follow_from_the_field_of_each_module() -> None:
    angles = [one.angle_deg(SIZE_WH) for one in MODULES]
    (head,) = re.findall(r"^\| tray width \|(.*)\|$", GUIDE, re.MULTILINE)
    assert re.findall(r"\((\d+\.\d)°\)", head) == [f"{angle:.1f}" for angle in angles]
    rows = re.findall(r"^\| (\d+) mm \|((?: \d+ mm \|){6})$", GUIDE, re.MULTILINE)
    assert len(rows) == 5
    for width, heights in rows:
        wanted = [f"{height_mm(int(width), angle):.0f}" for angle in angles]
        assert re.findall(r"(\d+) mm", heights) == wanted


def test_the_number_of_leds_in_one_transfer_is_right() -> None:
    assert "4,096 bytes holds 435 LEDs" in GUIDE
    assert bytes_for(435, 3) <= 4096 < bytes_for(436, 3)


def test_every_layout_is_told_and_every_picture_is_there_and_small() -> None:
    assert all(f"`{name}`" in GUIDE for name in PRESETS)
    pictures = [DOCS / name for name in re.findall(r"\]\((img/[^)]+)\)", GUIDE)]
    assert len(pictures) >= 5
    assert all(0 < picture.stat().st_size < 150_000 for picture in pictures)
