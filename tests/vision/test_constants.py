"""Tuned constants of the reader are few, and each has a docstring."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.parsing import tree_of

VISION = Path(__file__).resolve().parents[2] / "vision"
READER = ["reading/*.py", "networks/*.py", "geometry/*.py"]
GIVEN = {
    "MODEL",
    "LIGHT_MODEL",
    "STRIDE",
    "HALO_PX",
    "CROP_PX",
    "CONTEXT_PX",
    "REFERENCE_FACE_PX",
    "MIN_PROBABILITY",
    "_CHANNEL_SUM",
}
GIVEN |= {"FEATURES", "DAMAGE"}
"""Constants that are given by the networks' architecture, by files, libraries or arithmetic, and so are not tuned."""
MOST = 45
"""Most tuned constants of the reader. Each must have earned its place in an experiment."""


def constants(file: Path) -> Iterator[tuple[str, bool]]:
    """Yield the names of a module's constants, and whether a docstring follows each."""
    body = tree_of(file).body
    for at, one in enumerate(body):
        if isinstance(one, ast.Assign | ast.AnnAssign):
            to = one.targets if isinstance(one, ast.Assign) else [one.target]
            targets = [name for target in to for name in ast.walk(target) if isinstance(name, ast.Name)]
            told = at + 1 < len(body) and isinstance(body[at + 1], ast.Expr)
            yield from ((name.id, told) for name in targets if name.id.isupper() and name.id not in GIVEN)


def test_tuned_constants_of_the_dice_reader_are_few_and_have_docstrings() -> None:
    found = {
        f"{file.relative_to(VISION)}:{name}": told
        for pattern in READER
        for file in VISION.glob(pattern)
        for name, told in constants(file)
    }
    assert 20 < len(found) <= MOST
    assert [name for name, told in found.items() if not told] == []
