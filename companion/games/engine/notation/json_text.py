"""A line of JSON as a value, read strictly: RFC 8259, and an object that has a key twice is told apart."""

from __future__ import annotations

import json
from typing import Any

from companion.errors import NotationError

BEYOND_ANY_GAME = 1_000_000_000_000_000_000  # stands for integers with so many digits that Python won't read them


class TwiceKeyed(dict[str, Any]):
    """An object with a key that stands there twice: JSON allows it, this notation has no use for it."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    return found if len(found) == len(pairs) else TwiceKeyed(found)


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is no JSON")


def _any_integer(digits: str) -> int:
    try:
        return int(digits)
    except ValueError:
        return -BEYOND_ANY_GAME if digits.startswith("-") else BEYOND_ANY_GAME


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_number)
_PATIENT = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_number, parse_int=_any_integer)


def json_of(text: str | bytes) -> Any:
    """The value that a line holds. Raises NotationError when it holds none, or bytes that are no UTF-8.

    >>> json_of('{"undo": 1}')
    {'undo': 1}
    """
    try:
        line = text if isinstance(text, str) else text.decode()
        try:
            return _DECODER.decode(line)
        except json.JSONDecodeError:
            raise
        except ValueError:
            return _PATIENT.decode(line)
    except UnicodeDecodeError as bad:
        raise NotationError(f"The line is no UTF-8 (byte {bad.start + 1}).") from None
    except ValueError as bad:
        raise NotationError(f"The line is no JSON object: {bad}." if text.strip() else "The line is blank.") from None
    except RecursionError:
        raise NotationError("The line is nested too deeply.") from None
