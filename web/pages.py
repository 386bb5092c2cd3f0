"""The pages: the server renders each with the newest snapshot; the page's script keeps it live."""

from __future__ import annotations

import functools
import gzip
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from typing import Any

import flask
import msgspec

from web import catalogue, qr, static_files
from web.api.games import Form, card
from web.guard import COOKIE, keep_token
from web.pairing.phones import Pairing
from web.pairing.roles import ANYONE, HANDS, PLAYERS, SCREENS, Role, Roles
from web.requests import phone, visitor
from web.serving.feed import Feed

LOOKS = ("dark", "light", "auto")
"""Colour schemes that a phone may choose."""
GZIP_LEVEL = 5
"""Level of gzip for pages, 1 to 9; higher takes longer. With 5 a page shrinks to a fifth in a millisecond."""
PAGES = {"scoreboard": "/", "control": "/control", "tv": "/tv", "help": "/help", "me": "/me"}
"""Address of each page that is always served, by name."""
OPTIONAL_PAGES = {name: (f"/{name}", name) for name in ("tray", "evening", "review", "calibrate")} | {
    "honesty": ("/dice", "evening"),
    "game": ("/games/<int:game>", "evening"),
    "learn": ("/learn", "evening"),
    "settings": ("/settings", "settings"),
    "setup": ("/setup", "settings"),
    "camera": ("/camera", "calibrate"),
}
"""Address and needed API group of each page that is served only with that group."""
WITH_GAMES = {"control", "tray", "setup"}
"""Pages whose start data lists the games."""
ROLES_OF_FILES: dict[str, Roles] = {
    "/qr/page.svg": ANYONE,
    "/qr/wifi.svg": SCREENS,
    "/qr/host.svg": SCREENS,
    "/manifest.webmanifest": ANYONE,
}
"""Roles for the other files of the pages. The Wi-Fi's QR code holds its password."""


@dataclass(frozen=True, slots=True)
class Addresses:
    """The table's addresses for phones.

    Attributes:
        page: URL of the page with an IP address: `http://192.168.4.1:8000/`.
        others: More URLs of the page.
        names: The table's host names, besides `localhost` and `*.local`.
        wifi: Text of the QR code that joins the Wi-Fi (`WIFI:T:WPA;S:...;P:...;;`), or None.
        phones: About how many phones the table's own Wi-Fi holds; None if unknown or not up.
    """

    page: str
    others: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    wifi: str | None = None
    phones: int | None = None


@dataclass(frozen=True, slots=True)
class Named:
    """Functions that return the table's name and the language of its screen ("": the browser's)."""

    name: Callable[[], str]
    language: Callable[[], str] = lambda: ""


