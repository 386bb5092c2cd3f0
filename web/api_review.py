"""The host's look over doubtful and corrected throws, and their photos as a labelled set to train the reader with.

The set is a folder as `vision.training.datasets` reads it: `labels.jsonl` and `images/`, packed as a zip.
"""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Annotated

import flask
import msgspec

from companion.errors import IllegalAction
from companion.session.past.review import NO_DIE, ReviewedThrow
from web.asking import body, must_be_paired
from web.pairing import Pairing
from web.parts import PhotoPart, ReviewPart
from web.refusals import answer, refusal

SET_NAME = "own_table"
"""The folder in the zip; the name by which training knows a table's own photos."""
IN_MEMORY_BYTES = 8_000_000
CHUNK_BYTES = 256 * 1024


class DiceBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/review/N`: what each die in the photo of throw N shows, in the order of its list; 0: no die."""

    values: Annotated[tuple[Annotated[int, msgspec.Meta(ge=NO_DIE, le=6)], ...], msgspec.Meta(max_length=20)]


@dataclass(frozen=True, slots=True)
class Reviewing:
    """The routes of the review; for paired phones only."""

    review: ReviewPart
    photos: PhotoPart
    pairing: Pairing

    def routes(self) -> flask.Blueprint:
        """All of them."""
        routes = flask.Blueprint("review", __name__)
        routes.add_url_rule("/api/review", view_func=self.listed)
        routes.add_url_rule("/api/review/<int:throw>", view_func=self.say, methods=["POST"])
        routes.add_url_rule("/api/review.zip", view_func=self.packed)
        return routes

    def listed(self) -> flask.Response:
        """The throws to look over."""
        must_be_paired(self.pairing)
        return answer({"throws": list(self.review.throws())})

    def say(self, throw: int) -> flask.Response:
        """Say die by die what a photo shows."""
        must_be_paired(self.pairing)
        try:
            self.review.say(throw, body(DiceBody).values)
        except IllegalAction as refused:
            return refusal(422, refused.code, str(refused))
        return self.listed()

    def packed(self) -> flask.Response:
        """The settled throws as a zip."""
        must_be_paired(self.pairing)
        zipped = tempfile.SpooledTemporaryFile(IN_MEMORY_BYTES)  # noqa: SIM115 - closed when it has been sent
        pack(self.review.throws(), self.photos, zipped)
        response = flask.Response(_sent(zipped), mimetype="application/zip")
        response.headers["Content-Disposition"] = 'attachment; filename="peg-and-pip-photos.zip"'
        response.headers["Content-Length"] = str(zipped.tell())
        response.headers["Cache-Control"] = "no-store"
        zipped.seek(0)
        return response


def pack(throws: Sequence[ReviewedThrow], photos: PhotoPart, out: IO[bytes]) -> None:
    """Write the settled throws with a photo as a labelled set: a zip with one folder."""
    labels: list[bytes] = []
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as zipped:  # photos are squeezed already
        for throw in throws:
            jpeg = photos.throw_jpeg(throw.throw) if throw.settled else None
            if jpeg is None:
                continue
            labels.append(msgspec.json.encode(label(throw)) + b"\n")
            zipped.writestr(f"{SET_NAME}/images/{throw.throw}.jpg", jpeg)
        zipped.writestr(f"{SET_NAME}/labels.jsonl", b"".join(labels))


def label(throw: ReviewedThrow) -> dict[str, object]:
    """A line of `labels.jsonl`: the picture, and [x, y, w, h, value] in pixels of every die in it."""
    boxes = [[*die.box_xywh, die.value] for die in throw.dice if die.value != NO_DIE]
    tags = [throw.source, *([throw.doubt] if throw.doubt else [])]
    return {"image": f"{throw.throw}.jpg", "boxes": boxes, "session": f"game-{throw.game}", "tags": tags}


def _sent(zipped: IO[bytes]) -> Iterator[bytes]:
    with zipped:
        while chunk := zipped.read(CHUNK_BYTES):
            yield chunk
