"""A module's syntax tree, for the tests that read the house's own code."""

from __future__ import annotations

import ast
import gc
from functools import cache
from pathlib import Path


@cache
def tree_of(path: Path) -> ast.Module:
    """The tree of the module in that file, parsed once.

    The collector waits meanwhile: what it meets may be a task whose error is then logged, the log's traceback is parsed
    too, and CPython 3.11 takes the one parser inside the other for a broken tree (SystemError).
    """
    was = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(path.read_text(encoding="utf-8"))
    finally:
        if was:
            gc.enable()
