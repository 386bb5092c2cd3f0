"""Results of a first evening and the interface to the person who runs it. Steps add results, the page shows them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from companion.diagnostics.health import Finding
from companion.diagnostics.machine import degrees
from companion.settings.load import Settings
from hardware.buttons import Buttons
from hardware.buttons.opening import open_buttons
from hardware.sounds import aplay
from hardware.strips import Strip
from hardware.strips.opening import open_strip
from vision.cameras import Camera
from vision.cameras.opening import open_camera

Values = tuple[int, ...]
"""Values of dice, 1 to 6."""


@dataclass(frozen=True, slots=True, eq=False)
class JudgedThrow:
    """A throw of the check: the sorted values that the table read, and those that lay there, as the person says.

    `doubt` is why the table would ask before it counts the throw, or None. `jpeg` is the tray with the reading drawn
    over it; empty for a throw that was read right.
    """

    read: Values
    lay: Values
    doubt: str | None = None
    jpeg: bytes = b""

    @property
    def outcome(self) -> str:
        """Return `asked` if the table would ask about the throw, else `right` or `wrong`."""
        if self.doubt is not None:
            return "asked"
        return "right" if self.read == self.lay else "wrong"


class Person(Protocol):
    """The person who runs the evening. Every method may raise KeyboardInterrupt, which ends it; results stay."""

    enough_throws: bool

    def begins(self, title: str, what: str) -> bool:
        """Announce a step of the guided check and what to do for it; return False if the person skips it."""

    def agrees(self, question: str) -> bool:
        """Ask a yes-or-no question about what is seen or heard, and return the answer. May set `enough_throws`."""

    def throws(self, number: int, of: int, camera: Camera) -> None:
        """Ask the person for throw `number` of `of`; a virtual camera's dice are thrown. May set `enough_throws`."""

    def judges(self, read: Values, doubt: str | None, camera: Camera) -> Values | None:
        """Show what was read; return the true sorted values, None if nothing was thrown. May set `enough_throws`."""

    def presses(self, button: str) -> None:
        """Ask the person to press the named button, and return without waiting for the press."""


@dataclass(slots=True)
class Evening:
    """The parts that are checked, the person who answers, and what the steps have found.

    Attributes:
        checks: The doctor's checks, made one by one.
        play: Plays a WAV file; returns what went wrong, or None.
        clients: Number of phones on the table's own Wi-Fi; None where it opens none.
        temperature: The processor's temperature in degrees Celsius; None where it can't be asked.
        pause: Waits that many seconds.
        clock: Returns the time in seconds, by which readings are measured.
        missed: Throws that the table did not see.
        readings_s: Duration of each reading, in seconds.
        frame_times_s: Time of each frame of the frame rate check, on the camera's clock.
        not_done: Titles of the steps that were skipped or not reached.
        stopped: Whether the person ended the evening early.
        tray_jpeg: Picture of the newest settled tray with its reading drawn in; empty before the first.
    """

    settings: Settings
    person: Person
    checks: Callable[[Settings], Iterator[Finding]]
    throws_wanted: int = 100
    open_camera: Callable[[Settings], Camera] = lambda settings: open_camera(
        settings.camera.source, settings.camera.dice, settings.camera.mains_hz
    )
    open_strip: Callable[..., Strip] = open_strip
    open_buttons: Callable[..., Buttons] = open_buttons
    play: Callable[[bytes], str | None] = aplay
    clients: Callable[[], int | None] = lambda: None
    temperature: Callable[[], float | None] = degrees
    pause: Callable[[float], object] = lambda _seconds: None
    clock: Callable[[], float] = time.perf_counter
    findings: list[Finding] = field(default_factory=list)
    throws: list[JudgedThrow] = field(default_factory=list)
    missed: int = 0
    readings_s: list[float] = field(default_factory=list)
    frame_times_s: list[float] = field(default_factory=list)
    hottest_c: float | None = None
    not_done: list[str] = field(default_factory=list)
    stopped: bool = False
    tray_jpeg: bytes = b""

    def note_temperature(self) -> None:
        """Measure the processor's temperature, and keep it in `hottest_c` if it is the highest so far."""
        now_c = self.temperature()
        if now_c is not None:
            self.hottest_c = max(now_c, self.hottest_c or now_c)

    def count(self, outcome: str) -> int:
        """Return the number of judged throws with this outcome: `right`, `asked` or `wrong`."""
        return sum(throw.outcome == outcome for throw in self.throws)

    def ill(self) -> Sequence[Finding]:
        """Return the failed findings of the guided check so far, in the order in which they were made."""
        return [finding for finding in self.findings if not finding.ok]


def frames_a_second(times_s: Sequence[float]) -> float:
    """Return the mean frame rate over at least two frame times in seconds."""
    return (len(times_s) - 1) / max(1e-9, times_s[-1] - times_s[0])
