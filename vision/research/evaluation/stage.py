"""A virtual tray for clips, with scripted dice that the physics does not move, and an LED strip beside the tray."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from vision.cameras import Frame
from vision.cameras.simulated.camera import VirtualCamera
from vision.cameras.simulated.clock import SteppedClock
from vision.cameras.simulated.rendering import face_up
from vision.cameras.simulated.tray import Pose, VirtualTray, apart_mm
from vision.geometry.rig import Rig
from vision.reading.reading import FrameBGR
from vision.research.evaluation.fault_injection import KNOCK_S, FaultInjection

FPS = 30.0
"""Frames per second of a clip. More show dice come to rest in finer steps and take longer to render. The evaluation's
limit SETTLED_TO_REPORTED counts these frames: with more, it is a shorter time."""
LED_REACH_PX = 90.0
"""Distance from the picture's upper edge, in pixels, over which the simulated strip's light falls to 1/e. More lights
more of the tray in colour."""
DIMMED_SHARE = 0.07
"""Share of the simulated strip's light, 0 to 1, that is left while it is dimmed for a reading. More disturbs the
reading."""
LED_LATE_S = 0.03
"""Delay, in seconds, from a dimming command to the simulated strip's change of light. Beyond `LIGHT_SETTLES_S` of the
watcher, readings see coloured light."""

Led = Callable[[float], tuple[float, float, float]]
"""Returns the light (b, g, r), in levels, that the strip adds at the tray's upper edge at a time in seconds."""


Script = Callable[[float], Pose]
"""Returns the pose of a scripted die at a time in seconds."""


class _ScriptedTray(VirtualTray):
    """A tray in which some dice follow scripts instead of physics."""

    def __init__(self, dice: int, rng: np.random.Generator, clock: SteppedClock) -> None:
        super().__init__(dice, rng)
        self._clock = clock
        self.scripts: list[Script] = []

    def advance(self, seconds: float) -> tuple[Pose, ...]:
        """Simulate a number of seconds, and return the poses of the physical and of the scripted dice."""
        return (*super().advance(seconds), *(script(self._clock.now_s) for script in self.scripts))


@dataclass(frozen=True, slots=True)
class Truth:
    """Ground truth of a frame: the values in the tray, and whether anything moved since the frame before."""

    values: tuple[int, ...]
    moved: bool


@dataclass(slots=True)
class Stage:
    """A camera over a virtual tray that plays a scripted clip and records the truth of every frame.

    Attributes:
        dice: Number of dice that the physics moves.
        seed: Seed of all randomness.
        lasts_s: Length of the clip in seconds.
        actions: Time in seconds and function to call on this stage, ordered by time.
        led: Light of the LED strip; None for no strip.
        name: Name of the camera, as `Camera` wants one.
        truth: Ground truth of each frame so far.
        clock: The clip's clock, which only the camera advances.
        faults: Disturbances of the picture.
        camera: The virtual camera that renders the frames.
        tray: Its tray.
    """

    dice: int
    seed: int
    lasts_s: float
    actions: list[tuple[float, Callable[[Stage], None]]]
    led: Led | None = None
    name: str = "staged"
    truth: list[Truth] = field(default_factory=list)
    clock: SteppedClock = field(default_factory=SteppedClock)
    faults: FaultInjection = field(default_factory=FaultInjection)
    camera: VirtualCamera = field(init=False)
    tray: _ScriptedTray = field(init=False)
    _dimmed_s: float = math.inf
    _poses: tuple[Pose, ...] = ()

    def __post_init__(self) -> None:
        # Scripted dice wear the looks that come after the thrown ones'.
        self.camera = VirtualCamera(self.dice + 3, self.clock, self.clock.sleep, self.seed, FPS)
        self.tray = _ScriptedTray(self.dice, np.random.default_rng(self.seed), self.clock)
        self.camera.tray, self.camera.disturb = self.tray, self.faults.over

    @property
    def rig(self) -> Rig:
        """The calibration of the virtual camera."""
        return self.camera.rig()

    def start(self) -> None:
        """Start the camera."""
        self.camera.start()

    def stop(self) -> None:
        """Stop the camera."""
        self.camera.stop()

    def dim(self, on: bool) -> None:
        """Dim the simulated LED strip, LED_LATE_S after this call (True), or light it again at once (False)."""
        self._dimmed_s = self.clock.now_s if on else math.inf

    def frame(self) -> Frame | None:
        """Run the actions that are due, record the truth and return the next frame; None when the clip is over."""
        while self.actions and self.clock.now_s >= self.actions[0][0]:
            self.actions.pop(0)[1](self)
        frame = self.camera.frame()
        if frame.at_s > self.lasts_s:
            return None
        poses = self.tray.advance(0.0)
        knocked = 0 <= frame.at_s - self.faults.knock_at_s < KNOCK_S
        moved = apart_mm(poses, self._poses) > 0 or frame.at_s < self.faults.hand_until_s or knocked
        self._poses = poses
        self.truth.append(Truth(tuple(sorted(face_up(pose.rotation) for pose in poses)), moved))
        if self.led is None:
            return frame
        return Frame(self._lit(frame.image_bgr, frame.at_s, self.led), frame.at_s)

    def _lit(self, image_bgr: FrameBGR, at_s: float, led: Led) -> FrameBGR:
        """Return the picture with the light of the LED strip added at its upper edge."""
        part = DIMMED_SHARE if at_s > self._dimmed_s + LED_LATE_S else 1.0
        reach = np.exp(-np.arange(image_bgr.shape[0], dtype=np.float32) / LED_REACH_PX)[:, None, None]
        glow = reach * np.array(led(at_s), np.float32) * np.float32(part)
        return np.clip(image_bgr + glow, 0, 255).astype(np.uint8)
