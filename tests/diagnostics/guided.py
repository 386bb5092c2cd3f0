"""A guided first evening without a terminal: its table, and a camera, strip, buttons and person that can fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from io import StringIO
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from companion.diagnostics.first_evening.evening import Evening, Values
from companion.diagnostics.first_evening.holding import Screen, hold
from companion.diagnostics.first_evening.people import Agreeable
from companion.diagnostics.health import Finding
from companion.errors import DeviceError
from companion.settings.load import Settings, validated
from hardware.buttons import Press, Touch, ignore_touch
from hardware.strips import FrameRGB
from hardware.strips.memory import MemoryStrip
from vision.cameras import Camera, Frame
from vision.cameras.simulated.camera import VirtualCamera

STEPS = "companion.diagnostics.first_evening.steps"
BROKEN = DeviceError("It is unplugged.", "Plug it in.")


class QuickCamera(VirtualCamera):
    """The virtual camera on a clock of its own: no frame is waited for."""

    def __init__(self, seed: int = 4) -> None:
        self.now_s = 100.0
        super().__init__(4, lambda: self.now_s, self._sleep_on, seed)

    def _sleep_on(self, seconds: float) -> None:
        self.now_s += seconds


@dataclass
class FilmCamera:
    """A camera whose frames come at these times."""

    times_s: list[float]
    ill: DeviceError | None = None
    name: str = "film"

    def start(self) -> None:
        if self.ill is not None:
            raise self.ill

    def frame(self) -> Frame | None:
        return Frame(np.zeros((96, 128, 3), np.uint8), self.times_s.pop(0)) if self.times_s else None

    def stop(self) -> None: ...


@dataclass
class Someone:
    """A person who agrees to everything but what a test says, and throws on the virtual table."""

    denies: tuple[str, ...] = ()
    skips: tuple[str, ...] = ()
    misreads: bool = False
    hands_off: bool = False
    leaves_after: int = 1000
    enough_throws: bool = False
    judged: int = 0
    pressing: Callable[[], object] = int

    def begins(self, title: str, what: str) -> bool:
        return title not in self.skips

    def agrees(self, question: str) -> bool:
        return not any(words in question for words in self.denies)

    def throws(self, number: int, of: int, camera: Camera) -> None:
        if not self.hands_off:
            Agreeable().throws(number, of, camera)

    def judges(self, read: Values, doubt: str | None, camera: Camera) -> Values | None:
        if self.judged == self.leaves_after:
            raise KeyboardInterrupt
        self.judged += 1
        return (6, 6, 6) if self.misreads else read

    def presses(self, button: str) -> None:
        self.pressing()


@dataclass
class FakeButtons:
    """Buttons on which each asked press is heard as the next of these: one button, or more with spaces between."""

    heard: list[str]
    ill: DeviceError | None = None
    name: str = "fake"

    def start(self, on_press: Callable[[Press], None], on_touch: Callable[[Touch], None] = ignore_touch) -> None:
        if self.ill is not None:
            raise self.ill
        self._on_press = on_press

    def asked(self) -> None:
        for button in self.heard.pop(0).split() if self.heard else ():
            self._on_press(Press(button))

    def stop(self) -> None: ...

    def alive(self) -> bool:
        return True


class RealStrip(MemoryStrip):
    """A strip that counts as real: people are asked about it."""

    name = "spi"
    broken_at: int | None = None

    def show(self, frame_rgb: FrameRGB) -> None:
        if self.shown == self.broken_at:
            raise BROKEN
        super().show(frame_rgb)


def no_checks(_settings: Settings) -> Iterator[Finding]:
    yield Finding("disk", True, "100 MB free.")


@dataclass
class Table:
    """A first evening whose every part a test can break, without a terminal."""

    tmp_path: Path
    settings: dict[str, Any] = field(default_factory=dict)
    person: Someone = field(default_factory=Someone)

    def held(self, **parts: Any) -> Evening:
        evening = self.evening(**parts)
        hold(evening, Screen(Console(file=StringIO())))
        return evening

    def evening(self, **parts: Any) -> Evening:
        settings = validated({"data": {"dir": str(self.tmp_path)}, **self.settings})
        usual = {"throws_wanted": 2, "open_camera": lambda _settings: QuickCamera(), "temperature": lambda: 51.0}
        ticks = count()
        usual["clock"] = lambda: next(ticks) / 10  # each reading takes 100 ms, however busy the machine is
        given = {**usual, **parts}
        return Evening(settings, self.person, given.pop("checks", no_checks), **given)


def told(evening: Evening, part: str) -> Finding:
    (found,) = (finding for finding in evening.findings if finding.part == part)
    return found


def is_ill(evening: Evening, part: str, *words: str) -> bool:
    found = told(evening, part)
    return not found.ok and bool(found.cure) and all(word in f"{found.says} {found.cure}" for word in words)
