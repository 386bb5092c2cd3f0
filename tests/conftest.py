"""Lets tests import the project from the repository root, and begins with the slow ones."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Slow tests first: what is left at the end is then short enough to be shared between the workers."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
