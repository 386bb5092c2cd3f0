"""The journal: what happened at the table, on the disk before anyone is told; two copies in one chain of hashes."""

from __future__ import annotations

from companion.table.journal.database import FILE_NAME, last_written_s
from companion.table.journal.journal import (
    Entry,
    InUse,
    Journal,
    entries_at,
    entry_of,
    examined,
    link_of,
    read_entries,
    verified,
)

__all__ = [
    "FILE_NAME",
    "Entry",
    "InUse",
    "Journal",
    "entries_at",
    "entry_of",
    "examined",
    "last_written_s",
    "link_of",
    "read_entries",
    "verified",
]
