"""`/api/teach`: the owner teaches a set of dice, throw by throw, and forgets one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Protocol

import flask
import msgspec

from web.names import problem_of
from web.pairing.roles import OWNERS
from web.responses import JPEG, refusal
from web.routes import Json, NothingBody, Routes

SetName = Annotated[str, msgspec.Meta(max_length=24)]
"""Name of a set of dice, as a game's terms have it; empty for the usual set."""


class SetBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/teach/begin` and `/forget`: names a set of dice."""

    name: SetName


class LabelBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/teach/label`: the value of each die of the throw `number`, in the order of the list; 0: not a die."""

    number: Annotated[int, msgspec.Meta(ge=0, le=2**53)]
    values: Annotated[tuple[Annotated[int, msgspec.Meta(ge=0, le=6)], ...], msgspec.Meta(max_length=20)]


class Teaching(Protocol):
    """Teaches sets of dice: `companion.evidence.lesson.Teacher`."""

    def view(self) -> dict[str, Any]:
        """Return as JSON the set that is being taught, all taught sets, and the throw that waits for its labels."""

    def picture_jpeg(self) -> bytes | None:
        """Return the picture of the throw that waits for its labels as JPEG; None if none waits."""

    def begin(self, name: str) -> None:
        """Begin a lesson for the set of that name, in place of any other: throws then do not count in the game."""

    def end(self) -> None:
        """End the lesson: throws count in the game again. A throw that waits for its labels is dropped."""

    def label(self, number: int, values: Sequence[int]) -> None:
        """Add the throw `number`, which waits for its labels, to the set of dice that is being taught.

        `values` has one true value for each die that `view` lists, in that order; 0 stands for something that is no
        die. Afterwards the throw no longer waits.

        Raises IllegalAction if another throw or none waits, the number of values is wrong, or a value is not 0 to 6.
        Raises DeviceError if the set can't be stored.
        """

    def forget(self, name: str) -> None:
        """Delete everything taught of a set. Raises DeviceError if its file can't be deleted."""


def routes(teacher: Teaching) -> Routes:
    """Make the group of routes by which the owner teaches a set of dice, throw by throw, or deletes a set.

    The picture is answered 404 if no throw waits for its labels. A name that is not allowed, or labels that do not fit
    the throw that waits, are answered 422. A set that can't be stored or deleted is answered 503.
    """
    made = Routes("teach", SetBody, LabelBody)

    made.get("/api/teach", "Taught sets of dice, and the throw to confirm", {}, roles=OWNERS)(teacher.view)

    @made.get("/api/teach.jpg", "The picture of that throw", {}, kind=JPEG, refused=(404,), roles=OWNERS)
    def picture() -> flask.Response:
        jpeg = teacher.picture_jpeg()
        if jpeg is None:
            return refusal(404, "no_photo", "No throw waits for an answer. Throw the dice.")
        return flask.Response(jpeg, mimetype=JPEG)

    @made.post("/api/teach/begin", "Begin to teach a set of dice", SetBody, {}, roles=OWNERS, refused=(422,))
    def begin(sent: SetBody) -> Json | flask.Response:
        if (wrong := problem_of([sent.name])) is not None:
            return refusal(422, "name", wrong)
        teacher.begin(sent.name)
        return teacher.view()

    @made.post("/api/teach/end", "End the lesson", NothingBody, {}, roles=OWNERS)
    def end(_: NothingBody) -> Json:
        teacher.end()
        return teacher.view()

    @made.post(
        "/api/teach/label", "Label each die of the throw that waits", LabelBody, {}, roles=OWNERS, refused=(422, 503)
    )
    def label(sent: LabelBody) -> Json:
        teacher.label(sent.number, sent.values)
        return teacher.view()

    @made.post("/api/teach/forget", "Forget a set of dice", SetBody, {}, roles=OWNERS, refused=(503,))
    def forget(sent: SetBody) -> Json:
        teacher.forget(sent.name)
        return teacher.view()

    return made
