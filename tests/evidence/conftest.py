"""An evening of a few throws with their packages, played once for all tests that only look at it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.evidence.playing import VirtualEvening
from vision.networks import Networks, load_networks

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
