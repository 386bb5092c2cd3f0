"""The file that keeps paired phones over a restart, with a checksum. It holds hashes of tokens, never tokens."""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass
from pathlib import Path

import msgspec

from companion.errors import DeviceError
from companion.table.atomic import write_file
from web.pairing.roles import Role

log = logging.getLogger(__name__)

DAMAGED = "The list of paired phones is damaged. Enter the PIN from the terminal: the first phone becomes the owner."
"""Health message while the file of paired phones can't be read."""


class Seat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A seat in the next game: the player's name, and the colour of the peg as an index into the palette, 0 to 9."""

    name: str
    colour: int

    def is_like(self, other: Seat | None) -> bool:
        """Return whether another seat has the same name, in upper or lower case, or the same colour."""
        return other is not None and (self.colour == other.colour or self.name.casefold() == other.name.casefold())


class Paired(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A paired phone or screen.

    Attributes:
        id: The phone's number, by which the owner manages it. No other phone gets it until the next start.
        name: The name that the phone gives itself.
        token_sha256: SHA-256 of the phone's token, in hexadecimal.
        role: Player, owner or screen.
        used_s: When the token was last used, accurate to a day, in seconds since 1970.
        seat: Its seat in the next game; None without one.
    """

    id: int
    name: str
    token_sha256: str
    role: Role
    used_s: float = 0.0
    seat: Seat | None = None


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Contents of the file: the phones as JSON text, and that text's SHA-256 in hexadecimal."""

    phones: str
    sha256: str


@dataclass(frozen=True, slots=True)
class FileTokens:
    """The file of paired phones: JSON with a checksum, which only the service's user can read."""

    path: Path

    def load(self) -> tuple[Paired, ...] | None:
        """Return the paired phones in the file; empty if there is no file yet.

        If the file is damaged or unreadable, a warning is logged and None is returned.
        """
        try:
            file = msgspec.json.decode(self.path.read_bytes(), type=_File)
            if sha256(file.phones) == file.sha256:
                return msgspec.json.decode(file.phones, type=tuple[Paired, ...])
            log.warning("%s is damaged: its checksum is wrong", self.path)
        except FileNotFoundError:
            return ()
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as damaged:
            log.warning("%s can't be read (%s)", self.path, damaged)
        return None

    def save(self, phones: tuple[Paired, ...]) -> None:
        """Write the paired phones to the file. Raises DeviceError if the disk refuses: the older file still counts."""
        text = msgspec.json.encode(phones).decode()
        try:
            write_file(self.path, (msgspec.json.encode(_File(text, sha256(text))),), mode=0o600)
        except OSError as refused:
            reason = f"The paired phones can't be saved ({refused.strerror}); after a restart the older list counts."
            raise DeviceError(reason, "Free some space or make the data folder writable.") from None


def sha256(text: str) -> str:
    """Return the SHA-256 of a text, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()
