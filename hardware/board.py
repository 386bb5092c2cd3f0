"""The board: a thread of its own draws the newest view and sends it to the strip.

The table never waits for the strip. A strip that fails is opened again every two seconds; meanwhile `health` says what
is wrong, and the page still gets the newest frame.
"""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from companion.errors import DeviceError
from hardware.power import Power
from hardware.scenes import compose, next_change_s
from hardware.strips import Strip
from hardware.track import Layout, Place
from hardware.view import BoardView, Code, Moment

MIN_FRAME_S = 1 / 60
"""Least time between two frames, in seconds. Longer makes animations jerky; shorter is not seen and costs power."""
REFRESH_S = 1.0
"""Seconds after which an unchanged frame is sent again. It heals glitches, and keeps a WLED controller from returning
to its own effect, as it does after 2.5 s. A shorter interval costs processor time."""
RETRY_S = 2.0
"""Seconds between two attempts to open a strip that failed. Longer keeps the board dark after the fault is mended."""
STUCK_S = 10.0
"""Seconds since the drawing thread's last step after which `health` reports that the strip hangs. A network strip may
block for some seconds. Longer reports a hanging strip later."""
PROVEN_S = 1.5
"""Seconds that a reopened strip must work before `health` no longer reports its fault. Above REFRESH_S, because UDP
reports a lost packet only at the next packet. Longer shows a fault that is mended; shorter may hide one for a
moment."""


@dataclass(frozen=True, slots=True)
class BoardFrame:
    """The frame that the strip shows.

    Attributes:
        leds: Red, green, blue as sent, 0 to 255, linear in light; a screen shows `(value / 255) ** (1 / 2.6)`.
        milliamps: Estimated current of the whole strip, in mA.
    """

    leds: list[tuple[int, int, int]]
    milliamps: int


