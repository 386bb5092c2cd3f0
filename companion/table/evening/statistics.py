"""Statistics of players: games, turns, points and faces added up, and the gains and losses of turns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from companion.games.engine.dice import FACES
from companion.games.engine.game import Throw
from companion.games.engine.transcript import Transcript
from companion.games.registry import game_named

KINDS = {"gain": "best_turn", "loss": "dearest_loss"}
"""`Effect.result` of an event that ends a turn -> kind of highlight that such turns compete for."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Statistics of a player over some games: throws made, finished turns, those that brought points, and the points.

    Attributes:
        games: Games played to their end.
        won: Games won, alone, shared or with a partner, without leaving early.
        lost: Games lost, as docs/reference/rules.md counts them: one game may count as several.
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
    """Best results of a player in one game, or over games of one kind, in points: score, best turn, largest loss.

    The score is None where the game was not finished. A loss is a turn's unbanked points, and what the score fell by.
    """

    score: int | None = None
    turn: int = 0
    loss: int = 0


class TurnResult(NamedTuple):
    """Gain or loss of one turn of a player, for a side: its kind, a value of `KINDS`, and its points, above 0.

    A loss is the turn's unbanked points and what the score fell by. `line` is the index of the line that ended the
    turn, from 0.
    """

    kind: str
    player: str
    side: int
    points: int
    line: int


def turn_results(transcript: Transcript) -> Iterator[TurnResult]:
    """Yield a `TurnResult` for each finished turn that gained or lost points, in the order of play.

    `kind` is `KINDS["gain"]` or `KINDS["loss"]`; `points` is positive for both. A loss counts the points that the turn
    did not bank, plus the points that the side's score fell by.
    """
    rules = game_named(transcript.header.game)
    for turn in transcript.turns():
        end = turn.steps[-1]
        for event in end.state.events if turn.ended else ():
            kind, points = KINDS.get(rules.effect(event.code).result or ""), int(event.args.get("points", 0))
            if kind and event.side is not None:
                before, after = (step.state.standing.scores[event.side] for step in turn.steps[-2:])
                points += max(0, before - after)
            if kind and event.side is not None and points > 0:
                yield TurnResult(kind, turn.player, event.side, points, end.line_count - 1)


def bests(transcript: Transcript) -> dict[str, Best]:
    """Return each player's final score, best turn and largest loss in a game, by name in seat order.

    A team's score counts for both players. The score is None before the end; turn and loss are 0 where there was none.
    """
    standing, found = transcript.state.standing, dict[str, Best]()
    for seat, name in enumerate(transcript.header.players):
        found[name] = Best(standing.scores[standing.side_of(seat)] if standing.over else None)
    for kind, player, _, points, _ in turn_results(transcript):
        best = found[player]
        if kind == KINDS["gain"]:
            found[player] = replace(best, turn=max(best.turn, points))
        else:
            found[player] = replace(best, loss=max(best.loss, points))
    return found


def tallies(transcript: Transcript) -> dict[str, Tally]:
    """Return each player's `Tally` of one game, by name in seat order.

    A roll-off counts throws and faces, but no turns. Unfinished turns and those whose player left are not counted; a
    turn that lost points counts as 0 points. `games`, `won` and `lost` stay 0 until the game is over.
    """
    found = {name: Tally() for name in transcript.header.players}
    for before, after in pairwise(transcript.steps):
        player = before.state.standing.player
        if player is not None and isinstance(after.last, Throw):
            faces = tuple(after.last.dice.count(face) for face in FACES)
            found[player] += Tally(throws=1, faces=faces)
    for turn in transcript.turns():
        if turn.ended and not turn.abandoned:
            found[turn.player] += Tally(turns=1, scoring=int(turn.gained > 0), points=max(0, turn.gained))
    standing = transcript.state.standing
    if standing.outcome is None:
        return found
    for seat, name in enumerate(found):
        won = standing.side_of(seat) in standing.outcome.winners and seat not in standing.left
        lost = standing.outcome.games_lost[standing.side_of(seat)]
        found[name] += Tally(games=1, won=int(won), lost=lost)
    return found
