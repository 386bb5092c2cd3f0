"""Settings of the table and of what it keeps: plain frozen values with their defaults."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import msgspec
import platformdirs
from msgspec import Meta

from companion.games.registry import GAMES
from companion.table.photos import CAP_BYTES

Language = Literal["", "en", "de", "fi"]
"""Those of `web.catalogue`."""


class TableSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table's name on the pages, and the game that a first start sets up.

    Attributes:
        name: Of the table.
        language: What it speaks, and its screen where that has not chosen another; English, and the screen's own, when
            empty.
        game: The first game's; players and the rest are its too.
        players: In their order.
        house: The level of a player House that the program plays: careless, steady or best; none when empty.
        serious: Nobody is told odds or best play while a game is on.
        dice: The name of the set of dice, where there is more than one.
    """

    name: Annotated[str, Meta(min_length=1, max_length=24)] = "Peg & Pip"
    language: Language = ""
    game: str = next(iter(GAMES))
    players: tuple[str, ...] = ("Ann", "Ben")
    house: str = ""
    serious: bool = False
    dice: str = ""


class DataSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the journal and the photos are kept, and how much of the disk the photos may take."""

    dir: str = ""
    photos_mb: Annotated[int, Meta(ge=10)] = CAP_BYTES // 1_000_000

    @property
    def folder(self) -> Path:
        """That folder; the platform's own place for it when none is set."""
        return Path(self.dir).expanduser() if self.dir else platformdirs.user_data_path("pegpip")
