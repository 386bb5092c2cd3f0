"""Compile the inner loops of the solvers with numba, which `make solve` installs; nothing else needs it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

F = TypeVar("F", bound=Callable[..., object])


def compiled(function: F) -> F:
    """Compile a function of numbers and NumPy arrays to machine code when it is first called.

    Without numba the function stays plain Python: the same results, hundreds of times slower. Tests run it so.
    Compilation is for this processor, and sums may be reordered: the last digits differ between machines.
    """
    try:
        from numba import njit
    except ImportError:
        return function
    return cast(F, njit(fastmath={"nnan", "reassoc", "contract", "nsz"})(function))
