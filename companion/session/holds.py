"""What each game makes of the tray, by the game's name. To add a game: write its hold and add its line here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from companion.session.hold_crag import CragHold
from companion.session.hold_crapola import CrapolaHold
from companion.session.hold_crib_dice import CribDiceHold
from companion.session.interpret import Hold

HOLDS: Mapping[str, Hold] = MappingProxyType(
    {"crib_dice": CribDiceHold(), "crag": CragHold(), "crapola": CrapolaHold()}
)
