"""Compile the inner loops of the solvers with numba, which `make solve` installs; nothing else needs it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

F = TypeVar("F", bound=Callable[..., object])


def compiled(function: F) -> F:
    """Decorate a function of numbers and NumPy arrays so that numba compiles it to machine code on its first call.

    Without numba, as in tests, the function is returned unchanged: it computes the same, hundreds of times slower.
    Compiled code may reorder sums, so the last digits differ between machines. The compiler assumes that no value is
    NaN; infinities are allowed.
    """
    try:
        from numba import njit
    except ImportError:
        return function
    return cast(F, njit(fastmath={"nnan", "reassoc", "contract", "nsz"})(function))
