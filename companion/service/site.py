"""The web side of a table, to play or only to look at: listening socket, addresses, pairing, routes and server."""

from __future__ import annotations

import importlib.metadata
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from companion.appliance import hotspot
from companion.diagnostics.health import Health, report
from companion.games.engine.rulebook import form_of
from companion.games.registry import GAMES
from companion.history.export import PastGames
from companion.service.addresses import own_addresses, page_address, wifi_code
from companion.settings.load import Settings
from companion.table.photos import Photos
from companion.table.read_only import AnyTable
from companion.table.terms import HOUSE
from hardware.board import Board
from web import api
from web.api import metrics
from web.app import create_app
from web.guard import Hosts
from web.pages import Addresses, Pages, TableIdentity
from web.pairing.phones import Pairing
from web.routes import Routes
from web.serving.feed import Feed
from web.serving.limits import Limits
from web.serving.server import Server
from web.serving.settings import WebSettings
from web.serving.site import Site
from web.serving.stream import EventStream

FORMS = tuple(map(form_of, GAMES.values()))
"""The games that can be chosen, each with its switches and presets."""


@dataclass(frozen=True, slots=True)
class Door:
    """The listening socket for phones, the addresses to show, and the pairing, which knows the PIN.

    `addresses` computes them anew, as the machine may get another one in the network at any time.
    """

    link: socket.socket
    addresses: Callable[[], Addresses]
    pairing: Pairing

    @property
    def port(self) -> int:
        """Return the served port; it differs from the wanted one if that was taken."""
        port: int = self.link.getsockname()[1]
        return port


def addresses_of(settings: WebSettings, port: int) -> Addresses:
    """Return what phones need to find the table on `port`: URLs, host names, and the text of the Wi-Fi's QR code.

    The page's URL has the host that the server listens on. If that is all interfaces, it has the hotspot's address
    while the hotspot is up and `settings.wifi` is empty or the hotspot's name; else the first of `own_addresses`, or
    127.0.0.1. `phones` is about how many phones the hotspot can hold; None if the URL is not the hotspot's, or the
    number is unknown.

    `wifi`, the text of the QR code, is None in three cases:
    - `settings.wifi` is empty;
    - the URL has a loopback address;
    - the URL can't be reached from that Wi-Fi: only one of the two is the hotspot's.
    """
    own = own_addresses()
    if hotspot.ADDRESS in own and settings.hotspot and settings.wifi in {"", settings.hotspot}:
        own = (hotspot.ADDRESS, *own)
    page = page_address(settings.host, port, own)
    in_hotspot = bool(settings.hotspot) and page == page_address(hotspot.ADDRESS, port, ())
    everywhere = settings.host in ("", "0.0.0.0", "::")  # noqa: S104 - compared, not bound
    others = tuple(f"http://{address}:{port}/" for address in own) if everywhere else ()
    names = (socket.gethostname(), settings.host, *settings.hosts)
    found = Addresses(page, tuple(other for other in others if other != page), names)
    reachable = not found.only_here and in_hotspot == (settings.wifi == settings.hotspot)
    wifi = wifi_code(settings.wifi, settings.wifi_password) if reachable else None
    return replace(found, wifi=wifi, phones=hotspot.phones() if in_hotspot else None)


def groups_of_any_table(
    table: AnyTable,
    feed: Feed,
    board: Board,
    photos: Photos,
    past: PastGames,
    pairing: Pairing,
    checks: Mapping[str, Health],
) -> tuple[Routes, ...]:
    """Return the HTTP routes that every table has, even in safe mode, as one `Routes` for each subject.

    `checks` has the health check of each part by name, for `/healthz` and the metrics.
    """
    folder = pairing.store.path.parent

    def health(guest: bool = False) -> dict[str, Any]:
        """Return the report of all health checks; a guest gets it without paths of this machine."""
        return report(checks, folder if guest else None)

    return (
        api.state.routes(feed, board, health, pairing),
        metrics.routes(feed, board, health),
        api.games.routes(FORMS, table, pairing),
        api.photos.routes(photos, table),
        api.play.routes(table, pairing),
        api.pair.routes(pairing),
        api.evening.routes(past, table),
    )


def servers(
    running: Callable[[], Settings], door: Door, feed: Feed, groups: tuple[Routes, ...]
) -> Callable[[socket.socket], Server]:
    """Return a function that builds the web server of pages, API and event stream on a listening socket.

    Call that function again after a crash, with a duplicate of the socket. `running` returns the settings, whose names
    and language may change. `door` has addresses and pairing, `feed` the snapshots, `groups` the routes.
    """
    named = TableIdentity(
        lambda: running().table.name,
        lambda: running().table.language,
        lambda: running().table.house_name or HOUSE,
    )
    pages = Pages(feed, door.pairing, FORMS, door.addresses, named)
    app = create_app(pages, groups, importlib.metadata.version("peg-and-pip"))
    limits = Limits(streams=running().web.streams)

    def served(listening: socket.socket) -> Server:
        feed.on_change(lambda: None)
        stream = EventStream(feed, Hosts(door.addresses().names), door.pairing.knows, limits)
        return Server(Site(app, stream, limits), listening, limits)

    return served
