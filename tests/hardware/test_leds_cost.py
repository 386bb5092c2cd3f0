"""The cost of a frame of light, as `pegpip bench` measures it."""

from __future__ import annotations

import itertools

import numpy as np

from companion.bench.leds import measure, moving
from hardware.scenes import compose
from hardware.track import preset


def test_what_is_measured_moves_from_frame_to_frame() -> None:
    layout = preset("board3x121")
    frames = [compose(moving(k / 60), layout, k / 60) for k in range(60)]
    assert sum(not np.array_equal(a, b) for a, b in itertools.pairwise(frames)) >= 50


def test_a_frame_of_363_leds_costs_a_few_milliseconds_at_the_very_most() -> None:
    # The goal is 1.0 ms on an idle core; a machine under load gets room, a slip to per-LED Python does not.
    assert 0 < measure()["leds_frame_ms"] < 5.0
