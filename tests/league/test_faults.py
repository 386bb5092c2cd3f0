"""The short form of `make league-faults`: databases, servers and networks die, and every game counts exactly once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.league.faults import STEPS, Step, Storm
from tests.league.services import Postgres


@pytest.mark.slow
@pytest.mark.parametrize("steps", [STEPS[:6], STEPS[6:]], ids=lambda steps: steps[0].__name__)
def test_every_finished_game_counts_once_whatever_fails(
    postgres: Postgres, tmp_path: Path, steps: tuple[Step, ...]
) -> None:
    storm = Storm(tmp_path, postgres, f"storm_{steps[0].__name__}", seed=len(steps[0].__name__))
    storm.run(steps)
    assert storm.done == [step.__name__ for step in steps]
