"""The journal: every entry of every evening, append-only, on disk before anyone hears of it.

Two copies hold the same lines in one checksum chain. Entries are ordered by their number alone; the wall time is for
display (a Pi without a network starts in the past).
"""

from __future__ import annotations

import errno
import logging
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import msgspec

from companion.errors import DeviceError, counted
from companion.table.journal import copies, recovery
from companion.table.journal.anchor import Anchor
from companion.table.journal.chain import Damaged, Head, Row, Tail, chained, row_of
from companion.table.journal.copies import FIRST, SECOND, Copy
from companion.table.lock import locked
from companion.table.photos import Photos, digest_of

log = logging.getLogger(__name__)

ARCHIVE = "games.json.gz"
"""File of the finished games. A folder with it and without a journal has lost the journal."""
SCRUB_EVERY_S = 3600.0
"""Seconds from the end of one scrub to the next. A scrub reads both copies of the journal and its throws' photos.
Longer: damage is found later. Shorter: the disk is read more often."""
UPKEEP_EVERY_S = 60.0
"""Seconds between two steps of the journal's upkeep while no scrub runs. A step stores the anchor, the journal's end,
outside the data folder, and retries rows that the second copy lacks. Longer: after a crash the anchor proves fewer lost
entries. Shorter: more writes wear the SD card."""
PAUSE_S = 0.02
"""Pause in seconds between two steps of the journal's scrub, to leave processor and disk to others. Longer: a scrub
takes longer; shorter: it slows the rest of the table."""
STEP_ROWS = 250
"""Most journal entries that one step of a scrub verifies; a step also ends after each entry with a photo. Higher: a
command that arrives meanwhile waits longer. Lower: the scrub takes longer, as PAUSE_S follows each step."""

