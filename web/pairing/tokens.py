"""Where paired phones are remembered over a restart: a file with a checksum. Only hashes of tokens are kept."""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass
from pathlib import Path

import msgspec

from companion.table.atomic import write_file
from web.pairing.roles import Role

log = logging.getLogger(__name__)


class Paired(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A paired phone or screen.

    Attributes:
        id: Its number.
        name: The name that it gave.
        token_sha256: SHA-256 of its token, in hexadecimal.
        role: Player, owner or screen.
        used_s: When its token was last used, to the day, in seconds since 1970.
    """

    id: int
    name: str
    token_sha256: str
    role: Role
    used_s: float = 0.0


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file: the phones as JSON text, and its SHA-256 in hexadecimal."""

    phones: str
    sha256: str


@dataclass(frozen=True, slots=True)
class FileTokens:
    """Paired phones in a JSON file, readable by its owner only, replaced whole."""

    path: Path

    def load(self) -> tuple[Paired, ...] | None:
        """All paired phones: empty where there is no file yet, None where it is damaged or can't be read."""
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
        """Keep exactly these. A write that fails is logged: the phones then pair again after a restart."""
        text = msgspec.json.encode(phones).decode()
        try:
            write_file(self.path, (msgspec.json.encode(_File(text, _sha256(text))),), mode=0o600)
        except OSError as refused:
            log.warning("paired phones can't be saved (%s): they must pair again after a restart", refused)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
