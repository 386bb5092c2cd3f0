"""Standings of a tournament, with the tie-breaks that decide between players who are level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Generic

from companion.tournaments.draw import Draw, G, P
from companion.tournaments.matches import Match


@dataclass(frozen=True, slots=True)
class Placing(Generic[P]):
    """A player's line in the standings.

    Attributes:
        place: Place from 1; players who are level in everything share it.
        player: The player.
        played: Matches with a result, walkovers included.
        won: Matches won; a shared win counts a half.
        difference: Own points less the opponents', handicaps included, over the matches with a game.
    """

    place: int
    player: P
    played: int
    won: float
    difference: int


def standings(draw: Draw[P], matches: Sequence[Match[P, G]]) -> list[Placing[P]]:
    """Return the standings after these matches (`matches_of`), the best first; equal players share a place.

    Knockout: players who are not out come first, then those who went out, the latest round first. Players who left come
    after all others. But a player who lost a played match or won a played final keeps that place after leaving.

    Round robin: most matches won come first. Ties are broken by wins against players with as many wins, then by the
    difference of points.
    """
    totals = {player: _totals(draw, matches, player) for player in draw.players}
    out_in: dict[P | None, int] = {}
    final = (len(draw.players) - 1).bit_length()
    gave_up: set[P | None] = set(draw.left)
    for match in matches:
        if match.won is not None:
            out = {player for player, won in zip(match.players, match.won, strict=True) if not won}
            out_in |= dict.fromkeys(out, match.round)
            if match.game is not None:
                gave_up -= {*match.players} if match.round == final else out
    keys: dict[P, tuple[float, ...]] = {}
    for player in draw.players:
        if draw.form == "knockout":
            keys[player] = (player not in gave_up, out_in.get(player, inf))
        else:
            won = totals[player][1]
            level = {other for other in draw.players if totals[other][1] == won}
            keys[player] = (won, _won_against(matches, player, level), totals[player][2])
    order = sorted(draw.players, key=lambda player: keys[player], reverse=True)
    return [
        Placing(1 + sum(keys[other] > keys[player] for other in order), player, *totals[player]) for player in order
    ]


def _totals(draw: Draw[P], matches: Sequence[Match[P, G]], player: P) -> tuple[int, float, int]:
    """Return how many matches of a player have a result and how many were won, and the point difference.

    A shared win counts a half. The difference includes the handicaps of `draw`. A walkover counts as a match, and as a
    win for the player who stayed, but adds nothing to the difference.
    """
    played, won, difference = 0, 0.0, 0
    for match in matches:
        if match.won is not None and player in match.players:
            own = match.players.index(player)
            played, won = played + 1, won + match.won[own]
            opponent = match.players[1 - own]
            if match.scores is not None and opponent is not None:
                gap = draw.handicaps.get(player, 0) - draw.handicaps.get(opponent, 0)
                difference += match.scores[own] + gap - match.scores[1 - own]
    return played, won, difference


def _won_against(matches: Sequence[Match[P, G]], player: P, level: set[P]) -> float:
    """Return the sum of a player's shares of the wins in matches among `level`, a set of players with this one."""
    among = (match for match in matches if player in match.players and level.issuperset(match.players))
    return sum(match.won[match.players.index(player)] for match in among if match.won is not None)