# Advice: for a full disk, for a damaged journal that is only read, and for a disk that fails.
_FREE_SPACE = "Free some space on the disk, or give another --data folder; nothing that was entered is lost."
_START_ONCE = "Start the table once: it recovers what can be read and says what is missing."
_CHECK_DISK = (
    "Check that the disk is well and the folder writable, or give another --data folder; what was entered stands."
)


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of the journal, with its wall time since 1970 and the number of the throw that it enters, if any.

    Attributes:
        number: Number from 1; only a loss leaves gaps.
        kind: `game`, `line`, `correction` and so on, as `companion.table.evolve` reads them.
    """

    number: int
    kind: str
    body: dict[str, Any]
    wall_s: float
    throw: int | None = None


class Journal:
    """The journal of a data folder. One thread opens, writes and closes it.

    `wall`, seconds since 1970, is for reports and the time of the last check. `anchors` is the folder of the anchor,
    outside the data folder; None for no anchor.
    """

    def __init__(self, folder: Path, wall: Callable[[], float] = time.time, anchors: Path | None = None) -> None:
        self.path = folder / FIRST
        self.tail = Tail()
        self._folder = folder
        self._wall = wall
        self._anchor = Anchor(anchors, folder) if anchors else None
        self._photos = Photos(folder)
        self._lock: IO[bytes] | None = None
        self._copies: tuple[Copy, Copy] | None = None
        self._behind = list[Row]()  # rows that the second copy does not have yet
        self._ill: str | None = None  # why the second copy can't be written
        self._scrub: Iterator[None] | None = None
        self._scrub_due_s = 0.0
        self._anchored = Tail()
        self._unrepaired = ""  # report of the recovery that no scrub has finished yet
        self._verified = (True, "not verified yet")

    def open(self) -> str | None:
        """Lock the folder and open the journal, or create it; verify both copies and recover what is damaged.

        Return a report of the damage in words, or None if there was none or the journal is open already. Raises
        DeviceError if the files can't be written, are not a journal or are in use.
        """
        if self._copies is not None:
            return None
        report = None
        try:
            with _as_device_error(self.path):
                self._lock = locked(self._folder)
                head = self._anchor.read() if self._anchor else None
                try:
                    self._connect(head)
                except Damaged as damage:
                    self._unrepaired = recovery.unrepaired(self._folder)
                    report = self._recover(damage, head)
        except BaseException:
            self.close()
            raise
        self._write_anchor()
        return report

    def close(self) -> None:
        """Store the journal's end in the anchor's file, close the journal and release the lock. Idempotent.

        The journal may be opened again.
        """
        if self._copies is not None:
            self._write_anchor()
        self._disconnect()
        self._scrub = None
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def append(self, entry: Entry) -> None:
        """Write an entry to the first copy on the disk, then to the second.

        Copies that could not be opened after a repair are opened first. If the second copy can't be written, only
        `health` reports it; the missing lines are written later.

        Raises:
            DeviceError: The journal is closed, the entry's number is not the next one, or the first copy can't be
                opened or written. The journal is unchanged then.
        """
        if self._lock is None:
            raise DeviceError(f"The journal {self.path} is closed.", "Start the table first.")
        if self._copies is None:
            with _as_device_error(self.path):
                self._connect(None)
        assert self._copies is not None, "opened now"
        head = self.tail.head
        if entry.number != head.number + 1:
            raise DeviceError(f"Entry {entry.number} can't follow entry {head.number}.", "Start the table again.")
        head = head if head.identity else Head(secrets.token_hex(8), 0, head.link)
        body = msgspec.json.encode(entry.body)
        row = chained(head, entry.number, entry.kind, body, float(entry.wall_s), entry.throw)
        with _as_device_error(self.path):
            self._copies[0].append([row])
        self.tail = self.tail.then(row)
        self._behind.append(row)
        self._catch_up()

    def health(self) -> tuple[bool, str]:
        """Return whether the journal's copies are intact, and a sentence: what was verified when, or what is wrong."""
        return (False, self._ill) if self._ill else self._verified

    def upkeep(self, now_s: float) -> float:
        """Do one short step of the journal's upkeep at `now_s`; return when the next is due, on the same clock.

        Each step writes the anchor (the journal's end, kept outside the data folder) and what the second copy lacks.
        Every `SCRUB_EVERY_S` a scrub verifies both copies and the photos, a part in each step, and repairs damage. Disk
        errors and damage are not raised: `health` reports them, and an unwritten anchor is only logged.
        """
        self._write_anchor()
        self._catch_up()
        if self._behind or self._copies is None or (self._scrub is None and now_s < self._scrub_due_s):
            return now_s + UPKEEP_EVERY_S
        self._scrub = self._scrub or self._scrubbed()
        try:
            with _as_device_error(self.path):
                if next(self._scrub, "done") is None:
                    return now_s + PAUSE_S
        except DeviceError as ill:
            self._verified = False, f"The last check of both copies failed. {ill.what} {ill.cure}"
        self._scrub, self._scrub_due_s = None, now_s + SCRUB_EVERY_S
        return now_s + UPKEEP_EVERY_S

    def _scrubbed(self) -> Iterator[None]:
        """Verify both copies of the journal and the photos of its throws, in steps; yield None after each step.

        At the first damaged entry both copies are repaired and the check ends. Wrong photos found until then wait for
        the next check: only an intact journal tells which throw a photo belongs to. If all entries are intact but
        photos are wrong, the data folder is copied aside. Each wrong photo then moves to the throw whose entry has its
        hash; without such a throw the photo is deleted. Raises OSError if a copy can't be read, and OSError or
        DeviceError if the repair fails.
        """
        verified, wrong, present = 0, set[int](), set(self._photos.numbers())
        copies.forget_cached(self._folder)
        try:
            for count, (row, _, copied) in enumerate(copies.verify(self._folder), start=1):
                if not copied:
                    raise Damaged(f"entry {row.number} of its second copy is not as it was written")
                digest = msgspec.json.decode(row.body).get("photo") if row.throw in present else None
                if row.throw and isinstance(digest, str):
                    verified += 1
                    jpeg = self._photos.jpeg(row.throw)
                    if jpeg is not None and digest_of(jpeg) != digest:  # it may have been cleared meanwhile
                        wrong.add(row.throw)
                if digest or count % STEP_ROWS == 0:
                    yield
        except Damaged as damage:
            self._recover(damage, self.tail.head)
            photos = "photos not yet"
        else:
            photos = counted(verified, "photo")
            if wrong:
                throws = ", ".join(map(str, sorted(wrong)))
                self._recover(Damaged(f"photos of throws {throws} are not as they were taken"), self.tail.head)
                self._photos.put_right(wrong, self._owners())
        self._unrepaired = ""
        self._note_verified(photos)

    def _owners(self) -> dict[str, int]:
        """Return the throw of each photo that the journal names, by the photo's hash. Raises OSError."""
        rows = filter(None, map(row_of, copies.lines(self.path)))
        return {msgspec.json.decode(row.body).get("photo"): row.throw for row in rows if row.throw}

    def _note_verified(self, photos: str) -> None:
        """Store the sentence that `health` returns: everything was verified now. `photos` says which photos were."""
        when, number = recovery.date_text(self._wall()), self.tail.head.number
        self._verified = True, f"verified {when}: both copies up to entry {number}, {photos}"

    def _write_anchor(self) -> None:
        """Write the journal's end to the anchor, a file outside the data folder that shows if entries are lost.

        Do nothing without an anchor, without an entry, or if the end is unchanged since the last write. The end is
        logged, too. A failure is only logged; the next call tries again.
        """
        head, is_new = self.tail.head, self.tail is not self._anchored
        if self._anchor is not None and head.number and is_new and self._anchor.write(head):
            self._anchored = self.tail

    def _catch_up(self) -> None:
        """Write to the journal's second copy the rows that it lacks; do nothing while the copies are not open.

        An OSError is not raised: it is logged, `health` reports it, and the next call tries again.
        """
        if self._copies is not None and self._behind:
            try:
                self._copies[1].append(self._behind)
                self._behind, self._ill = [], None
            except OSError as refused:
                self._ill = f"The journal's second copy can't be written ({refused.strerror}). Check the disk."
                log.warning("%s", self._ill)

    def _connect(self, head: Head | None) -> None:
        """Verify both copies of the journal, open them for writing, and add to the second copy what it lacks.

        A new folder gets empty copies. `head` is the last known end of the journal, or None. Raises OSError if the
        copies can't be opened. Raises Damaged if they are damaged, or if `head`, the archive or photos of later throws
        show that entries are missing.
        """
        if not copies.exist(self._folder):
            if head or (self._folder / ARCHIVE).exists() or len(self._photos.numbers()) >= recovery.MIN_ORPHANS:
                raise Damaged("it is missing, and something else of its games is there")
            copies.write_anew(self._folder, [])
        tail, behind = Tail(), list[Row]()
        for row, tail, copied in copies.verify(self._folder, head):  # noqa: B007 - the last totals count
            behind = [] if copied else [row]
        orphans = [number for number in self._photos.numbers() if number > tail.last_throw]
        if len(orphans) >= recovery.MIN_ORPHANS:
            raise Damaged(f"there are photos of {len(orphans)} throws that it does not know")
        self.tail, self._behind, self._ill = tail, behind, None
        with ExitStack() as failing:
            first = Copy(self._folder / FIRST)
            failing.callback(first.close)
            self._copies = first, Copy(self._folder / SECOND)
            failing.pop_all()
        self._catch_up()
        self._note_verified("photos not yet")

    def _recover(self, damage: Damaged, head: Head | None) -> str:
        """Rebuild both copies of the damaged journal from the surviving entries, open them, and return the report.

        The data folder is copied into `damaged-N` first, and the report is logged, unless the last repair failed with
        the same report. `head` is the last known end of the journal; None if unknown. Raises DeviceError if no entry
        can be read or a file can't be copied, with the journal unchanged. Raises OSError if the disk refuses the
        copies, and Damaged if the new ones fail verification: after either, the copies may be closed.
        """
        rows, report = recovery.recovered(self._folder, self._photos.numbers(), head, str(damage))
        if report != self._unrepaired:  # else the last repair failed, and the folder was copied before it
            log.error("%s The folder as it was is in %s.", report, recovery.set_aside(self._folder, report))
            self._unrepaired = report
        copies.write_anew(self._folder, rows)  # on a full disk the copies stay open
        self._disconnect()
        self._connect(None)
        return report

    def _disconnect(self) -> None:
        """Close the files of both copies, if they are open; the lock stays."""
        for copy in self._copies or ():
            copy.close()
        self._copies = None


