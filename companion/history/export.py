"""Games of a data folder as transcripts, figures, odds and luck: for export, bug reports and the evening's pages."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from companion.errors import DeviceError, RulesError
from companion.games.advice.luck import steps_of, story_of
from companion.games.advice.odds import is_exact, odds_view, win_chances
from companion.games.advice.rarity import chance_of_as_good
from companion.games.engine.notation import action_of
from companion.games.engine.replay import transcript_of
from companion.games.engine.transcript import Transcript
from companion.games.registry import game_named
from companion.history.fairness import course_of, evidence_after
from companion.history.ratings import ratings_of, regrets_by_player
from companion.history.story import story_with_photos
from companion.table.evening.archive import Archive, ArchivedGame, Line
from companion.table.evening.game_record import Game, archived
from companion.table.evening.statistics import Tally
from companion.table.evolve import Record, Unplayable, replayed
from companion.table.journal import Entry, read_entries
from companion.table.terms import SERIOUS

log = logging.getLogger(__name__)

Json = dict[str, Any]
T = TypeVar("T")
"""Type of a result that is computed from a past game."""
MAX_RESULTS = 64
"""Most results of past games that are kept in memory, a game's luck and odds among them; the costs of decisions are
kept for every game. Higher: visitors who open every game of years fill the memory, 0.1 to 0.2 MB a game."""


class PastGames:
    """Reads every game of a data folder: the archived ones, and the ones in the journal since. Thread-safe.

    Each call first reads the entries that the journal has gained, so its answers include the game on the table. A
    method that takes a game's number returns None when there is no such game. `folder` is the data folder, with the
    journal and the archive of finished games.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock, self._computing = threading.Lock(), threading.Lock()
        self._record: Record | None = None
        self._unplayable = False  # whether the entry after the record can't be replayed
        self._kept: dict[int, ArchivedGame] = {}
        self._results: dict[tuple[str, int], tuple[ArchivedGame, Any]] = {}  # by kind of result and game
        self._tested: tuple[list[ArchivedGame], dict[str | None, Json]] = [], {}  # games, results by set

    def games(self) -> list[Json]:
        """Return every game with a throw or a result, newest first, with the fields of `_summary`."""
        return [_summary(game) for game in self._played()]

    def moves(self, game: int) -> Json | None:
        """Return one game with its lines in order; None for an unknown game.

        Returns:
            `header`: the header of the transcript.
            `players`: each player's statistics in this game (`Tally`), by name.
            `game`: the game as `games` lists it.
            `moves`: for each line after the header, `line`, and the `state` and `track` after it. `throw` is the
                number of the throw on that line, or None. `boxes` are the throw's dice in the photo
                (`Thrown.boxes`); empty if unknown.

        Raises:
            DeviceError: The journal can't be read.
        """
        kept = self._game(game)
        if kept is None:
            return None
        transcript = Transcript.begin(kept.header)
        moves = []
        for line in kept.archived_lines():
            transcript = transcript.then(action_of(line.line))
            throw, boxes = (line.thrown.number, line.thrown.boxes) if line.thrown else (None, ())
            track = asdict(game_named(kept.header.game).track(transcript.state))
            moves.append(
                {"line": line.line, "state": transcript.view(), "track": track, "throw": throw, "boxes": boxes}
            )
        return {"header": kept.header_line, "moves": moves, "players": kept.tallies, "game": _summary(kept)}

    def text(self, game: int) -> bytes | None:
        """Return a game's transcript as JSON Lines, the input of `pegpip replay`. None for an unknown game."""
        kept = self._game(game)
        return kept.text() if kept else None

    def newest(self) -> bytes | None:
        """Return the newest game's transcript as JSON Lines, even without a throw. None before the first game."""
        with self._lock:
            self._read_on()
            return self._kept[max(self._kept)].text() if self._kept else None

    def players(self) -> dict[str, Tally]:
        """Return each player's statistics summed over all games, keyed by name.

        Players of the newest game come first. Raises DeviceError if the journal can't be read.
        """
        found: dict[str, Tally] = {}
        for game in self._played():
            for name, tally in game.tallies.items():
                found[name] = found.get(name, Tally()) + tally
        return found

    def luck(self, game: int) -> Json | None:
        """Return luck and decisions of a finished game, as `story_with_photos` does; None for an unknown game. Cached.

        Raises:
            RulesError: The game is not finished, a player left it, or the odds for its rules and players are not known.
            DeviceError: The journal can't be read.
        """

        def luck(kept: ArchivedGame) -> Json:
            return story_with_photos(transcript_of(kept.text()), [line.thrown for line in kept.archived_lines()])

        return self._cached("luck", self._game(game), luck)

    def luckiest(self, game: int) -> Json | None:
        """Return the luckiest throw of a finished game (`story_of`); None for an unknown game. The result is cached.

        Returns:
            `player`, `values`, `line` (its number in the transcript), and `chance`, the probability of a throw at
                least as good.

        Raises:
            RulesError: The game is not finished, a player left it, its odds are not known, or no throw was lucky.
            DeviceError: The journal can't be read.
        """

        def luckiest(kept: ArchivedGame) -> Json:
            transcript = transcript_of(kept.text())
            story = story_of(transcript)
            chance, move = chance_of_as_good(transcript, story), story.luckiest[0].view(transcript.header.players)
            return {"player": move["player"], "values": move["action"]["throw"], "line": move["line"], "chance": chance}

        return self._cached("luckiest", self._game(game), luckiest)

    def chances(self, game: int) -> Json | None:
        """Return each side's win probability throughout a finished game, cached; None for an unknown game number.

        Returns:
            A JSON object. `chances`: a list of lists, each with one probability a side: right after the roll-off,
            then after each later line. `exact`: whether the probabilities hold if all sides play every turn for the
            win.

        Raises:
            RulesError: The game is not finished, has more or fewer than two sides, or its odds are not known.
            DeviceError: The journal can't be read.
        """

        def chances(kept: ArchivedGame) -> Json:
            if kept.outcome is None:
                raise RulesError("The game is not finished. Ask for the chances of the current game instead.")
            steps = steps_of(transcript_of(kept.text()))
            return {"chances": [list(win_chances(step.state)) for step in steps], "exact": is_exact(steps[0].state)}

        return self._cached("chances", self._game(game), chances)

    def odds(self, game: int, goal: str) -> Json | None:
        """Return the odds after a game's last line as JSON, as `games.advice.odds.odds_view` does.

        None for an unknown game. The result is cached, because many phones ask for it at once.

        Args:
            game: Number of the game.
            goal: Goal of the play, one of `games.advice.odds.GOALS`.

        Raises:
            RulesError: The game is in tournament mode and still on, `goal` is unknown, or the values of the game's
                options are not known for it.
            DeviceError: The journal can't be read.
        """

        def odds(kept: ArchivedGame) -> Json:
            if kept.terms.serious and kept.outcome is None and not kept.abandoned:
                raise RulesError(SERIOUS)
            return odds_view(transcript_of(kept.text()).state, goal)

        return self._cached(f"odds {goal}", self._game(game), odds)

    def ratings(self) -> list[Json]:
        """Return each player's mean cost of a decision in finished games, by kind of game and goal (`ratings_of`).

        Left out are games in tournament mode, games that a player left, games without known odds, and the bot's
        decisions. The costs of each game are cached. Raises DeviceError if the journal can't be read.
        """
        finished = [game for game in self._played() if game.outcome is not None]
        return ratings_of(
            (
                game.header.game,
                self._cached("regrets", game, lambda one: regrets_by_player(transcript_of(one.text()), one.terms)),
            )
            for game in finished
        )

    def throws(self, since: int | None = None, dice: str | None = None) -> Iterator[Sequence[int]]:
        """Yield the dice values of every throw that was not taken back, in the order thrown, oldest game first.

        The running game is included. Raises DeviceError if the journal can't be read.

        Args:
            since: Number of the earliest game to include; None for all.
            dice: Name of the set of dice to include, "" for the usual one; None for all sets.
        """
        for game in reversed(self._played()):
            if (since is None or game.number >= since) and dice in (None, game.terms.dice):
                yield from (line.line["throw"] for line in game.archived_lines() if line.thrown)

    def sets_of_dice(self) -> list[str]:
        """Return the names of the sets of dice of all played games, the latest used first; "" is the usual set.

        Raises DeviceError if the journal can't be read.
        """
        return list(dict.fromkeys(game.terms.dice for game in self._played()))

    def check_set(self, dice: str | None) -> None:
        """Raise DeviceError, with the known sets, if no game was played with the named set of dice; None is any set."""
        known = self.sets_of_dice() or [""]
        if dice is not None and dice not in known:
            cure = f"Known sets: {', '.join(map(repr, known))}."
            raise DeviceError(f"No game was played with the set of dice {dice!r}.", cure)

    def throw_rows(self) -> Iterator[tuple[int, str, str, int, str, list[int]]]:
        """Yield a row for each throw that was not taken back: newest game first, and in the order thrown within a game.

        Raises DeviceError if the journal can't be read.

        Yields:
            Number of the game, its kind, its start (ISO 8601, UTC), number of the throw, name of the player, values.
        """
        for game in self._played():
            of_game = game.number, game.header.game, _timestamp(game.started_s)
            for line in game.archived_lines():
                if line.thrown:
                    yield *of_game, line.thrown.number, line.thrown.player, line.line["throw"]

    def fairness(self, dice: str | None = None) -> Json:
        """Return the result of testing whether a set of dice is fair, from all its throws, the running game's too.

        `dice` is the name of the set, "" for the usual one; None for the set used last, or the usual one if there is no
        game. An unknown set is tested as a set without throws. The result is cached until a game changes. Raises
        DeviceError if the journal can't be read.

        Returns:
            The fields of `Fairness.view`, and `dice`: name of the set; `sets`: names of all sets, the latest used
                first; `course`: the evidence over time, as `course_of`.
        """
        played = self._played()
        sets = self.sets_of_dice() or [""]
        dice = sets[0] if dice is None else dice
        known = dice if dice in sets else None  # all unknown names share one entry of the cache
        with self._computing:
            if self._tested[0] != played:
                self._tested = played, {}
            results = self._tested[1]
            if known not in results:
                throws = list(self.throws(dice=dice))
                results[known] = {**evidence_after(throws).view(), "course": course_of(throws)}
        return {"dice": dice, "sets": sets, **results[known]}

    def archived_after(self, number: int) -> tuple[tuple[ArchivedGame, ...], int, int]:
        """Return the games that started after game `number`, 0 for all, and how far the journal was read.

        Raises DeviceError if the journal can't be read.

        Returns:
            The games in the archive's form, oldest first.
            The number of the oldest game that may still change, whatever `number` is; 0 if there is none. Undo and
            corrections reach the games of this sitting and of the one before.
            The number of the last journal entry read.
        """
        with self._lock:
            record = self._read_on()
            open_from = record.games[0].number if record.games else 0
            games = tuple(game for key, game in sorted(self._kept.items()) if key > number)
            return games, open_from, record.number

    def doubted(self) -> list[tuple[ArchivedGame, Line]]:
        """Return each throw that the camera doubted or a person corrected, with its game, oldest first.

        Throws that were taken back are left out. Raises DeviceError if the journal can't be read.
        """
        with self._lock:
            self._read_on()
            return [(game, line) for _, game in sorted(self._kept.items()) for line in game.doubted]

    def camera_throws(self) -> Iterator[tuple[ArchivedGame, Line]]:
        """Yield each throw that stands and was not entered by hand, with its game, oldest first."""
        for game in reversed(self._played()):
            for line in game.archived_lines():
                if line.thrown and line.thrown.source != "hand":
                    yield game, line

    def _played(self) -> list[ArchivedGame]:
        """Return the games that have a throw or a result, newest first. A first start sets up a game without either."""
        with self._lock:
            self._read_on()
            return sorted((game for game in self._kept.values() if game.played), key=lambda game: -game.number)

    def _game(self, number: int) -> ArchivedGame | None:
        """Return a game by its number; None for an unknown one."""
        with self._lock:
            self._read_on()
            return self._kept.get(number)

    def _cached(self, kind: str, game: ArchivedGame | None, compute: Callable[[ArchivedGame], T]) -> T | None:
        """Return the result of `compute` for a game, cached until the game changes; None if `game` is None.

        `kind` names the result, such as `luck`. Only one call computes at a time; others wait. The oldest results
        beyond MAX_RESULTS are dropped, except those of the kind `regrets`: ratings need them for all games.
        """
        if game is None:
            return None
        with self._computing:  # many phones ask at once: the others wait for the first one's result
            known = self._results.get((kind, game.number))
            if known is None or known[0] is not game:
                known = self._results[kind, game.number] = game, compute(game)
                for oldest in [key for key in self._results if key[0] != "regrets"][:-MAX_RESULTS]:
                    del self._results[oldest]
            found: T = known[1]
            return found

    def _read_on(self) -> Record:
        """Read the entries that the journal has gained since the last call, update the games, and return the record.

        The first call loads the archive. The caller holds the lock. Reading ends for good at an entry that can't be
        replayed, and the log says so once; a table starts in safe mode on such an entry. Raises DeviceError if the
        journal can't be read or has a damaged line.
        """
        if self._record is None:
            first, games = Archive(self._folder).load()
            self._record, self._kept = Record(first - 1, games=games), {game.number: game for game in games}
        if self._unplayable:
            return self._record
        changed: dict[int, Game] = {}
        try:
            for entry in read_entries(self._folder, self._record.number + 1):
                if entry.kind == "withdrawn" and self._record.games:
                    self._kept.pop(self._record.games[-1].number, None)
                self._record = followed(self._record, entry, changed)
        except Unplayable as wrong:
            self._unplayable = True
            log.warning("Later games are left out: %s.", wrong)
        self._kept |= {number: archived(game) for number, game in changed.items()}
        return self._record


