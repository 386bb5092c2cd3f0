"""The file that keeps paired phones over a restart, with a checksum. It holds hashes of tokens, never tokens."""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass
from pathlib import Path

import msgspec

from companion.table.atomic import write_file
from web.pairing.roles import Role

log = logging.getLogger(__name__)


class Seat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A seat in the next game: the player's name, and the number of its peg's colour, 0 to 9."""

    name: str
    colour: int


class Paired(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A paired phone or screen.

    Attributes:
        id: The phone's number.
        name: The phone's name for itself.
        token_sha256: SHA-256 of the phone's token, in hexadecimal.
        role: Player, owner or screen.
        used_s: When the token was last used, to the day, in seconds since 1970.
        seat: Its seat in the next game; None while it only stands by.
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
    """Paired phones in a JSON file that only the service's user can read."""

    path: Path

    def load(self) -> tuple[Paired, ...] | None:
        """Read all paired phones: empty if there is no file yet, None if it is damaged or unreadable."""
        try:
            file = msgspec.json.decode(self.path.read_bytes(), type=_File)
            if _sha256(file.phones) == file.sha256:
                return msgspec.json.decode(file.phones, type=tuple[Paired, ...])
            log.warning("%s is damaged: its checksum is wrong", self.path)
        except FileNotFoundError:
            return ()
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as damaged:
            log.warning("%s can't be read (%s)", self.path, damaged)
        return None

    def save(self, phones: tuple[Paired, ...]) -> None:
        """Replace the file by these phones. A failed write is logged: the phones must pair again after a restart."""
        text = msgspec.json.encode(phones).decode()
        try:
            write_file(self.path, (msgspec.json.encode(_File(text, _sha256(text))),), mode=0o600)
        except OSError as refused:
            log.warning("paired phones can't be saved (%s): they must pair again after a restart", refused)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
