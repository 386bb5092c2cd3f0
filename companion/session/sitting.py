"""An evening between the same people: games lost, as RULES.md adds them up, and who starts the next game."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from companion.games.game import Header
from companion.session.snapshot import Sitting

Outcome = Mapping[str, Any]
"""As in a transcript's view: `winners` and `games_lost`."""


def added_up(outcomes: Iterable[Outcome]) -> Sitting:
    """The sitting after games with these outcomes."""
    games, lost = 0, dict[str, int]()
    for outcome in outcomes:
        games += 1
        for name, count in outcome["games_lost"].items():
            lost[name] = lost.get(name, 0) + count
    return Sitting(games=games, games_lost=lost)


COLOURS = 6  # LOOK.md: colours that the colour-blind can tell apart; more players than that share them


def colours(worn: Mapping[str, int], players: Sequence[str]) -> dict[str, int]:
    """Each player's colour (0 to 5), in seat order: the one worn before, wherever one sits now, else a free one.

    Args:
        worn: Of everyone who has played here.
        players: In seat order.
    """
    taken = dict[str, int]()
    for name in players:
        if name in worn and worn[name] not in taken.values():
            taken[name] = worn[name]
    for name in players:
        used = list(taken.values())
        taken.setdefault(name, min(range(COLOURS), key=lambda colour: (used.count(colour), colour)))
    return {name: taken[name] for name in players}


def same_people(one: Header, other: Header) -> bool:
    """Whether two games belong to one sitting: the same people, whatever their seats and the game."""
    return set(one.players) == set(other.players)


def next_starter(header: Header, scores: Mapping[str, int], outcome: Outcome, first: str) -> str:
    """Who starts the next game: who lost the most games in this one; of equals the worst score, then the nearest seat.

    Args:
        header: Of the game that is over.
        scores: Its last scores, by player or team, in seat order.
        outcome: Its outcome.
        first: Who started it. When all have won, the next seat starts.
    """
    sides, lost = list(scores), outcome["games_lost"]
    seat = header.players.index(first)
    after_first = [header.players[(seat + step) % len(header.players)] for step in range(1, len(header.players) + 1)]
    if not any(lost.values()):
        return after_first[0]
    worst = min(sides, key=lambda side: (-lost[side], scores[side]))
    level = {side for side in sides if (lost[side], scores[side]) == (lost[worst], scores[worst])}
    return next(name for name in after_first if sides[header.players.index(name) % len(sides)] in level)
