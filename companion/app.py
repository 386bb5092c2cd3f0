"""The program: parts built from settings, started in order, stopped in reverse."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from companion.adapters.board_view import Lights, lighting
from companion.adapters.buttons import ListeningButtons, shutdown_problems
from companion.adapters.calibration_service import CalibrationService
from companion.adapters.frame_buffer import FrameBuffer
from companion.adapters.reader_setup import WatchedTray, load_reader
from companion.adapters.simulated.hands import VirtualHands
from companion.adapters.sound import sounding
from companion.adapters.tray_observer import TrayObserver
from companion.bots.adviser import Advisor
from companion.bots.player import HousePlayer
from companion.diagnostics.health import Check
from companion.diagnostics.machine_health import checks_of_any_table
from companion.errors import DeviceError, RulesError, SetupError
from companion.games.engine.notation import header_of
from companion.history.export import PastGames
from companion.history.review import Review
from companion.service.parts import Part, following
from companion.service.priority import give_way
from companion.service.sd_notify import notify, watchdog_s
from companion.service.serving import LastingServer
from companion.service.site import Door, groups_of_any_table, open_door, servers
from companion.service.supervision import Supervisor
from companion.settings.file import SettingsFile
from companion.settings.live import LiveSettings
from companion.settings.load import Origin, Settings
from companion.table.commands import StartGame
from companion.table.journal import Journal
from companion.table.photos import Photos
from companion.table.projection import staying
from companion.table.terms import HOUSE, terms_of
from companion.table.writer import Table
from hardware.board import Board
from hardware.buttons import Buttons
from hardware.buttons.opening import open_buttons
from hardware.machine import model
from hardware.power import Power
from hardware.sounds import Chimes
from hardware.strips import Strip
from hardware.strips.opening import open_strip
from hardware.track import Layout, layout_of
from hardware.wiring import wiring_problems
from vision.cameras import Camera
from vision.cameras.opening import open_camera
from vision.cameras.simulated.camera import VirtualCamera
from vision.networks import shipped_networks
from vision.watching.watcher import Watcher
from web import api
from web.api.settings import routes as settings_routes
from web.loudspeaker import Loudspeaker
from web.serving.feed import Feed
from web.serving.server import Server

T = TypeVar("T")

ANSWER_S = 2.0
"""The table and the server give a sign of life in this time, on a machine that is busy reading dice too."""
SILENT_S = 15.0
"""So long the camera's loop may be about one frame: reading many dice in a photo takes seconds."""


@dataclass(frozen=True, slots=True)
class App:
    """A table ready to run.

    Attributes:
        door: Where phones come in: the address to print, the port, the PIN.
        parts: In the order of starting.
        server: Serves until it is stopped.
        site: What it serves: makes a server on a socket.
        supervisor: Looks after the parts.
        first_game: Sets up the settings' game where the journal has none.
    """

    door: Door
    parts: tuple[Part, ...]
    server: LastingServer
    site: Callable[[socket.socket], Server]
    supervisor: Supervisor
    first_game: Callable[[], None] = lambda: None

    def run(self, ready: Callable[[], None]) -> None:
        """Start everything, call `ready` once the page is served, and serve until `server.stop()` or Ctrl-C.

        Raises DeviceError when the journal can't be opened; any other ill part degrades and is told on the page.
        """
        with contextlib.ExitStack() as stack:
            for part in self.parts:
                self.supervisor.begin(part)
                stack.callback(part.stop)
            self.first_game()
            stack.callback(notify, "STOPPING=1")
            self.supervisor.start()
            stack.callback(self.supervisor.stop)
            give_way()
            notify("READY=1")
            ready()
            self.server.run(self.site)


@dataclass(frozen=True, slots=True)
class _Opened:
    """What the settings ask for, opened but not started."""

    layout: Layout
    strip: Strip
    buttons: Buttons
    camera: Camera


