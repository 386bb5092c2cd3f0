"""The API of the table's voice: whether it speaks, and turning it on and off from a paired phone."""

from __future__ import annotations

import flask
import msgspec

from companion.errors import DeviceError
from web.asking import body, must_be_paired
from web.parts import Parts, Voice
from web.refusals import answer, refusal


class VoiceBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/voice`: whether the table speaks."""

    on: bool


def speaking(parts: Parts, voice: Voice) -> flask.Blueprint:
    """The routes of the table's voice."""
    routes = flask.Blueprint("voice", __name__)

    @routes.get("/api/voice")
    def told() -> flask.Response:
        return answer({"on": voice.on})

    @routes.post("/api/voice")
    def turn() -> flask.Response:
        must_be_paired(parts.pairing)
        try:
            voice.turn(body(VoiceBody).on)
        except DeviceError as mute:
            return refusal(422, "mute", str(mute))
        return answer({"on": voice.on})

    return routes
