"""The program: parts built from settings, started in order, stopped in reverse."""

from __future__ import annotations

import contextlib
import importlib.metadata
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from companion.config import Settings
from companion.errors import DeviceError
from companion.links.addresses import listening_socket, own_addresses, page_address
from companion.links.eye import Eye, dice_expected
from companion.links.health import Check, disk_check, report
from companion.links.lights import Lights
from companion.links.served import BoardOnPage, Evenings, Photographs
from companion.links.virtual_hands import VirtualHands
from companion.notify import notify, watchdog_s
from companion.rules.registry import GAMES
from companion.session.commands import StartGame
from companion.session.journal import Journal
from companion.session.photos import Photos
from companion.session.table import Table
from hardware.board import Board
from hardware.power import Power
from hardware.settings import PowerSettings, TrackSettings
from hardware.strips.opening import open_strip
from hardware.track import lay
from vision.cameras.opening import open_camera
from vision.cameras.virtual import VirtualCamera
from vision.reader import open_reader
from vision.watch import Watcher
from web.app import create_app
from web.loudspeaker import Loudspeaker
from web.pairing import FileTokens, Pairing, new_pin
from web.parts import Addresses, Parts
from web.server import Server

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Part:
    """Something that runs: how to start it and how to stop it."""

    name: str
    start: Callable[[], None]
    stop: Callable[[], None]


@dataclass(frozen=True, slots=True)
class App:
    """A table ready to run.

    Attributes:
        page: The address to print and to draw as a QR code.
        pin: What a phone must tell to control the table.
        port: The port that is served; another than the one asked for when that was taken.
        parts: In the order of starting.
        server: Serves until it is stopped.
        first_game: Sets up the settings' game where the journal has none.
    """

    page: str
    pin: str
    port: int
    parts: tuple[Part, ...]
    server: Server
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
            with _watchdog():
                notify("READY=1")
                ready()
                self.server.run()


def build(settings: Settings) -> App:
    """All parts of a table, none started but the listening socket.

    Raises:
        SetupError: With all that is wrong with the settings.
        DeviceError: When the data folder can't be used.
    """
    clock = time.monotonic
    folder = _made(settings)
    layout = lay(TrackSettings(preset=settings.strip.layout))
    strip = open_strip(settings.strip.kind, layout.leds)
    power = Power(PowerSettings(brightness=settings.strip.brightness, limit_ma=settings.strip.limit_ma))
    board = Board(strip, layout, power, clock)
    camera = open_camera(settings.camera.source, dice=settings.camera.dice)
    virtual = camera if isinstance(camera, VirtualCamera) else None
    rig = virtual.rig() if virtual is not None else None
    photos = Photos(folder, settings.data.photos_mb * 1_000_000)
    table = Table(Journal(folder), photos, clock, keep_zone=rig is not None)
    eye = Eye(
        camera.name,
        Watcher(camera, open_reader(rig), rig, lambda: dice_expected(table.snapshot())),
        table.submit,
    )
    lights = Lights(night=settings.strip.night)
    pairing = Pairing(new_pin(), FileTokens(folder / "paired.json"), clock)
    link = listening_socket(settings.web.host, settings.web.port)
    port = link.getsockname()[1]
    page = page_address(settings.web.host, port)
    hands = None if virtual is None else VirtualHands(virtual)
    checks: dict[str, Check] = {
        "camera": eye.health,
        "strip": board.health,
        "disk": disk_check(folder),
    }
    voice = Loudspeaker(table)
    app = create_app(
        Parts(
            table=table,
            board=BoardOnPage(board, layout),
            health=lambda: report(checks),
            games=tuple(GAMES.values()),
            pairing=pairing,
            photos=Photographs(photos.path, table.question_photo),
            addresses=_addresses(settings, page, port),
            tray=hands,
            evening=Evenings(folder),
            voice=voice,
            streams_limit=settings.web.streams,
            version=importlib.metadata.version("peg-and-pip"),
            clock=clock,
        )
    )
    server = Server(app, link, settings.web.streams)
    parts = (
        Part("table", table.start, table.stop),
        _followed(table, board, lights, clock),
        Part("board", board.start, board.stop),
        Part("voice", voice.start, voice.stop),
        Part("eye", eye.start, eye.stop),
    )
    return App(page, pairing.pin, port, parts, server, lambda: _first_game(table, settings))


def _made(settings: Settings) -> Path:
    folder = settings.data_dir
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as refused:
        raise DeviceError(
            f"The data folder {folder} can't be made ({refused.strerror}).", "Name another with --data DIR."
        ) from None
    return folder


def _followed(table: Table, board: Board, lights: Lights, clock: Callable[[], float]) -> Part:
    """The board follows the table from its first snapshot on."""
    ends: list[Callable[[], None]] = []

    def follow() -> None:
        ends.append(table.subscribe(lambda snapshot: board.show(lights.view(snapshot, clock()))))
        board.show(lights.view(table.snapshot(), clock()))

    def leave() -> None:
        while ends:
            ends.pop()()

    return Part("lights", follow, leave)


def _first_game(table: Table, settings: Settings) -> None:
    """Set up the settings' game on a journal that has none, so that the first dice thrown already count."""
    if table.snapshot().game is None and settings.table.players:
        table.submit(StartGame(header=_header(settings)))


def _header(settings: Settings) -> dict[str, object]:
    return {"transcript": 1, "game": settings.table.game, "players": list(settings.table.players), "rules": {}}


def _addresses(settings: Settings, page: str, port: int) -> Addresses:
    everywhere = settings.web.host in ("", "0.0.0.0", "::")  # noqa: S104 - compared, not bound
    others = tuple(f"http://{address}:{port}/" for address in ("127.0.0.1", *own_addresses())) if everywhere else ()
    names = (socket.gethostname(), *settings.web.hosts)
    return Addresses(page, tuple(other for other in others if other != page), names)


@contextlib.contextmanager
def _watchdog() -> Iterator[None]:
    """Tell systemd that we live, as often as it wants to hear it."""
    every_s, done = watchdog_s(), threading.Event()

    def feed() -> None:
        while every_s is not None and not done.wait(every_s):
            notify("WATCHDOG=1")

    thread = threading.Thread(target=feed, name="watchdog", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
