"""Safe mode: read-only pages with the table's last good state and the reason why it does not start."""

from __future__ import annotations

import time

from companion.app import ANSWER_TIMEOUT_S, App
from companion.diagnostics.machine import checks_of_any_table
from companion.history.export import PastGames
from companion.service.opening import opened_door
from companion.service.sd_notify import notify, watchdog_s
from companion.service.serving import LastingServer
from companion.service.site import groups_of_any_table, servers
from companion.service.supervision import Supervisor
from companion.settings.load import Settings
from companion.settings.starting import Starting
from companion.table.photos import Photos
from companion.table.read_only import LastState
from hardware.board import Board
from hardware.power import Power
from hardware.strips.memory import MemoryStrip
from hardware.track import layout_of, preset
from web.serving.feed import Feed


def build(starting: Starting, why: str) -> App:
    """Return a program in safe mode, not started: read-only pages with the last state, without camera or strip.

    Only its port is opened. The pages show `why` the table could not be started; without a readable journal they show
    no game. A wrong layout of the strip is replaced by the default one, or in a forgiving start (`Starting.forgiving`)
    by the last good one. A forgiving start also replaces a wrong host or port. Outside a service, a host or port typed
    on the command line is kept. Raises SetupError if no port can be opened.
    """
    clock, folder = time.monotonic, starting.settings.data.folder
    table = LastState(folder, f"The table could not be started. {why}")
    layout = starting.choose(
        {"strip": ("layout",)}, lambda tried: layout_of(tried.strip.layout, tried.track), Settings()
    )
    layout = layout or preset(Settings().strip.layout)
    board = Board(MemoryStrip(layout.leds), layout, Power(starting.settings.strip), clock)
    door = opened_door(starting, clock, board.show_code)
    settings = starting.settings
    server = LastingServer(door.link)
    must_respond = {"the pages": lambda: server.answers(ANSWER_TIMEOUT_S)}
    supervisor = Supervisor((), must_respond, lambda: notify("WATCHDOG=1"), watchdog_s(), clock)
    checks = {
        "table": table.health,
        "pairing": door.pairing.health,
        **checks_of_any_table(folder, lambda: (True, "not verified in safe mode")),
    }
    feed = Feed(table, folder)
    groups = groups_of_any_table(table, feed, board, Photos(folder), PastGames(folder), door.pairing, checks)
    return App(settings, door, (), server, servers(lambda: settings, door, feed, groups), supervisor)
