"""Syntax trees of the project's modules, for tests that read its code."""

from __future__ import annotations

import ast
import gc
from functools import cache
from pathlib import Path


@cache
def tree_of(path: Path) -> ast.Module:
    """Return the syntax tree of the module in a file; it is parsed once and cached.

    The garbage collector is off meanwhile. It may destroy a failed asyncio task, whose traceback is then logged and
    parsed. CPython 3.11 raises SystemError for a parser that runs inside another.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(path.read_text(encoding="utf-8"))
    finally:
        if was:
            gc.enable()
