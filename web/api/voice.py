"""`/api/voice`: whether the table speaks, and turning its voice on and off."""

from __future__ import annotations

import flask
import msgspec

from companion.errors import DeviceError
from web.loudspeaker import Loudspeaker
from web.pairing.roles import ANYONE, PLAYERS
from web.responses import answer, refusal
from web.routes import Routes


class VoiceBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/voice`: whether the table's voice is to be on."""

    on: bool


def routes(voice: Loudspeaker) -> Routes:
    """Make the group of routes for the table's voice. Anyone may read whether it is on; players turn it on and off."""
    made = Routes("voice", VoiceBody)

    @made.get("/api/voice", "Whether the table speaks", roles=ANYONE)
    def how_it_is() -> flask.Response:
        return answer({"on": voice.on})

    @made.post("/api/voice", "Let the table speak, or be quiet", VoiceBody, roles=PLAYERS, refused=(422,))
    def turn(sent: VoiceBody) -> flask.Response:
        try:
            voice.turn(sent.on)
        except DeviceError as mute:
            return refusal(422, "mute", str(mute))
        return answer({"on": voice.on})

    return made
