"""Entries in a chain: each is hashed together with the hash of the one before it, so that none can go or change unseen.

A row is an entry as it is stored: its number, kind, body (JSON as written), wall time and throw, and its link.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import msgspec

LINK_BYTES = 16
START = bytes(LINK_BYTES)
"""What the first entry is hashed with."""
LOST = "lost"
"""The kind of an entry that stands for a stretch that could not be recovered; `through` in its body is its last."""


class Row(msgspec.Struct, frozen=True, array_like=True):
    """A stored entry; encoded, it is a line of the second copy."""

    number: int
    kind: str
    body: msgspec.Raw
    wall_s: float
    throw: int | None
    link: str

    @property
    def following(self) -> int:
        """The number of the entry that comes after it."""
        if self.kind != LOST:
            return self.number + 1
        return max(self.number, msgspec.json.decode(self.body, type=dict[str, int])["through"]) + 1


def linked(before: bytes, number: int, kind: str, body: bytes, wall_s: float, throw: int | None) -> Row:
    """The row of an entry that follows the row with the link `before`."""
    text = msgspec.Raw(body)
    encoded = msgspec.json.encode((number, kind, text, wall_s, throw))
    link = hashlib.blake2b(before + encoded, digest_size=LINK_BYTES).hexdigest()
    return Row(number, kind, text, wall_s, throw, link)


def follows(before: bytes, row: Row) -> bool:
    """Whether the row is as it was written, after a row with that link."""
    return linked(before, row.number, row.kind, bytes(row.body), row.wall_s, row.throw).link == row.link


def relinked(rows: Iterable[Row]) -> list[Row]:
    """The same entries in a chain of their own."""
    chained: list[Row] = []
    before = START
    for row in rows:
        chained.append(linked(before, row.number, row.kind, bytes(row.body), row.wall_s, row.throw))
        before = bytes.fromhex(chained[-1].link)
    return chained
