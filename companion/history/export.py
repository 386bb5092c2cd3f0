"""The games of the journal as transcripts, past ones too: for export, bug reports and the evening's pages."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from companion.errors import RulesError
from companion.games.advice.luck import steps_of
from companion.games.advice.odds import weighed, win_chances
from companion.games.engine.notation import action_of
from companion.games.engine.replay import transcript_of
from companion.games.engine.transcript import Transcript
from companion.games.registry import game_named
from companion.history.fairness import course_of, watched
from companion.history.story import story_with_photos
from companion.table.evening.archive import Archive, ArchivedGame, ArchivedLine
from companion.table.evening.game_record import Game, archived
from companion.table.evening.statistics import Tally
from companion.table.evolve import Record, after_entry, archived_before
from companion.table.journal import Entry, read_entries
from companion.table.terms import SERIOUS

Json = dict[str, Any]


class PastGames:
    """All games of a data folder: the archived ones, and what its journal says since; any thread may ask."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._record: Record | None = None
        self._kept: dict[int, ArchivedGame] = {}
        self._odds: tuple[ArchivedGame, str, Json] | None = None  # asked for last: many phones ask for the same
        # By game, valid while its archived form is the same.
        self._luck: dict[int, tuple[ArchivedGame, Json]] = {}
        self._chances: dict[int, tuple[ArchivedGame, Json]] = {}

    def games(self) -> list[Json]:
        """Those that were played, newest first: `id`, `started` and what `_summary` gives."""
        return [{"id": game.number, "started": _timestamp(game.started_s), **_summary(game)} for game in self._played()]

    def transcript(self, game: int) -> list[Json] | None:
        """The lines of a game that stand, its header first; None when there is no such game."""
        kept = self._game(game)
        return [kept.header_line, *(each.line for each in kept.archived_lines())] if kept else None

    def text(self, game: int) -> bytes | None:
        """The same as JSON Lines, as `pegpip replay` reads them."""
        kept = self._game(game)
        return kept.text() if kept else None

    def newest(self) -> bytes | None:
        """That of the game that was set up last, played or not; None before the first."""
        with self._lock:
            self._read_on()
            return self._kept[max(self._kept)].text() if self._kept else None

    def moves(self, game: int) -> list[Json] | None:
        """For each line after the header: `line`, `state` and `track` after it, the number of its `throw` or None."""
        kept = self._game(game)
        if kept is None:
            return None
        transcript = Transcript.begin(kept.header)
        moves = []
        for line in kept.archived_lines():
            transcript = transcript.then(action_of(line.line))
            throw = line.thrown.number if line.thrown else None
            track = asdict(game_named(kept.header.game).track(transcript.state))
            moves.append({"line": line.line, "state": transcript.view(), "track": track, "throw": throw})
        return moves

    def tallies(self, game: int) -> dict[str, Tally] | None:
        """Each player of a game in figures; None when there is no such game."""
        kept = self._game(game)
        return kept.tallies if kept else None

    def players(self) -> dict[str, Tally]:
        """Everyone who has played here, over all games, the latest to play first."""
        found: dict[str, Tally] = {}
        for game in self._played():
            for name, tally in game.tallies.items():
                found[name] = found.get(name, Tally()) + tally
        return found

    def luck(self, game: int) -> Json | None:
        """How a game split into luck and decisions, as `Story.view`; None when there is no such game.

        Each throw and decision told of has `photo`, the number of the throw that lay there then.

        Raises:
            RulesError: It is not finished.
        """
        kept = self._game(game)
        if kept is None:
            return None
        if game not in self._luck or self._luck[game][0] is not kept:
            thrown = [line.thrown.number if line.thrown else None for line in kept.archived_lines()]
            self._luck[game] = kept, story_with_photos(transcript_of(kept.text()), thrown)
        return self._luck[game][1]

    def chances(self, game: int) -> Json | None:
        """Each side's chance to win before the first line of a game and after each: `chances`, a list a line.

        None when there is no such game. Raises RulesError where they are not worked out, or it is not finished.
        """
        kept = self._game(game)
        if kept is None:
            return None
        if kept.outcome is None:
            raise RulesError("The game is not finished: its chances are told at the table.")
        if game not in self._chances or self._chances[game][0] is not kept:
            steps = steps_of(transcript_of(kept.text()))
            self._chances[game] = kept, {"chances": [list(win_chances(step.state)) for step in steps]}
        return self._chances[game][1]

    def odds(self, game: int, goal: str) -> Json | None:
        """What can be done after a game's last line and what each option is worth, as `games.odds.weighed`.

        None when there is no such game. Raises RulesError where that is not worked out.
        """
        kept = self._game(game)
        if kept is None:
            return None
        if kept.terms.serious and kept.outcome is None and not kept.abandoned:
            raise RulesError(SERIOUS)
        known = self._odds
        if known is None or known[0] is not kept or known[1] != goal:
            known = self._odds = kept, goal, weighed(transcript_of(kept.text()).state, goal)
        return known[2]

    def throws(self, since: int | None = None, dice: str | None = None) -> Iterator[Sequence[int]]:
        """The values of every throw that stands, in the order of the games.

        Args:
            since: Of those from that game on.
            dice: Of those that were played with that set of dice.
        """
        for game in reversed(self._played()):
            if (since is None or game.number >= since) and dice in (None, game.terms.dice):
                yield from (line.line["throw"] for line in game.archived_lines() if line.thrown)

    def throwers(self) -> Iterator[tuple[int, str, str, int, str, list[int]]]:
        """Each throw of every game, the newest game first: game, kind, started, its number, who threw, values."""
        for game in self._played():
            of_game = game.number, game.header.game, _timestamp(game.started_s)
            for line in game.archived_lines():
                if line.thrown:
                    yield *of_game, line.thrown.number, line.thrown.player, line.line["throw"]

    def fairness(self, dice: str | None = None) -> Json:
        """Whether a set of dice is honest, as far as all its throws can tell: as `Fairness.view`.

        With `dice` its name, `sets` the names of all, the latest used first, and the `course` of the evidence. When no
        name is given it is the set that was used last.
        """
        sets = list(dict.fromkeys(game.terms.dice for game in self._played())) or [""]
        dice = sets[0] if dice is None else dice
        throws = list(self.throws(dice=dice))
        return {"dice": dice, "sets": sets, **watched(throws).view(), "course": course_of(throws)}

    def doubted(self) -> list[tuple[ArchivedGame, ArchivedLine]]:
        """Each throw that the camera doubted or a person corrected, and its game; oldest first."""
        with self._lock:
            self._read_on()
            return [(game, line) for _, game in sorted(self._kept.items()) for line in game.doubted]

    def _played(self) -> list[ArchivedGame]:
        """Newest first; a game that was only set up, as a first start sets one up, is not worth telling."""
        with self._lock:
            self._read_on()
            return sorted((game for game in self._kept.values() if game.played), key=lambda game: -game.number)

    def _game(self, number: int) -> ArchivedGame | None:
        with self._lock:
            self._read_on()
            return self._kept.get(number)

    def _read_on(self) -> None:
        if self._record is None:
            self._record, _ = archived_before(self._folder, Archive(self._folder))
            self._kept = {game.number: archived(game) for game in self._record.games}
        changed: dict[int, Game] = {}
        for entry in read_entries(self._folder, self._record.number + 1):
            if entry.kind == "withdrawn" and self._record.games:
                self._kept.pop(self._record.games[-1].number, None)
            self._record = followed(self._record, entry, changed)
        self._kept |= {number: archived(game) for number, game in changed.items()}


