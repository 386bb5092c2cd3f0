"""The checksum chain: each line of the journal ends with its own hash and names the hash of the line before it.

A line is a JSON array: number, kind, body, wall time, throw, identity, previous hash, own hash. It proves itself alone,
and the chain proves that no line is missing.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

import msgspec

SCHEMA = b"pegpip-journal-3"
"""Personalization of the hashes: lines of another schema, or of another program, are never taken for ours."""
HASH_BYTES = 16
START = "0" * 2 * HASH_BYTES
"""Previous hash of the first entry."""
LOST = "lost"
"""Kind of an entry that stands for entries which no copy holds any more; its body is a `Loss`."""
_END = len('"]') + 2 * HASH_BYTES
_UNHASHED = len(',"') + _END
"""Bytes at the end of a line that its hash does not cover."""


class Damaged(Exception):
    """The journal is not as it was written; the message says why in a few words."""


class Loss(msgspec.Struct, frozen=True):
    """A gap in the chain.

    Attributes:
        missing: Number of the last missing entry.
        through: Number of the last entry that can't be played: nothing fits the gap until the next game begins.
        then: Previous hash that the entry after the gap names; empty at the end of the chain.
    """

    missing: int
    through: int
    then: str = ""


class Row(msgspec.Struct, frozen=True, array_like=True):
    """A line of the journal, decoded."""

    number: int
    kind: str
    body: msgspec.Raw
    wall_s: float
    throw: int | None
    identity: str
    before: str
    link: str

    @property
    def line(self) -> bytes:
        """Its bytes with the line break, as both copies hold them."""
        return msgspec.json.encode(self) + b"\n"

    @property
    def loss(self) -> Loss | None:
        """The gap that it stands for."""
        return msgspec.json.decode(self.body, type=Loss) if self.kind == LOST else None

    @property
    def last(self) -> int:
        """Number of the last entry that it stands for."""
        return loss.missing if (loss := self.loss) else self.number

    @property
    def leads_to(self) -> str:
        """Previous hash that the next entry must name."""
        return (loss.then if (loss := self.loss) else "") or self.link


class Head(msgspec.Struct, frozen=True):
    """The end of a chain: identity of the journal, number and hash of its last entry."""

    identity: str
    number: int
    link: str


_EMPTY = Head("", 0, START)


@dataclass(frozen=True, slots=True)
class Tail:
    """Running totals over a chain.

    Attributes:
        head: The end of the chain; its identity is empty before the first entry.
        last_throw: Highest number of a throw.
        last_game: Entry that started the last game.
    """

    head: Head = _EMPTY
    last_throw: int = 0
    last_game: Row | None = field(default=None, repr=False)

    def then(self, row: Row | None) -> Tail:
        """Return the totals with one more row, None for an unreadable one. Raises Damaged unless it continues."""
        head, number = self.head, self.head.number + 1
        if row is None or (row.number, row.before) != (number, head.link) or head.identity not in ("", row.identity):
            raise Damaged(f"entry {number} is {'missing' if row and row.number > number else 'not as it was written'}")
        game = row if row.kind == "game" else self.last_game
        return Tail(Head(row.identity, row.last, row.leads_to), max(self.last_throw, row.throw or 0), game)


def chained(head: Head, number: int, kind: str, body: bytes, wall_s: float, throw: int | None) -> Row:
    """Return the row of an entry that follows `head`."""
    content = (number, kind, msgspec.Raw(body), wall_s, throw, head.identity, head.link)
    return Row(*content, link=_hash(msgspec.json.encode(content)[:-1]))


def row_of(line: bytes) -> Row | None:
    """Return the row of a line, or None unless every byte is as it was written."""
    line = line.removesuffix(b"\n")
    if _hash(line[:-_UNHASHED]).encode() != line[-_END:-2]:
        return None
    try:
        row = msgspec.json.decode(line, type=Row)
        row.loss  # noqa: B018 - a forged gap must not pass
    except msgspec.MsgspecError:
        return None
    return row


def _hash(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=HASH_BYTES, person=SCHEMA).hexdigest()
