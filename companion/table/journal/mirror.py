"""The journal's second copy: a text file, a line an entry, written after the database. Its last line is the head.

A database cut short can look whole; the head, kept apart, says how far it went. What the database has lost is here.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from companion.table.atomic import write_file
from companion.table.journal.chain import Row, follows
from companion.table.journal.database import SCHEMA, Damaged

log = logging.getLogger(__name__)

FILE_NAME = "journal.jsonl"
_FIRST = msgspec.json.encode({"journal": SCHEMA}) + b"\n"
_TAIL_BYTES = 1 << 20


class Mirror:
    """The second copy of a data folder's journal."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME
        self.illness: str | None = None
        self._descriptor: int | None = None
        self._end = 0
        self._waiting: list[bytes] = []  # lines that could not be written yet

    def head(self) -> Row | None:
        """The last row, None where there is none. A line cut off at the very end is none: it was being written.

        Raises:
            Damaged: The end is not as it was written, or there is no such file.
            OSError: It can't be read.
        """
        if not self.path.exists():
            raise Damaged("its second copy is missing")
        with self.path.open("rb") as file:
            first = file.readline(200)
            if first != _FIRST:
                raise Damaged("its second copy has another beginning")
            size = file.seek(0, os.SEEK_END)
            start = file.seek(max(len(_FIRST), size - _TAIL_BYTES))
            chunk = file.read()
        lines = chunk[: chunk.rfind(b"\n") + 1].splitlines()
        if start > len(_FIRST):
            lines = lines[1:]
        if not lines:
            if size > len(_FIRST) + _TAIL_BYTES:
                raise Damaged("the end of its second copy can't be read")
            return None
        rows = [decoded(line) for line in lines[-2:]]
        last = rows[-1]
        if last is None or (len(rows) > 1 and (rows[0] is None or not follows(bytes.fromhex(rows[0].link), last))):
            raise Damaged("the end of its second copy is damaged")
        return last

    def rows(self) -> Iterator[Row]:
        """Every row that can be read, in the order of the file."""
        with contextlib.suppress(OSError), self.path.open("rb") as file:
            for line in file:
                row = decoded(line)
                if row is not None:
                    yield row

    def reach(self) -> int:
        """The highest number that it has a line for, one that can't be read any more too."""
        number = 0
        with contextlib.suppress(OSError), self.path.open("rb") as file:
            file.readline()
            for line in file:
                row = decoded(line)
                if row is not None:
                    number = row.following - 1
                elif line.startswith(b"[%d," % (number + 1)):
                    number += 1
        return number

    def open(self, missing: Iterable[Row]) -> None:
        """Be ready to append, beginning with the rows that it does not have yet. What fails is told by `illness`."""
        self._waiting = [_line(row) for row in missing]
        try:
            self._descriptor = os.open(self.path, os.O_RDWR | os.O_CLOEXEC)
            content_end = os.lseek(self._descriptor, 0, os.SEEK_END)
            tail = os.pread(self._descriptor, _TAIL_BYTES, max(0, content_end - _TAIL_BYTES))
            self._end = content_end - len(tail) + tail.rfind(b"\n") + 1
        except OSError as refused:
            self._ill(refused)
        self._write()

    def append(self, row: Row) -> None:
        """Put one more row on the disk. What fails is told by `illness`, and tried again with the next."""
        self._waiting.append(_line(row))
        self._write()

    def write_anew(self, rows: Iterable[Row]) -> None:
        """Put a copy with just these rows in the place of the one there: whole or not at all. Raises OSError."""
        write_file(self.path, itertools.chain([_FIRST], map(_line, rows)))

    def close(self) -> None:
        """Close it; it may be opened again."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
        self._waiting = []

    def _write(self) -> None:
        if self._descriptor is None or not self._waiting:
            return
        content = b"".join(self._waiting)
        try:
            done = 0
            while done < len(content):
                done += os.pwrite(self._descriptor, content[done:], self._end + done)
            os.ftruncate(self._descriptor, self._end + len(content))
            os.fdatasync(self._descriptor)
        except OSError as refused:
            self._ill(refused)
            return
        self._end += len(content)
        self._waiting, self.illness = [], None

    def _ill(self, refused: OSError) -> None:
        self.illness = (
            f"The journal's second copy {self.path} can't be written ({refused.strerror}); the journal itself is kept. "
            "Check the disk."
        )
        log.warning("%s", self.illness)


def decoded(line: bytes) -> Row | None:
    """The row of a line; None where it holds none."""
    try:
        row = msgspec.json.decode(line, type=Row)
        bytes.fromhex(row.link)
        msgspec.json.decode(row.body, type=dict[str, msgspec.Raw])
        row.following  # noqa: B018 - a loss that does not say how far it goes is none
    except (msgspec.MsgspecError, ValueError, KeyError):
        return None
    return row


def _line(row: Row) -> bytes:
    return msgspec.json.encode(row) + b"\n"