def build(settings: Settings, origin: Origin) -> App:
    """All parts of a table, none started but the listening socket.

    Args:
        settings: What to build.
        origin: Where they came from: a host may change them there.

    Raises:
        SetupError: With all that is wrong with the settings.
        DeviceError: When the data folder can't be used.
    """
    clock, networks = time.monotonic, shipped_networks()
    opened, folder = _opened(settings), _made(settings)
    source = settings.camera.source

    journal, photos = Journal(folder), Photos(folder, settings.data.photos_mb * 1_000_000)
    table = Table(journal, photos, clock)
    board = Board(opened.strip, opened.layout, Power(settings.strip), clock)
    camera = FrameBuffer(opened.camera)
    tray = WatchedTray(
        lambda: load_reader(source, opened.camera, folder, networks),
        lambda setup: Watcher(camera, setup.reader, setup.rig, lambda: _dice_expected(table, tray), board.capture),
    )
    observer = TrayObserver(camera.name, tray.watcher, table.submit, networks.load, networks.release)
    door = open_door(settings.web, folder, clock, board.show_code)
    buttons = ListeningButtons(opened.buttons, table, board, door.pairing, settings.buttons.shutdown_command)
    voice, chimes, lights = Loudspeaker(), Chimes(), Lights(night=settings.strip.night)
    live = LiveSettings(settings, board, lights, photos, chimes, voice)
    simulated = opened.camera if isinstance(opened.camera, VirtualCamera) else None
    hands = VirtualHands(simulated, lambda: staying(table.standing())) if simulated else None
    house = HousePlayer(table, clock, hands)
    parts = (
        Part("table", table.start, table.stop, lambda: table.answers(ANSWER_S), needed=True),
        following("board", table, lighting(board, lights, clock), board.start, board.stop, board.alive),
        Part("buttons", buttons.listen, buttons.stop, buttons.alive),
        following("sounds", table, sounding(chimes), chimes.start, chimes.stop, chimes.alive),
        following("voice", table, voice.hear, stop=voice.hush),
        following("house", table, house.hear, house.start, house.stop, house.alive),
        Part("observer", observer.start, observer.stop, observer.alive),
    )

    server = LastingServer(door.link)
    proofs = {
        "the table": lambda: table.answers(ANSWER_S),
        "the camera": lambda: observer.ended or camera.unused_s() < SILENT_S,
        "the pages": lambda: server.answers(ANSWER_S),
    }
    supervisor = Supervisor(parts, proofs, lambda: notify("WATCHDOG=1"), watchdog_s(), clock)
    checks: dict[str, Check] = {
        "camera": supervisor.telling("observer", observer.health),
        "strip": supervisor.telling("board", board.health),
        **checks_of_any_table(folder, lambda: journal.illness),
        "calibration": tray.health,
        "sounds": supervisor.telling("sounds", chimes.health),
        "buttons": supervisor.telling("buttons", buttons.health),
        "house": supervisor.telling("house", lambda: (True, "plays where it is seated")),
        "table": supervisor.telling("table", table.health),
        "pages": server.health,
        "life": supervisor.health,
    }

    past = PastGames(folder)
    feed = Feed(table)
    calibration = CalibrationService(source, camera, folder, _today, simulated, tray.recalibrated)
    kept = SettingsFile(origin, settings, lambda new: [*_wrong(new), *live.problems(new)], live.take)
    groups = (
        *groups_of_any_table(table, feed, board, photos, past, door.pairing, checks),
        *([api.tray.routes(hands, table, door.pairing)] if hands else []),
        api.house.routes(house, door.pairing),
        api.advice.routes(Advisor(table.standing)),
        api.voice.routes(voice, door.pairing),
        api.review.routes(Review(folder, past), photos, door.pairing),
        api.calibrate.routes(calibration, door.pairing),
        settings_routes(kept, door.pairing),
    )
    site = servers(lambda: kept.running, door, feed, groups)
    return App(door, parts, server, site, supervisor, lambda: _first_game(table, settings))


def _dice_expected(table: Table, tray: WatchedTray) -> int | None:
    """In a calibrated tray every silhouette is explained, and kept dice may lie beside it: no number is demanded."""
    return None if tray.calibrated else table.snapshot().tray.dice


def _today() -> str:
    return f"{datetime.now().astimezone():%Y-%m-%d %H:%M}"


def _opened(settings: Settings) -> _Opened:
    """The parts that settings can get wrong; all their mistakes are told together."""
    strip, buttons, wanted = settings.strip, settings.buttons, settings.camera
    problems = wiring_problems(strip.kind, strip, buttons if buttons.kind == "gpio" else None, model())
    problems += shutdown_problems(buttons)
    layout = _tried(lambda: layout_of(strip.layout, settings.track), problems)
    leds = layout.leds if layout is not None else 1
    opened = _tried(lambda: open_strip(strip.kind, leds, strip), problems)
    pressed = _tried(lambda: open_buttons(buttons.kind, buttons), problems)
    camera = _tried(lambda: open_camera(wanted.source, wanted.dice, wanted.mains_hz), problems)
    _tried(lambda: _checked_header(settings), problems)
    if problems or layout is None or opened is None or pressed is None or camera is None:
        raise SetupError(problems)
    return _Opened(layout, opened, pressed, camera)


def _wrong(settings: Settings) -> list[str]:
    """What is wrong with settings as a whole; nothing that is opened for it is started."""
    try:
        _opened(settings)
    except SetupError as wrong:
        return list(wrong.problems)
    return []


def _tried(make: Callable[[], T], problems: list[str]) -> T | None:
    try:
        return make()
    except SetupError as wrong:
        problems += wrong.problems
        return None


def _checked_header(settings: Settings) -> None:
    try:
        terms_of(_terms(settings), header_of(_header(settings)))
    except RulesError as refused:
        raise SetupError([f"[table] {refused}"]) from None


def _made(settings: Settings) -> Path:
    folder = settings.data.folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as refused:
        raise DeviceError(
            f"The data folder {folder} can't be made ({refused.strerror}).", "Name another with --data DIR."
        ) from None
    return folder


def _first_game(table: Table, settings: Settings) -> None:
    """Set up the settings' game on a journal that has none, so that the first dice thrown already count."""
    if table.snapshot().game is None and settings.table.players:
        table.submit(StartGame(header=_header(settings), terms=_terms(settings)))


def _header(settings: Settings) -> dict[str, object]:
    table = settings.table
    house = (HOUSE,) if table.house and HOUSE not in table.players else ()
    return {"transcript": 1, "game": table.game, "players": [*table.players, *house], "rules": {}}


def _terms(settings: Settings) -> dict[str, object]:
    table = settings.table
    house = {"house": {"player": HOUSE, "level": table.house}} if table.house else {}
    return {**house, "serious": table.serious, "dice": table.dice}
