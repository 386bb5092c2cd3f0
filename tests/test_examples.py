"""The examples in docstrings are run: what a reader is shown is what happens."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("companion", "vision", "hardware", "web")
WITH_EXAMPLES = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py") if ">>> " in path.read_text())


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.mark.parametrize("name", [module_of(path) for path in WITH_EXAMPLES])
def test_the_examples_of_a_module_are_true(name: str) -> None:
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted
    assert not found.failed
