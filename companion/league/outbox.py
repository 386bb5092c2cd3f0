"""The outbox: the messages that the league's server has not acknowledged yet, derived from the journal.

A cursor file beside the journal holds what the server has acknowledged. It may be lost, old or from another machine:
then messages are sent again, and the server knows them by their key.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from companion.errors import DeviceError
from companion.history.export import PastGames
from companion.league.message import Message, State, transcript_under
from companion.table.atomic import write_file
from companion.table.evening.archive import ArchivedGame
from companion.table.journal import entries, row_at

log = logging.getLogger(__name__)

FILE_NAME = "league.json"
"""File in the data folder of what the league's server has acknowledged. Without it all games are sent again."""


class Acknowledged(msgspec.Struct, frozen=True):
    """The last revision of a game that the server has acknowledged, and the state that it told.

    Attributes:
        number: Number of the entry that began the game.
        content: Hash of what was sent, as `Message.content`.
        lines: Lines read at the table by then; a journal that was put back to an older state has fewer.
    """

    number: int
    revision: int
    state: State
    content: str
    lines: int


class Cursor(msgspec.Struct, frozen=True):
    """The games that the server has acknowledged.

    Attributes:
        through: All games up to this number are acknowledged and can't change any more.
        link: Hash of the entry `through`: another journal, or an older one that went on otherwise, has another.
        games: The later games, by the hash of the entry that began them.
        server: Address of the server that it is about.
    """

    through: int = 0
    link: str = ""
    games: dict[str, Acknowledged] = {}
    server: str = ""


class Pending(NamedTuple):
    """A message that waits, with the number of the entry that began its game and the lines read at the table by then.

    `rises`: whether it goes above a newer revision of the server. A game that is only found to be open does not: an
    older journal that was put back takes no result away. `shared_name` is a name that the aliases give to two of the
    game's players, empty without one; the server refuses that game.
    """

    message: Message
    number: int
    lines: int
    rises: bool = True
    shared_name: str = ""