def entries(folder: Path, first: int = 1) -> Iterator[Entry]:
    """Yield the entries of a data folder's journal that can be replayed, from number `first` on.

    A table may be writing meanwhile. An entry of kind `lost`, which fills a gap, is yielded; the entries after it are
    skipped up to the next start of a game. If `first` is above the number of the `lost` entry, nothing is skipped. A
    folder without a journal yields nothing. Raises DeviceError if the file can't be read or has a damaged line.
    """
    yield from entries_in(copies.lines(folder / FIRST, first), folder / FIRST, first)


def entries_in(lines: Iterable[bytes], path: Path, first: int = 1) -> Iterator[Entry]:
    """Yield the entries that can be replayed, from the finished `lines` of the journal at `path`.

    An entry that records a loss is yielded. Later entries up to number `loss.through` depend on the lost entries and
    are left out. If reading `lines` raises FileNotFoundError, there are no more entries. Raises DeviceError for a
    damaged line, or if `lines` can't be read; its message uses `first`, the number of the first line's entry.
    """
    intact, unplayed = first - 1, 0  # entries up to `unplayed` fit no state: others before them are lost
    with _as_device_error(path), suppress(FileNotFoundError):
        for line in lines:
            row = row_of(line)
            if row is None:
                raise Damaged(f"the entry after {intact} is not as it was written")
            intact = row.number
            if row.number > unplayed:
                yield _entry_of(row)
            unplayed = max(unplayed, loss.through if (loss := row.loss) else 0)


