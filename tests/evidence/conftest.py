"""An evening of a few throws with their packages, played once for all tests that only look at it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.evidence.playing import VirtualEvening
from vision.geometry.rig import place
from vision.networks import Networks, load_networks
from vision.watching.watcher import Settled

THROWS = 4


@pytest.fixture(scope="session")
def networks() -> Networks:
    return load_networks()


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory, networks: Networks) -> Path:
    """A data folder of four throws; the third was read right and corrected to other values."""
    folder = tmp_path_factory.mktemp("evening")
    with VirtualEvening(folder, networks, seed=3) as evening:
        for number in range(1, THROWS + 1):
            evening.throw()
            assert evening.kept(number)
            if number == 3:
                evening.correct(3, (1, 1, 1, 1, 1, 1, 2))
    return folder


@pytest.fixture(scope="module")
def settled(tmp_path_factory: pytest.TempPathFactory, networks: Networks) -> list[Settled]:
    """Five throws of seven dice, with their readings."""
    evening = VirtualEvening(tmp_path_factory.mktemp("lesson"), networks, seed=5)
    found = []
    for _ in range(5):
        evening.camera.tray.lift()
        evening.camera.tray.throw(range(7), 0.6)
        while not all(die["resting"] for die in evening.camera.tray.dice()):
            evening.camera.tray.advance(0.05)
        frame = evening.camera.frame()
        reading = evening.reader.read(frame.image_bgr)
        thrown, kept = place(reading, evening.rig)
        found.append(Settled(0.0, frame, reading, thrown, kept, emptied=True, rig=evening.rig))
    return found
