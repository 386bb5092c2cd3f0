"""The pages: each is drawn once by the server with the newest snapshot in it, and kept live by its module."""

from __future__ import annotations

import functools
import gzip
from dataclasses import dataclass
from typing import Any

import flask
import msgspec

from web import catalogue, qr, static_files
from web.api_look import as_json, game_card
from web.asking import phone
from web.feed import Feed
from web.parts import Parts

LOOKS = ("dark", "light")
SQUEEZE = 5  # gzip's level: a page late in an evening shrinks to a fifth in a millisecond


@dataclass(frozen=True, slots=True)
class Pages:
    """The routes of the pages."""

    parts: Parts
    feed: Feed

    def routes(self) -> flask.Blueprint:
        """All of them; `/tray`, `/evening`, `/review` and `/calibrate` only where there is one."""
        routes = flask.Blueprint("pages", __name__)
        routes.app_context_processor(self.words)
        views = {"/": self.scoreboard, "/control": self.control, "/tv": self.tv, "/help": self.help_page}
        if self.parts.tray is not None:
            views["/tray"] = self.tray
        if self.parts.evening is not None:
            views["/evening"] = self.evening
        if self.parts.review is not None:
            views["/review"] = self.review
        if self.parts.calibrate is not None:
            views["/calibrate"] = self.calibrate
        codes = {"/qr/page.svg": self.page_code, "/qr/wifi.svg": self.wifi_code}
        for rule, view in {**views, **codes, "/manifest.webmanifest": manifest}.items():
            routes.add_url_rule(rule, view_func=view)
        return routes

    def words(self) -> dict[str, Any]:
        """What every template may say: texts in the phone's language, its look, the addresses of files."""
        language = language_of_phone()
        look = flask.request.cookies.get("look", "")
        return {
            "t": functools.partial(catalogue.say, language),
            "language": language,
            "languages": catalogue.LANGUAGES,
            "table_name": self.parts.name,
            "look": look if look in LOOKS else "dark",
            "file": static_files.url,
            "with_tray": self.parts.tray is not None,
            "with_evening": self.parts.evening is not None,
            "with_review": self.parts.review is not None,
            "with_calibrate": self.parts.calibrate is not None,
        }

    def page(self, name: str, **more: object) -> flask.Response:
        """A page with the newest snapshot in it."""
        start = {
            "snapshot": msgspec.Raw(self.feed.newest.json),
            "paired": phone(self.parts.pairing) is not None,
            "texts": static_files.url(f"texts/{language_of_phone()}.json"),
            "voice": self.parts.voice is not None,
            "evening": self.parts.evening is not None,
            **more,
        }
        addresses = self.parts.addresses
        html = flask.render_template(
            f"{name}.html", start=as_json(start), addresses=addresses, page_name=name, games=self.parts.games
        )
        response = flask.Response(html, mimetype="text/html")
        response.headers["Cache-Control"] = "no-store"
        response.headers["Vary"] = "Accept-Encoding"
        if flask.request.accept_encodings.quality("gzip") > 0:  # a page holds nothing secret that its size could tell
            response.set_data(gzip.compress(response.get_data(), SQUEEZE, mtime=0))
            response.headers["Content-Encoding"] = "gzip"
        return response

    def _games(self) -> list[dict[str, object]]:
        return [game_card(game) for game in self.parts.games]

    def scoreboard(self) -> flask.Response:
        """What everyone in the pub looks at."""
        return self.page("scoreboard")

    def control(self) -> flask.Response:
        """The scoreboard with the sheet from below, or the way to pair."""
        return self.page("control", games=self._games())

    def tv(self) -> flask.Response:
        """The pub's screen."""
        return self.page("tv")

    def help_page(self) -> flask.Response:
        """How to join, what works, what the words mean."""
        return self.page("help")

    def tray(self) -> flask.Response:
        """The virtual tray."""
        return self.page("tray", games=self._games())

    def evening(self) -> flask.Response:
        """Games played."""
        return self.page("evening")

    def review(self) -> flask.Response:
        """Doubtful and corrected throws; its module shows a phone that is not paired how to become so."""
        return self.page("review")

    def calibrate(self) -> flask.Response:
        """The camera's picture with the sheet that is found in it; for paired phones, as the review."""
        return self.page("calibrate")

    def page_code(self) -> flask.Response:
        """The QR code of the page's address."""
        return flask.Response(qr.svg(self.parts.addresses.page), mimetype="image/svg+xml")

    def wifi_code(self) -> flask.Response:
        """The QR code that joins the Wi-Fi; 404 where the table has no Wi-Fi of its own."""
        if self.parts.addresses.wifi is None:
            flask.abort(404)
        return flask.Response(qr.svg(self.parts.addresses.wifi), mimetype="image/svg+xml")


def manifest() -> flask.Response:
    """What a phone needs to put the page among its apps."""
    told = {
        "name": "Peg & Pip",
        "short_name": "Peg & Pip",
        "start_url": "/",
        "display": "standalone",
        "background_color": "#17110c",
        "theme_color": "#17110c",
        "icons": [
            {"src": static_files.url("icon.svg"), "sizes": "any", "type": "image/svg+xml"},
            {
                "src": static_files.url("icon-512.png"),
                "sizes": "512x512",
                "type": "image/png",
                "purpose": "any maskable",
            },
        ],
    }
    return flask.Response(flask.json.dumps(told), mimetype="application/manifest+json")


def language_of_phone() -> str:
    """The language that the asking phone has chosen or accepts."""
    accepted = flask.request.accept_languages.values()
    return catalogue.chosen(flask.request.cookies.get("lang"), accepted)
