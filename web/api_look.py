"""The API's reading half: state, board, photos, games. Needs no pairing and changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import flask
import msgspec

from web.feed import Feed
from web.openapi import document
from web.parts import GameCard, Parts
from web.refusals import answer, json_bytes, refusal


@dataclass(frozen=True, slots=True)
class Looking:
    """The routes that only look."""

    parts: Parts
    feed: Feed

    def routes(self) -> flask.Blueprint:
        """All of them."""
        routes = flask.Blueprint("look", __name__)
        views: tuple[tuple[str, Callable[..., flask.Response]], ...] = (
            ("/healthz", self.health),
            ("/api/state", self.state),
            ("/api/board", self.board),
            ("/api/board/spots", self.spots),
            ("/api/throws/<int:number>.jpg", self.throw_photo),
            ("/api/question.jpg", self.question_photo),
            ("/api/games", self.games),
            ("/api/openapi.json", self.openapi),
        )
        for rule, view in views:
            routes.add_url_rule(rule, view_func=view)
        return routes

    def health(self) -> flask.Response:
        """What works and what is ill."""
        return answer(dict(self.parts.health()))

    def state(self) -> flask.Response:
        """The newest snapshot."""
        return json_bytes(self.feed.newest.json)

    def board(self) -> flask.Response:
        """What the strip shows now."""
        frame = self.parts.board.latest()
        leds = [[int(colour) for colour in led] for led in frame.leds]
        return answer({"leds": leds, "milliamps": round(frame.milliamps)})

    def spots(self) -> flask.Response:
        """Where each LED is."""
        return answer({"spots": [[round(x, 3), round(y, 3)] for x, y in self.parts.board.spots()]})

    def throw_photo(self, number: int) -> flask.Response:
        """The photo of a throw."""
        return photo(self.parts.photos.throw_jpeg(number))

    def question_photo(self) -> flask.Response:
        """The photo of a question, of the open one when none is named."""
        question = self.parts.table.snapshot().question
        number = flask.request.args.get("id", default=question.id if question else None, type=int)
        return photo(None if number is None else self.parts.photos.question_jpeg(number))

    def games(self) -> flask.Response:
        """The games that can be chosen."""
        return answer({"games": [game_card(game) for game in self.parts.games]})

    def openapi(self) -> flask.Response:
        """What this API is, for machines."""
        return answer(
            document(
                self.parts.version,
                [game.name for game in self.parts.games],
                with_tray=self.parts.tray is not None,
                with_evening=self.parts.evening is not None,
                with_voice=self.parts.voice is not None,
                with_review=self.parts.review is not None,
                with_calibrate=self.parts.calibrate is not None,
            )
        )


def photo(jpeg: bytes | None) -> flask.Response:
    """A photo, or a 404 that says why there is none."""
    if jpeg is None:
        return refusal(404, "no_photo", "There is no photo of that: it was entered by hand, or it has been cleared.")
    response = flask.Response(jpeg, mimetype="image/jpeg")
    response.headers["Cache-Control"] = "private, max-age=3600"
    return response


def game_card(game: GameCard) -> dict[str, object]:
    """A game as the set-up form needs it."""
    return {
        "name": game.name,
        "title": game.title,
        "min_players": game.min_players,
        "max_players": game.max_players,
        "switches": [
            {"key": s.key, "default": s.default, "title": s.title, "meaning": s.meaning, "minimum": s.minimum}
            for s in game.switches
        ],
        "presets": {name: dict(values) for name, values in game.presets.items()},
    }


def as_json(value: object) -> str:
    """JSON that may stand inside a page: no `<`, `>` or `&` is left that could end the element."""
    text = msgspec.json.encode(value).decode()
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
