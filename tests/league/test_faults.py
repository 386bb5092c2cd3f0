"""The short form of `make league-faults`: databases, servers and networks die, and every game counts exactly once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.league.faults import STEPS, Step, Storm
from tests.league.services import Postgres


@pytest.mark.slow
@pytest.mark.parametrize("steps", [STEPS[:6], STEPS[6:]], ids=lambda steps: steps[0].__name__)
def test_under_injected_faults_each_finished_league_game_counts_once(
    postgres: Postgres, tmp_path: Path, steps: tuple[Step, ...]
) -> None:
    storm = Storm(tmp_path, postgres, f"storm_{steps[0].__name__}", seed=len(steps[0].__name__))
    storm.run(steps)
    assert storm.done == [step.__name__ for step in steps]
