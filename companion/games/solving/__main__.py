"""Compute the stored tables of best play on all cores and write them into the games' folders: `make solve`.

A game with stored tables has a module here of the game's name. Its `TABLES` maps a file name to a solver.
"""

from __future__ import annotations

import importlib
import importlib.util
import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Mapping, MutableSequence, Sequence
from concurrent.futures import ProcessPoolExecutor, wait
from importlib.resources import files
from pathlib import Path
from typing import Any

from companion.games.advice.stored import Solver
from companion.games.registry import GAMES

REFRESH_S = 0.2
"""Seconds between two updates of the progress bars. Higher: bars that jump. The results are the same."""


def solvers(game: str) -> Mapping[str, Solver]:
    """Return the functions that compute a game's stored tables, by file name of the table.

    Empty if the game has no module of its name in this package. Imports that module.
    """
    solver = f"companion.games.solving.{game}"
    if importlib.util.find_spec(solver) is None:
        return {}
    found: Mapping[str, Solver] = importlib.import_module(solver).TABLES
    return found


def solve(game: str) -> None:
    """Compute all stored tables of a game in parallel processes, and write them to the game's `odds` folder.

    Files are overwritten. A terminal shows progress bars. Sizes and durations are printed.
    """
    from rich.console import Console
    from rich.progress import Progress, TimeElapsedColumn

    names, begun = tuple(solvers(game)), time.perf_counter()
    shared = multiprocessing.RawArray("d", len(names))
    columns = (*Progress.get_default_columns()[:-1], TimeElapsedColumn())
    with (
        ProcessPoolExecutor(initializer=_set_progress, initargs=(shared,)) as pool,
        Progress(*columns, console=Console(stderr=True), disable=not sys.stderr.isatty()) as progress,
    ):
        bars = [progress.add_task(f"{game}: {name}", total=1.0) for name in names]
        working = [pool.submit(_timed_table, game, name, place) for place, name in enumerate(names)]
        while wait(working, timeout=REFRESH_S).not_done:
            for bar, share in zip(bars, shared, strict=True):
                progress.update(bar, completed=share)
    for name, done in zip(names, working, strict=True):
        content, took_s = done.result()
        Path(str(files(f"companion.games.{game}.odds"))).joinpath(name).write_bytes(content)
        sys.stdout.write(f"{game}: {name}, {len(content):,} bytes, {took_s:.1f} s of one core\n")
    sys.stdout.write(f"{game}: {time.perf_counter() - begun:.1f} s in all\n")


def run_solver(solver: Solver, report: Callable[[float], object]) -> bytes:
    """Run a solver to its end and return the bytes of the table that it computes. No file is written.

    Args:
        solver: Generator function that yields its progress and returns the bytes.
        report: Called with each progress, 0 to 1; with 1.0 at the end.
    """
    steps = solver()
    while True:
        try:
            report(next(steps))
        except StopIteration as done:
            report(1.0)
            return bytes(done.value)


_progress: MutableSequence[float] | None = None


def _set_progress(shared: Any) -> None:
    """Store the shared array of progress values in a worker process."""
    global _progress
    _progress = shared


def _timed_table(game: str, name: str, place: int) -> tuple[bytes, float]:
    """Compute one table of a game in a worker process; write the progress to the shared array.

    Args:
        game: Name of the game.
        name: File name of the table.
        place: Index of the table's progress in the array that `_set_progress` stored.

    Returns:
        The bytes of the table, and the processor time that it took, in seconds.
    """
    begun = time.process_time()

    def report(share: float) -> None:
        if _progress is not None:
            _progress[place] = share

    content = run_solver(solvers(game)[name], report)
    return content, time.process_time() - begun


def main(games: Sequence[str]) -> None:
    """Compute the stored tables of the named games, or of all games if none is named, and overwrite their files.

    The files lie in each game's `odds` folder; `solve` writes them. Games without solvers are skipped. Sets
    OPENBLAS_NUM_THREADS to 1 unless it is set.
    """
    # Each table has a core of its own: NumPy's threads would only be in each other's way. It is not loaded yet.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for game in games or GAMES:
        if solvers(game):
            solve(game)


if __name__ == "__main__":
    main(sys.argv[1:])
