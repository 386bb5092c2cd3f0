"""The examples in docstrings are run: what a reader is shown is what happens."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("companion", "vision", "hardware", "web")
WITH_EXAMPLES = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py") if ">>> " in path.read_text())

ENTRIES = (
    "companion.settings.load.validated",
    "companion.games.crag",
    "companion.games.crapola",
    "companion.games.crib_dice",
    "companion.games.engine.dice.throws_of",
    "companion.games.engine.notation.lines.line_of",
    "companion.games.engine.notation.lines.parse_line",
    "companion.games.advice.odds.options",
    "companion.games.registry.game_named",
    "companion.games.engine.replay.replayed",
    "companion.games.engine.transcript.Transcript",
    "hardware.palette.player_colour",
    "hardware.power.Power",
    "hardware.scenes.compose",
    "hardware.track.preset",
    "vision.cameras.opening.open_camera",
    "vision.geometry.rig.place",
    "vision.reading.reading.Reading",
    "vision.watching.stillness.step",
    "web.catalogue.say",
)
"""Main entry points of the code, which must have an example in their docstring."""


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.mark.parametrize("name", [module_of(path) for path in WITH_EXAMPLES])
def test_the_doctest_examples_in_each_modules_docstrings_pass(name: str) -> None:
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted
    assert not found.failed


@pytest.mark.parametrize("entry", ENTRIES)
def test_each_main_entry_point_has_an_example_in_its_docstring(entry: str) -> None:
    assert ">>> " in (pkgutil.resolve_name(entry).__doc__ or "")
