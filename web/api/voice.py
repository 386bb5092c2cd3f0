"""`/api/voice`: whether the table speaks, and turning its voice on and off."""

from __future__ import annotations

import msgspec

from companion.errors import DeviceError
from web.loudspeaker import Loudspeaker
from web.pairing.roles import ANYONE, PLAYERS
from web.routes import Json, Routes


class VoiceBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/voice`: whether the table's voice is to be on."""

    on: bool


def routes(voice: Loudspeaker) -> Routes:
    """Make the group of routes for the table's voice. Anyone may read whether it is on; players turn it on and off.

    Turning the voice on is answered 422 if this machine can't speak.
    """
    made = Routes("voice", VoiceBody, refusals={DeviceError: (422, "mute")})

    def how_it_is() -> Json:
        return {"on": voice.on}

    made.get("/api/voice", "Whether the table speaks", roles=ANYONE)(how_it_is)

    @made.post("/api/voice", "Let the table speak, or be quiet", VoiceBody, roles=PLAYERS, refused=(422,))
    def turn(sent: VoiceBody) -> Json:
        voice.turn(sent.on)
        return how_it_is()

    return made
