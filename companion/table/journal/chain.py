"""The checksum chain: each line of the journal ends with its own hash and names the hash of the line before it.

A line is a JSON array: number, kind, body, wall time, throw, identity, previous hash, own hash. It proves itself alone,
and the chain proves that no line is missing.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Annotated

import msgspec

SCHEMA = b"pegpip-journal-3"
"""Personalization of the BLAKE2 hashes: lines of another schema or another program have other hashes."""
HASH_BYTES = 16
"""Length of a BLAKE2 hash in bytes; written as twice as many hex digits. Another length makes older lines invalid."""
START = "0" * 2 * HASH_BYTES
"""Previous hash in the journal's first entry, as none is before it. Another value makes older journals invalid."""
LOST = "lost"
"""Kind of the entry that recovery puts in place of entries that neither copy holds intact. Its body is a `Loss`."""
MAX_WALL_S = 2.0**35
"""Latest time of an entry, in seconds since 1970: the year 3058. A line with a later one counts as damaged, and the
clock's check cuts a stored time to it. Much larger ones lie beyond the year 9999, where Python's dates end."""
_END = len('"]') + 2 * HASH_BYTES
"""Bytes at the end of a line from the first digit of its hash on."""
_UNHASHED = len(',"') + _END
"""Bytes at the end of a line that its hash does not cover."""


class Damaged(Exception):
    """The journal was changed since it was written; the message says where, in a few words."""


class Head(msgspec.Struct, frozen=True):
    """The end of a chain: identity of the journal, number and hash of the last entry. By default of an empty journal.

    The next entry follows this number and names this hash as its previous hash.
    """

    identity: str = ""
    number: int = 0
    link: str = START


class Loss(msgspec.Struct, frozen=True):
    """A gap in the chain.

    Attributes:
        missing: Number of the last missing entry.
        through: Number of the last entry that is not replayed: after a gap, replay goes on at the next game.
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
    wall_s: Annotated[float, msgspec.Meta(ge=0, le=MAX_WALL_S)]
    throw: int | None
    identity: str
    before: str
    link: str

    @property
    def line(self) -> bytes:
        """The line in bytes with its line break, as both copies hold it."""
        return msgspec.json.encode(self) + b"\n"

    @property
    def loss(self) -> Loss | None:
        """The gap that this row fills; None for an ordinary entry."""
        return msgspec.json.decode(self.body, type=Loss) if self.kind == LOST else None

    @property
    def head(self) -> Head:
        """The end of a chain that ends with this row: the row itself, or the last entry of the gap that it fills."""
        if (loss := self.loss) is None:
            return Head(self.identity, self.number, self.link)
        return Head(self.identity, loss.missing, loss.then or self.link)


@dataclass(frozen=True, slots=True)
class Tail:
    """Running totals over a chain: its end, the highest number of a throw, and the entry that started the last game."""

    head: Head = field(default_factory=Head)
    last_throw: int = 0
    last_game: Row | None = field(default=None, repr=False)

    def then(self, row: Row | None) -> Tail:
        """Return the totals with one more row of the chain: new end, highest throw number and last game's entry.

        Raises Damaged for None (a line that can't be decoded), or if the row's number, previous hash or journal
        identity does not continue the chain.
        """
        head, number = self.head, self.head.number + 1
        if row is None or (row.number, row.before) != (number, head.link) or head.identity not in ("", row.identity):
            raise Damaged(f"entry {number} is {'missing' if row and row.number > number else 'not as it was written'}")
        game = row if row.kind == "game" else self.last_game
        return Tail(row.head, max(self.last_throw, row.throw or 0), game)


def chained(head: Head, number: int, kind: str, body: bytes, wall_s: float, throw: int | None) -> Row:
    """Return the row, with its hash, of a journal entry that follows `head`; `body` is JSON, `wall_s` since 1970."""
    content = (number, kind, msgspec.Raw(body), wall_s, throw, head.identity, head.link)
    return Row(*content, link=_hash(msgspec.json.encode(content)[:-1]))


def row_of(line: bytes) -> Row | None:
    """Return a line of the journal, decoded; None if its hash is wrong or it is malformed."""
    line = line.removesuffix(b"\n")
    if _hash(line[:-_UNHASHED]).encode() != line[-_END:-2]:
        return None
    try:
        row = msgspec.json.decode(line.decode(), type=Row)  # decoded first: msgspec checks no text within a Raw
        row.loss  # noqa: B018 - a forged gap must not pass
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return row


def _hash(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=HASH_BYTES, person=SCHEMA).hexdigest()
