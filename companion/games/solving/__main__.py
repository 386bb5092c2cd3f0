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
"""Seconds between two updates of the progress bars."""


def solvers(game: str) -> Mapping[str, Solver]:
    """Return the solvers of a game's tables by file name; empty if the game has no solver module here."""
    solver = f"companion.games.solving.{game}"
    if importlib.util.find_spec(solver) is None:
        return {}
    found: Mapping[str, Solver] = importlib.import_module(solver).TABLES
    return found


def solve(game: str) -> None:
    """Compute all tables of a game, each on a core of its own, write them to its folder, print sizes and durations."""
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
    """Run a solver and return the content of its table.

    Args:
        solver: The solver.
        report: Called with the progress, 0 to 1; with 1.0 at the end.
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
    """Compute the table `name` in a worker process and report its progress at index `place` of the shared array.

    Returns:
        The content of the table, and the processor time in seconds.
    """
    begun = time.process_time()

    def report(share: float) -> None:
        if _progress is not None:
            _progress[place] = share

    content = run_solver(solvers(game)[name], report)
    return content, time.process_time() - begun


def main(games: Sequence[str]) -> None:
    """Solve the named games, or all games if none is named."""
    # Each table has a core of its own: NumPy's threads would only be in each other's way. It is not loaded yet.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for game in games or GAMES:
        if solvers(game):
            solve(game)


if __name__ == "__main__":
    main(sys.argv[1:])
