"""The message that a table sends to its league: one revision of one game, signed with the table's Ed25519 key."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from msgspec import Meta

from companion.table.evening.archive import ArchivedGame

SIGNATURE = "Pegpip-Signature"
"""HTTP header of a league message with the table's Ed25519 signature, 128 hexadecimal digits. Signed are `_DOMAIN` and
the whole body after it."""
MAX_BODY_BYTES = 256 * 1024
"""Largest body, in bytes, of a table's message to the league server, which refuses a larger one with 413. Higher: a
forged message costs more memory; the database's limit on `body` must rise, too. Lower: a long game does not fit."""
_DOMAIN = b"pegpip-league-1\n"
"""Signed before the body, so that a signature made for another purpose never fits."""

State = Literal["final", "open", "withdrawn"]
"""A game that counts; one that counted and is played on; one that was taken back for good."""


class Message(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One revision of one game.

    Attributes:
        league: Version of this form.
        table: The table's public key, 64 hexadecimal digits.
        game: Hash of the journal's entry that began the game, 32 hexadecimal digits: it names the game for ever.
        revision: Grows with every change of the game.
        state: Whether the game counts.
        played_s: When it began by the table's clock, in seconds since 1970; that clock may be wrong by years.
        transcript: The whole game as JSON Lines; empty unless it is final.
    """

    league: Literal[1] = 1
    table: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
    game: Annotated[str, Meta(pattern="^[0-9a-f]{32}$")]
    revision: Annotated[int, Meta(ge=1, le=2**31 - 1)]
    state: State
    played_s: float
    transcript: Annotated[str, Meta(max_length=MAX_BODY_BYTES)] = ""

    @property
    def path(self) -> str:
        """Address of this revision under the server's root."""
        return f"/games/{self.table}/{self.game}/{self.revision}"

    @property
    def content(self) -> str:
        """Hash of state and transcript: equal for two revisions that say the same of the game."""
        return hashlib.sha256(f"{self.state}\n{self.transcript}".encode()).hexdigest()


class Reply(msgspec.Struct, frozen=True):
    """The server's answer.

    Attributes:
        message: One sentence for people.
        current: Revision that counts now; 0 if the server has none.
        content: Hash of what that revision says, as `Message.content`.
    """

    message: str = ""
    current: int = 0
    content: str = ""


def signed(message: Message, key: Ed25519PrivateKey) -> tuple[bytes, str]:
    """Return the JSON bytes of a message and their Ed25519 signature, 128 hexadecimal digits."""
    body = msgspec.json.encode(message)
    return body, key.sign(_DOMAIN + body).hex()


def is_signed(body: bytes, signature: str, table: str) -> bool:
    """Return whether `signature` was made for the bytes `body` of a league message with a table's key (see `signed`).

    `table` is the table's public key. Key and signature are hexadecimal; malformed ones give False.
    """
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(table)).verify(bytes.fromhex(signature), _DOMAIN + body)
    except (InvalidSignature, ValueError):
        return False
    return True


def transcript_under(game: ArchivedGame, aliases: Mapping[str, str]) -> str:
    """Return a game's transcript as JSON Lines, with every player's name replaced by its alias in `aliases`.

    Names stand in the header (`players`, `first`) and in the lines (`leave`, `on`). A name without an alias stays.
    """

    def renamed(line: Mapping[str, Any]) -> dict[str, Any]:
        named = ("first", "leave", "on")
        return {key: aliases.get(value, value) if key in named else value for key, value in line.items()}

    players = [aliases.get(name, name) for name in game.header_line["players"]]
    lines = ({**game.header_line, "players": players}, *(each.line for each in game.archived_lines()))
    return "".join(msgspec.json.encode(renamed(line)).decode() + "\n" for line in lines)
