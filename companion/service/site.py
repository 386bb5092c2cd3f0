"""The pages' side of any table, to be played or only looked at: the door that phones come to, and the site."""

from __future__ import annotations

import importlib.metadata
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.appliance import hotspot
from companion.diagnostics.health import Health, report
from companion.games.engine.rulebook import form_of
from companion.games.registry import GAMES
from companion.history.export import PastGames
from companion.service.addresses import listening_socket, own_addresses, page_address, wifi_code
from companion.settings.load import Settings
from companion.table.photos import Photos
from companion.table.read_only import AnyTable
from hardware.board import Board
from web import api
from web.api import metrics
from web.app import create_app
from web.guard import Hosts
from web.pages import Addresses, Named, Pages
from web.pairing.phones import Pairing, new_pin
from web.pairing.tokens import FileTokens
from web.routes import Routes
from web.serving.feed import Feed
from web.serving.limits import Limits
from web.serving.server import Server
from web.serving.settings import WebSettings
from web.serving.site import Site
from web.serving.stream import EventStream

FORMS = tuple(map(form_of, GAMES.values()))
"""The games that can be chosen."""


@dataclass(frozen=True, slots=True)
class Door:
    """Where phones come in."""

    link: socket.socket
    addresses: Addresses
    pairing: Pairing

    @property
    def port(self) -> int:
        """The port that is served; another than the one asked for when that was taken."""
        port: int = self.link.getsockname()[1]
        return port


def open_door(
    settings: WebSettings, folder: Path, clock: Callable[[], float], show_code: Callable[[tuple[int, ...], float], None]
) -> Door:
    """The door of a table with that data folder; `show_code` shows a phone's code on the board. Raises SetupError."""
    link = listening_socket(settings.host, settings.port)
    pairing = Pairing(new_pin(), FileTokens(folder / "paired.json"), clock, show_code)
    return Door(link, addresses_of(settings, link.getsockname()[1]), pairing)


def addresses_of(settings: WebSettings, port: int) -> Addresses:
    """Where phones find a table that is served on that port."""
    own = own_addresses()
    hotspot_is_up = bool(settings.hotspot) and hotspot.ADDRESS in own
    if hotspot_is_up:
        own = (hotspot.ADDRESS, *own)
    page = page_address(settings.host, port, own)
    everywhere = settings.host in ("", "0.0.0.0", "::")  # noqa: S104 - compared, not bound
    others = tuple(f"http://{address}:{port}/" for address in ("127.0.0.1", *own)) if everywhere else ()
    names = (socket.gethostname(), *settings.hosts)
    in_the_air = hotspot_is_up or settings.wifi != settings.hotspot
    wifi = wifi_code(settings.wifi, settings.wifi_password) if in_the_air else None
    phones = hotspot.phones() if hotspot_is_up else None
    return Addresses(page, tuple(other for other in others if other != page), names, wifi, phones)


def groups_of_any_table(
    table: AnyTable,
    feed: Feed,
    board: Board,
    photos: Photos,
    past: PastGames,
    pairing: Pairing,
    checks: Mapping[str, Health],
) -> tuple[Routes, ...]:
    """The routes that a table has in safe mode too."""
    checks = {**checks, "pairing": pairing.health}
    folder = pairing.store.path.parent

    def health(guest: bool = False) -> dict[str, Any]:
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
    """What makes a server of those routes and the pages on a socket, as often as one is needed.

    `running` tells the settings that hold now: the table's name and language may change.
    """
    named = Named(lambda: running().table.name, lambda: running().table.language)
    pages = Pages(feed, door.pairing, FORMS, door.addresses, named)
    app = create_app(pages, groups, importlib.metadata.version("peg-and-pip"))
    limits = Limits(streams=running().web.streams)

    def served(listening: socket.socket) -> Server:
        feed.call(lambda: None)
        stream = EventStream(feed, Hosts(door.addresses.names), door.pairing.knows, limits)
        return Server(Site(app, stream, limits), listening, limits)

    return served