class Outbox:
    """The messages of one data folder that wait to be acknowledged by the league's `server`. Used by one thread.

    `past` reads the folder's games. `table` is the table's public key; `aliases` is name at the table -> name to
    publish.
    """

    def __init__(self, folder: Path, past: PastGames, table: str, aliases: Mapping[str, str], server: str) -> None:
        self._folder, self._past, self._table, self._aliases, self._server = folder, past, table, aliases, server
        self._path = folder / FILE_NAME
        self._cursor = self._fitting(self._read())
        self._unwritten = False  # whether the disk did not take the cursor
        # The cursor may lack what the server has of games begun by this entry: until all is sent, they are offered.
        _, _, self._offered = past.archived_after(0)
        self._begun = {  # read once: a game that the server refuses for good would have it read at each delivery
            name: (entry.number, 0, 0)
            for entry in entries(folder, self._cursor.through + 1)
            if entry.kind == "game" and entry.number <= self._offered and (name := link_of(folder, entry.number))
        }

    def waiting(self) -> list[Pending]:
        """Return the messages about finished, changed and withdrawn games that the server has not acknowledged.

        An unfinished game waits only if the server may hold a result of it. Finished games with the computer player are
        left out. Withdrawals come last, others oldest first. A game whose first entry is lost is left out, with a
        warning in the log.

        The cursor, kept in a file, says which games are acknowledged. If nothing waits, the cursor is moved past the
        games that can't change any more. A cursor of another server or journal is reset to the journal's start. A
        failed write of the file is logged, and the next call tries again. Raises DeviceError if the journal can't be
        read.
        """
        self._cursor = self._fitting(self._cursor)
        if self._unwritten:
            self._store(self._cursor)
        games, open_from, _ = self._past.archived_after(self._cursor.through)
        found, seen = list[Pending](), set[str]()
        for game in games:
            name = link_of(self._folder, game.number)
            if name is None:
                log.warning("game %d has lost its first entry: the league can't count it", game.number)
                continue
            seen.add(name)
            message = self._revision(name, game)
            if message is not None:
                rises = message.state == "final" or name in self._cursor.games
                published = [self._aliases.get(player, player) for player in game.header_line["players"]]
                shared_name = next((player for player in published if published.count(player) > 1), "")
                found.append(Pending(message, game.number, game.lines_read, rises, shared_name))
        found += self._withdrawn(seen)
        if not found:
            self._offered, self._begun = 0, {}
            self._move(games, open_from)
        return found

    def acknowledge(self, sent: Pending, revision: int) -> None:
        """Record in the cursor that the league's server has stored a message, as revision `revision` of the game.

        If the cursor can't be written to the disk, that is logged, and the next `waiting` tries again. After a restart
        before that, the message may be sent again.
        """
        message = sent.message
        known = Acknowledged(sent.number, revision, message.state, message.content, sent.lines)
        self._store(msgspec.structs.replace(self._cursor, games={**self._cursor.games, message.game: known}))

    def _revision(self, name: str, game: ArchivedGame) -> Message | None:
        """Return the message that tells the server a game's present state; None if the server needs none.

        A game counts once it is finished, unless the computer player took part. The server needs no message if
        - it has acknowledged this state;
        - the game does not count, and the server can't hold a result of it that counts;
        - the game was sent as finished, and is now open with no more lines than then: an older journal was
          restored, and the server keeps the result.

        `name` is the hash of the entry that began the game.
        """
        known = self._cursor.games.get(name)
        counts = game.outcome is not None and game.terms.house is None
        if known is None and not counts and (game.number > self._offered or game.terms.house is not None):
            return None
        if known is not None and not counts and (known.state != "final" or game.lines_read <= known.lines):
            return None  # an older journal that was put back takes no result away
        message = Message(
            table=self._table,
            game=name,
            revision=max(game.lines_read, known.revision + 1 if known else 1),
            state="final" if counts else "open",
            played_s=game.started_s,
            transcript=transcript_under(game, self._aliases) if counts else "",
        )
        return None if known is not None and known.content == message.content else message

    def _withdrawn(self, seen: set[str]) -> Iterator[Pending]:
        """Yield a withdrawal for each game that was taken back at the table but that the league's server may have.

        A game's name is the hash of the journal entry that began it. Games whose entry is not in this journal are left
        out, and so are games whose withdrawal the server has acknowledged. `seen` has the names of all games that were
        not taken back, except old ones that can't change any more; games in `seen` are skipped.
        """
        sent = {name: (known.number, known.revision, known.lines) for name, known in self._cursor.games.items()}
        for name, (number, revision, lines) in (self._begun | sent).items():
            known = self._cursor.games.get(name)
            gone = name not in seen and link_of(self._folder, number) == name
            if gone and (known is None or known.state != "withdrawn"):
                message = Message(table=self._table, game=name, revision=revision + 1, state="withdrawn", played_s=0.0)
                yield Pending(message, number, lines)

    def _move(self, games: tuple[ArchivedGame, ...], open_from: int) -> None:
        """Move the outbox's cursor past the games that can't change any more, which keeps the cursor's file small.

        Call this only when no message waits. `games` are the games after the cursor, oldest first. A game's number is
        that of the journal entry that began it; games from number `open_from` on may still change. The cursor stays if
        no game is settled, or if the first entry of the last settled game is missing. Raises DeviceError if the journal
        can't be read.
        """
        settled = [game.number for game in games if game.number < open_from]
        link = link_of(self._folder, settled[-1]) if settled else None
        if link is not None:
            kept = {name: known for name, known in self._cursor.games.items() if known.number > settled[-1]}
            self._store(Cursor(settled[-1], link, kept, self._server))

    def _fitting(self, cursor: Cursor) -> Cursor:
        """Return `cursor` if it fits the outbox's server and journal, else a new cursor at the journal's start.

        For another server the new cursor is empty. If only the journal is another, the new cursor keeps the
        acknowledged revisions of `cursor.games`, and a warning is logged. A cursor with `through` 0 fits every journal.
        Raises DeviceError if the journal can't be read.
        """
        if cursor.server != self._server:
            return Cursor(server=self._server)
        if cursor.through == 0 or link_of(self._folder, cursor.through) == cursor.link:
            return cursor
        log.warning("the journal is not the one that %s belongs to: all games are sent again", self._path)
        return Cursor(games=cursor.games, server=self._server)

    def _read(self) -> Cursor:
        """Return the cursor from its file; a cursor at the journal's start if the file is missing or can't be read.

        A file that can't be read is logged.
        """
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=Cursor)
        except FileNotFoundError:
            return Cursor()
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as spoilt:
            log.warning("%s can't be read (%s): all games are sent again", self._path, spoilt)
            return Cursor()

    def _store(self, cursor: Cursor) -> None:
        """Set the cursor and write it to its file. A failed write is logged, and the next `waiting` tries again."""
        self._cursor = cursor
        try:
            write_file(self._path, (msgspec.json.encode(cursor),))
            self._unwritten = False
        except OSError as refused:
            self._unwritten = True
            log.warning("%s can't be written (%s): games may be sent again", self._path, refused.strerror)


def link_of(folder: Path, number: int) -> str | None:
    """Return the hash of a journal's entry; None if it is missing or damaged. Raises DeviceError if the disk fails."""
    row = row_at(folder, number)
    return row.link if row else None


def aliases_of(pairs: tuple[str, ...]) -> dict[str, str]:
    """Convert settings such as `"Ann=Ann of the Lion"` to a dict: name at the table -> name to publish.

    Spaces around names are removed. If a name is listed twice, its last alias counts. Raises DeviceError for a text
    without a name on both sides of "=", for an alias over 24 characters, and for one alias of two names.
    """
    found = dict[str, str]()
    for pair in pairs:
        name, equals, alias = (part.strip() for part in pair.partition("="))
        if not (name and equals and alias) or len(alias) > 24:
            why = f"[league] aliases has {pair!r}."
            raise DeviceError(why, 'Write "Ann=Ann of the Lion"; a name has at most 24 characters.')
        for other, taken in found.items():
            if taken == alias and other != name:
                why = f"[league] aliases publishes {other!r} and {name!r} as {alias!r}."
                raise DeviceError(why, "Give each name an alias of its own.")
        found[name] = alias
    return found
