"""`/api/house/hold`: makes the computer player wait while a phone corrects something. `/api/remark`: what it says."""

from __future__ import annotations

from typing import Annotated

import msgspec

from companion.bots.player import MAX_HELD_S, BotPlayer
from companion.bots.remarks import Remarks
from web.pairing.phones import Pairing
from web.pairing.roles import ANYONE, PLAYERS
from web.requests import phone
from web.routes import Routes


class HoldBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/house/hold`: for how many seconds from now the bot waits; 0: it need not wait for this phone."""

    seconds: Annotated[float, msgspec.Meta(ge=0.0, le=MAX_HELD_S)]


def routes(house: BotPlayer, remarks: Remarks, pairing: Pairing) -> Routes:
    """Make the group of two routes: one pauses the bot, the other returns the remark about the game's newest line.

    `POST /api/house/hold`, for players: pauses the bot for `seconds`; 0 ends the pause that this phone began. `GET
    /api/remark`, for anyone: answers with the JSON object of `Remarks.newest`.
    """
    made = Routes("house", HoldBody)

    @made.post("/api/house/hold", "Have the house wait", HoldBody, roles=PLAYERS)
    def hold(sent: HoldBody) -> HoldBody:
        asking = phone(pairing)
        house.hold(sent.seconds, asking.id if asking else 0)
        return sent

    made.get("/api/remark", "What the house says about the newest line", roles=ANYONE)(remarks.newest)
    return made
