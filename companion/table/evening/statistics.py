"""Statistics of players: games, turns, points and faces, added up over games."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from companion.games.engine.transcript import Transcript
from companion.table.evening.turns import KINDS, turn_results

Json = dict[str, Any]

TURN_ENDERS = ("stop", "score")
"""Decisions that always end a turn, even if the same player is on again."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Statistics of a player over some games.

    Attributes:
        games: Games played to their end.
        won: Games won, alone, shared or with a partner, without leaving early.
        lost: Games lost, as docs/reference/rules.md counts them (a skunk counts two).
        throws: Throws made.
        turns: Finished turns.
        scoring: Finished turns that brought points.
        points: Points of all finished turns.
        faces: Number of dice that showed each face, from one to six.
    """

    games: int = 0
    won: int = 0
    lost: int = 0
    throws: int = 0
    turns: int = 0
    scoring: int = 0
    points: int = 0
    faces: tuple[int, ...] = (0,) * 6

    def __add__(self, other: Tally) -> Tally:
        """Return the statistics over both sets of games."""
        return Tally(
            games=self.games + other.games,
            won=self.won + other.won,
            lost=self.lost + other.lost,
            throws=self.throws + other.throws,
            turns=self.turns + other.turns,
            scoring=self.scoring + other.scoring,
            points=self.points + other.points,
            faces=tuple(one + more for one, more in zip(self.faces, other.faces, strict=True)),
        )


@dataclass(frozen=True, slots=True)
class Best:
    """Best results of a player in one game, or over games of one kind.

    Attributes:
        score: Final score; None where the game was not finished.
        turn: Points of the best turn.
        loss: Points lost by the dearest wipe-out.
    """

    score: int | None = None
    turn: int = 0
    loss: int = 0


def bests(transcript: Transcript) -> dict[str, Best]:
    """Return each player's best results in a game, by name in seat order. A team's score counts for both players."""
    state, players = transcript.state, transcript.header.players
    scores = [state.scores[seat % len(state.scores)] if state.outcome else None for seat in range(len(players))]
    found = {name: Best(score) for name, score in zip(players, scores, strict=True)}
    for kind, player, _, points, _ in turn_results(transcript):
        best = found[player]
        if kind == KINDS["banked"]:
            found[player] = replace(best, turn=max(best.turn, points))
        else:
            found[player] = replace(best, loss=max(best.loss, points))
    return found


def tallies(header: Mapping[str, Any], moves: Iterable[Mapping[str, Any]]) -> dict[str, Tally]:
    """Return each player's statistics in a game, by name in seat order.

    Args:
        header: The game's header line.
        moves: Its lines, each with the `state` after it, as `companion.history.export.PastGames.moves` returns them.
    """
    found = {name: Tally() for name in header["players"]}
    player, state = header.get("first") or header["players"][0], None
    begun, turn, rolling_off = 0, 1, bool(header.get("roll_off"))
    for move in moves:
        state, line = move["state"], move["line"]
        side = _side(header["players"], state, player)
        if "throw" in line:
            found[player] = _thrown(found[player], line["throw"])
        if rolling_off:  # a roll-off throws two dice; it ends when another count is asked for
            rolling_off, player = state["throw_sizes"] == [2], state["player"]
        elif state["player"] != player or state["round"] != turn or line.get("do") in TURN_ENDERS:
            turn = state["round"]
            if "leave" not in line:  # an abandoned turn is not counted
                found[player] = _turned(found[player], state["scores"][side] - begun)
            player = state["player"] or player
            begun = state["scores"][_side(header["players"], state, player)]
    return _over(found, state) if state and state.get("outcome") else found


def _side(players: list[str], state: Mapping[str, Any], player: str) -> str:
    """Return the name that keeps a player's score: the player's own, or the team's."""
    sides = list(state["scores"])
    return str(sides[players.index(player) % len(sides)])


def _thrown(tally: Tally, dice: Iterable[int]) -> Tally:
    faces = list(tally.faces)
    for value in dice:
        faces[value - 1] += 1
    return replace(tally, throws=tally.throws + 1, faces=tuple(faces))


def _turned(tally: Tally, gained: int) -> Tally:
    scored = int(gained > 0)
    return replace(tally, turns=tally.turns + 1, scoring=tally.scoring + scored, points=tally.points + max(0, gained))


def _over(found: dict[str, Tally], state: Mapping[str, Any]) -> dict[str, Tally]:
    outcome, players = state["outcome"], list(found)
    ended = {}
    for name, tally in found.items():
        side = _side(players, state, name)
        lost = outcome["games_lost"].get(side, 0)
        won = side in outcome["winners"] and name not in state.get("left", ())
        ended[name] = replace(tally, games=1, won=int(won), lost=lost)
    return ended
