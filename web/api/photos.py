"""`/api/throws`, `/api/replays`, `/api/question.jpg`: throws, their photos and clips, the open question's photo."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import flask

from companion.table.photos import Photos
from companion.table.read_only import AnyTable
from web.pairing.roles import ANYONE
from web.responses import JPEG, refusal
from web.routes import Json, Routes, number

WEBP = "image/webp"
"""Media type (Content-Type) of a throw's slow-motion clip."""


class Clips(Protocol):
    """Slow-motion clips of recent throws."""

    def throws(self) -> Sequence[int]:
        """Return the numbers of the throws that have a clip, oldest first."""

    def webp(self, throw: int) -> bytes | None:
        """Return the clip of the throw with this number as an animated WebP; None if it has none."""


def routes(photos: Photos, table: AnyTable) -> Routes:
    """Make the group of routes for the current game's throws and for photos. Anyone may use them.

    A photo that is not stored, or belongs to a question that is no longer open, is answered 404.

    Args:
        photos: Stored photos by number of the throw.
        table: The running table: its throws, and the photo of an open question.
    """
    made = Routes("photos")

    photo: Json = {"schema": {}, "roles": ANYONE, "kind": JPEG, "refused": (404,)}
    made.get("/api/throws", "All throws of the current game, oldest first", roles=ANYONE)(
        lambda: {"throws": table.state().throws}
    )
    made.get("/api/throws/<int:throw>.jpg", "The photo of a throw", **photo)(lambda throw: _photo(photos.jpeg(throw)))

    @made.get("/api/question.jpg", "The photo in question", query=(number("id", "query"),), **photo)
    def of_question() -> flask.Response:
        wanted, asked = flask.request.args.get("id", type=int), table.state().asked
        answer = _photo(asked[1].observation.photo_jpeg if asked and wanted in (None, asked[0]) else None)
        if wanted is None:
            answer.headers.pop("Cache-Control", None)  # the next question has another photo
        return answer

    return made


def replays(clips: Clips) -> Routes:
    """Make the two routes that list the throws with a slow-motion clip and serve a clip. Anyone may use them.

    A throw without a clip is answered 404.
    """
    made = Routes("replay")

    made.get("/api/replays", "The throws that can be shown again in slow motion", roles=ANYONE)(
        lambda: {"throws": clips.throws()}
    )

    @made.get("/api/replays/<int:throw>.webp", "A throw in slow motion", {}, roles=ANYONE, kind=WEBP, refused=(404,))
    def of_throw(throw: int) -> flask.Response:
        clip = clips.webp(throw)
        if clip is None:
            return refusal(404, "no_replay", "There is no replay of that throw. GET /api/replays lists them.")
        return _picture(clip, WEBP)

    return made


def _photo(jpeg: bytes | None) -> flask.Response:
    """Answer with a photo; 404 if it is None."""
    if jpeg is None:
        return refusal(404, "no_photo", "There is no photo of that: it was entered by hand, or it has been cleared.")
    return _picture(jpeg, JPEG)


def _picture(body: bytes, kind: str) -> flask.Response:
    """Answer with a picture of that media type, which the browser may cache for an hour."""
    return flask.Response(body, mimetype=kind, headers={"Cache-Control": "private, max-age=3600"})
