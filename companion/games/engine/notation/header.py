"""Read and write the header of a transcript, its first line.

See docs/reference/transcript.md, "Header, the first line".
"""

from __future__ import annotations

from typing import Any

from companion.errors import NotationError, RulesError, nearest
from companion.games.engine.game import Header, Switch
from companion.games.engine.notation.json_text import RepeatedKey
from companion.games.engine.rulebook import Rulebook
from companion.games.registry import game_named

HEADER_KEYS = ("transcript", "game", "players", "rules", "first", "roll_off")
"""All keys that the header of a transcript may have; another one is refused."""
REQUIRED_KEYS = ("transcript", "game", "players")
"""Keys that the header of a transcript must have; without one it is refused."""


def header_of(obj: object) -> Header:
    """Convert a decoded JSON object, the first line of a transcript, into a checked header.

    House rules that the object leaves out get their defaults.

    Raises:
        NotationError: `obj` is no JSON object.
        RulesError: A key, type, game, player or house rule is wrong, or the game refuses the header. For a misspelt
            name the message suggests the nearest known one.
    """
    if not isinstance(obj, dict):
        raise NotationError("The first line of a transcript is its header, a JSON object.")
    _check_keys(obj)
    if type(obj["transcript"]) is not int or obj["transcript"] != 1:
        raise RulesError("`transcript` is the version of the notation, 1.")
    game = game_named(_text("game", obj["game"]))
    players = obj["players"]
    if not isinstance(players, list) or not all(isinstance(name, str) for name in players):
        raise RulesError("`players` is a list of names.")
    first = _text("first", obj["first"]) if "first" in obj else None
    roll_off = obj.get("roll_off", False)
    if not isinstance(roll_off, bool):
        raise RulesError("`roll_off` is true or false.")
    header = Header(game.name, tuple(players), _rules(game, obj.get("rules", {})), first, roll_off)
    game.check(header)
    return header


def header_line(header: Header) -> dict[str, Any]:
    """Return the header as a JSON object, the first line of a transcript. Inverse of `header_of`.

    House rules with their default, `first` if it is None, and `roll_off` if it is False are left out.
    """
    line: dict[str, Any] = {"transcript": 1, "game": header.game, "players": list(header.players)}
    defaults = {switch.key: switch.default for switch in game_named(header.game).switches}
    changed = {key: value for key, value in header.rules.items() if value != defaults[key]}
    if changed:
        line["rules"] = changed
    if header.first is not None:
        line["first"] = header.first
    if header.roll_off:
        line["roll_off"] = True
    return line


def _check_keys(obj: dict[str, Any]) -> None:
    """Raise RulesError if a decoded header repeats a key, has an unknown one, or lacks one of REQUIRED_KEYS.

    The decoder returns a `RepeatedKey` in place of a plain dict if the text repeats a key.
    """
    if isinstance(obj, RepeatedKey):
        raise RulesError("The header has a key twice.")
    for key in obj:
        if key not in HEADER_KEYS:
            raise RulesError(f"A header has no {key!r}{nearest(key, HEADER_KEYS)}")
    for key in REQUIRED_KEYS:
        if key not in obj:
            raise RulesError(f"The header lacks {key!r}.")


def _text(key: str, value: Any) -> str:
    """Return the value of a header key if it is a string; else raise RulesError."""
    if not isinstance(value, str):
        raise RulesError(f"`{key}` is a name.")
    return value


def _rules(game: Rulebook, given: Any) -> dict[str, bool | int]:
    """Return the value of every house rule of a game by key: the value in `given`, else its default.

    Raises RulesError if `given` is no JSON object or repeats a rule (`RepeatedKey`), and for an unknown rule or a wrong
    value.
    """
    if not isinstance(given, dict) or isinstance(given, RepeatedKey):
        raise RulesError("`rules` is an object with each switch once.")
    switches = {switch.key: switch for switch in game.switches}
    for key in given:
        if key not in switches:
            raise RulesError(f"{game.title} has no rule {key!r}{nearest(key, switches)}")
    return {key: _value(switch, given.get(key, switch.default)) for key, switch in switches.items()}


def _value(switch: Switch, value: Any) -> bool | int:
    """Return the value of a house rule if it has the type and range of the rule's switch; else raise RulesError."""
    if isinstance(switch.default, bool):
        if not isinstance(value, bool):
            raise RulesError(f"The rule {switch.key!r} is true or false.")
        return value
    if type(value) is not int or (switch.minimum is not None and value < switch.minimum):
        raise RulesError(f"The rule {switch.key!r} is an integer from {switch.minimum}.")
    return value
