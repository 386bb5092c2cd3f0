"""Solves the games' stored tables anew and writes them into the games' folders: `make solve`."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import time
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from companion.games.registry import GAMES


def solve(game: str) -> None:
    """Writes the tables of a game; one without a `solve` module has none."""
    package = f"companion.games.{game}"
    if importlib.util.find_spec(f"{package}.solve") is None:
        return
    begun = time.perf_counter()
    tables: dict[str, bytes] = importlib.import_module(f"{package}.solve").tables()
    for name, content in tables.items():
        Path(str(files(package))).joinpath(name).write_bytes(content)
    sizes = ", ".join(f"{name} {len(content):,} bytes" for name, content in tables.items())
    sys.stdout.write(f"{game}: {sizes} in {time.perf_counter() - begun:.1f} s\n")


def main(games: Sequence[str]) -> None:
    """Solves those games, or all."""
    for game in games or GAMES:
        solve(game)


if __name__ == "__main__":
    main(sys.argv[1:])