def followed(record: Record, entry: Entry, games: dict[int, Game]) -> Record:
    """The record after the entry; `games` learns how each game that it changed stands, and forgets one taken back."""
    after = after_entry(record, entry)
    if entry.kind == "withdrawn" and record.games:
        games.pop(record.games[-1].number, None)
    if after.games is not record.games:
        known = {id(game) for game in record.games}
        games.update((game.number, game) for game in after.games if id(game) not in known)
    return after


def _summary(game: ArchivedGame) -> Json:
    """Return a game in short.

    `game`, `title`, `players`, `colours` (of each side), `over`, `abandoned`, `winners`, `games_lost`, `throws`
    (their number), `dice`, `bests` (of each player: `score`, `turn`, `loss`).
    """
    outcome, players = game.outcome, game.header_line["players"]
    return {
        "game": game.header_line["game"],
        "title": game_named(game.header_line["game"]).title,
        "players": players,
        "colours": [game.colours[name] for name in players[: len(game.sides)]],
        "over": outcome is not None,
        "abandoned": game.abandoned,
        "winners": [game.sides[side] for side in outcome.winners] if outcome else [],
        "games_lost": dict(zip(game.sides, outcome.games_lost, strict=True)) if outcome else {},
        "throws": game.throw_count,
        "dice": game.terms.dice,
        "bests": game.bests,
    }


def _timestamp(wall_s: float) -> str:
    return datetime.fromtimestamp(wall_s, UTC).isoformat(timespec="seconds")
