"""Players in figures: what their turns brought, and the faces their dice showed; added up over games."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from companion.games.engine.transcript import Transcript
from companion.table.evening.turns import KINDS, turn_results

Json = dict[str, Any]

TURN_ENDERS = ("stop", "score")
"""Decisions that end a turn, whoever is on after it."""


@dataclass(frozen=True, slots=True)
class Tally:
    """A player over some games.

    Attributes:
        games: Games that were played to their end.
        won: How many of those were won, alone, shared or with a partner, and not left before.
        lost: Games lost, as docs/reference/rules.md counts them (a skunk counts two).
        throws: Throws.
        turns: Turns that are over.
        scoring: How many of those brought points.
        points: What they brought together.
        faces: How often each face came, from one to six.
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
        """The player over both."""
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
    """The best of a player in one game, over games of the same kind.

    Attributes:
        score: At the end; None where it was not played to its end.
        turn: What the best turn brought.
        loss: What the dearest wipe-out lost.
    """

    score: int | None = None
    turn: int = 0
    loss: int = 0


def bests(transcript: Transcript) -> dict[str, Best]:
    """Each player of a game, in seat order; a team's score is that of each of its two."""
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
    """Each player of a game, in seat order.

    Args:
        header: Its header.
        moves: Its lines, each with the `state` after it, as `companion.history.export.PastGames.moves`.
    """
    found = {name: Tally() for name in header["players"]}
    player, state = header.get("first") or header["players"][0], None
    begun, turn, rolling_off = 0, 1, bool(header.get("roll_off"))
    for move in moves:
        state, line = move["state"], move["line"]
        side = _side(header["players"], state, player)
        if "throw" in line:
            found[player] = _thrown(found[player], line["throw"])
        if rolling_off:  # nobody's turn; it ends when another number of dice than its two is asked for
            rolling_off, player = state["throw_sizes"] == [2], state["player"]
        elif state["player"] != player or state["round"] != turn or line.get("do") in TURN_ENDERS:
            turn = state["round"]
            if "leave" not in line:  # a turn that was left is none
                found[player] = _turned(found[player], state["scores"][side] - begun)
            player = state["player"] or player
            begun = state["scores"][_side(header["players"], state, player)]
    return _over(found, state) if state and state.get("outcome") else found


def _side(players: list[str], state: Mapping[str, Any], player: str) -> str:
    """The name that a player's scores are kept under: the own one, or the team's."""
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
