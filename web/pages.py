"""The pages: the server renders each with the newest snapshot; the page's script keeps it live."""

from __future__ import annotations

import functools
import gzip
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from typing import Any

import flask
import msgspec
from jinja2.utils import htmlsafe_json_dumps

from companion.table.terms import HOUSE
from web import catalogue, qr, static_files
from web.api.games import Form, card
from web.guard import COOKIE, host_name, set_token_cookie
from web.pairing.phones import Pairing
from web.pairing.roles import ANYONE, HANDS, PLAYERS, SCREENS, Role, Roles
from web.requests import phone, visitor
from web.serving.feed import Feed
from web.serving.limits import is_loopback

LOOKS = ("dark", "light", "auto")
"""Looks (colour schemes of the pages) that a phone may choose; `auto` follows its operating system."""
GZIP_LEVEL = 5
"""Level of gzip compression for pages, 1 to 9. Higher: answers are smaller and take longer to make."""
PAGES = {"scoreboard": "/", "control": "/control", "tv": "/tv", "overlay": "/overlay", "help": "/help", "me": "/me"}
"""Path of each page that every table serves, by the page's name."""
OPTIONAL_PAGES = {name: (f"/{name}", name) for name in ("tray", "evening", "review", "calibrate")} | {
    "honesty": ("/dice", "evening"),
    "game": ("/games/<int:game>", "evening"),
    "learn": ("/learn", "evening"),
    "settings": ("/settings", "settings"),
    "setup": ("/setup", "settings"),
    "camera": ("/camera", "calibrate"),
    "teach": ("/teach", "teach"),
}
"""Path of each page that a table serves only if it has an API group, and the group's name; by the page's name."""
PAGES_WITH_GAMES = {"control", "tray", "setup"}
"""Names of the pages whose script needs the descriptions of the games."""
ROLES_OF_FILES: dict[str, Roles] = {
    "/qr/page.svg": ANYONE,
    "/qr/wifi.svg": SCREENS,
    "/qr/host.svg": SCREENS,
    "/manifest.webmanifest": ANYONE,
}
"""Roles that may get each QR code and the web app manifest, by path. The Wi-Fi's QR code contains its password;
the host's QR code contains the owner's code."""


@dataclass(frozen=True, slots=True)
class Addresses:
    """URLs and names by which phones reach the table.

    Attributes:
        page: URL of the scoreboard with an IP address: `http://192.168.4.1:8000/`.
        others: More URLs of the scoreboard, for example by name.
        names: The table's host names, besides `localhost` and `*.local`.
        wifi: Text of the QR code that joins the Wi-Fi (`WIFI:T:WPA;S:...;P:...;;`); None without such a code.
        phones: About how many phones the table's own Wi-Fi can hold; None if unknown or not up.
    """

    page: str
    others: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    wifi: str | None = None
    phones: int | None = None

    @property
    def only_here(self) -> bool:
        """Whether `page` has a loopback address, which no phone can open."""
        host = host_name(self.page.removeprefix("http://").rstrip("/")) or ""
        return host == "localhost" or is_loopback(host)


@dataclass(frozen=True, slots=True)
class TableIdentity:
    """Functions that return the table's name, the language of its page /tv ("": the browser's), and the bot's name."""

    name: Callable[[], str]
    language: Callable[[], str] = lambda: ""
    house: Callable[[], str] = lambda: HOUSE


