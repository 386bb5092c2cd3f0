"""What happened in the game, derived from the views before and after a line: for the log, the lights and the voice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from companion.games.game import Action, Bomb, Enter, Header, Keep, NamePoint, Spend, Stop, Throw

View = dict[str, Any]
Happening = tuple[str, dict[str, Any]]
"""An event's code and arguments, before it gets its number."""


def happenings(header: Header, before: View, action: Action, after: View) -> tuple[Happening, ...]:
    """The events of one line, in the order to tell them; every one names the `player` (or team) it is about."""
    found = list(_OF_GAME.get(header.game, _any_game)(header, before, action, after))
    if after["over"] and not before["over"]:
        found.append(("game_over", dict(after["outcome"])))
    return tuple(found)


def side_of(header: Header, view: View, player: str) -> str:
    """Whose score a player's turn counts for: his own name, or his team's (RULES.md, partners)."""
    sides = list(view["scores"])
    return str(sides[header.players.index(player) % len(sides)])


def _crib_dice(header: Header, before: View, action: Action, after: View) -> list[Happening]:
    match action:
        case Throw(dice):
            return _crib_throw(header, before, dice, after)
        case NamePoint(value):
            named = {"player": before["player"], "value": value, "frozen": after["frozen"]}
            return [("point", named), *_automatic_rollover(before, after)]
        case Stop():
            return _crib_stop(header, before, after)
        case Bomb() if after["bombing"]:
            return [("bomb_announced", {"player": before["player"]})]
        case Bomb():
            return [_bombed(header, before, after)]
    return []


def _crib_throw(header: Header, before: View, dice: tuple[int, ...], after: View) -> list[Happening]:
    player = before["player"]
    threw: Happening = ("threw", {"player": player, "dice": sorted(dice)})
    if before["frozen"] == 0 and before["throw_sizes"] == [2]:
        return [threw, ("rolled_off", {"player": player, "total": sum(dice)})]
    if before["throw_sizes"] == [7]:
        return [threw]
    if after["player"] == player:
        return [threw, *_froze(before, after), *_rollover(before, after)]
    if before["bombing"] and after["scores"] != before["scores"]:
        return [threw, _bombed(header, before, after)]
    lost: list[Happening] = []
    if before["bombing"]:
        lost.append(("bomb_failed", {"player": player}))
    elif before["frozen"] >= 5:
        lost.append(("piddle_lost", {"player": player}))
    return [threw, *lost, *_wiped_out(header, before, after)]


def _froze(before: View, after: View) -> list[Happening]:
    more = after["frozen"] - before["frozen"]
    if more <= 0:
        return []
    return [("froze", {"player": before["player"], "value": before["point"], "dice": more, "frozen": after["frozen"]})]


def _rollover(before: View, after: View) -> list[Happening]:
    if before["frozen"] >= 5 and after["frozen"] == 0:
        return [("rolled_over", {"player": before["player"], "points": after["turn_points"]})]
    return _automatic_rollover(before, after)


def _automatic_rollover(before: View, after: View) -> list[Happening]:
    if after["frozen"] == 7 and before["frozen"] < 7:
        return [("rolled_over", {"player": before["player"], "points": after["turn_points"]})]
    return []


def _wiped_out(header: Header, before: View, after: View) -> list[Happening]:
    side = side_of(header, before, before["player"])
    told = {"player": side, "in_a_row": before["wipeouts"][side] + 1, "points": before["turn_points"]}
    found: list[Happening] = [("wiped_out", {**told, "from": before["scores"][side]})]
    if side in after["out"]:
        return [*found, ("eliminated", {"player": side})]
    if after["wipeouts"][side] == 0:
        found.append(("fuchled", {"player": side, "from": before["scores"][side]}))
    return found


def _crib_stop(header: Header, before: View, after: View) -> list[Happening]:
    side = side_of(header, before, before["player"])
    found = [_banked(side, before, after), *_bumped(side, before, after)]
    if side in after["finished"] and side not in before["finished"]:
        found.append(("finished", {"player": side}))
    return found


def _bumped(side: str, before: View, after: View) -> list[Happening]:
    fell = [name for name, hole in after["scores"].items() if name != side and hole < before["scores"][name]]
    # The peg that was landed on first is the one furthest along: each bump strikes behind the one before it.
    fell.sort(key=lambda name: -before["scores"][name])
    return [("bumped", {"player": name, "from": before["scores"][name], "to": after["scores"][name]}) for name in fell]


def _banked(side: str, before: View, after: View) -> Happening:
    start, end = before["scores"][side], after["scores"][side]
    return ("banked", {"player": side, "points": before["turn_points"], "from": start, "to": end})


def _bombed(header: Header, before: View, after: View) -> Happening:
    side = side_of(header, before, before["player"])
    victims = [name for name, hole in after["scores"].items() if name != side and hole != before["scores"][name]]
    start, end = before["scores"][side], after["scores"][side]
    return ("bombed", {"player": side, "on": victims[0] if victims else None, "from": start, "to": end})


def _crag(header: Header, before: View, action: Action, after: View) -> list[Happening]:
    player = before["player"]
    match action:
        case Throw(dice):
            return _plain_throw(header, before, dice)
        case Keep(dice):
            return [("kept", {"player": player, "dice": sorted(dice)})]
        case Enter(category):
            points = after["sheets"][player][category]
            return [("entered", {"player": player, "category": category, "points": points})]
    return []


def _plain_throw(header: Header, before: View, dice: tuple[int, ...]) -> list[Happening]:
    threw: Happening = ("threw", {"player": before["player"], "dice": sorted(dice)})
    if before["throw_sizes"] == [2] and header.roll_off and not before["decisions"] and not before.get("dice"):
        return [threw, ("rolled_off", {"player": before["player"], "total": sum(dice)})]
    return [threw]


def _crapola(header: Header, before: View, action: Action, after: View) -> list[Happening]:
    player = before["player"]
    match action:
        case Throw(dice):
            return [*_plain_throw(header, before, dice), *_crapped_out(before, after), *_reversed(before, after)]
        case Keep(dice):
            worth = after["turn_points"] - before["turn_points"]
            kept: list[Happening] = [("kept", {"player": player, "dice": sorted(dice), "points": worth})]
            return kept if after["dice"] else [*kept, ("hot_dice", {"player": player})]
        case Stop():
            return [_banked(player, before, after), *_last_round(before, after)]
        case Spend(on, points):
            return [("spent", {"player": player, "on": on, "points": points})]
    return []


def _crapped_out(before: View, after: View) -> list[Happening]:
    # A throw that scores leaves its thrower with a keep to decide; in the roll-off nothing can be lost.
    if after["player"] == before["player"] or (before["throw_sizes"] == [2] and not before["kept"]):
        return []
    return [("crapped_out", {"player": before["player"], "points": before["turn_points"]})]


def _reversed(before: View, after: View) -> list[Happening]:
    return [("reversed", {"direction": after["direction"]})] if after["direction"] != before["direction"] else []


def _last_round(before: View, after: View) -> list[Happening]:
    if after["last_round"] and not before["last_round"]:
        return [("last_round", {"player": before["player"]})]
    return []


def _any_game(header: Header, before: View, action: Action, after: View) -> list[Happening]:
    """What can be told of a game that has no events of its own here."""
    match action:
        case Throw(dice):
            return _plain_throw(header, before, dice)
        case Stop():
            return [_banked(side_of(header, before, before["player"]), before, after)]
    return []


_OF_GAME: dict[str, Callable[[Header, View, Action, View], list[Happening]]] = {
    "crib_dice": _crib_dice,
    "crag": _crag,
    "crapola": _crapola,
}
