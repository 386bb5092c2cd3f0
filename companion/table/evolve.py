"""Event sourcing: `evolve` is the reducer from a record and an entry to the next record; `replayed` folds a journal."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise

import msgspec

from companion.errors import IllegalAction, RulesError, cause
from companion.games.engine.game import Action, Throw, Undo
from companion.games.engine.notation import action_of, header_of, line_of
from companion.games.engine.transcript import Correction, Transcript, corrected
from companion.table.evening import tournament as tournaments
from companion.table.evening.archive import ArchivedGame, Line
from companion.table.evening.game_record import Game, PlayedGame, archived, reopened
from companion.table.evening.sitting import colours, sitting_of
from companion.table.evening.tournament import Tournament
from companion.table.events import events_of
from companion.table.journal import Entry, chain
from companion.table.snapshot import Event, Sitting, Thrown
from companion.table.terms import terms_of

MAX_REMEMBERED_COLOURS = 40
"""Most absent players whose colour is remembered. More: a game's entry grows; fewer: a player who returns gets another
colour."""
LOG_LENGTH = 60
"""Most events kept in a game's log, the newest ones. Snapshots show the newest MAX_EVENTS of them; the rest take the
places of events that an undo removes. More: a game takes more memory. Fewer: after an undo, the log on the pages is
short."""


@dataclass(frozen=True, slots=True)
class Record:
    """The table's state after entry `number` of the journal; `last_throw` is the highest number of a throw.

    The games are those of this sitting and the one before, oldest first, all but the last archived. The sitting `ended`
    was ended last, and takes no more games; 0 for none.
    """

    number: int = 0
    last_throw: int = 0
    games: tuple[Game, ...] = ()
    ended: int = 0
    tournament: Tournament | None = None

    @property
    def game(self) -> PlayedGame | None:
        """The game being played, or the last one played; None before the first."""
        return reopened(self.games[-1]) if self.games else None

    @property
    def sitting(self) -> Sitting:
        """The newest sitting: number of finished games, games won and lost by name, who is ahead, and players' colours.

        The colours are those of the newest game. All fields are empty before the first game.
        """
        if not self.games:
            return Sitting()
        ours = [game for game in self.games if game.sitting == self.games[-1].sitting]
        sitting = sitting_of((game.sides, game.outcome) for game in ours if game.outcome)
        now = self.games[-1]
        return msgspec.structs.replace(sitting, colours={name: now.colours[name] for name in now.header.players})


class Unplayable(RulesError):
    """An entry of the journal that cannot be replayed; the message names it."""


def replayed(entries: Iterable[Entry], record: Record | None = None) -> Record:
    """Return `record` (empty by default) with the journal entries that follow it applied by `evolve`.

    Raises Unplayable if an entry can't be applied, for whatever reason.
    """
    record = record or Record()
    for entry in entries:
        try:
            record = evolve(record, entry)
        except Exception as refused:
            why = cause(refused)
            raise Unplayable(f"entry {entry.number}, a {entry.kind!r}, can't be replayed ({why})") from refused
    return record


def evolve(record: Record, entry: Entry) -> Record:
    """Return the record after one more journal entry: the reducer of event sourcing, a pure function.

    Raises RulesError if the rules refuse the entry.
    """
    games, number, ended, tournament = record.games, entry.number, record.ended, record.tournament
    match entry.kind:
        case "game":
            tournament = _with_results(record, entry)
            games, ended = _with_game(games, entry), entry.body.get("ended", ended)
        case kind if kind in tournaments.KINDS:
            tournament = tournaments.after(tournament, entry)
        case "sitting_ended":
            ended = games[-1].sitting if games else 0
        case chain.LOST:
            number = entry.body["through"]
        case _ if not games:
            raise IllegalAction("No game has been started yet.")
        case "withdrawn":
            games = _without_last(games, number)
        case "correction":
            games = _with_correction(games, entry)
        case _:
            games = (*games[:-1], _changed(reopened(games[-1]), entry))
    return Record(number, max(record.last_throw, entry.throw or 0), games, ended, tournament)


def correction_of(games: tuple[Game, ...], throw: int, values: tuple[int, ...]) -> tuple[PlayedGame, int, Correction]:
    """Return the game of throw number `throw`, the index of the throw's line, and the result of the correction.

    The index counts from 0 without the header. The result has the new transcript and the later lines that become
    illegal. Raises IllegalAction if the throw is not part of the current sitting or was undone. The error is also
    raised if the rules refuse the values, or if the values would leave an earlier game unfinished.
    """
    game, index = _place_of_throw(games, throw)
    result = corrected(game.transcript, index, Throw(values))
    if game.number != games[-1].number and game.over and not result.transcript.state.standing.over:
        raise IllegalAction("With those values that game would not be over, but others follow it. Undo to it first.")
    return game, index, result


def _place_of_throw(games: tuple[Game, ...], throw: int) -> tuple[PlayedGame, int]:
    """Return the game of the current sitting with throw number `throw`, and the index of its line, from 0.

    The header does not count as a line. Raises IllegalAction if no game has the throw, or it was taken back.
    """
    for game in reversed(games):
        if isinstance(game, ArchivedGame) and not game.first_throw <= throw <= game.last_throw:
            continue
        played = reopened(game)
        numbers = [line.thrown.number if line.thrown else None for line in played.lines]
        if game.sitting == games[-1].sitting and throw in numbers:
            return played, numbers.index(throw)
    raise IllegalAction(f"Throw {throw} is not part of this sitting, or was taken back.")


def _with_game(games: tuple[Game, ...], entry: Entry) -> tuple[Game, ...]:
    """Return the games after an entry of kind `game`: the new game last, the earlier ones compressed in memory.

    Games older than the entry's `horizon`, the oldest game that undo can reach, are dropped.
    """
    header = header_of(entry.body["header"])
    started = Event(
        number=entry.number, code="game_started", args={"game": header.game, "players": list(header.players)}
    )
    # Journals from before colours were remembered say nothing of them.
    worn = entry.body.get("colours", games[-1].colours if games else {})
    others = [(name, colour) for name, colour in worn.items() if name not in header.players]
    game = PlayedGame(
        entry.number,
        entry.body["sitting"],
        Transcript.begin(header),
        lines=(),
        log=(started,),
        colours={**dict(others[-MAX_REMEMBERED_COLOURS:]), **colours(worn, header.players)},
        started_s=entry.wall_s,
        terms=terms_of(entry.body.get("terms", {}), header),
    )
    return (*(archived(old) for old in games if old.number >= entry.body["horizon"]), game)


def _with_results(record: Record, entry: Entry) -> Tournament | None:
    """Return the tournament in the entry of a new game, with its settled results; None if the entry has none.

    Results settled earlier are kept. Games before `horizon`, the oldest game that undo can reach, leave the record now,
    so their results are settled too.
    """
    body = entry.body.get("tournament")
    if body is None:
        return None
    known = record.tournament.results if record.tournament else ()
    dropped = [game for game in record.games if game.number < entry.body["horizon"]]
    return tournaments.tournament_of(body, known).settled(dropped)


def _without_last(games: tuple[Game, ...], number: int) -> tuple[Game, ...]:
    """Return the games after entry `number` undid the start of the last game: it is dropped, the one before goes on."""
    if len(games) < 2 or reopened(games[-1]).lines:
        raise IllegalAction("There is nothing to take back.")
    return (*games[:-2], _told(reopened(games[-2]), Event(number=number, code="undone", args={"lines": 0})))


def _changed(game: PlayedGame, entry: Entry) -> PlayedGame:
    """Return the game after an entry of kind `line`, `abandoned` or `resumed`. Raises RulesError if it is refused."""
    match entry.kind:
        case "line" if game.abandoned:
            raise IllegalAction("This game was abandoned. Undo that to go on, or start the next game.")
        case "line":
            action = action_of(entry.body["line"])
            return _undone(game, entry, action) if isinstance(action, Undo) else _line_added(game, entry, action)
        case "abandoned":
            said = Event(number=entry.number, code="abandoned", args={})
        case "resumed":
            said = Event(number=entry.number, code="undone", args={"lines": 0})
        case _:
            raise RulesError(f"The journal's entry {entry.number} has an unknown kind, {entry.kind!r}. Update pegpip.")
    log = tuple(event for event in game.log if event.code != "abandoned")
    return _told(replace(game, abandoned=entry.kind == "abandoned", log=log), said)


def _told(game: PlayedGame, *events: Event) -> PlayedGame:
    """Return the game with these events at the end of its log, which keeps the newest LOG_LENGTH."""
    return replace(game, log=(*game.log, *events)[-LOG_LENGTH:])


def _line_added(game: PlayedGame, entry: Entry, action: Action) -> PlayedGame:
    """Return the game after one more throw, decision or leaving of a player: `action`, journaled as `entry`.

    Raises IllegalAction if the rules refuse it.
    """
    transcript, source, thrown = game.transcript.then(action), entry.body["source"], None
    if isinstance(action, Throw):
        player = game.transcript.state.standing.player
        assert player is not None, "a throw that was taken is somebody's"
        dice = entry.body.get("seen", {}).get("dice", ())
        thrown = Thrown(
            number=entry.throw or 0,
            player=player,
            values=tuple(sorted(action.dice)),
            source=source,
            photo=bool(entry.body.get("photo")),
            boxes=tuple((*die["box_xywh"], die["read"]) for die in dice if not die["kept"]),
        )
    game = replace(game, transcript=transcript, lines=(*game.lines, Line(entry.number, line_of(action), thrown)))
    return _told(game, *events_of(transcript, entry.number, entry.throw, aloud=source == "house"))


def _undone(game: PlayedGame, entry: Entry, undo: Undo) -> PlayedGame:
    """Return the game without its last `undo.count` lines; one event `undone` replaces their events in the log."""
    transcript = game.transcript.then(undo)
    kept, gone = game.lines[: -undo.count], game.lines[-undo.count :]
    said = Event(number=entry.number, code="undone", args={"lines": undo.count})
    return _told(replace(game, transcript=transcript, lines=kept, log=_without(game.log, gone)), said)


def _with_correction(games: tuple[Game, ...], entry: Entry) -> tuple[Game, ...]:
    """Return the games after an entry of kind `correction`, which holds a throw's number and its new values.

    The throw's game is played again from that throw. Later throws may then belong to another player; later lines that
    become illegal are dropped. An event in the last game's log reports the correction.

    Raises IllegalAction if the games of this sitting lack the throw, the rules refuse the values, or an earlier game
    would no longer be over.
    """
    throw, values = entry.body["throw"], tuple(entry.body["values"])
    game, index, result = correction_of(games, throw, values)
    was = game.lines[index].thrown
    assert was is not None, "found by the number of its throw"
    lines, log = list(game.lines[:index]), [*_without(game.log, game.lines[index:])]
    steps = pairwise(result.transcript.steps[index:])
    for line, (before, after) in zip(game.lines[index:], steps, strict=False):  # a line that became illegal has no step
        thrown = line.thrown
        if thrown is not None:
            player = before.state.standing.player
            assert player is not None, "a throw that stands is somebody's"
            thrown = msgspec.structs.replace(thrown, player=player)
            if thrown.number == throw:
                thrown = msgspec.structs.replace(thrown, values=tuple(sorted(values)), source="corrected")
        assert after.last is not None, "a step after a line"
        lines.append(Line(line.number, line_of(after.last), thrown))
        log += events_of(after, line.number, thrown.number if thrown else None)
    log.sort(key=lambda event: event.number)  # events of earlier corrections and undos go between
    over = result.transcript.state.standing.over  # a game that is over has its result: it is not abandoned
    mended = replace(
        game,
        transcript=replace(result.transcript, lines_read=game.transcript.lines_read + 1),
        lines=tuple(lines),
        log=tuple(event for event in log if not (over and event.code == "abandoned"))[-LOG_LENGTH:],
        abandoned=game.abandoned and not over,
    )
    args = {"throw": throw, "was": list(was.values), "values": sorted(values), "dropped": len(result.refused)}
    changed = tuple(mended if one.number == mended.number else one for one in games)
    return (*changed[:-1], _told(reopened(changed[-1]), Event(number=entry.number, code="corrected", args=args)))


def _without(log: tuple[Event, ...], gone: tuple[Line, ...]) -> tuple[Event, ...]:
    """Return a log without the events of these lines."""
    numbers = {line.number for line in gone}
    return tuple(event for event in log if event.number not in numbers)
