"""Cost of a frame of light: composed, limited and encoded for SPI, for the three lanes of the cribbage board."""

from __future__ import annotations

import statistics
import time

from hardware.power import Power
from hardware.scenes import compose
from hardware.settings import PowerSettings
from hardware.strips.ws2812 import encoded
from hardware.track import preset
from hardware.view import BoardView, Moment, Peg

FRAMES = 400
RATE_HZ = 60


def measure() -> dict[str, float]:
    """`leds_frame_ms`: median time of a frame of 363 LEDs while pegs move and breathe, on one core."""
    layout, power = preset("board3x121"), Power(PowerSettings(brightness=1.0))
    costs_ms = []
    for frame in range(FRAMES):
        at_s = frame / RATE_HZ
        # A new throw runs out every second and a half: there is always a peg on its way or a lit way behind one.
        begun = time.perf_counter()
        look = compose(moving(at_s), layout, at_s)
        frame_rgb, _ = power.limited(look)
        encoded(frame_rgb)
        costs_ms.append(1000 * (time.perf_counter() - begun))
    return {"leds_frame_ms": round(statistics.median(costs_ms), 3)}


def moving(at_s: float) -> BoardView:
    """Six pegs on three lanes, one of them running out a throw of thirty holes."""
    thrown_s = at_s - at_s % 1.5
    pegs = (Peg(0, 43, 73), *(Peg(colour, 20 * colour, 20 * colour) for colour in range(1, 6)))
    return BoardView(pegs=pegs, to_play=0, mood="read", moments=(Moment("throw", thrown_s, 0, 43, 73),))
