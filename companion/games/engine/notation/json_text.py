"""Decode one line of JSON strictly by RFC 8259, and mark objects that repeat a key."""

from __future__ import annotations

import json
from typing import Any

from companion.errors import NotationError

BEYOND_ANY_GAME = 1_000_000_000_000_000_000
"""Value that replaces an integer with more digits than Python parses. It must be far above the points of any game, so
that the rules refuse it. Higher: no change."""


class RepeatedKey(dict[str, Any]):
    """A JSON object that repeats a key. JSON allows it; the notation refuses it."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make a dict of a JSON object's pairs; a `RepeatedKey` if a key occurs twice."""
    found = dict(pairs)
    return found if len(found) == len(pairs) else RepeatedKey(found)


def _refuse_constant(word: str) -> Any:
    """Raise ValueError for the `word` NaN or Infinity, which Python's decoder accepts and RFC 8259 does not."""
    raise ValueError(f"{word} is no JSON")


def _clamped_integer(digits: str) -> int:
    """Parse an integer; with more digits than Python parses, return BEYOND_ANY_GAME with its sign."""
    try:
        return int(digits)
    except ValueError:
        return -BEYOND_ANY_GAME if digits.startswith("-") else BEYOND_ANY_GAME


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_refuse_constant, parse_int=_clamped_integer)


def json_of(text: str | bytes) -> Any:
    """Decode one line of JSON, text or UTF-8 bytes, into Python values.

    An object with a repeated key becomes a `RepeatedKey`. An integer with too many digits for Python becomes plus or
    minus BEYOND_ANY_GAME. Raises NotationError for a blank line, bad UTF-8, bad JSON or too deep nesting.

    >>> json_of('{"undo": 1}')
    {'undo': 1}
    """
    try:
        return _DECODER.decode(text if isinstance(text, str) else text.decode())
    except UnicodeDecodeError as bad:
        raise NotationError(f"The line is no UTF-8 (byte {bad.start + 1}).") from None
    except ValueError as bad:
        # JSONDecodeError's own text counts lines, too: always "line 1" here, beside the line of the file.
        why = f"{bad.msg}, column {bad.colno}" if isinstance(bad, json.JSONDecodeError) else bad
        raise NotationError(f"The line is no JSON object: {why}." if text.strip() else "The line is blank.") from None
    except RecursionError:
        raise NotationError("The line is nested too deeply.") from None
