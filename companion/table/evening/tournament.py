"""A tournament at one table: a few journal entries hold its draw, and the finished games after them its results."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from companion.errors import IllegalAction, RulesError, WalkoverUsed
from companion.games.engine.game import Outcome
from companion.games.engine.notation import header_of
from companion.table.commands import Arranging, BeginTournament, EndTournament
from companion.table.evening.archive import ArchivedGame
from companion.table.evening.game_record import Game, archived
from companion.table.journal import Entry
from companion.table.snapshot import TournamentView
from companion.tournaments import Draw, Form, Result, check, matches_of, next_pair, standings

MAX_PLAYERS = 16
"""Most players of a tournament at one table. Bounds each snapshot: a round robin of 16 has 120 matches."""

KINDS = ("tournament", "tournament_left", "tournament_ended")
"""Kinds of journal entries that begin, change and end a tournament."""


class Tournament(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A tournament at this table: form, game and house rules, and the draw with handicaps and players who have left.

    Attributes:
        number: Number of the entry that began it; only later games count.
        left_at: Number of the entry by which each of them left; their later games do not count.
        results: Results of the games that undo and corrections no longer reach.
    """

    number: int
    form: Form
    game: str
    players: tuple[str, ...]
    rules: dict[str, bool | int] = {}
    handicaps: dict[str, int] = {}
    left: tuple[str, ...] = ()
    left_at: dict[str, int] = {}
    results: tuple[Result[str, int], ...] = ()

    @property
    def draw(self) -> Draw[str]:
        """Form, players, handicaps and players who have left, in the form that `companion.tournaments` takes."""
        return Draw(self.form, self.players, self.handicaps, frozenset(self.left))

    def header_line(self, pair: tuple[str, str]) -> dict[str, Any]:
        """Return the transcript header of the game between two players; the first of them starts."""
        return {"transcript": 1, "game": self.game, "players": list(pair), "rules": self.rules}

    def settled(self, games: Iterable[Game]) -> Tournament:
        """Return the tournament with the results of more games, which can't change any more."""
        return msgspec.structs.replace(self, results=(*self.results, *self._results(games)))

    def view(self, games: Iterable[Game]) -> TournamentView:
        """Return the tournament's matches, standings and next pair, to show in a snapshot of the table.

        Both the stored results and the tournament's games among `games` count. A game that began after one of its
        players left does not, unless that player has come back. `games` are the games that undo or a correction can
        still change, oldest first.
        """
        draw = self.draw
        results = (*self.results, *self._results(games))
        matches = matches_of(draw, [each for each in results if self._counts(each)])
        pair = next_pair(matches)
        return TournamentView(
            form=self.form,
            game=self.game,
            players=self.players,
            handicaps=self.handicaps,
            left=self.left,
            next=self.header_line(pair) if pair else None,
            over=all(match.won is not None for match in matches),
            matches=tuple(matches),
            standings=tuple(standings(draw, matches)),
        )

    def _counts(self, result: Result[str, int]) -> bool:
        """Return whether both players of a game were in the tournament when it began."""
        return all(result.game < self.left_at.get(player, result.game + 1) for player in result.players)

    def _results(self, games: Iterable[Game]) -> list[Result[str, int]]:
        """Return the results of those games that belong to the tournament and have ended.

        A game belongs to it when it began after the tournament did, is of the same kind with the same house rules, is
        between two of its players, and the bot does not play.
        """
        rules = header_of(self.header_line((self.players[0], self.players[1]))).rules
        found = list[Result[str, int]]()
        for game in games:
            header = game.header
            own = game.number > self.number and (header.game, header.rules) == (self.game, rules)
            pair = len(header.players) == 2 and set(header.players) <= set(self.players)
            if own and pair and game.outcome and game.terms.house is None:
                found.append(_result(archived(game), game.outcome))
        return found


def tournament_of(body: dict[str, Any], results: tuple[Result[str, int], ...] = ()) -> Tournament:
    """Return the tournament of a journal entry's body (`body_of`), with these results."""
    return msgspec.structs.replace(msgspec.convert(body, Tournament), results=results)


