"""The program: parts built from settings, started in order, stopped in reverse."""

from __future__ import annotations

import contextlib
import importlib.metadata
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import flask

from companion.adapters.addresses import listening_socket, own_addresses, page_address, wifi_code
from companion.adapters.board_view import Lights
from companion.adapters.calibration_service import CalibrationService
from companion.adapters.frame_buffer import FrameBuffer
from companion.adapters.parts import ListeningButtons, Part, followed
from companion.adapters.reader_setup import load_reader
from companion.adapters.serving import LastingServer
from companion.adapters.settings_mapping import buttons_of, layout_of
from companion.adapters.shutdown import shutdown_problems
from companion.adapters.simulated.hands import VirtualHands
from companion.adapters.sound import sounding
from companion.adapters.supervision import Supervisor
from companion.adapters.tray_observer import TrayObserver
from companion.adapters.web_views import BoardOnPage, Photographs
from companion.config import Settings
from companion.diagnostics.health import Check, disk_check, journal_check, report
from companion.errors import DeviceError, RulesError, SetupError
from companion.games.notation import header_of
from companion.games.registry import GAMES
from companion.notify import notify, watchdog_s
from companion.session.commands import StartGame
from companion.session.journal import Journal
from companion.session.past.export import PastGames
from companion.session.past.review import Review
from companion.session.photos import Photos
from companion.session.table import Table
from hardware.board import Board
from hardware.buttons import Buttons
from hardware.buttons.opening import open_buttons
from hardware.machine import model
from hardware.power import Power
from hardware.sounds import Chimes
from hardware.strips import Strip
from hardware.strips.opening import open_strip
from hardware.track import Layout
from hardware.wiring import wiring_problems
from vision.cameras import Camera
from vision.cameras.opening import open_camera
from vision.cameras.simulated.camera import VirtualCamera
from vision.networks import load_networks
from vision.watching.watcher import Watcher
from web import api
from web.app import create_app
from web.guard import Hosts
from web.loudspeaker import Loudspeaker
from web.pages import Addresses, Pages
from web.pairing.phones import Pairing, new_pin
from web.pairing.tokens import FileTokens
from web.serving.feed import Feed
from web.serving.limits import Limits
from web.serving.server import Server
from web.serving.site import Site
from web.serving.stream import EventStream

T = TypeVar("T")

ANSWER_S = 2.0
"""The table and the server give a sign of life in this time, on a machine that is busy reading dice too."""
SILENT_S = 15.0
"""So long the camera's loop may be about one frame: reading many dice in a photo takes seconds."""


@dataclass(frozen=True, slots=True)
class App:
    """A table ready to run.

    Attributes:
        page: The address to print and to draw as a QR code.
        pin: What a phone must tell to control the table.
        port: The port that is served; another than the one asked for when that was taken.
        parts: In the order of starting.
        server: Serves until it is stopped.
        supervisor: Looks after the parts.
        first_game: Sets up the settings' game where the journal has none.
    """

    page: str
    pin: str
    port: int
    parts: tuple[Part, ...]
    server: LastingServer
    supervisor: Supervisor
    first_game: Callable[[], None]

    def run(self, ready: Callable[[], None]) -> None:
        """Start everything, call `ready` once the page is served, and serve until `server.stop()` or Ctrl-C.

        Raises DeviceError when the journal can't be opened; any other ill part degrades and is told on the page.
        """
        with contextlib.ExitStack() as stack:
            for part in self.parts:
                part.start()
                stack.callback(part.stop)
            self.first_game()
            stack.callback(notify, "STOPPING=1")
            self.supervisor.start()
            stack.callback(self.supervisor.stop)
            notify("READY=1")
            ready()
            self.server.run()


@dataclass(frozen=True, slots=True)
class _Wired:
    """What the settings ask for, opened but not started."""

    layout: Layout
    strip: Strip
    buttons: Buttons
    camera: Camera


