"""Safe mode: the page is up, read-only, with the last good state and what keeps the table from starting."""

from __future__ import annotations

import time

from companion.app import ANSWER_S, App
from companion.diagnostics.machine_health import checks_of_any_table
from companion.history.export import PastGames
from companion.service.sd_notify import notify, watchdog_s
from companion.service.serving import LastingServer
from companion.service.site import groups_of_any_table, open_door, servers
from companion.service.supervision import Supervisor
from companion.settings.load import Settings
from companion.table.photos import Photos
from companion.table.read_only import LastState
from hardware.board import Board
from hardware.power import Power
from hardware.strips.memory import MemoryStrip
from hardware.track import layout_of
from web.serving.feed import Feed


def build(settings: Settings, why: str) -> App:
    """The pages alone, which say why: no camera, no strip, nothing is written. Raises SetupError, DeviceError."""
    clock, folder = time.monotonic, settings.data.folder
    table = LastState(folder, f"The table could not be started. {why}")
    layout = layout_of(settings.strip.layout, settings.track)
    board = Board(MemoryStrip(layout.leds), layout, Power(settings.strip), clock)
    door = open_door(settings.web, folder, clock, board.show_code)
    server = LastingServer(door.link)
    proofs = {"the pages": lambda: server.answers(ANSWER_S)}
    supervisor = Supervisor((), proofs, lambda: notify("WATCHDOG=1"), watchdog_s(), clock)
    checks = {"table": table.health, **checks_of_any_table(folder, lambda: None)}
    feed = Feed(table)
    groups = groups_of_any_table(table, feed, board, Photos(folder), PastGames(folder), door.pairing, checks)
    return App(door, (), server, servers(lambda: settings, door, feed, groups), supervisor)
