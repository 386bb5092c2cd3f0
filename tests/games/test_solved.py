"""The stored tables: they are what their solvers find, small, and read only when they are asked for."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
import zlib
from itertools import chain, count
from pathlib import Path
from types import SimpleNamespace

import pytest

from companion.bench import advice
from companion.bench.advice import timed
from companion.errors import RulesError
from companion.games import crapola
from companion.games.advice.stored import numbers, stored
from companion.games.registry import GAMES
from companion.games.solving.__main__ import run_solver, solvers

PACKAGES = [f"companion.games.{game}.odds" for game in GAMES]
# Games between two take longer: test_duel.py and test_crapola_race.py check their tables turn by turn.
QUICK = [(game, name) for game in GAMES for name in solvers(game) if "duel" not in name and name != "race.u4"]


@pytest.mark.parametrize(("game", "name"), QUICK)
def test_each_fast_odds_solver_reports_progress_to_1_and_recreates_its_stored_table(game: str, name: str) -> None:
    come = list[float]()
    found = run_solver(solvers(game)[name], come.append)
    assert 0 <= min(come) == come[0] < come[-1] == 1, "it says how far it has come"
    assert max(come[:-1]) < 1
    assert same(name, stored(f"companion.games.{game}.odds", name), found), "`make solve` makes it anew"


def same(name: str, one: bytes, other: bytes) -> bool:
    """Return whether two tables are equal: floats to twelve digits, integers to one unit.

    Processors round the last digit differently.
    """
    import numpy as np

    if name.endswith("z"):
        one, other = zlib.decompress(one), zlib.decompress(other)
    kind = Path(name).suffix.strip(".z")
    rel, off = (1e-12, 1e-8) if kind == "f8" else (0.0, 1.0)
    first, second = (np.frombuffer(content, f"<{kind}").astype(float) for content in (one, other))
    return len(one) == len(other) and bool(np.allclose(first, second, rel, off))


def test_all_stored_odds_tables_together_take_at_most_8_mb() -> None:
    folders = [Path(importlib.import_module(package).__path__[0]) for package in PACKAGES]
    tables = list(chain.from_iterable(folder.glob(kind) for folder in folders for kind in ("*.f8", "*.u*")))
    assert len(tables) >= 12
    assert sum(path.stat().st_size for path in tables) <= 8_000_000


@pytest.mark.parametrize("game", GAMES)
def test_every_stored_odds_table_has_a_solver_and_each_solver_a_table(game: str) -> None:
    folder = Path(importlib.import_module(f"companion.games.{game}.odds").__path__[0])
    assert {path.name for kind in ("*.f8", "*.u*") for path in folder.glob(kind)} == set(solvers(game))


def test_stored_odds_tables_are_little_endian_and_swapped_on_big_endian(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pkgutil, "get_data", lambda package, name: bytes([1, 2, 0, 0, 3, 0, 0, 0]))
    assert list(numbers("any", "table")) == [513, 3]
    monkeypatch.setattr(sys, "byteorder", "big" if sys.byteorder == "little" else "little")
    read = list(numbers("any", "table"))
    assert read == [0x01020000, 0x03000000], "this machine's numbers, with their bytes the other way round"


def test_a_missing_stored_odds_table_is_an_error_that_advises_make_solve(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RulesError, match="make solve"):
        numbers(crapola.__name__, "none.f8")
    monkeypatch.setattr(pkgutil, "get_data", lambda package, name: None)  # a loader that reads no data
    with pytest.raises(RulesError, match="make solve"):
        numbers(crapola.__name__, "none.f8")


def test_starting_any_game_reads_no_stored_odds_table_and_does_not_import_numpy() -> None:
    program = """
import sys
from companion.games.advice import stored
def never(*_): raise AssertionError("read")
stored.pkgutil.get_data = never
from companion.games.engine.replay import transcript_of
for game in ("crib_dice", "crag", "crapola"):
    transcript_of(b'{"transcript": 1, "game": "%s", "players": ["A", "B"]}' % game.encode())
assert "numpy" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("game", GAMES)
def test_computing_expected_points_at_the_start_of_a_game_imports_no_numpy(game: str) -> None:
    program = """
import sys
from companion.games.advice.odds import options
from companion.games.engine.replay import transcript_of
options(transcript_of(b'{"transcript": 1, "game": "%s", "players": ["A", "B"]}').state)
assert "numpy" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program % game], check=True)


@pytest.mark.parametrize("game", GAMES)
def test_the_benchmark_of_each_games_win_odds_reports_median_p99_and_worst_time_in_order(
    game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock is a stand-in by which each call takes longer than the one before: a real one may tick too slowly."""
    ticks_s = (number**2 / 1000 for number in count())
    monkeypatch.setattr(advice, "time", SimpleNamespace(process_time=lambda: next(ticks_s)))
    found = timed(game, "win", 30)
    assert found["first_ms"] > 0
    assert 0 < found["median_ms"] < found["p99_ms"] <= found["worst_ms"]
