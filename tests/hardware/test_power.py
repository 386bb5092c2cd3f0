"""Power: gamma, white balance, the current limit, and hues that survive it."""

from __future__ import annotations

import colorsys
import random

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.palette import PLAYERS
from hardware.pictures.lights import colours, hole_by_hole
from hardware.power import Power, cabling, in_steps, supply_problem
from hardware.settings import PowerSettings, StripSettings
from hardware.track import PRESETS, preset


def white(leds: int) -> NDArray[np.float32]:
    return np.ones((leds, 3), np.float32)


def hues(light: NDArray[np.float32]) -> NDArray[np.float64]:
    """Hue of each LED in degrees, as `colorsys` works it out, for all at once."""
    r, g, b = (light[:, k].astype(np.float64) for k in range(3))
    most, chroma = light.max(axis=1), np.maximum(np.ptp(light, axis=1).astype(np.float64), 1e-9)
    sector = np.where(most == r, (g - b) / chroma, np.where(most == g, 2 + (b - r) / chroma, 4 + (r - g) / chroma))
    return np.asarray(60 * sector % 360, np.float64)


def test_the_hue_helper_of_the_led_power_tests_agrees_with_colorsys() -> None:
    light = np.random.default_rng(1).random((500, 3), dtype=np.float32)
    wanted = np.array([360 * colorsys.rgb_to_hsv(*map(float, led))[0] for led in light])
    assert apart(hues(light), wanted).max() < 1e-3


