"""Journals to damage, and ways to damage them."""

from __future__ import annotations

import errno
from pathlib import Path

from companion.diagnostics.machine import check_journal, check_recovery
from companion.table.journal import Entry, Journal
from companion.table.photos import digest_of


def entry(number: int, kind: str = "line", throw: int | None = None) -> Entry:
    body = {"horizon": number, "text": "x" * 200} if kind == "game" else {"n": number, "text": "x" * 200}
    return Entry(number=number, kind=kind, body=body, wall_s=1_700_000_000.0 + number, throw=throw)


def opened(folder: Path, anchors: Path | None = None) -> Journal:
    """Return the open journal of a folder, at 22:30 on 14 November 2023."""
    journal = Journal(folder, wall=lambda: 1_700_001_000.0, anchors=anchors)
    journal.open()
    return journal


def kept(folder: Path, count: int = 60, games: tuple[int, ...] = (1, 41), anchors: Path | None = None) -> list[Entry]:
    journal = opened(folder, anchors)
    entries = [entry(n, "game" if n in games else "line", n) for n in range(1, count + 1)]
    for one in entries:
        journal.append(one)
    journal.close()
    return entries


def reopened(folder: Path, photographed: tuple[int, ...] = (), anchors: Path | None = None) -> Journal:
    for number in photographed:
        (folder / "photos").mkdir(parents=True, exist_ok=True)
        (folder / "photos" / f"{number}.jpg").write_bytes(b"a photo")
    journal = opened(folder, anchors)
    journal.close()
    return journal


def spoil(file: Path, text: bytes) -> None:
    """Flip one bit in the only occurrence of a text in a file."""
    content = bytearray(file.read_bytes())
    assert content.count(text) == 1
    content[content.index(text) + 2] ^= 1
    file.write_bytes(content)


def refuse(*_: object) -> None:
    raise OSError(errno.EIO, "Input/output error")


def told(folder: Path) -> str:
    ok, says = check_recovery(folder).as_health()
    assert not ok
    assert not check_journal(folder).ok
    assert check_journal(folder).says in says
    return says


def photographed(folder: Path, count: int = 6) -> Journal:
    """Return an open journal whose entries name their photos."""
    (folder / "photos").mkdir(parents=True)
    journal = opened(folder)
    for number in range(1, count + 1):
        jpeg = b"photo %d" % number
        (folder / "photos" / f"{number}.jpg").write_bytes(jpeg)
        body = {"photo": digest_of(jpeg)}
        journal.append(Entry(number=number, kind="line", body=body, wall_s=0.0, throw=number))
    return journal
