"""Matches of a tournament: who meets whom, and the result of each from the finished games and the walkovers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic

from companion.tournaments.draw import Draw, G, P, Result, oriented
from companion.tournaments.pairings import bracket, round_robin


@dataclass(frozen=True, slots=True)
class Match(Generic[P, G]):
    """A match of a tournament.

    Attributes:
        round: Its round, from 1.
        players: The two players; None for one who is not known yet.
        won: Each one's share of the win; None while it is to be played. (0, 0): both have left.
        scores: Final scores of its game, without handicaps; None without a game.
        game: Its game. None with a result: a walkover.
    """

    round: int
    players: tuple[P | None, P | None]
    won: tuple[float, float] | None = None
    scores: tuple[int, int] | None = None
    game: G | None = None


@dataclass(frozen=True, slots=True)
class _Entrant(Generic[P]):
    """One place in a match of a knockout.

    Attributes:
        player: The player; None while the match before is to be played.
        after: Number of results up to the one that brought the player here; only later games count.
    """

    player: P | None
    after: int = 0


def matches_of(draw: Draw[P], results: Sequence[Result[P, G]]) -> list[Match[P, G]]:
    """Return the matches of a tournament, in the order in which they are to be played.

    Who wins a game is decided with the draw's handicaps (`oriented`). Round robin: the first game of two players is
    their match. Knockout: their first game with a single winner after the matches that brought them there; after a
    shared win they play again. A bye is no match. A match without a game is a walkover if one of the two players has
    left the tournament; if both have, neither wins.

    `results` are the games finished during the tournament, in the order in which they began; games of others are
    ignored. Matches that are still to be played have no result. In a knockout a player who is not known yet is None.
    """
    if draw.form == "round_robin":
        rounds = enumerate(round_robin(draw.players), 1)
        return [_match(draw, results, round_number, pair)[0] for round_number, pairs in rounds for pair in pairs]
    return _knockout(draw, results)


def next_pair(matches: Sequence[Match[P, G]]) -> tuple[P, P] | None:
    """Return the players of the first match without a result whose two players are known; None if there is none."""
    for match in matches:
        one, other = match.players
        if match.won is None and one is not None and other is not None:
            return one, other
    return None


def _match(
    draw: Draw[P], results: Sequence[Result[P, G]], round_number: int, pair: tuple[P, P], skip: int = 0
) -> tuple[Match[P, G], int]:
    """Return the match of two players in a round of a tournament, and how many results its winner's next match skips.

    The first game of the two in `results[skip:]` counts; in a knockout, the first with a winner. The number returned
    includes that game. Without such a game it is `skip`, and the match has no result, or is a walkover if a player has
    left; if both have, neither wins.
    """
    for at, result in enumerate(results[skip:], skip + 1):
        if set(result.players) == set(pair):
            decided = oriented(result, pair[0], draw.handicaps)
            if draw.form == "round_robin" or decided.won[0] != decided.won[1]:
                return Match(round_number, pair, decided.won, decided.scores, result.game), at
    gone = [player in draw.left for player in pair]
    walkover = (float(gone[1] and not gone[0]), float(gone[0] and not gone[1]))
    return Match(round_number, pair, walkover if any(gone) else None), skip


def _knockout(draw: Draw[P], results: Sequence[Result[P, G]]) -> list[Match[P, G]]:
    """Return the matches of a knockout, round by round, each round from the top of the bracket.

    A player who is not known yet is None in the match, and the match has no result. A bye makes no match. If both
    players of a match have left, nobody wins, and the opponent waiting in the next round advances without a match.
    """
    line = [None if player is None else _Entrant(player) for player in bracket(draw.players)]
    matches, round_number = list[Match[P, G]](), 0
    while len(line) > 1:
        round_number += 1
        winners = list[_Entrant[P] | None]()
        for one, other in zip(line[::2], line[1::2], strict=True):
            if one is None or other is None:  # a bye, or nobody came through
                winners.append(one or other)
            elif one.player is None or other.player is None:
                matches.append(Match(round_number, (one.player, other.player)))
                winners.append(_Entrant(None))
            else:
                pair = (one.player, other.player)
                match, after = _match(draw, results, round_number, pair, max(one.after, other.after))
                matches.append(match)
                if match.won is None:
                    winners.append(_Entrant(None))
                else:  # nobody goes on where both have left
                    winners.append(_Entrant(pair[match.won[1] > match.won[0]], after) if any(match.won) else None)
        line = winners
    return matches