class Board:
    """Draws views of the table on a strip, from a thread of its own.

    Args:
        strip: The strip; it is opened and closed here.
        layout: Which LEDs light which hole; it has as many LEDs as the strip.
        power: Brightness and current limit.
        clock: Returns the time in seconds; monotonic.
    """

    def __init__(self, strip: Strip, layout: Layout, power: Power, clock: Callable[[], float] = time.monotonic) -> None:
        self._strip, self._layout, self._power, self._clock = strip, layout, power, clock
        self._lock = threading.Condition()
        self._view = BoardView()
        self._own_moments: dict[str, Moment] = {}
        self._code: Code | None = None
        self._capturing = self._night = False
        self._laid: tuple[Strip, Layout] | None = None
        self._fresh = True
        self._running = False
        self._thread: threading.Thread | None = None
        self._frame_rgb = np.zeros((layout.leds, 3), np.uint8)
        self._milliamps = 0
        self._lit, self._lit_s = False, -math.inf
        self._drawn_s = self._sent_s = -math.inf
        self._due_s = self._retry_s = -math.inf
        self._round_s = -math.inf
        self._illness: DeviceError | None = None

    def show(self, view: BoardView) -> None:
        """Show a view of the table from the next frame on. Never waits for the strip."""
        if view != self._view:
            with self._changing():
                self._view = view

    def apply(self, power: Power, *, night: bool) -> None:
        """Use another brightness and current limit, and dim all views or none, from the next frame on."""
        with self._changing():
            self._power, self._night = power, night

    def lay(self, strip: Strip, layout: Layout) -> None:
        """Use another strip and layout from the next frame on; the present strip goes dark and is closed."""
        with self._changing():
            self._laid = (strip, layout)

    def acknowledge(self) -> None:
        """Flash the board in amber to acknowledge a button, before the table acts on it. Never waits for the strip."""
        with self._changing():
            self._own_moments["press"] = Moment("press", self._clock())

    def count_down(self, *, on: bool) -> None:
        """Begin the countdown of the held shutdown button (True), or end it (False). Never waits for the strip."""
        with self._changing():
            self._own_moments.pop("countdown", None)
            if on:
                self._own_moments["countdown"] = Moment("countdown", self._clock())

    def show_code(self, dice: tuple[int, ...], for_s: float) -> None:
        """Show a code of dice for `for_s` seconds, to compare with a phone's; an empty `dice` ends it. Never waits."""
        with self._changing():
            self._code = Code(dice, self._clock() + for_s) if dice else None

    def capture(self, on: bool) -> None:
        """Dim and freeze the board while a photo is taken (True), or show it as usual (False). Never waits."""
        with self._changing():
            self._capturing = on

    def latest(self) -> BoardFrame:
        """Return the newest frame and its current, also while the strip has failed."""
        with self._lock:
            frame_rgb, milliamps = self._frame_rgb, self._milliamps
        return BoardFrame([(r, g, b) for r, g, b in frame_rgb.tolist()], milliamps)

    def spots(self) -> tuple[Place, ...]:
        """Return the position (x, y) of each LED in millimetres, as in `Layout.places_mm`."""
        return self._layout.places_mm

    def health(self) -> tuple[bool, str]:
        """Return whether the LED strip works, and a sentence for the page.

        The sentence names the fault and its cure, or the strip's size and current. A driver that has not answered for
        STUCK_S is a fault.
        """
        silent_s = self._clock() - self._round_s
        if self.alive() and silent_s >= STUCK_S:
            what = f"The {self._strip.name} strip has not answered for {silent_s:.0f} s."
            return False, f"{what} Check its cable, power or network; restart the table if it stays like that."
        if (ill := self._illness) is not None:
            return False, str(ill)
        return True, f"{self._strip.name} strip of {self._strip.leds} LEDs, {self._milliamps} mA"

    def alive(self) -> bool:
        """Return whether the drawing thread runs, or hangs in the strip's driver, which is not made for two threads."""
        return self._thread is not None and self._thread.is_alive()

    def start(self) -> None:
        """Start the thread that opens the strip, draws frames and sends them.

        Has no effect while the thread runs. If `stop` left it hanging in the strip's driver, no second thread is
        started: the old one goes on drawing once the driver returns.
        """
        with self._lock:
            self._running = self._fresh = True
            self._lock.notify()
        if self.alive():
            return
        self._round_s = self._clock()
        self._thread = threading.Thread(target=self._run, name="board", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop the drawing thread, which switches all LEDs off and closes the strip. Waits for at most 5 s."""
        with self._lock:
            self._running = False
            self._lock.notify()
        if self._thread is not None:
            self._thread.join(timeout=5.0)

    def step(self) -> float:
        """Do what is due: change to the strip given to `lay`, draw a frame, open the strip, send the frame to it.

        Return the seconds until the next step is due. A failure of the strip is not raised: `health` reports it, and
        the strip is opened again after RETRY_S. Only the drawing thread calls this.
        """
        now_s = self._round_s = self._clock()
        with self._lock:
            moments = (*self._view.moments, *self._own_moments.values())
            capturing = self._capturing or self._view.capturing
            view = replace(self._view, moments=moments, night=self._night, capturing=capturing, code=self._code)
            fresh, laid = self._fresh, self._laid
            self._fresh, self._laid = False, None
        if laid is not None:
            self._change(*laid)
        if fresh:
            self._due_s = now_s
        changed = now_s >= max(self._due_s, self._drawn_s + MIN_FRAME_S) and self._draw(view, now_s)
        self._drive(now_s, changed=changed)
        draw_s = max(self._due_s, self._drawn_s + MIN_FRAME_S)
        return max(0.0, min(draw_s, self._sent_s + REFRESH_S if self._lit else self._retry_s) - now_s)

    @contextlib.contextmanager
    def _changing(self) -> Iterator[None]:
        """Context manager: change what is shown, and wake the drawing thread at the end."""
        with self._lock:
            yield
            self._fresh = True
            self._lock.notify()

    def _change(self, strip: Strip, layout: Layout) -> None:
        """Switch off and close the present strip, and use `strip` and `layout` from now on.

        `step` opens the new strip and draws its first frame; until then `latest` returns a dark one.
        """
        self._strip.stop()
        with self._lock:
            self._strip, self._layout = strip, layout
            self._frame_rgb = np.zeros((layout.leds, 3), np.uint8)
        self._lit, self._illness = False, None
        self._drawn_s = self._retry_s = -math.inf

    def _draw(self, view: BoardView, now_s: float) -> bool:
        """Render a view at `now_s`; store the frame, its current and when to draw next.

        Return whether the frame differs from the last stored one. `now_s` is in seconds on the board's clock. Nothing
        is sent.
        """
        frame_rgb, milliamps = self._power.limited(compose(view, self._layout, now_s))
        self._drawn_s, self._due_s = now_s, next_change_s(view, self._layout, now_s)
        changed = not np.array_equal(frame_rgb, self._frame_rgb)
        with self._lock:
            self._frame_rgb, self._milliamps = frame_rgb, milliamps
        return changed

    def _drive(self, now_s: float, *, changed: bool) -> None:
        """Open the strip if it is closed, and send it the newest frame if that has `changed` or after REFRESH_S.

        After a failure the strip is closed for RETRY_S. `health` reports the error until the strip has worked for
        PROVEN_S.
        """
        try:
            if not self._lit and now_s >= self._retry_s:
                self._strip.start()
                self._lit, self._lit_s, self._sent_s = True, now_s, -math.inf
            if self._lit and (changed or now_s - self._sent_s >= REFRESH_S):
                self._sent_s = now_s
                self._strip.show(self._frame_rgb)
                if now_s >= self._lit_s + PROVEN_S:
                    self._illness = None
        except DeviceError as ill:
            self._strip.stop()
            self._lit, self._illness = False, ill
            self._retry_s = self._clock() + RETRY_S  # counts from now: the attempt itself may have taken seconds

    def _run(self) -> None:
        """Call `step` when due, after changes and at least every REFRESH_S, until `stop`; then close the strip."""
        while True:
            wait_s = self.step()
            with self._lock:
                if not self._running:
                    break
                # A board at rest wakes each second for the refresh.
                if not self._fresh and wait_s > 0:
                    self._lock.wait(min(wait_s, REFRESH_S))
        self._strip.stop()
        self._lit = False
