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

from companion.games.advice.stored import Working
from companion.games.registry import GAMES

EVERY_S = 0.2  # the progress bars are drawn anew


def solvers(game: str) -> Mapping[str, Working]:
    """Solvers of the game's tables by file name; empty if the game has no solver module here."""
    solver = f"companion.games.solving.{game}"
    if importlib.util.find_spec(solver) is None:
        return {}
    found: Mapping[str, Working] = importlib.import_module(solver).TABLES
    return found


def solve(game: str) -> None:
    """Writes the tables of a game and says how long they took."""
    from rich.console import Console
    from rich.progress import Progress, TimeElapsedColumn

    names, begun = tuple(solvers(game)), time.perf_counter()
    come = multiprocessing.RawArray("d", len(names))
    columns = (*Progress.get_default_columns()[:-1], TimeElapsedColumn())
    with (
        ProcessPoolExecutor(initializer=_report_to, initargs=(come,)) as pool,
        Progress(*columns, console=Console(stderr=True), disable=not sys.stderr.isatty()) as progress,
    ):
        bars = [progress.add_task(f"{game}: {name}", total=1.0) for name in names]
        working = [pool.submit(_worked, game, name, place) for place, name in enumerate(names)]
        while wait(working, timeout=EVERY_S).not_done:
            for bar, share in zip(bars, come, strict=True):
                progress.update(bar, completed=share)
    for name, done in zip(names, working, strict=True):
        content, took_s = done.result()
        Path(str(files(f"companion.games.{game}.odds"))).joinpath(name).write_bytes(content)
        sys.stdout.write(f"{game}: {name}, {len(content):,} bytes, {took_s:.1f} s of one core\n")
    sys.stdout.write(f"{game}: {time.perf_counter() - begun:.1f} s in all\n")


def worked_out(working: Working, tell: Callable[[float], object]) -> bytes:
    """The content of a table; `tell` hears how far it has come meanwhile, and at last that it is done."""
    steps = working()
    while True:
        try:
            tell(next(steps))
        except StopIteration as done:
            tell(1.0)
            return bytes(done.value)


_come: MutableSequence[float] | None = None


def _report_to(come: Any) -> None:
    global _come
    _come = come


def _worked(game: str, name: str, place: int) -> tuple[bytes, float]:
    begun = time.process_time()

    def tell(share: float) -> None:
        if _come is not None:
            _come[place] = share

    content = worked_out(solvers(game)[name], tell)
    return content, time.process_time() - begun


def main(games: Sequence[str]) -> None:
    """Solves those games, or all."""
    # Each table has a core of its own: NumPy's threads would only be in each other's way. It is not loaded yet.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for game in games or GAMES:
        if solvers(game):
            solve(game)


if __name__ == "__main__":
    main(sys.argv[1:])
