"""The stored tables: they are what their solvers find, small, and read only when they are asked for."""

from __future__ import annotations

import importlib
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

from companion.errors import RulesError
from companion.games import crapola
from companion.games.registry import GAMES
from companion.games.stored import floats, stored

PACKAGES = [f"companion.games.{game}" for game in GAMES]


@pytest.fixture(scope="module")
def solvers() -> dict[str, ModuleType]:
    return {package: importlib.import_module(f"{package}.solve") for package in PACKAGES}


def test_the_stored_tables_are_those_that_their_solvers_find(solvers: dict[str, ModuleType]) -> None:
    for package, solver in solvers.items():
        for name, content in solver.tables().items():
            assert same_floats(stored(package, name), content), f"{name}: `make solve` makes it anew"


def same_floats(one: bytes, other: bytes) -> bool:
    import numpy as np

    return len(one) == len(other) and bool(np.allclose(np.frombuffer(one, "<f8"), np.frombuffer(other, "<f8"), 1e-12))


def test_all_tables_together_are_small() -> None:
    tables = [path for package in PACKAGES for path in Path(importlib.import_module(package).__path__[0]).glob("*.f8")]
    assert tables
    assert sum(path.stat().st_size for path in tables) <= 3_000_000


def test_a_missing_table_is_said_to_be_missing() -> None:
    with pytest.raises(RulesError, match="make solve"):
        floats(crapola.__name__, "none.f8")


def test_a_game_can_be_played_without_a_table_or_numpy_being_read() -> None:
    program = """
import sys
from companion.games import stored
def never(*_): raise AssertionError("read")
stored.pkgutil.get_data = never
import companion.games.replay
for game in ("crib_dice", "crag", "crapola"):
    companion.games.replay.transcript_of(b'{"transcript": 1, "game": "%s", "players": ["A", "B"]}' % game.encode())
assert "numpy" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)


ADVICE = """
import sys, time
from companion.games.odds import options
from companion.games.replay import transcript_of
state = transcript_of(b'{"transcript": 1, "game": "%s", "players": ["A", "B"]}').state
begun = time.perf_counter()
options(state)
loading = time.perf_counter() - begun
times = []
for _ in range(20):
    begun = time.perf_counter()
    options(state)
    times.append(time.perf_counter() - begun)
assert "numpy" not in sys.modules
print(loading * 1000, sorted(times)[10] * 1000)
"""


@pytest.mark.parametrize("game", GAMES)
def test_advice_is_quick(game: str) -> None:
    printed = subprocess.run([sys.executable, "-c", ADVICE % game], check=True, capture_output=True, text=True).stdout
    loading_ms, advice_ms = map(float, printed.split())
    assert loading_ms <= 100
    assert advice_ms <= 5


def test_solving_takes_seconds(solvers: dict[str, ModuleType]) -> None:
    for solver in solvers.values():
        begun = time.process_time()
        solver.tables()
        assert time.process_time() - begun <= 60
