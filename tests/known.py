"""Narrows an optional value that a test knows not to be None."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def known(value: T | None) -> T:
    """Return `value`; fail if it is None."""
    assert value is not None
    return value
