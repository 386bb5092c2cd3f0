"""The API of the table's voice: whether it speaks, and turning it on and off from a paired phone."""

from __future__ import annotations

import flask
import msgspec

from companion.errors import DeviceError
from web.loudspeaker import Loudspeaker
from web.pairing.phones import Pairing
from web.responses import answer, refusal
from web.routes import Routes


class VoiceBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/voice`: whether the table speaks."""

    on: bool


def routes(voice: Loudspeaker, pairing: Pairing) -> Routes:
    """The routes of the table's voice."""
    made = Routes("voice", VoiceBody, pairing=pairing)

    @made.get("/api/voice", "Whether the table speaks")
    def how_it_is() -> flask.Response:
        return answer({"on": voice.on})

    @made.post("/api/voice", "Let the table speak, or be quiet", VoiceBody, refused=(401, 422), paired=True)
    def turn(sent: VoiceBody) -> flask.Response:
        try:
            voice.turn(sent.on)
        except DeviceError as mute:
            return refusal(422, "mute", str(mute))
        return answer({"on": voice.on})

    return made
