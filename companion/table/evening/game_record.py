"""The record of a game while it is played, and its conversion to and from the archive's form."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from companion.games.engine.game import Header, Outcome
from companion.games.engine.notation import action_of, header_line
from companion.games.engine.roll_off import RollOff
from companion.games.engine.transcript import Transcript
from companion.table.evening.archive import ArchivedGame, Line, packed, unpacked
from companion.table.evening.sitting import next_starting_seat
from companion.table.evening.statistics import bests, tallies
from companion.table.snapshot import Event, Thrown
from companion.table.terms import USUAL, Terms


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """The record of a game that is or was on the table, begun by the journal's entry `number`.

    Attributes:
        sitting: Number of the game that began its sitting.
        transcript: The lines that were not taken back, and the states after them.
        lines: One for each of `transcript.actions`, in order.
        log: Last events, oldest first, without those of lines taken back.
        colours: Colour index of its players, and of those who played here before them, by name.
        started_s: Wall time of its start, seconds since 1970.
    """

    number: int
    sitting: int
    transcript: Transcript
    lines: tuple[Line, ...]
    log: tuple[Event, ...]
    colours: dict[str, int]
    abandoned: bool = False
    started_s: float = 0.0
    terms: Terms = USUAL

    @property
    def view(self) -> dict[str, Any]:
        """The public fields of the game's current state as JSON values by name, computed on each use."""
        return self.transcript.view()

    @property
    def over(self) -> bool:
        """Whether the game was played to its end."""
        return self.transcript.state.standing.over

    @property
    def sides(self) -> tuple[str, ...]:
        """Names of players or teams, in the order of their scores."""
        return self.transcript.state.standing.sides

    @property
    def outcome(self) -> Outcome | None:
        """The result; None before the end."""
        return self.transcript.state.standing.outcome

    @property
    def header(self) -> Header:
        """The game's header."""
        return self.transcript.header

    @property
    def throws(self) -> tuple[Thrown, ...]:
        """Throws that were not taken back, oldest first."""
        return tuple(line.thrown for line in self.lines if line.thrown)

    @property
    def starter(self) -> str | None:
        """Name of the player who started this game; None without one, as during a roll-off."""
        begun = (each.state.standing.player for each in self.transcript.steps if not isinstance(each.state, RollOff))
        return next(begun, None)

    @property
    def next_starter(self) -> str | None:
        """Name of the player who starts the next game; None until this game is over.

        The player is of the side that lost the most games: a heavy defeat counts as more than one. `next_starting_seat`
        decides ties. Players who have left are skipped, unless all have left.
        """
        standing, players = self.transcript.state.standing, self.header.players
        if standing.outcome is None:
            return None
        seats, first = len(players), players.index(self.starter or players[0])
        worst = next_starting_seat(standing.scores, standing.outcome.games_lost, first, seats)
        staying = [seat % seats for seat in range(worst, worst + seats) if seat % seats not in standing.left]
        return players[staying[0] if staying else worst]


Game = PlayedGame | ArchivedGame
"""A game in the form that can be played on, or in the archive's compressed form."""


def archived(game: Game) -> ArchivedGame:
    """Return a game in the archive's form, with lines and log compressed; an archived game is returned unchanged."""
    if isinstance(game, ArchivedGame):
        return game
    throws = [line.thrown.number for line in game.lines if line.thrown]
    return ArchivedGame(
        number=game.number,
        sitting=game.sitting,
        started_s=game.started_s,
        header_line=header_line(game.header),
        sides=game.sides,
        outcome=game.outcome,
        abandoned=game.abandoned,
        colours=game.colours,
        lines_read=game.transcript.lines_read,
        lines=packed(game.lines),
        log=packed(game.log),
        doubted=tuple(line for line in game.lines if line.thrown and line.thrown.source in ("answered", "corrected")),
        throw_count=len(throws),
        first_throw=min(throws, default=0),
        last_throw=max(throws, default=0),
        tallies=tallies(game.transcript),
        bests=bests(game.transcript),
        terms=game.terms,
    )


def reopened(game: Game) -> PlayedGame:
    """Return a game as a `PlayedGame`, the form in which play can go on.

    A `PlayedGame` is returned unchanged. An archived game is rebuilt at each call by replaying its lines. Raises
    RulesError if the rules now refuse a line.
    """
    if isinstance(game, PlayedGame):
        return game
    transcript = Transcript.begin(game.header)
    lines = tuple(game.archived_lines())
    for line in lines:
        transcript = transcript.then(action_of(line.line))
    transcript = replace(transcript, lines_read=game.lines_read)
    return PlayedGame(
        number=game.number,
        sitting=game.sitting,
        transcript=transcript,
        lines=lines,
        log=tuple(unpacked(game.log, list[Event])),
        colours=game.colours,
        abandoned=game.abandoned,
        started_s=game.started_s,
        terms=game.terms,
    )
