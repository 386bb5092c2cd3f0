"""The input of a tournament: its draw, and the results of finished games."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar, get_args

from companion.errors import RulesError, nearest

P = TypeVar("P", bound=Hashable)
"""A player: a name or a number."""
G = TypeVar("G")
"""Identifier of a game: a number or a UUID."""
Form = Literal["knockout", "round_robin"]
"""Single elimination, or everyone against everyone once."""
FORMS: tuple[str, ...] = get_args(Form)
MAX_HANDICAP = 15_000
"""Most points of a player's handicap in a tournament: as many as the highest default target of a game.
Higher: a mistyped number may be accepted. Lower: a fair handicap may be refused."""


@dataclass(frozen=True, slots=True)
class Draw(Generic[P]):
    """The set-up of a tournament.

    Attributes:
        form: A knockout or a round robin.
        players: In drawn order: in a knockout the first get the byes, and the first two can meet in the final only.
        handicaps: Points that are added to a player's final score to decide a match; a player without any has 0.
        left: Players who have left the tournament. Their opponents get a walkover.
    """

    form: Form
    players: tuple[P, ...]
    handicaps: Mapping[P, int] = field(default_factory=dict)
    left: frozenset[P] = frozenset()


@dataclass(frozen=True, slots=True)
class Result(Generic[P, G]):
    """A finished game between two players.

    Attributes:
        game: Names the game.
        players: The two players.
        scores: Their final scores.
        won: Each one's share of the win by the rules of the game, from 0 to 1; both together at most 1.
        forfeit: Whether a player left the game before its end: then no handicap counts.
    """

    game: G
    players: tuple[P, P]
    scores: tuple[int, int]
    won: tuple[float, float]
    forfeit: bool = False


def check(draw: Draw[P], most: int) -> None:
    """Raise RulesError if a tournament's draw is not valid, or has more than `most` players.

    The form must be known, and at least two players listed, none of them twice. Each handicap must be 0 to
    MAX_HANDICAP, and belong to a player in the draw.
    """
    if draw.form not in FORMS:
        raise RulesError(f"A tournament has no form {draw.form!r}{nearest(draw.form, FORMS)}")
    if not 2 <= len(draw.players) <= most:
        raise RulesError(f"A tournament has 2 to {most} players, not {len(draw.players)}.")
    twice = next((player for player in draw.players if draw.players.count(player) > 1), None)
    if twice is not None:
        raise RulesError(f"{twice} is in the list of players twice. Name each player once.")
    for player, points in draw.handicaps.items():
        if player not in draw.players:
            raise RulesError(f"{player} has a handicap but is not a player. Add the player, or drop the handicap.")
        if not 0 <= points <= MAX_HANDICAP:
            raise RulesError(f"A handicap is 0 to {MAX_HANDICAP} points, not {points}.")


def oriented(result: Result[P, G], first: P, handicaps: Mapping[P, int]) -> Result[P, G]:
    """Return a result with player `first` in the first place, and the win decided with handicaps.

    With different handicaps the higher sum of score and handicap wins, and equal sums share the win. With equal
    handicaps, or when a player left the game, the win in `result` stays.

    >>> oriented(Result(7, ("Ann", "Ben"), (121, 113), (1, 0)), "Ben", {"Ben": 10}).won
    (1.0, 0.0)
    """
    turn = 1 if result.players[0] == first else -1
    players, scores, won = result.players[::turn], result.scores[::turn], result.won[::turn]
    gap = handicaps.get(players[0], 0) - handicaps.get(players[1], 0)
    if gap and not result.forfeit:
        lead = scores[0] + gap - scores[1]
        won = (0.5, 0.5) if lead == 0 else (float(lead > 0), float(lead < 0))
    return Result(result.game, (players[0], players[1]), (scores[0], scores[1]), (won[0], won[1]), result.forfeit)
