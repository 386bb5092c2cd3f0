"""Cost of the board's light for 363 LEDs, and how soon a pressed button shows in it."""

from __future__ import annotations

import os
import statistics
import threading
import time

from hardware.board import Board
from hardware.buttons import Touch
from hardware.buttons.keys import KeyButtons
from hardware.power import Power
from hardware.scenes import compose
from hardware.settings import PowerSettings
from hardware.strips import FrameRGB
from hardware.strips.memory import MemoryStrip
from hardware.strips.ws2812 import encoded
from hardware.track import preset
from hardware.view import BoardView, Moment, Peg

SECONDS = 10.0
"""Length of the measured animation in seconds. Longer: steadier times, a longer bench. The count `leds_shown` grows
with it, so counts of different lengths can't be compared."""
RATE_HZ = 60
"""Frames drawn for each second of the LED animation, to measure `leds_frame_ms`, their median time. Higher: a steadier
median, a longer bench."""
PRESSES = 9
"""Button presses whose median is reported. More: a steadier figure, a longer bench."""
LAYOUT, POWER = preset("board3x121"), Power(PowerSettings(brightness=1.0))
"""Layout of the measured LED board, three lanes of 121 holes, and its current limiter at full brightness."""
LIGHT_TIMEOUT_S = 60.0
"""Longest wait in seconds from a button press to the strip's first lit LED. A press that lights none counts as this
long. Longer: a broken board takes longer to show."""


def measure(seconds: float = SECONDS, presses: int = PRESSES) -> dict[str, float]:
    """Measure the cost of `seconds` of an animation on 363 LEDs, and the delay from `presses` key presses to light.

    The strip and the animation's clock are simulated.

    Returns:
        `leds_frame_ms`: median time to compose, limit and encode a frame for SPI, on one core. `leds_shown`:
        number of frames that the driver sends in `seconds`. `leds_core_share`: the driver's processor time,
        divided by `seconds`. `button_light_ms`: median time from a key press to the lit strip, through the real
        threads of keys and board.
    """
    shown, share = driver(seconds)
    frames_ms = [frame_ms(frame / RATE_HZ) for frame in range(int(seconds * RATE_HZ))]
    return {
        "leds_frame_ms": round(statistics.median(frames_ms), 3),
        "leds_shown": shown,
        "leds_core_share": round(share, 4),
        "button_light_ms": round(statistics.median(press_ms() for _ in range(presses)), 1),
    }


def frame_ms(at_s: float) -> float:
    """Return the milliseconds to compose, limit and encode the board's frame at second `at_s` of the animation."""
    begun = time.perf_counter()
    frame_rgb, _ = POWER.limited(compose(moving(at_s), LAYOUT, at_s))
    encoded(frame_rgb)
    return 1000 * (time.perf_counter() - begun)


def driver(seconds: float) -> tuple[int, float]:
    """Let a `Board` draw the first `seconds` of the bench's animation (`moving`), on a simulated clock and into memory.

    Return the number of frames that the strip was sent, and the calling thread's processor time as a share of
    `seconds`.
    """
    now_s, strip = [0.0], _Encoding(LAYOUT.leds)
    board = Board(strip, LAYOUT, POWER, lambda: now_s[0])
    spent_s = time.thread_time()
    while now_s[0] < seconds:
        board.show(moving(now_s[0]))
        now_s[0] += max(1e-4, board.step())
    return strip.shown, (time.thread_time() - spent_s) / seconds


def press_ms() -> float:
    """Return the milliseconds from a key press on a pseudo-terminal until LED 0 of a simulated strip is lit.

    The threads of the keys and the board really run. If LED 0 stays dark, the result is about 1000 * LIGHT_TIMEOUT_S.
    """
    strip = _Encoding(122)
    board = Board(strip, preset("strip122"), POWER)
    board.show(BoardView(pegs=(Peg(0, 10, 10),), mood="ready"))
    ours, theirs = os.openpty()
    with os.fdopen(theirs, "r") as terminal:
        buttons = KeyButtons(terminal)
        board.start()
        buttons.start(lambda _: None, lambda touch: _acknowledge(board, touch))
        begun = time.perf_counter()
        os.write(ours, b"b")
        strip.first_lit.wait(LIGHT_TIMEOUT_S)
        took_ms = 1000 * (time.perf_counter() - begun)
        buttons.stop()
        board.stop()
    os.close(ours)
    return took_ms


def _acknowledge(board: Board, touch: Touch) -> None:
    """Flash the board for a button that goes down."""
    if touch.down:
        board.acknowledge()


class _Encoding(MemoryStrip):
    """A memory strip that also encodes each frame for SPI, and sets `first_lit` when its first LED is lit."""

    def __init__(self, leds: int) -> None:
        super().__init__(leds)
        self.first_lit = threading.Event()

    def show(self, frame_rgb: FrameRGB) -> None:
        super().show(frame_rgb)
        encoded(frame_rgb)
        if frame_rgb[0].any():
            self.first_lit.set()


def moving(at_s: float) -> BoardView:
    """Return the board's view at a second of the animation: six pegs, one of which runs thirty holes each 1.5 s."""
    thrown_s = at_s - at_s % 1.5
    pegs = (Peg(0, 43, 73), *(Peg(colour, 20 * colour, 20 * colour) for colour in range(1, 6)))
    return BoardView(pegs=pegs, to_play=0, mood="read", moments=(Moment("run", thrown_s, 0, 43, 73, holes=6),))