@dataclass(frozen=True, slots=True)
class Pages:
    """The pages.

    Attributes:
        feed: Gives the newest snapshot for each page.
        pairing: Knows the visitor's role.
        games: The games that can be chosen.
        addresses: The table's addresses, for QR codes.
        named: The table's name and language.
    """

    feed: Feed
    pairing: Pairing
    games: Sequence[Form]
    addresses: Addresses
    named: Named

    def routes(self, groups: Set[str]) -> flask.Blueprint:
        """Make the routes of the pages, QR codes and manifest. `groups` names the API groups that are served.

        A page that needs a group which is not served is left out (`OPTIONAL_PAGES`).
        """
        routes = flask.Blueprint("pages", __name__)
        routes.app_context_processor(functools.partial(self.variables, groups))
        shown = {**PAGES, **{name: rule for name, (rule, group) in OPTIONAL_PAGES.items() if group in groups}}
        for name, rule in shown.items():
            routes.add_url_rule(rule, name, functools.partial(self.page, name, groups))
        codes = {"/qr/page.svg": self.addresses.page, "/qr/wifi.svg": self.addresses.wifi}
        for rule, text in codes.items():
            if text is not None:
                routes.add_url_rule(rule, rule.strip("/").replace(".", "-"), functools.partial(_code, text))
        routes.add_url_rule("/qr/host.svg", "qr-host", self.host_code)
        routes.add_url_rule("/manifest.webmanifest", view_func=manifest)
        return routes

    def roles(self) -> dict[str, Roles]:
        """Return the roles for each page, QR code and file. Anyone may open a page; its contents depend on the role."""
        rules = [*PAGES.values(), *(rule for rule, _ in OPTIONAL_PAGES.values())]
        return {f"GET {rule}": roles for rule, roles in (dict.fromkeys(rules, ANYONE) | ROLES_OF_FILES).items()}

    def host_code(self) -> flask.Response:
        """Serve the QR code of a URL that makes a phone the owner; of the page's URL if there is no owner's code."""
        return _code(host_address(self.addresses.page, self.pairing.owner_code()) or self.addresses.page)

    def variables(self, groups: Set[str]) -> dict[str, Any]:
        """Return the variables of every template, by name, for the phone that asks.

        They are the texts in its language, its colour scheme, the URLs of files, and `with_PAGE`: whether a page is
        served. `groups` names the API groups that are served.
        """
        language = self.language()
        look = flask.request.cookies.get("look", "")
        return {
            "t": functools.partial(catalogue.say, language),
            "language": language,
            "languages": catalogue.LANGUAGES,
            "table_name": self.named.name(),
            "look": look if look in LOOKS else "dark" if flask.request.endpoint == "pages.tv" else "auto",
            "file": static_files.url,
            **{f"with_{name}": group in groups for name, (_, group) in OPTIONAL_PAGES.items()},
        }

    def language(self) -> str:
        """Return the code of the visitor's language: its cookie's, else on /tv the table's, else by Accept-Language."""
        usual = self.named.language() if flask.request.endpoint == "pages.tv" else ""
        accepted = flask.request.accept_languages.values()
        return catalogue.chosen(flask.request.cookies.get("lang") or usual, accepted)

    def page(self, name: str, groups: Set[str], **_: int) -> flask.Response:
        """Render a page with the newest snapshot and what the visitor may do; compressed if the browser accepts that.

        A paired phone's cookie is renewed.

        Args:
            name: Name of the page: of its template, its script, and its texts.
            groups: Names of the API groups that are served.
            _: Numbers in the page's address, which its script reads.
        """
        asking = visitor(self.pairing)
        start = {
            "snapshot": msgspec.Raw(self.feed.newest.json),
            "paired": bool(asking & PLAYERS),
            "owner": Role.OWNER in asking,
            "screen": bool(asking & SCREENS),
            "hosted": self.pairing.hosted(),
            "hands": name == "tray" and bool(asking & HANDS),
            "texts": static_files.url(f"texts/{self.language()}-{name}.json"),
            "settings": "settings" in groups,
            "voice": "voice" in groups,
            "evening": "evening" in groups,
            "replay": "replay" in groups,
            "advice": "advice" in groups,
            "seat": seated.seat if (seated := phone(self.pairing)) else None,
            "titles": {game["game"]: game["title"] for game in self.games},
        }
        if name == "control":
            start["awake"] = static_files.url("control/awake.mp4")
        if name in WITH_GAMES:
            start["games"] = [card(game) for game in self.games]
        html = flask.render_template(
            f"{name}.html",
            start=as_json(start),
            addresses=self.addresses,
            page_name=name,
            games=self.games,
            hosted=self.pairing.hosted(),
            host_code=bool(asking & SCREENS) and self.pairing.owner_code() is not None,
            wifi=bool(asking & SCREENS) and self.addresses.wifi is not None,
            screen=bool(asking & SCREENS),
            paired=bool(asking & PLAYERS),
            seat=start["seat"] if name != "tv" else None,
        )
        response = flask.Response(html, mimetype="text/html")
        if phone(self.pairing) is not None:  # renew the cookie: the table renews the token too
            keep_token(response, flask.request.cookies[COOKIE])
        response.headers["Vary"] = "Accept-Encoding"
        if flask.request.accept_encodings.quality("gzip") > 0:  # no secrets on pages: BREACH does not apply
            response.set_data(gzip.compress(response.get_data(), GZIP_LEVEL, mtime=0))
            response.headers["Content-Encoding"] = "gzip"
        return response


def host_address(page: str, code: str | None) -> str | None:
    """Return the URL that makes a phone the owner; None if there is no code.

    Args:
        page: URL of the scoreboard, with a slash at the end.
        code: The owner's code. It follows `#` in the URL, so that no server log holds it.
    """
    return f"{page}control#first={code}" if code else None


def _code(text: str) -> flask.Response:
    return flask.Response(qr.svg(text), mimetype="image/svg+xml")


def as_json(value: object) -> str:
    """Encode JSON that is safe inside a script element: `<`, `>` and `&` are escaped."""
    text = msgspec.json.encode(value).decode()
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def manifest() -> flask.Response:
    """Serve the web app manifest, with which a phone adds the page to its home screen."""
    manifest = {
        "name": "Peg & Pip",
        "short_name": "Peg & Pip",
        "start_url": "/",
        "display": "standalone",
        "background_color": "#17110c",
        "theme_color": "#17110c",
        "icons": [
            {"src": static_files.url("shared/icon.svg"), "sizes": "any", "type": "image/svg+xml"},
            {
                "src": static_files.url("shared/icon-512.png"),
                "sizes": "512x512",
                "type": "image/png",
                "purpose": "any maskable",
            },
        ],
    }
    return flask.Response(flask.json.dumps(manifest), mimetype="application/manifest+json")