def apart(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.abs((a - b + 180) % 360 - 180)


def test_gamma_turns_half_perceived_brightness_into_led_level_42_of_255() -> None:
    frame_rgb, _ = Power(PowerSettings(brightness=1, white=(1, 1, 1))).limited(np.full((1, 3), 0.5, np.float32))
    assert frame_rgb.tolist() == [[42, 42, 42]]  # 255 x 0.5 ** 2.6 = 42.06


def test_one_white_led_is_estimated_to_draw_61_milliamperes() -> None:
    power = Power(PowerSettings(brightness=1, white=(1, 1, 1)))
    frame_rgb, drawn_ma = power.limited(white(1))
    assert (frame_rgb.tolist(), drawn_ma) == ([[255, 255, 255]], 61)  # 3 x 20 mA + 0.6 mA, rounded up


def test_full_white_of_363_leds_is_scaled_to_two_amperes_and_stays_white() -> None:
    frame_rgb, drawn_ma = Power(PowerSettings(brightness=1, white=(1, 1, 1))).limited(white(363))
    # (2000 - 363 x 0.6) mA / (363 x 60 mA) = 0.0818 of 255 = 20.9; 21 would draw 2011 mA.
    assert np.unique(frame_rgb, axis=0).tolist() == [[20, 20, 20]]
    assert 1900 < drawn_ma <= 2000


@pytest.mark.parametrize(("leds", "frames"), [(1, 1000), (122, 2000), (363, 3000)])
def test_random_led_frames_stay_within_the_current_limit_and_keep_hues(leds: int, frames: int) -> None:
    power, rng, judged, limited = Power(PowerSettings(brightness=1)), np.random.default_rng(leds), 0, 0
    for _ in range(frames):
        look = rng.random((leds, 3), dtype=np.float32) * np.float32(rng.random() * 1.2)
        frame_rgb, drawn_ma = power.limited(look)
        assert power.milliamps(frame_rgb) <= drawn_ma <= 2000
        # By the data sheet, without our own sum: 20 mA for a full colour, 0.6 mA for a dark LED's chip.
        assert int(frame_rgb.sum(dtype=np.uint32)) * 20 / 255 + leds * 0.6 <= 2000
        wanted = power.light(look)
        limited += float(wanted.sum()) * 20 / 255 + leds * 0.6 > 2000
        # An LED sent as a pure grey has no hue; nor has one whose colours differ by less than half a step of light.
        coloured = (np.ptp(frame_rgb, axis=1) > 0) & (np.ptp(wanted, axis=1) > 0.5)
        assert apart(hues(wanted[coloured]), hues(frame_rgb[coloured])).max(initial=0.0) <= 2.0
        judged += int(coloured.sum())
    assert judged > 0.5 * frames * leds
    assert limited > 0.3 * frames or leds < 363, "the limit was at work"


def test_the_led_white_balance_setting_dims_green_and_blue() -> None:
    frame_rgb, _ = Power(PowerSettings(brightness=1, white=(1.0, 0.5, 0.75))).limited(white(1))
    assert frame_rgb[0].tolist() == pytest.approx([255, 127.5, 191.25], abs=2)


def test_player_colours_on_leds_keep_their_hues_when_dimmed() -> None:
    full = Power(PowerSettings(brightness=1)).light(np.array(PLAYERS, np.float32))
    for part in np.linspace(0.06, 1.0, 60):
        dim = (full * part).astype(np.float32)
        frame_rgb = in_steps(dim)
        assert frame_rgb.max(axis=1).min() > 0, "none goes dark"
        assert apart(hues(dim), hues(frame_rgb.astype(np.float32))).max() <= 2.0


def test_rounding_an_led_colour_raises_its_brightest_channel_to_at_most_twice_its_value_plus_1() -> None:
    light = (np.random.default_rng(3).random((5000, 3)) * 12).astype(np.float32)
    assert (in_steps(light).max(axis=1) <= 2 * light.max(axis=1) + 1).all()


def test_full_white_leds_obey_the_current_limit_in_any_accepted_settings() -> None:
    """Currents are those of a real LED at its least (WS2812B-V5: 12 mA a colour, 0.6 mA idle), not the settings'."""
    rng, layouts, accepted = random.Random(4), [preset(name) for name in PRESETS], 0
    while accepted < 2000:
        layout = layouts[accepted % len(layouts)]
        tree = {
            "brightness": rng.choice([rng.uniform(0, 1.2), 1]),
            "gamma": rng.uniform(0.9, 4.1),
            "white": [rng.uniform(0, 1.1) for _ in range(3)] if rng.random() < 0.5 else [1, 1, 1],
            "limit_ma": rng.choice([rng.randint(0, 400), rng.randint(0, 70_000)]),
            "channel_ma": rng.choice([rng.uniform(-1, 110), rng.uniform(11, 21), 12, 0]),
            "idle_ma": rng.choice([rng.uniform(-1, 6), rng.uniform(0.5, 1), 0.6, 0]),
        }
        try:
            settings = msgspec.convert(tree, PowerSettings)
        except msgspec.ValidationError:
            continue
        if supply_problem(settings, layout.leds) is not None:
            continue
        accepted += 1
        frame_rgb, told_ma = Power(settings).limited(white(layout.leds))
        real_ma = int(frame_rgb.sum(dtype=np.int64)) / 255 * 12 + layout.leds * 0.6
        assert real_ma <= told_ma <= settings.limit_ma, (tree, layout.name)


def test_a_current_limit_below_what_the_led_strip_draws_while_dark_is_reported() -> None:
    assert supply_problem(PowerSettings(limit_ma=218), 363) is None
    wrong = supply_problem(PowerSettings(limit_ma=217), 363)
    assert wrong is not None
    assert "218 mA" in wrong


@pytest.mark.parametrize("layout", PRESETS)
def test_led_test_patterns_stay_within_the_current_limit_with_60_ma_per_colour_channel(layout: str) -> None:
    settings = StripSettings(channel_ma=60.0, idle_ma=1.0)
    for _, frame_rgb in (*colours(preset(layout), settings), *hole_by_hole(preset(layout), settings)):
        assert frame_rgb.any()
        assert Power(settings).milliamps(frame_rgb) <= settings.limit_ma


def test_a_current_limit_below_the_dark_strips_draw_keeps_all_leds_dark() -> None:
    frame_rgb, _ = Power(PowerSettings(brightness=1, limit_ma=100)).limited(white(363))
    assert not frame_rgb.any()


@pytest.mark.parametrize("limit_ma", [100, 900, 1000, 2000, 2001, 4000, 8000, 22_000, 60_000])
def test_led_cabling_has_fuses_within_wire_ratings_and_a_supply_with_25_percent_reserve(limit_ma: int) -> None:
    cables = cabling(limit_ma)
    feed_a = limit_ma / 1000 / cables.feeds
    assert feed_a < cables.fuse_a <= {0.5: 3.0, 0.75: 6.0}[cables.wire_mm2]  # DIN VDE 0298: single flexible leads
    assert cables.supply_a >= 1.25 * limit_ma / 1000
    assert feed_a <= 2.0