def read_entries(folder: Path, first: int = 1) -> tuple[Entry, ...]:
    """Return a data folder's entries that can be replayed, from number `first` on: `entries` as a tuple.

    Years of play take 200 MB. Raises DeviceError.
    """
    return tuple(entries(folder, first))


def entries_at(folder: Path, numbers: Sequence[int]) -> tuple[Entry, ...]:
    """Return the journal entries with these numbers, in the order of `numbers`; missing or damaged ones are left out.

    Raises DeviceError if the journal can't be read.
    """
    return tuple(_entry_of(row) for number in numbers if (row := row_at(folder, number)))


def row_at(folder: Path, number: int) -> Row | None:
    """Return the row of journal entry `number`; None if the entry or the journal is missing, or the row is damaged.

    Only the journal's first copy is read. Raises DeviceError if it can't be read.
    """
    with _as_device_error(folder / FIRST), suppress(FileNotFoundError):
        rows = filter(None, map(row_of, copies.lines(folder / FIRST, number)))  # a damaged line may come before it
        row = next((row for row in rows if row.number >= number), None)
        return row if row and row.number == number else None
    return None


def last_written_s(folder: Path) -> float:
    """Return the wall time of a data folder's last entry in seconds since 1970; 0 if there is none to read."""
    with suppress(OSError):
        row = row_of(copies.last_line(folder / FIRST))
        return row.wall_s if row else 0.0
    return 0.0


def examined(folder: Path) -> tuple[int, str | None]:
    """Verify both copies of a data folder's journal without changing them; a table may be writing meanwhile.

    Return the number of the last verified entry (0 for none), and what is wrong after it, or None. Raises DeviceError
    if the journal can't be read.
    """
    number = 0
    with _as_device_error(folder / FIRST):
        try:
            for _, tail, _ in copies.verify(folder) if copies.exist(folder) else ():
                number = tail.head.number
        except Damaged as damage:
            return number, str(damage)
    return number, None


def _entry_of(row: Row) -> Entry:
    return Entry(
        number=row.number, kind=row.kind, body=msgspec.json.decode(row.body), wall_s=row.wall_s, throw=row.throw
    )


@contextmanager
def _as_device_error(path: Path) -> Iterator[None]:
    """Context manager: convert Damaged and OSError of the journal at `path` to a DeviceError with a cure."""
    try:
        yield
    except Damaged as damage:
        raise DeviceError(f"The journal {path} is damaged: {damage}.", _START_ONCE) from None
    except OSError as refused:
        if refused.errno == errno.ENOSPC:
            raise DeviceError("The disk is full: the journal can't grow.", _FREE_SPACE) from refused
        reason = f"The journal {path} can't be written or read ({refused.strerror or refused})."
        raise DeviceError(reason, _CHECK_DISK) from refused
