"""Settings of the table and of its data folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import msgspec
import platformdirs
from msgspec import Meta

from companion.errors import SetupError
from companion.games.registry import GAMES
from companion.table.photos import MAX_TOTAL_BYTES

Language = Literal["", "en", "de", "fi"]
"""Languages of `web.catalogue`."""
LIVE = {"page": "live"}
"""Mark of a setting that the settings page may change; it takes effect without a restart."""


class TableSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table's name and language, and the game that a first start sets up.

    Attributes:
        name: Name of the table on its pages.
        language: Language of the voice and of the table's screen. Empty: English, and the language of each browser.
        game: Name of the first game.
        players: Names of the first game's players, clockwise.
        house: Level of the computer player House in the first game: careless, steady or best. Empty: no House.
        house_name: Name of the computer player and of the house, which comments. Empty: House, and the table's name.
        remarks: Whether the house comments on costly decisions and lucky throws on the pub's screen.
        serious: Whether odds and best play are hidden while the first game is on.
        dice: Name of the set of dice, where there is more than one.
    """

    name: Annotated[str, Meta(min_length=1, max_length=24, extra=LIVE)] = "Peg & Pip"
    language: Annotated[Language, Meta(extra=LIVE)] = ""
    game: str = next(iter(GAMES))
    players: tuple[str, ...] = ("Ann", "Ben")
    house: str = ""
    house_name: Annotated[str, Meta(max_length=24, extra=LIVE)] = ""
    remarks: Annotated[bool, Meta(extra=LIVE)] = True
    serious: bool = False
    dice: str = ""


class DataSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the journal and the photos are kept.

    Attributes:
        dir: The data folder. Empty: the platform's place for data, `~/.local/share/pegpip` on Linux.
        photos_mb: Most space of the throws' photos and packages on the disk, in megabytes.
        evidence_percent: Share of that space for the packages of throws, in percent. 0: none is kept.
    """

    dir: Annotated[str, Meta(extra={"stays": True})] = ""
    photos_mb: Annotated[int, Meta(ge=10, le=1_000_000, extra=LIVE)] = 2 * MAX_TOTAL_BYTES // 1_000_000
    evidence_percent: Annotated[int, Meta(ge=0, le=90, extra=LIVE)] = 50

    @property
    def evidence_bytes(self) -> int:
        """Most space of the packages of throws, in bytes."""
        return self.photos_mb * 10_000 * self.evidence_percent

    @property
    def photo_bytes(self) -> int:
        """Most space of the photos, in bytes."""
        return self.photos_mb * 1_000_000 - self.evidence_bytes

    @property
    def folder(self) -> Path:
        """The data folder as a path. Raises SetupError if it begins with `~` and a name that is no user's."""
        try:
            return Path(self.dir).expanduser() if self.dir else platformdirs.user_data_path("pegpip")
        except RuntimeError:
            raise SetupError([f"The data folder {self.dir!r} is in the home of no known user: write it out."]) from None
