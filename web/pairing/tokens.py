"""Where paired phones are remembered over a restart: in a file. Of a token only its hash is kept."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path

import msgspec

from companion.table.atomic import write_file

log = logging.getLogger(__name__)


class Paired(msgspec.Struct, frozen=True):
    """A phone that may control: its number, the name it gave, and the SHA-256 of its token in hexadecimal."""

    id: int
    name: str
    token_sha256: str


@dataclass(frozen=True, slots=True)
class FileTokens:
    """Paired phones in a JSON file, readable by its owner only, replaced whole."""

    path: Path

    def load(self) -> tuple[Paired, ...]:
        """All of them; none when there is no file yet or it is spoilt (phones then pair again)."""
        try:
            return msgspec.json.decode(self.path.read_bytes(), type=tuple[Paired, ...])
        except FileNotFoundError:
            return ()
        except (OSError, msgspec.MsgspecError) as spoilt:
            log.warning("paired phones can't be read (%s): they must pair again", spoilt)
            return ()

    def save(self, phones: tuple[Paired, ...]) -> None:
        """Keep exactly these. A full disk is logged: the phones then pair again after a restart."""
        try:
            write_file(self.path, (msgspec.json.encode(phones),), mode=0o600)
        except OSError as full:
            log.warning("paired phones can't be kept (%s): they must pair again after a restart", full)
