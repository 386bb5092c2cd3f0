"""An evening at a virtual tray without filming: dice are simulated to rest, three frames read, the table told.

As fast as the reader: nothing waits for a clock. What the keeper writes is what it writes beside a real camera.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from companion.adapters.tray_observer import observation_of
from companion.evidence.folder import PackageFolder
from companion.evidence.keeping import PackageKeeper
from companion.evidence.taught import TaughtSets
from companion.table.commands import Answer, CorrectThrow, NextGame, Observe, PlayLine, StartGame
from companion.table.journal import Journal
from companion.table.photos import Photos
from companion.table.snapshot import Snapshot
from companion.table.writer import Table
from tests.waiting import until
from vision.cameras.simulated.camera import VirtualCamera
from vision.cameras.simulated.clock import SteppedClock
from vision.cameras.simulated.rendering import face_up
from vision.cameras.simulated.tray import RIDGE_MM
from vision.geometry.rig import place
from vision.networks import Networks
from vision.reading.reader import Reader
from vision.watching.agreement import agreed
from vision.watching.watcher import FRAMES_READ, Settled

HEADER: dict[str, Any] = {"transcript": 1, "game": "crib_dice", "players": ["Ann", "Ben"]}


class VirtualEvening:
    """A table with a virtual camera that keeps packages in a folder. Use it as a context.

    Args:
        folder: Data folder.
        networks: Networks of the reader.
        seed: Seed of the throws.
        cap_bytes: Space for packages.
        give_way: Called on the keeper's thread when it begins.
    """

    def __init__(
        self,
        folder: Path,
        networks: Networks,
        seed: int = 1,
        cap_bytes: int = 2_000_000_000,
        give_way: Callable[[], None] = lambda: None,
    ) -> None:
        self.clock = SteppedClock()
        self.camera = VirtualCamera(7, self.clock, self.clock.sleep, seed)
        self.rig = self.camera.rig()
        self._networks, self.reader = networks, Reader(networks, self.rig)
        self.photos = Photos(folder)
        self.table = Table(Journal(folder), self.photos, self.clock)
        self.packages, self.taught = PackageFolder(folder, cap_bytes), TaughtSets(folder)
        versions = networks.hashes
        self.keeper = PackageKeeper(
            "virtual", self.packages, self.photos, versions, "1.0", give_way, self.taught, page_first_s=0.0
        )

    def __enter__(self) -> VirtualEvening:
        self.table.start()
        self.keeper.start()
        self.table.subscribe(self.keeper.hear)
        if self.table.snapshot().game is None:
            self.table.submit(StartGame(header=HEADER))
        return self

    def __exit__(self, *_: object) -> None:
        self.keeper.stop()
        self.table.stop()

    def throw(self) -> Snapshot:
        """Play on to the next throw, throw, and return the snapshot after it; a question is answered with the truth."""
        while (now := self.table.snapshot()).phase == "over" or now.options:
            if now.phase == "over":
                self.table.submit(NextGame(number=now.number))
                continue
            line = next((line for line in now.options if "stop" in line), now.options[0])
            self.table.submit(PlayLine(number=now.number, line=line))
        self._observe()  # nothing lies there
        self.camera.tray.throw(range(now.tray.dice or 7), 0.6)
        while not all(die["resting"] for die in self.camera.tray.dice()):
            self.camera.tray.advance(0.05)
        self._observe()
        now = self.table.snapshot()
        if now.question is not None:
            self.table.submit(Answer(question=now.question.id, values=self.truth()))
        self.camera.tray.lift()
        return self.table.snapshot()

    def recalibrate(self, die_mm: float) -> None:
        """Go on with another calibration."""
        self.rig = replace(self.rig, die_mm=die_mm)
        self.reader = Reader(self._networks, self.rig)

    def correct(self, throw: int, values: Sequence[int]) -> None:
        """Correct a throw."""
        self.table.submit(CorrectThrow(number=self.table.snapshot().number, throw=throw, values=tuple(values)))

    def truth(self) -> tuple[int, ...]:
        """True values of the dice in the throw zone, sorted."""
        poses = [pose for pose in self.camera.tray.advance(0.0) if pose.at_mm[0] < RIDGE_MM]
        return tuple(sorted(face_up(pose.rotation) for pose in poses))

    def kept(self, throws: int) -> bool:
        """Wait until packages of as many throws are there, and return whether they came."""
        return until(lambda: len(self.packages.files()) >= throws)

    def _observe(self) -> None:
        """Read still frames as the watcher does, offer the reading to the keeper, and tell the table."""
        frames = [self.camera.frame() for _ in range(FRAMES_READ)]
        reading = agreed([self.reader.read(frame.image_bgr) for frame in frames])
        thrown, kept = place(reading, self.rig)
        doubted = () if reading.trusted else tuple(frames)
        settled = Settled(
            self.clock(), frames[-1], reading, thrown, kept, emptied=True, rig=self.rig, doubted_frames=doubted
        )
        observation = observation_of(settled)
        self.keeper.offer(settled, observation.photo_jpeg or b"")
        self.table.submit(Observe(observation))
