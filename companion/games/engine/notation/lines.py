"""Parse transcript lines into actions, and write actions as lines: one JSON object a line.

See docs/reference/transcript.md, "Lines after it". Only the form is checked here: keys, types and values of dice. The
state decides whether the rules allow the action.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from companion.errors import NotationError, nearest
from companion.games.engine.dice import in_order
from companion.games.engine.game import Action, Bomb, Enter, Keep, Leave, NamePoint, Spend, Stop, Throw, Undo
from companion.games.engine.notation.json_text import RepeatedKey, json_of


def parse_line(text: str | bytes) -> Action | Undo:
    """Parse one line of a transcript, not its header, into an action or an undo.

    The line is JSON text or UTF-8 bytes. Raises NotationError if it is no JSON object of a known form. Rules of the
    game are not checked.

    >>> parse_line('{"do": "point", "value": 5}')
    NamePoint(value=5)
    """
    return action_of(json_of(text))


def action_of(obj: object) -> Action | Undo:
    """Convert a decoded JSON object, a transcript line after the header, into an action. Kept dice are sorted.

    Raises NotationError unless it is an object with exactly the keys of one kind of action, each once and with a valid
    value. Whether the rules of the game allow the action is not checked.
    """
    if type(obj) is not dict:
        what = "An object with a key twice" if isinstance(obj, RepeatedKey) else "What is no JSON object"
        raise NotationError(f"{what} is no line of a transcript.")
    word = next((key for key in ("throw", "undo", "leave") if key in obj), obj.get("do"))
    if not isinstance(word, str) or word not in _FORMS:
        known = nearest(word, _FORMS) if isinstance(word, str) else "; it has 'throw', 'do', 'leave' or 'undo'."
        raise NotationError(f"No line of a transcript: {_short(obj)}{known}")
    keys, make = _FORMS[word]
    if obj.keys() != set(keys):
        raise NotationError(f"Such a line has exactly {' and '.join(keys)}: {_short(obj)}.")
    return make(obj)


def line_of(action: Action | Undo) -> dict[str, Any]:
    """Return an action or undo as a JSON object, its line in a transcript. Inverse of `action_of`.

    A decision has its name under `do`; a throw, a leaving and an undo have a key of their own.

    >>> line_of(Throw((5, 5, 2)))
    {'throw': [5, 5, 2]}
    >>> line_of(NamePoint(5))
    {'do': 'point', 'value': 5}
    """
    match action:
        case Throw(dice):
            return {"throw": list(dice)}
        case NamePoint(value):
            return {"do": "point", "value": value}
        case Keep(dice):
            return {"do": "keep", "dice": list(dice)}
        case Enter(category):
            return {"do": "score", "category": category}
        case Spend(on, points):
            return {"do": "spend", "on": on, "points": points}
        case Leave(player):
            return {"leave": player}
        case Undo(count):
            return {"undo": count}
        case Stop():
            return {"do": "stop"}
        case Bomb():
            return {"do": "bomb"}


def _die(value: Any) -> int:
    """Return the value if it is an integer from 1 to 6. Raises NotationError otherwise."""
    # type(), not isinstance(): true is no 1, and 3.0 no 3.
    if type(value) is not int or not 1 <= value <= 6:
        raise NotationError(f"{_short(value)} is no value of a die; those are the integers 1 to 6.")
    return value


def _dice(values: Any) -> tuple[int, ...]:
    """Return a list of dice values, perhaps empty, as a tuple. Raises NotationError for anything else."""
    if type(values) is not list:
        raise NotationError(f"Dice are a list of values, not {_short(values)}.")
    return tuple(map(_die, values))


def _text(value: Any) -> str:
    """Return the value if it is a string. Raises NotationError otherwise."""
    if not isinstance(value, str):
        raise NotationError(f"A name was expected, not {_short(value)}.")
    return value


def _integer(value: Any) -> int:
    """Return the value if it is an integer, booleans excluded. Raises NotationError otherwise."""
    if type(value) is not int:
        raise NotationError(f"An integer was expected, not {_short(value)}.")
    return value


def _count(value: Any) -> int:
    """Return the number of lines to undo if it is an integer of 1 or more. Raises NotationError otherwise."""
    if type(value) is not int or value < 1:
        raise NotationError(f"An undo takes back 1 line or more, not {_short(value)}.")
    return value


def _short(value: Any) -> str:
    """Return the `repr` of a value for an error message: at most 60 characters, with "..." if it was cut.

    Returns the text "that" if the value holds an integer too long for `repr`.
    """
    try:
        text = repr(value)
    except ValueError:  # an integer of more digits than Python writes out
        return "that"
    return text if len(text) <= 60 else text[:57] + "..."


_FORMS: dict[str, tuple[tuple[str, ...], Callable[[dict[str, Any]], Action | Undo]]] = {
    "throw": (("throw",), lambda obj: Throw(_dice(obj["throw"]))),
    "undo": (("undo",), lambda obj: Undo(_count(obj["undo"]))),
    "leave": (("leave",), lambda obj: Leave(_text(obj["leave"]))),
    "point": (("do", "value"), lambda obj: NamePoint(_die(obj["value"]))),
    "stop": (("do",), lambda _: Stop()),
    "bomb": (("do",), lambda _: Bomb()),
    "keep": (("do", "dice"), lambda obj: Keep(in_order(_dice(obj["dice"])))),
    "score": (("do", "category"), lambda obj: Enter(_text(obj["category"]))),
    "spend": (("do", "on", "points"), lambda obj: Spend(_text(obj["on"]), _integer(obj["points"]))),
}
"""Keys of each kind of line, and what makes its action. The word that tells the kind is a key, or the value of `do`."""
