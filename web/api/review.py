"""`/api/review`: the owner reviews doubtful and corrected throws, and downloads their photos as a labelled set.

`/api/evidence` says how often a reading was accepted without asking and was wrong.

The set is a folder as `vision.research.training.datasets` reads it: `labels.jsonl` and `images/`, packed as a zip.
"""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO, Annotated

import flask
import msgspec

from companion.errors import DeviceError
from companion.history.accuracy import accuracy
from companion.history.review import NO_DIE, Review, ReviewedThrow
from companion.table.photos import Photos
from web.pairing.roles import OWNERS
from web.responses import attachment
from web.routes import Json, Routes, ref

SET_NAME = "own_table"
"""Name of the folder in the downloaded zip. Training knows photos from a user's table by this name."""
IN_MEMORY_BYTES = 8_000_000
"""Largest zip, in bytes, that is built in memory; a larger one goes to a temporary file on disk. Higher: a download
takes more memory. Lower: more zips are written to disk."""
SCRATCH = "/var/tmp"  # noqa: S108 - a file without a name is made in it
"""Folder for a larger zip while it is sent; it is on the disk, whereas /tmp may be in memory."""
CHUNK_BYTES = 256 * 1024
"""Bytes of the zip that are read and sent at once. Higher: a download takes more memory; lower: more reads."""


class DiceBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/review/N`: a value for each die that `GET /api/review` lists for throw N, in that order; 0: no die."""

    values: Annotated[tuple[Annotated[int, msgspec.Meta(ge=NO_DIE, le=6)], ...], msgspec.Meta(max_length=20)]


def routes(review: Review, photos: Photos, cameras: Callable[[], Mapping[int, str]] = dict) -> Routes:
    """Make the group of routes by which the owner labels throws and downloads their photos as a zip.

    The throws are those that the reader doubted or that were corrected. One more route counts all throws that the
    camera read, by month, camera and dice set: how many were asked about, accepted and wrongly accepted. All routes are
    for the owner only. Labels that do not fit the throw are answered 422, a failure of the disk 503.

    Args:
        review: The throws that were doubted or corrected, with their labels.
        photos: Stored photos by number of the throw.
        cameras: Returns the kind of camera (such as `picamera`) that took each throw, by the throw's number.
    """
    made = Routes("review", DiceBody, ReviewedThrow)
    throws: Json = {"type": "array", "items": ref("ReviewedThrow")}
    listed: Json = {"type": "object", "required": ["throws"], "properties": {"throws": throws}}
    read: Json = {"roles": OWNERS, "refused": (503,)}

    def to_look_over() -> Json:
        return {"throws": review.throws()}

    made.get("/api/review", "Throws that the reader doubted or had wrong", listed, **read)(to_look_over)

    @made.post("/api/review/<int:throw>", "Say what each die shows", DiceBody, listed, roles=OWNERS, refused=(422, 503))
    def say(sent: DiceBody, throw: int) -> Json:
        review.label(throw, sent.values)
        return to_look_over()

    made.get("/api/evidence", "Throws read, asked and corrected, by month, camera and dice", {}, **read)(
        lambda: accuracy(review.camera_throws(), cameras())
    )

    @made.get("/api/review.zip", "Their photos as a labelled set", {}, kind="application/zip", **read)
    def packed() -> flask.Response:
        throws = review.throws()
        file = tempfile.SpooledTemporaryFile(IN_MEMORY_BYTES, dir=SCRATCH)  # noqa: SIM115 - closed when it has been sent
        try:
            pack(throws, photos, file)
        except OSError as refused:
            file.close()
            cure = "Free some space there, then download it again."
            raise DeviceError(f"The photos can't be packed in {SCRATCH} ({refused.strerror}).", cure) from None
        response = attachment(_chunks(file), "application/zip", "peg-and-pip-photos.zip")
        response.headers["Content-Length"] = str(file.tell())
        file.seek(0)
        return response

    return made


def pack(throws: Sequence[ReviewedThrow], photos: Photos, out: IO[bytes]) -> None:
    """Write throws with their photos and labels to `out` as a zip, and leave `out` open, at its end.

    Equal throws give equal bytes. Raises OSError if `out` can't be written.

    Args:
        throws: Throws under review. A throw with an unlabelled box or without a photo is left out.
        photos: Stored photos by number of the throw.
        out: The file to write to.
    """
    labels: list[bytes] = []
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as zipped:  # JPEG is compressed already
        for throw in throws:
            jpeg = photos.jpeg(throw.throw) if throw.settled else None
            if jpeg is None:
                continue
            labels.append(msgspec.json.encode(label(throw)) + b"\n")
            zipped.writestr(zipfile.ZipInfo(f"{SET_NAME}/images/{throw.throw}.jpg"), jpeg)
        zipped.writestr(zipfile.ZipInfo(f"{SET_NAME}/labels.jsonl"), b"".join(labels))


def label(throw: ReviewedThrow) -> dict[str, object]:
    """Return the line of `labels.jsonl` that describes a throw, as a JSON object.

    Returns:
        `image`: file name of the throw's photo. `boxes`: [x, y, width, height, value] of every die, in pixels of
            the photo, without boxes marked as no die; a box without a label has the value None. `session`:
            `game-N`. `tags`: source of the values (`camera`, `answered`, `corrected`), then the doubt if there was
            one.
    """
    boxes = [[*die.box_xywh, die.value] for die in throw.dice if die.value != NO_DIE]
    tags = [throw.source, *([throw.doubt] if throw.doubt else [])]
    return {"image": f"{throw.throw}.jpg", "boxes": boxes, "session": f"game-{throw.game}", "tags": tags}


def _chunks(zipped: IO[bytes]) -> Iterator[bytes]:
    """Yield the rest of a file, from its current position, in chunks of `CHUNK_BYTES`; then close it."""
    with zipped:
        while chunk := zipped.read(CHUNK_BYTES):
            yield chunk
