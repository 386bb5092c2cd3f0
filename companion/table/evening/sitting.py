"""A sitting: the games between the same people, the games each has won and lost, and who starts the next one.

Rules: docs/reference/rules.md, "Sitting".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated

import msgspec

from companion.errors import RulesError
from companion.games.engine.game import Outcome
from companion.table.snapshot import Sitting


def sitting_of(ended: Iterable[tuple[Sequence[str], Outcome]]) -> Sitting:
    """Return a sitting's figures from the sides and the outcome of each finished game.

    A win that n sides share counts 1/n for each. A heavy defeat counts as more than one lost game. `ahead` names the
    sides with the most games won and, among them, the fewest lost: several on a tie, none without a game.
    """
    games, won, lost = 0, dict[str, float](), dict[str, int]()
    for sides, outcome in ended:
        games += 1
        for side, (name, count) in enumerate(zip(sides, outcome.games_lost, strict=True)):
            lost[name] = lost.get(name, 0) + count
            won[name] = won.get(name, 0.0) + (side in outcome.winners) / max(1, len(outcome.winners))
    best = max(((won[name], -lost[name]) for name in won), default=None)
    ahead = tuple(name for name in won if (won[name], -lost[name]) == best)
    return Sitting(games=games, games_won=won, games_lost=lost, ahead=ahead)


COLOURS = 10
"""Number of player colours, each with its own mark: six that colour-blind people can tell apart, and four more. The
LEDs' palette (`PLAYERS`), and on the pages the `--p0` colours, the marks and the lists `COLOURS`, must have as many."""


def colours(worn: Mapping[str, int], players: Sequence[str]) -> dict[str, int]:
    """Return each player's colour index (0 to 9), by name in seat order: the one worn before, else the least used one.

    Of equally used ones the lowest is taken. If two players wore the same colour, the earlier seat keeps it.

    >>> colours({"Ann": 3}, ["Ben", "Ann"])
    {'Ben': 0, 'Ann': 3}
    """
    taken, used = dict[str, int](), Counter[int]()  # counting `taken` anew for each of 9,000 players took 8 s
    for name in players:
        if name in worn and not used[worn[name]]:
            taken[name] = worn[name]
            used[worn[name]] += 1
    for name in players:
        if name not in taken:
            taken[name] = min(range(COLOURS), key=lambda colour: (used[colour], colour))
            used[taken[name]] += 1
    return {name: taken[name] for name in players}


def chosen_colours(worn: Mapping[str, int], sent: object, players: Sequence[str]) -> dict[str, int]:
    """Return everyone's colour index by name: `worn`, updated with the choices that players sent from a phone.

    `worn` has the colours of everyone who has played here. `sent` has the choices, name -> index, as decoded JSON. A
    person in `worn` whose colour somebody else has chosen is left out. Raises RulesError if `sent` is malformed, names
    anyone not in `players`, or has one colour twice.

    >>> chosen_colours({"Ann": 3, "Ben": 4}, {"Ben": 3}, ["Ann", "Ben"])
    {'Ben': 3}
    """
    try:
        wanted = msgspec.convert(sent, dict[str, Annotated[int, msgspec.Meta(ge=0, lt=COLOURS)]])
    except msgspec.ValidationError as wrong:
        raise RulesError(f"The players' colours: {wrong}.") from None
    for name in wanted:
        if name not in players:
            raise RulesError(f"A colour is chosen for {name!r}, who is not a player. Choose for {', '.join(players)}.")
    if len(set(wanted.values())) < len(wanted):
        raise RulesError("Two players have chosen the same colour. Let each have one of their own.")
    return {**{name: colour for name, colour in worn.items() if colour not in wanted.values()}, **wanted}


def next_starting_seat(scores: Sequence[int], games_lost: Sequence[int], first: int, seats: int) -> int:
    """Return the seat, from 0, that starts the next game: a seat of the side that has just lost the most games.

    `scores` and `games_lost` have an entry for each side. Ties go to the lowest score, then to the nearest seat after
    `first`, which started the last game. If no side lost a game, the seat after `first` starts.

    >>> next_starting_seat(scores=(121, 60, 40), games_lost=(0, 1, 1), first=0, seats=3)
    2
    """
    after_first = [(first + step) % seats for step in range(1, seats + 1)]
    if not any(games_lost):
        return after_first[0]
    worst = max((lost, -score) for lost, score in zip(games_lost, scores, strict=True))
    level = {side for side, lost in enumerate(games_lost) if (lost, -scores[side]) == worst}
    return next(seat for seat in after_first if seat % len(scores) in level)