def followed(record: Record, entry: Entry, changed: dict[int, Game]) -> Record:
    """Return the record after one more journal entry, and update `changed` with the games that the entry changes.

    `changed` maps a game's number to the game. A withdrawn game is removed from it. Raises Unplayable if the entry
    can't be applied.
    """
    after = replayed((entry,), record)
    if entry.kind == "withdrawn" and record.games:
        changed.pop(record.games[-1].number, None)
    if after.games is not record.games:
        known = {id(game) for game in record.games}
        changed.update((game.number, game) for game in after.games if id(game) not in known)
    return after


def _summary(game: ArchivedGame) -> Json:
    """Return a game's entry in a list of games: players, result and each player's best results.

    Returns:
        `id`: its number; `started` (ISO 8601, UTC); `game`: name of its kind; `title`: that name in words;
            `players`; `colours`: one for each side; `over`; `abandoned`; `winners`: names of sides; `games_lost`: by
            name of the side, empty before the end; `throws`: their number; `dice`: name of the set of dice; `bests`:
            each player's final score, best turn and largest loss (`Best`), by name.
    """
    outcome, players = game.outcome, game.header_line["players"]
    return {
        "id": game.number,
        "started": _timestamp(game.started_s),
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
    """Convert seconds since 1970 to ISO 8601 in UTC."""
    return datetime.fromtimestamp(wall_s, UTC).isoformat(timespec="seconds")