@dataclass(frozen=True, slots=True)
class Pages:
    """Renders the HTML pages, their QR codes and the web app manifest.

    Attributes:
        feed: Holds the newest snapshot, which every page starts with.
        pairing: The paired phones: what a page contains depends on the visitor's role.
        games: Descriptions of the games that can be chosen.
        addresses: Returns the URLs and names by which phones reach the table now; the names never change.
        named: The table's name and language.
    """

    feed: Feed
    pairing: Pairing
    games: Sequence[Form]
    addresses: Callable[[], Addresses]
    named: TableIdentity

    def routes(self, groups: Set[str]) -> flask.Blueprint:
        """Return a Flask blueprint with the routes of the pages, QR codes and manifest.

        Args:
            groups: Names of the API groups that the table has. A page in `OPTIONAL_PAGES` is served only if its
                group is among them.
        """
        routes = flask.Blueprint("pages", __name__)
        routes.app_context_processor(functools.partial(self.template_variables, groups))
        shown = {**PAGES, **{name: rule for name, (rule, group) in OPTIONAL_PAGES.items() if group in groups}}
        for name, rule in shown.items():
            routes.add_url_rule(rule, name, functools.partial(self.page, name, groups))
        routes.add_url_rule("/qr/page.svg", "qr-page", lambda: _qr_answer(self.addresses().page))
        routes.add_url_rule("/qr/wifi.svg", "qr-wifi", self.wifi_qr)
        routes.add_url_rule("/qr/host.svg", "qr-host", self.owner_qr)
        routes.add_url_rule("/manifest.webmanifest", view_func=manifest)
        return routes

    def roles(self) -> dict[str, Roles]:
        """Return the roles that may get each page, QR code and file, by "GET " and its path. Pages are for anyone."""
        rules = [*PAGES.values(), *(rule for rule, _ in OPTIONAL_PAGES.values())]
        return {f"GET {rule}": roles for rule, roles in (dict.fromkeys(rules, ANYONE) | ROLES_OF_FILES).items()}

    def owner_qr(self) -> flask.Response:
        """Answer with the QR code of the URL that makes a phone the owner, else (no owner's code) of the scoreboard."""
        page = self.addresses().page
        return _qr_answer(owner_url(page, self.pairing.owner_code()) or page)

    def wifi_qr(self) -> flask.Response:
        """Answer with the QR code that joins the Wi-Fi; 404 if there is none."""
        text = self.addresses().wifi
        return flask.abort(404) if text is None else _qr_answer(text)

    def template_variables(self, groups: Set[str]) -> dict[str, Any]:
        """Return the variables that every template may use in this request, by name.

        Args:
            groups: Names of the API groups that the table has.

        Returns:
            `t`: function that returns a text in the visitor's language, by key. `language`: code of that language.
                `languages`: names of all languages, by code. `table_name`: name of the table. `look`: colour scheme,
                one of `LOOKS`. `file`: function that returns the URL of a static file. `with_NAME`: whether the page
                NAME of `OPTIONAL_PAGES` is served.
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
        """Return the code of this request's language: the cookie's, else on /tv the table's, else the browser's."""
        usual = self.named.language() if flask.request.endpoint == "pages.tv" else ""
        accepted = flask.request.accept_languages.values()
        return catalogue.chosen(flask.request.cookies.get("lang") or usual, accepted)

    def page(self, name: str, groups: Set[str], **_: int) -> flask.Response:
        """Render a page with the newest snapshot and what the visitor's role allows; gzipped if the browser accepts it.

        The response renews a paired phone's cookie.

        Args:
            name: Name of the page, and so of its template, its script, and its texts.
            groups: Names of the API groups that the table has; the page leaves out what needs a missing group.
            _: Numbers in the page's path; only its script reads them.
        """
        asking, seated, addresses = visitor(self.pairing), phone(self.pairing), self.addresses()
        paired, screen = bool(asking & PLAYERS), bool(asking & SCREENS)
        start: dict[str, Any] = {
            "snapshot": msgspec.Raw(self.feed.newest.json),
            "paired": paired,
            "owner": Role.OWNER in asking,
            "screen": screen,
            "hosted": self.pairing.hosted(),
            "hands": name == "tray" and bool(asking & HANDS),
            **{part: part in groups for part in ("settings", "voice", "evening", "replay", "advice")},
            "house": self.named.house() if "house" in groups else None,
            "seat": seated.seat if seated else None,
            "titles": {game["game"]: game["title"] for game in self.games},
        }
        if name == "control":
            start["awake"] = static_files.url("control/awake.mp4")
        if name in PAGES_WITH_GAMES:
            start["games"] = [card(game) for game in self.games]
        html = flask.render_template(
            f"{name}.html",
            start=htmlsafe_json_dumps(start, dumps=lambda value: msgspec.json.encode(value).decode()),
            addresses=addresses,
            page_name=name,
            games=self.games,
            hosted=start["hosted"],
            host_code=screen and self.pairing.owner_code() is not None,
            wifi=screen and addresses.wifi is not None,
            screen=screen,
            paired=paired,
            seat=start["seat"] if name != "tv" else None,
            snapshot=msgspec.json.decode(self.feed.newest.json),
        )
        response = flask.Response(html, mimetype="text/html")
        if seated is not None:  # renew the cookie: the table renews the token too
            set_token_cookie(response, flask.request.cookies[COOKIE])
        response.headers["Vary"] = "Accept-Encoding"
        if flask.request.accept_encodings.quality("gzip") > 0:  # no secrets on pages: BREACH does not apply
            response.set_data(gzip.compress(response.get_data(), GZIP_LEVEL, mtime=0))
            response.headers["Content-Encoding"] = "gzip"
        return response


def owner_url(page: str, code: str | None) -> str | None:
    """Return the URL that makes the phone that opens it the owner; None without a code.

    Args:
        page: URL of the scoreboard, with a slash at its end.
        code: The owner's code, or None. The code follows `#` in the URL, so that no server's log contains it.
    """
    return f"{page}control#first={code}" if code else None


def _qr_answer(text: str) -> flask.Response:
    return flask.Response(qr.svg(text), mimetype="image/svg+xml")


def manifest() -> flask.Response:
    """Return the response with the web app manifest, by which a phone can add the scoreboard to its home screen."""
    large = static_files.url("shared/icon-512.png")
    manifest = {
        "name": "Peg & Pip",
        "short_name": "Peg & Pip",
        "start_url": "/",
        "display": "standalone",
        "background_color": "#17110c",
        "theme_color": "#17110c",
        "icons": [
            {"src": static_files.url("shared/icon.svg"), "sizes": "any", "type": "image/svg+xml"},
            {"src": large, "sizes": "512x512", "type": "image/png", "purpose": "any maskable"},
        ],
    }
    return flask.Response(flask.json.dumps(manifest), mimetype="application/manifest+json")
