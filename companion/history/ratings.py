"""Ratings: what a player's decisions cost over all evenings, by game. Games in tournament mode do not count."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from companion.games.advice.judging import judged, rating
from companion.games.engine.transcript import Transcript
from companion.games.registry import game_named
from companion.table.terms import Terms

Regrets = tuple[str, dict[str, tuple[float, ...]]]
"""The goal of a game, and by player the regret of each decision that counts (`judging.regrets_of`)."""


def regrets_by_player(transcript: Transcript, terms: Terms) -> Regrets | None:
    """Return a finished game's goal, and by player's name the regret of each decision that counts (`regrets_of`).

    The bot is left out. The result is None for a game that is not over, that a player left, that was played in
    tournament mode, or whose options have no known values.
    """
    found = None if terms.serious else judged(transcript)
    if found is None:
        return None
    goal, regrets = found
    bot = terms.house.player if terms.house else None
    named = zip(transcript.header.players, regrets, strict=True)
    return goal, {player: each for player, each in named if player != bot}


def ratings_of(games: Iterable[tuple[str, Regrets | None]]) -> list[dict[str, Any]]:
    """Rate every player by kind of game and goal over the given games; the rating is the mean regret of a decision.

    Players without a decision that counts are left out.

    Args:
        games: Pairs: name of the kind of game, and the `regrets_by_player` of one game. None instead for a game
            that doesn't count.

    Returns:
        JSON values, by game, goal and ascending regret: `game`, `title`, `player`, and the fields of `Rating`.
    """
    together: dict[tuple[str, str, str], list[float]] = {}
    for game, found in games:
        if found is None:
            continue
        goal, by_player = found
        for player, regrets in by_player.items():
            together.setdefault((game, goal, player), []).extend(regrets)
    rated = [
        {"game": game, "title": game_named(game).title, "player": player, **asdict(rating(game, goal, regrets))}
        for (game, goal, player), regrets in together.items()
        if regrets
    ]
    return sorted(rated, key=lambda row: (row["game"], row["goal"], row["regret"]))
