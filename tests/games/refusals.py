"""Helpers for tests of refused lines and headers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from companion.errors import RulesError
from companion.games.engine.notation import header_of
from companion.games.engine.replay import replayed

HEADER = '{"transcript": 1, "game": "crapola", "players": ["Ann", "Ben"]}'
TOO_LONG = "9" * 5000


def error_of(*lines: str | bytes) -> tuple[int, str]:
    """Return the line number and code of the refusal that ends a transcript."""
    content = b"\n".join(line.encode() if isinstance(line, str) else line for line in lines)
    last = list(replayed(content))[-1]
    assert last["message"], "a refusal says why"
    return last["line"], last["error"]


def bad(**changes: Any) -> str:
    """Return the error message for a header with those changes; a change to `...` leaves the key out."""
    header = {**json.loads(HEADER), **changes}
    header = {key: value for key, value in header.items() if value is not ...}
    with pytest.raises(RulesError) as caught:
        header_of(header)
    assert caught.value.code == "rules"
    return str(caught.value)
