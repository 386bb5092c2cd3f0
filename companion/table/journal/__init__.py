"""The journal: two copies of every entry in one checksum chain, on the disk before anyone hears of it."""

from __future__ import annotations

from companion.table.journal.anchor import anchor_folder
from companion.table.journal.copies import FIRST, SECOND
from companion.table.journal.journal import (
    Entry,
    InUse,
    Journal,
    adopted,
    entries,
    entries_at,
    examined,
    last_written_s,
    link_of,
    read_entries,
)

__all__ = [
    "FIRST",
    "SECOND",
    "Entry",
    "InUse",
    "Journal",
    "adopted",
    "anchor_folder",
    "entries",
    "entries_at",
    "examined",
    "last_written_s",
    "link_of",
    "read_entries",
]
