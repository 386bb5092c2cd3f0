"""The two copies of the journal: text files that hold the same lines, and one pass over both that proves them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from companion.table.atomic import write_file
from companion.table.journal.chain import Damaged, Head, Row, Tail, row_of

FIRST, SECOND = "journal.jsonl", "journal-copy.jsonl"
"""File names of the journal's two copies. Each line goes to the first, then to the second. After a power cut the
newest may be missing there."""
NUMBER = re.compile(rb"\[(\d{1,12}),")
"""Beginning of a journal line; group 1 is the entry's number. `lines` searches by it."""
NEAR_BYTES = 1 << 16
"""Width, in bytes, of the range at which the binary search of `lines` ends and reading line by line begins. The tail
that `last_line` reads is as long. Lower: `last_line` cuts a long line, and the last entry's time is then unknown to the
clock's check. Higher: each look-up reads more."""


class Copy:
    """One copy, open to append."""

    def __init__(self, path: Path) -> None:
        """Open the file; the next line overwrites one that a power cut left unfinished. Raises OSError."""
        self._descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        self._end = os.lseek(self._descriptor, 0, os.SEEK_END)
        while self._end and os.pread(self._descriptor, 1, self._end - 1) != b"\n":
            self._end -= 1

    def append(self, rows: Sequence[Row]) -> None:
        """Append `rows` and flush them to the disk; if that fails, cut the file back and raise OSError."""
        content = b"".join(row.line for row in rows)
        try:
            done = 0
            while done < len(content):
                done += os.pwrite(self._descriptor, content[done:], self._end + done)
            os.ftruncate(self._descriptor, self._end + len(content))
            os.fdatasync(self._descriptor)
        except OSError:
            with suppress(OSError):
                os.ftruncate(self._descriptor, self._end)
            raise
        self._end += len(content)

    def close(self) -> None:
        """Close the copy's file."""
        os.close(self._descriptor)


def exist(folder: Path) -> bool:
    """Return whether a data folder has at least one of the journal's two copies."""
    return (folder / FIRST).exists() or (folder / SECOND).exists()


def forget_cached(folder: Path) -> None:
    """Drop both copies of the journal from the kernel's page cache, so that the next read comes from the disk."""
    for name in (FIRST, SECOND):
        with suppress(OSError, AttributeError), (folder / name).open("rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def write_anew(folder: Path, rows: Sequence[Row]) -> None:
    """Replace both copies of a data folder's journal by these rows, each atomically. Raises OSError."""
    for name in (SECOND, FIRST):
        write_file(folder / name, (row.line for row in rows))


def lines(path: Path, first: int = 1) -> Iterator[bytes]:
    """Yield the finished lines of a journal's copy from entry `first` on, with line breaks.

    An unfinished last line is left out. Hashes are not checked, and a damaged line without a readable number is
    yielded, too. Raises OSError if the file can't be read.
    """
    with path.open("rb") as file:
        low, high = 0, file.seek(0, os.SEEK_END)
        while high - low > NEAR_BYTES:
            middle = (low + high) // 2
            file.seek(middle)
            file.readline()
            number = NUMBER.match(file.readline())
            low, high = (middle, high) if number and int(number[1]) < first else (low, middle)
        file.seek(low)
        if low:
            file.readline()
        for line in file:
            number = NUMBER.match(line)
            if line.endswith(b"\n") and not (number and int(number[1]) < first):
                yield line


def last_line(path: Path) -> bytes:
    """Return the last finished line of a journal's copy, unverified, without its line break; empty if there is none.

    Only the last NEAR_BYTES are read, so a longer line is cut. Raises OSError if the file is missing or unreadable.
    """
    with path.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - NEAR_BYTES))
        content = file.read()
    return content.rpartition(b"\n")[0].rpartition(b"\n")[2]


def verify(folder: Path, head: Head | None = None) -> Iterator[tuple[Row, Tail, bool]]:
    """Yield the rows of the journal in order, each checked in both copies; a table may write meanwhile.

    Each row comes with the totals up to it, and with whether the second copy has it too: the newest row may be missing
    there. Raises Damaged if a copy was changed or is missing, if the copies differ, or if the entry `head` is not in
    the chain; OSError if a copy can't be read.
    """
    first, second, tail = folder / FIRST, folder / SECOND, Tail()
    size, shared, alone = 0, 0, b""  # `shared`: last entry that both copies have; `alone`: line that the second lacks
    for name, path in (("first", first), ("second", second)):
        if not path.exists():
            raise Damaged(f"its {name} copy is missing")
    copies = lines(second)
    for line in lines(first):
        if alone and next(copies := lines(second, tail.head.number), b"") != alone:  # it may have come meanwhile
            raise Damaged(f"its second copy ends at entry {shared}, and its first goes on")
        row, copy = row_of(line), next(copies, b"")
        tail, alone = tail.then(row), b"" if copy else line
        assert row is not None, "no chain takes another"
        if head and (row.identity != head.identity or (tail.head.number == head.number and tail.head != head)):
            raise Damaged(f"up to entry {row.number} it is another journal than the one that was kept here")
        if copy not in (b"", line):
            other = row_of(copy)
            if other and other.identity != row.identity:
                raise Damaged("its two copies are of different journals")
            raise Damaged(f"entry {row.number} of its second copy is {'another' if other else 'not as it was written'}")
        size, shared = size + len(line), shared if alone else tail.head.number
        yield row, tail, not alone
    number = tail.head.number
    if not alone and second.stat().st_size > size and not next(lines(first, number + 1), None):
        raise Damaged(f"its first copy ends at entry {number}, and its second goes on")
    if head and number < head.number:
        raise Damaged(f"it ends at entry {number}, and the table had written {head.number}")
