"""A sitting: the games between the same people, the games each has lost, and who starts the next one.

Rules: docs/reference/rules.md, "Sitting".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated

import msgspec

from companion.errors import RulesError
from companion.games.engine.game import Header, Outcome
from companion.table.snapshot import Sitting


def added_up(ended: Iterable[tuple[Sequence[str], Outcome]]) -> Sitting:
    """The sitting after these games, of each its sides and how it ended."""
    games, lost = 0, dict[str, int]()
    for sides, outcome in ended:
        games += 1
        for name, count in zip(sides, outcome.games_lost, strict=True):
            lost[name] = lost.get(name, 0) + count
    return Sitting(games=games, games_lost=lost)


COLOURS = 10  # six that the colour-blind can tell apart and four more, each with a mark of its own


def colours(worn: Mapping[str, int], players: Sequence[str]) -> dict[str, int]:
    """Each player's colour (0 to 9), in seat order: the one worn before, wherever one sits now, else a free one.

    Args:
        worn: Of everyone who has played here.
        players: In seat order.

    >>> colours({"Ann": 3}, ["Ben", "Ann"])
    {'Ben': 0, 'Ann': 3}
    """
    taken = dict[str, int]()
    for name in players:
        if name in worn and worn[name] not in taken.values():
            taken[name] = worn[name]
    for name in players:
        used = list(taken.values())
        taken.setdefault(name, min(range(COLOURS), key=lambda colour: (used.count(colour), colour)))
    return {name: taken[name] for name in players}


def chosen(worn: Mapping[str, int], told: object, players: Sequence[str]) -> dict[str, int]:
    """The colours worn, with those that players have chosen instead; who wore one of these gets another.

    Args:
        worn: Of everyone who has played here.
        told: A decoded JSON object: colours (0 to 9) by name.
        players: Who may choose.

    Raises RulesError.

    >>> chosen({"Ann": 3, "Ben": 4}, {"Ben": 3}, ["Ann", "Ben"])
    {'Ben': 3}
    """
    try:
        wanted = msgspec.convert(told, dict[str, Annotated[int, msgspec.Meta(ge=0, lt=COLOURS)]])
    except msgspec.ValidationError as wrong:
        raise RulesError(f"The players' colours: {wrong}.") from None
    for name in wanted:
        if name not in players:
            raise RulesError(f"A colour is chosen for {name!r}, who is not one of the players.")
    if len(set(wanted.values())) < len(wanted):
        raise RulesError("Two players have chosen the same colour. Let each have one of their own.")
    return {**{name: colour for name, colour in worn.items() if colour not in wanted.values()}, **wanted}


def same_people(one: Header, other: Header) -> bool:
    """Whether two games belong to one sitting: the same people, whatever their seats and the game."""
    return set(one.players) == set(other.players)


def next_starter(scores: Sequence[int], games_lost: Sequence[int], first: int, seats: int) -> int:
    """The seat that starts the next game: who lost the most games; of equals the worst score, then the nearest seat.

    Args:
        scores: The last ones of the game that is over, by side.
        games_lost: By side.
        first: The seat that started it. When all have won, the next seat starts.
        seats: How many there are.

    >>> next_starter(scores=(121, 60, 40), games_lost=(0, 1, 1), first=0, seats=3)
    2
    """
    after_first = [(first + step) % seats for step in range(1, seats + 1)]
    if not any(games_lost):
        return after_first[0]
    worst = max((lost, -score) for lost, score in zip(games_lost, scores, strict=True))
    level = {side for side, lost in enumerate(games_lost) if (lost, -scores[side]) == worst}
    return next(seat for seat in after_first if seat % len(scores) in level)