def body_of(tournament: Tournament) -> dict[str, Any]:
    """Return a tournament without its results as a JSON object for the journal: the inverse of `tournament_of`.

    The object is the body of the entry that begins the tournament. Entries of games begun during the tournament contain
    this object, too. So a start that reads the archive of finished games needs no entry older than the last game's.
    """
    body: dict[str, Any] = msgspec.to_builtins(msgspec.structs.replace(tournament, results=()))
    return body


def after(tournament: Tournament | None, entry: Entry) -> Tournament | None:
    """Return the tournament after a journal entry of a kind in `KINDS`; `tournament` is the one before it, or None.

    - `tournament` begins a new one.
    - `tournament_left` marks a player as having left or come back; None if no tournament is on.
    - `tournament_ended` ends the tournament: None.

    Results of games are not added here.
    """
    match entry.kind:
        case "tournament":
            return tournament_of({**entry.body, "number": entry.number})
        case "tournament_left" if tournament is not None:
            name = entry.body["player"]
            there = _with_back(tournament, name)
            if not entry.body["left"]:
                return there
            left_at = {name: entry.number, **tournament.left_at}
            return msgspec.structs.replace(there, left=(*there.left, name), left_at=left_at)
        case _:
            return None


def entry_of(tournament: Tournament | None, games: Iterable[Game], command: Arranging) -> tuple[str, dict[str, Any]]:
    """Return the kind and body of the journal entry that carries out a tournament command.

    The command begins or ends a tournament, or marks a player as having left or come back.

    Args:
        tournament: The current tournament, or None.
        games: Games that an undo or correction can still change; `tournament` holds the results of earlier ones.
        command: The command.

    Raises:
        IllegalAction: There is no tournament to change or end, or another one is not over.
        RulesError: The new tournament breaks a rule of its form or game, or the player is not in the tournament.
        WalkoverUsed: The player can't come back: a match already played depends on the opponent's walkover.
    """
    if isinstance(command, BeginTournament):
        if tournament is not None and not tournament.view(games).over:
            raise IllegalAction("A tournament is on. End it before you begin another.")
        begun = Tournament(**{**msgspec.structs.asdict(command), "number": 0})
        check(begun.draw, MAX_PLAYERS)
        for player in begun.players[1:]:
            header_of(begun.header_line((begun.players[0], player)))
        return "tournament", body_of(begun)
    if tournament is None:
        raise IllegalAction("No tournament is on. Begin one first.")
    if isinstance(command, EndTournament):
        return "tournament_ended", {}
    if command.player not in tournament.players:
        raise RulesError(f"{command.player!r} does not play in the tournament. Name one of its players.")
    if not command.left and _played(tournament, games) - _played(_with_back(tournament, command.player), games):
        why = f"{command.player!r} can't come back: a later match was played on the walkover."
        raise WalkoverUsed(f"{why} Play on without the player, or end the tournament.")
    return "tournament_left", {"player": command.player, "left": command.left}


def _with_back(tournament: Tournament, player: str) -> Tournament:
    """Return the tournament with a player who had left back in it; unchanged if the player had not left."""
    left = tuple(each for each in tournament.left if each != player)
    left_at = {each: number for each, number in tournament.left_at.items() if each != player}
    return msgspec.structs.replace(tournament, left=left, left_at=left_at)


def _played(tournament: Tournament, games: Iterable[Game]) -> set[int]:
    """Return the numbers of the games that are results of the tournament's matches."""
    return {match.game for match in tournament.view(games).matches if match.game is not None}


def _result(game: ArchivedGame, outcome: Outcome) -> Result[str, int]:
    """Convert a finished game of two players to a result of a tournament, with both players in seat order.

    The result has their final scores, their shares of the win, and whether a player left.
    """
    one, other = game.header.players
    scores = game.bests[one].score or 0, game.bests[other].score or 0
    share = 1 / max(1, len(outcome.winners))
    won = share * (0 in outcome.winners), share * (1 in outcome.winners)
    return Result(game.number, (one, other), scores, won, any("leave" in each.line for each in game.archived_lines()))
