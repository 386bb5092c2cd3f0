"""What `pegpip bench --only leds` measures: an animated board, drawn by the driver, and a press that becomes light."""

from __future__ import annotations

import itertools

import numpy as np

from companion.bench.leds import measure, moving
from hardware.scenes import compose
from hardware.track import preset


def test_the_led_bench_animation_changes_in_at_least_50_of_60_frames() -> None:
    layout = preset("board3x121")
    frames = [compose(moving(k / 60), layout, k / 60) for k in range(60)]
    assert sum(not np.array_equal(a, b) for a, b in itertools.pairwise(frames)) >= 50


def test_the_led_benchmark_measures_the_frame_time_and_the_button_press_to_light_delay() -> None:
    figures = measure(seconds=1.0, presses=1)
    assert figures["leds_shown"] > 40
    assert all(figures[key] > 0 for key in ("leds_frame_ms", "leds_core_share", "button_light_ms"))
