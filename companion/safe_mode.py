"""Safe mode: the page is up, read-only, with the last good state and what keeps the table from starting."""

from __future__ import annotations

import importlib.metadata
import time

from companion.adapters.addresses import listening_socket, page_address
from companion.adapters.serving import LastingServer
from companion.adapters.settings_mapping import layout_of
from companion.adapters.supervision import Supervisor
from companion.adapters.web_views import BoardOnPage, Photographs
from companion.app import ANSWER_S, App, addresses_of, server_of
from companion.config import Settings
from companion.diagnostics.health import Check, disk_check, journal_check, report
from companion.games.registry import GAMES
from companion.notify import notify, watchdog_s
from companion.session.last_state import LastState
from companion.session.past.export import PastGames
from companion.session.photos import Photos
from hardware.board import Board
from hardware.power import Power
from hardware.strips.memory import MemoryStrip
from web import api
from web.app import create_app
from web.pages import Pages
from web.pairing.phones import Pairing, new_pin
from web.pairing.tokens import FileTokens
from web.serving.feed import Feed


def build(settings: Settings, why: str) -> App:
    """The pages alone: no camera, no strip, no buttons, and nothing is written.

    Args:
        settings: As for the table.
        why: What the last start that failed said.

    Raises SetupError, DeviceError.
    """
    clock, folder = time.monotonic, settings.data_dir
    table = LastState(folder, f"The table could not be started. {why}")
    layout = layout_of(settings)
    board = Board(MemoryStrip(layout.leds), layout, Power(settings.strip), clock)
    photos = Photos(folder)
    pairing = Pairing(new_pin(), FileTokens(folder / "paired.json"), clock, board.show_code)
    link = listening_socket(settings.web.host, settings.web.port)
    port = link.getsockname()[1]
    page = page_address(settings.web.host, port)
    addresses = addresses_of(settings, page, port)
    checks: dict[str, Check] = {
        "table": table.health,
        "disk": disk_check(folder),
        "journal": journal_check(folder, lambda: None),
    }
    feed = Feed(table)
    games, kept_photos = tuple(GAMES.values()), Photographs(photos.path, table.question_photo)
    groups = (
        api.state.routes(feed, BoardOnPage(board, layout), lambda: report(checks)),
        api.games.routes(games, table, pairing),
        api.photos.routes(kept_photos, table),
        api.play.routes(table, pairing),
        api.pair.routes(pairing),
        api.evening.routes(PastGames(folder), table),
    )
    pages = Pages(feed, pairing, games, addresses, settings.table.name)
    app = create_app(pages, groups, importlib.metadata.version("peg-and-pip"))
    server = LastingServer(server_of(app, feed, addresses, pairing, settings), link)
    proofs = {"the pages": lambda: server.answers(ANSWER_S)}
    supervisor = Supervisor((), proofs, lambda: notify("WATCHDOG=1"), watchdog_s(), clock)
    return App(page, pairing.pin, port, (), server, supervisor, lambda: None)