def build(settings: Settings) -> App:
    """All parts of a table, none started but the listening socket.

    Raises:
        SetupError: With all that is wrong with the settings.
        DeviceError: When the data folder can't be used.
    """
    clock = time.monotonic
    wired = _wired(settings)
    folder = _made(settings)
    power = Power(settings.strip)
    board = Board(wired.strip, wired.layout, power, clock)
    virtual = wired.camera if isinstance(wired.camera, VirtualCamera) else None
    networks = load_networks()
    setup = load_reader(settings.camera.source, wired.camera, folder, networks)
    photos = Photos(folder, settings.data.photos_mb * 1_000_000)
    journal = Journal(folder)
    table = Table(journal, photos, clock)
    # In a calibrated tray every silhouette is explained, and kept dice may lie beside it: no number is demanded there.
    camera = FrameBuffer(wired.camera)
    watcher = Watcher(
        camera,
        setup.reader,
        setup.rig,
        expect=lambda: table.snapshot().tray.dice if watcher.rig is None else None,
        dim=board.capture,
    )
    observer = TrayObserver(wired.camera.name, watcher, table.submit)
    pairing = Pairing(new_pin(), FileTokens(folder / "paired.json"), clock, board.show_code)
    link = listening_socket(settings.web.host, settings.web.port)
    port = link.getsockname()[1]
    page = page_address(settings.web.host, port)

    def recalibrated() -> None:
        nonlocal setup
        setup = load_reader(settings.camera.source, wired.camera, folder, networks)
        watcher.read_with(setup.reader, setup.rig)

    voice = Loudspeaker(table)
    feed = Feed(table)
    addresses = addresses_of(settings, page, port)
    games, kept_photos = tuple(GAMES.values()), Photographs(photos.path, table.question_photo)
    calibration = CalibrationService(settings.camera.source, camera, folder, _today, virtual, recalibrated)
    groups = (
        api.state.routes(feed, BoardOnPage(board, wired.layout), lambda: report(checks)),
        api.games.routes(games, table, pairing),
        api.photos.routes(kept_photos, table),
        api.play.routes(table, pairing),
        api.pair.routes(pairing),
        *(() if virtual is None else (api.tray.routes(VirtualHands(virtual), pairing),)),
        api.evening.routes(PastGames(folder), table),
        api.voice.routes(voice, pairing),
        api.review.routes(Review(folder), kept_photos, pairing),
        api.calibrate.routes(calibration, pairing),
    )
    pages = Pages(feed, pairing, games, addresses, settings.table.name)
    app = create_app(pages, groups, importlib.metadata.version("peg-and-pip"))
    chimes = Chimes() if settings.sound.effects else None
    buttons = ListeningButtons(wired.buttons, table, board, pairing, settings.buttons.shutdown_command)
    parts = (
        Part("table", table.start, table.stop, lambda: table.answers(ANSWER_S)),
        followed(table, board, Lights(night=settings.strip.night), clock),
        Part("board", board.start, board.stop, board.alive),
        buttons.part(),
        *(() if chimes is None else (sounding(table, chimes),)),
        Part("voice", voice.start, voice.stop),
        Part("observer", observer.start, observer.stop, observer.alive),
    )
    server = LastingServer(server_of(app, feed, addresses, pairing, settings), link)
    proofs = {
        "the table": lambda: table.answers(ANSWER_S),
        "the camera": lambda: observer.ended or camera.unused_s() < SILENT_S,
        "the pages": lambda: server.answers(ANSWER_S),
    }
    supervisor = Supervisor(parts, proofs, lambda: notify("WATCHDOG=1"), watchdog_s(), clock)
    checks: dict[str, Check] = {
        "camera": supervisor.telling("observer", observer.health),
        "strip": supervisor.telling("board", board.health),
        "disk": disk_check(folder),
        "journal": journal_check(folder, lambda: journal.illness),
        "calibration": lambda: setup.health(),
        **({} if chimes is None else {"sounds": supervisor.telling("sounds", chimes.health)}),
        "buttons": supervisor.telling("buttons", buttons.health),
        "table": supervisor.telling("table", table.health),
        "pages": server.health,
        "life": supervisor.health,
    }
    return App(page, pairing.pin, port, parts, server, supervisor, lambda: _first_game(table, settings))


def server_of(
    app: flask.Flask, feed: Feed, addresses: Addresses, pairing: Pairing, settings: Settings
) -> Callable[[socket.socket], Server]:
    """What makes a server of those pages on a socket, as often as one is needed."""
    limits = Limits(streams=settings.web.streams)

    def served(listening: socket.socket) -> Server:
        feed.call(lambda: None)
        stream = EventStream(feed, Hosts(addresses.names), pairing.knows, limits)
        return Server(Site(app, stream, limits), listening, limits)

    return served


def _today() -> str:
    return f"{datetime.now().astimezone():%Y-%m-%d %H:%M}"


def _wired(settings: Settings) -> _Wired:
    """The parts that settings can get wrong; all their mistakes are told together."""
    button_settings = buttons_of(settings)
    strip_settings = settings.strip
    problems = wiring_problems(
        settings.strip.kind, strip_settings, button_settings if settings.buttons.kind == "gpio" else None, model()
    )
    problems += shutdown_problems(settings.buttons)
    layout = _tried(lambda: layout_of(settings), problems)
    leds = layout.leds if layout is not None else 1
    strip = _tried(lambda: open_strip(settings.strip.kind, leds, strip_settings), problems)
    buttons = _tried(lambda: open_buttons(settings.buttons.kind, button_settings), problems)
    camera = _tried(lambda: open_camera(settings.camera.source, dice=settings.camera.dice), problems)
    _tried(lambda: _checked_header(settings), problems)
    if problems or layout is None or strip is None or buttons is None or camera is None:
        raise SetupError(problems)
    return _Wired(layout, strip, buttons, camera)


def _tried(make: Callable[[], T], problems: list[str]) -> T | None:
    try:
        return make()
    except SetupError as wrong:
        problems += wrong.problems
        return None


def _checked_header(settings: Settings) -> None:
    try:
        header_of(_header(settings))
    except RulesError as refused:
        raise SetupError([f"[table] {refused}"]) from None


def _made(settings: Settings) -> Path:
    folder = settings.data_dir
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
        table.submit(StartGame(header=_header(settings)))


def _header(settings: Settings) -> dict[str, object]:
    return {"transcript": 1, "game": settings.table.game, "players": list(settings.table.players), "rules": {}}


def addresses_of(settings: Settings, page: str, port: int) -> Addresses:
    """Where phones find a table that is served on that page and port."""
    everywhere = settings.web.host in ("", "0.0.0.0", "::")  # noqa: S104 - compared, not bound
    others = tuple(f"http://{address}:{port}/" for address in ("127.0.0.1", *own_addresses())) if everywhere else ()
    names = (socket.gethostname(), *settings.web.hosts)
    wifi = wifi_code(settings.web.wifi, settings.web.wifi_password)
    return Addresses(page, tuple(other for other in others if other != page), names, wifi)
