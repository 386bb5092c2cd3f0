"""The program: build the parts from the settings, start them in order, stop them in reverse."""

from __future__ import annotations

import contextlib
import importlib.metadata
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from companion.adapters.board_view import lighting
from companion.adapters.buttons import ListeningButtons
from companion.adapters.calibration_service import CalibrationService
from companion.adapters.clips import Clips
from companion.adapters.frame_buffer import FrameBuffer
from companion.adapters.hands import VirtualHands
from companion.adapters.reader_setup import WatchedTray, load_reader
from companion.adapters.sound import sounding
from companion.adapters.tray_observer import TrayObserver, kept_out
from companion.bots.adviser import Advisor
from companion.bots.daily_puzzle import DailyPuzzle
from companion.bots.player import BotPlayer
from companion.bots.remarks import Remarks
from companion.bots.vote import Vote
from companion.diagnostics.health import Health, report
from companion.diagnostics.machine import checks_of_any_table
from companion.errors import explained
from companion.evidence.folder import PackageFolder
from companion.evidence.keeping import PackageKeeper
from companion.evidence.lesson import Teacher
from companion.evidence.taught import TaughtSets
from companion.history.export import PastGames
from companion.history.review import Review
from companion.service.addresses import announced, published
from companion.service.beyond import opened_beyond
from companion.service.opening import first_game, opened_door, opened_parts, problems_of
from companion.service.parts import Part, following
from companion.service.process import give_way
from companion.service.sd_notify import notify, under_systemd, watchdog_s
from companion.service.serving import LastingServer
from companion.service.site import Door, groups_of_any_table, servers
from companion.service.supervision import Supervisor
from companion.settings.file import SettingsFile
from companion.settings.live import LiveSettings
from companion.settings.load import Settings
from companion.settings.starting import Starting
from companion.table.commands import OverlookTray
from companion.table.journal import Journal, anchor_folder
from companion.table.journal.recovery import date_text
from companion.table.photos import Photos
from companion.table.tray.observation import empty_tray
from companion.table.writer import Table
from hardware.board import Board
from hardware.power import Power
from hardware.sounds import Chimes
from vision.cameras.simulated.camera import VirtualCamera
from vision.networks import shipped_networks
from vision.teaching.witness import Witness
from vision.watching.watcher import Watcher
from web import api
from web.api.dice.teach import routes as teach_routes
from web.api.settings import routes as settings_routes
from web.loudspeaker import Loudspeaker
from web.serving.feed import Feed
from web.serving.server import Server

ANSWER_TIMEOUT_S = 2.0
"""Longest wait, in seconds, for an answer of the table's writer or the web server. After it systemd's watchdog is not
notified, and a silent writer counts as a failed part; without notifications systemd restarts the program. Longer: hangs
are noticed later; shorter: a busy program is restarted."""
MAX_FRAME_GAP_S = 15.0
"""Longest time in seconds that the camera's loop may wait for a frame, or work on one. Then it counts as hanging, and
the watchdog is not notified. Too short: a slow reading restarts the program; longer: a hang lasts longer."""


@dataclass(frozen=True, slots=True)
class App:
    """A complete table, built from its settings but not started, with its parts in the order of starting.

    Attributes:
        server: Serves until it is stopped.
        site: Builds a server for the pages on a socket.
    """

    settings: Settings
    door: Door
    parts: tuple[Part, ...]
    server: LastingServer
    site: Callable[[socket.socket], Server]
    supervisor: Supervisor

    def run(self, ready: Callable[[], None]) -> None:
        """Start all parts of the table in order, call `ready`, and serve the pages until `server.stop()` or Ctrl-C.

        If the journal has no game, the settings' first game is set up before the camera starts. The thread gets a lower
        priority (`give_way`), and systemd is told of start and stop. At the end the parts are stopped in reverse;
        Ctrl-C then raises KeyboardInterrupt.

        Raises DeviceError if the journal can't be opened, or the first game can't be written. Any other part that fails
        is logged and tried again, and reported on the page if it has a health check.
        """
        with contextlib.ExitStack() as stack:
            for part in self.parts:
                self.supervisor.begin(part)
                stack.callback(part.stop)
            # After the table's start, which fails if another table uses the folder and has its port there.
            stack.enter_context(published(self.settings.data.folder, self.door.port))
            if under_systemd():
                stack.enter_context(announced(self.door.port))
            stack.callback(notify, "STOPPING=1")
            self.supervisor.start()
            stack.callback(self.supervisor.stop)
            give_way()
            notify("READY=1")
            ready()
            self.server.run(self.site)


def build(starting: Starting) -> App:
    """Build all parts of a table from the settings and return them. Nothing is started, but the web port is open.

    A forgiving start (`starting.forgiving`) replaces a wrong setting by that of the last good start or the default, or
    does without the part. The limits of the strip's current and, outside a service, settings typed on the command line
    are never replaced. Raises SetupError with all wrong settings that were not replaced, and DeviceError if the data
    folder can't be made.
    """
    clock, networks = time.monotonic, shipped_networks()
    opened, folder = opened_parts(starting), _data_folder(starting.settings)

    journal, photos = Journal(folder, anchors=anchor_folder()), Photos(folder)
    table = Table(journal, photos, clock)
    board = Board(opened.strip, opened.layout, Power(), clock)
    door = opened_door(starting, clock, board.show_code)
    settings = starting.settings
    source = settings.camera.source
    clips = Clips(settings.camera.replay)
    camera = FrameBuffer(opened.camera, clips.see)
    taught = TaughtSets(folder)
    teacher = Teacher(taught)
    tray = WatchedTray(
        lambda: load_reader(source, opened.camera, folder, networks, lambda: _witness(table, teacher)),
        lambda setup: Watcher(
            camera, setup.reader.read, setup.rig, lambda: _dice_expected(table, tray, teacher), board.capture
        ),
    )
    packages = PackageFolder(folder, settings.data.evidence_bytes)
    version = importlib.metadata.version("peg-and-pip")
    keeper = PackageKeeper(source, packages, photos, networks.hashes, version, give_way, taught)
    observer = TrayObserver(
        camera.name,
        tray.watcher,
        lambda command: table.submit(kept_out(command) if teacher.lesson() else command),
        networks.load_soon,
        networks.release,
        lambda settled, photo: teacher.offer(settled) if teacher.lesson() else keeper.offer(settled, photo),
    )
    buttons = ListeningButtons(opened.buttons, table, board, door.pairing, settings.buttons.shutdown_command)
    voice, chimes = Loudspeaker(), Chimes()
    live = LiveSettings(settings, board, photos, packages, chimes, voice)
    simulated = opened.camera if isinstance(opened.camera, VirtualCamera) else None
    hands = VirtualHands(simulated, lambda: table.state().staying) if simulated else None
    house = BotPlayer(table, clock, hands.throw_on if hands else None)
    past = PastGames(folder)
    review = Review(folder, past)
    beyond, checks_beyond = opened_beyond(settings, folder, table, past, live, lambda: report(checks, folder))
    parts = (
        Part("table", table.start, table.stop, lambda: table.answers(ANSWER_TIMEOUT_S), needed=True),
        following("board", table, lighting(board, clock), board.start, board.stop, board.alive),
        Part("buttons", buttons.listen, buttons.stop, buttons.alive),
        following("sounds", table, sounding(chimes), chimes.start, chimes.stop, chimes.alive),
        following("replay", table, clips.hear),
        following("voice", table, voice.hear, stop=voice.hush),
        following("house", table, house.hear, house.start, house.stop, house.alive),
        Part("taught", taught.start, lambda: None),
        following("evidence", table, keeper.hear, keeper.start, keeper.stop, keeper.alive),
        *beyond,
        # Before the observer: a new game ignores the dice that it has seen, and people are to be asked about them.
        Part("first game", lambda: _first_game(table, settings), lambda: None, needed=True),
        Part("observer", observer.start, observer.stop, observer.alive),
    )

    server = LastingServer(door.link)
    must_respond = {
        "the table": lambda: table.answers(ANSWER_TIMEOUT_S),
        "the camera": lambda: observer.ended or camera.unused_s() < MAX_FRAME_GAP_S,
        "the pages": lambda: server.answers(ANSWER_TIMEOUT_S),
    }
    supervisor = Supervisor(parts, must_respond, lambda: notify("WATCHDOG=1"), watchdog_s(), clock)
    file = SettingsFile(
        starting.origin,
        settings,
        lambda new: problems_of(new, file.running, door.port) + live.problems(new),
        live.apply,
        starting.left_out,
    )
    checks: dict[str, Health] = {
        "camera": supervisor.supervised("observer", observer.health),
        "strip": supervisor.supervised("board", board.health),
        **checks_of_any_table(folder, journal.health),
        "calibration": tray.health,
        "evidence": supervisor.supervised("evidence", keeper.health),
        "taught": supervisor.supervised("taught", teacher.health),
        "review": review.health,
        "sounds": supervisor.supervised("sounds", chimes.health),
        "buttons": supervisor.supervised("buttons", buttons.health),
        "house": supervisor.supervised("house", lambda: (True, "plays where it is seated")),
        "table": supervisor.supervised("table", table.health),
        "pages": server.health,
        "pairing": door.pairing.health,
        "settings": file.health,
        "life": supervisor.health,
        **checks_beyond,
    }

    feed = Feed(table, folder)
    mains_hz = settings.camera.mains_hz

    def recalibrated(empty: bool) -> None:
        tray.recalibrated()
        table.submit(OverlookTray(empty_tray(time.monotonic()) if empty else None))

    calibration = CalibrationService(
        source, camera, folder, lambda: date_text(time.time()), simulated, recalibrated, mains_hz
    )
    groups = (
        *groups_of_any_table(table, feed, board, photos, past, door.pairing, checks),
        *([api.tray.routes(hands, table, door.pairing)] if hands else []),
        *([api.photos.replays(clips)] if settings.camera.replay else []),
        api.house.routes(house, Remarks(table.state, lambda: file.running.table), door.pairing),
        api.advice.routes(Advisor(table.state), Vote(table.state), DailyPuzzle(date.today)),
        api.voice.routes(voice),
        api.review.routes(review, photos, packages.cameras),
        api.calibrate.routes(calibration),
        teach_routes(teacher),
        settings_routes(file, door.pairing),
    )
    site = servers(lambda: file.running, door, feed, groups)
    return App(settings, door, parts, server, site, supervisor)


def _witness(table: Table, teacher: Teacher) -> Witness | None:
    """Return the labelled examples of the game's set of dice, which the reader compares with.

    None if there are none, and during a lesson, so that the reader reads without help.
    """
    return None if teacher.lesson() else teacher.taught.witness(table.snapshot().terms.dice)


def _dice_expected(table: Table, tray: WatchedTray, teacher: Teacher) -> int | None:
    """Return how many dice the reader should find; None if any number may lie there.

    So it is during a lesson, and in a calibrated tray, where the reader must explain all foreground in both zones.
    """
    return None if tray.calibrated or teacher.lesson() else table.snapshot().tray.dice


def _data_folder(settings: Settings) -> Path:
    """Return the data folder that the settings name, created if it is missing. Raises DeviceError."""
    folder = settings.data.folder
    with explained(f"The data folder {folder} can't be made", "Name another with --data DIR."):
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def _first_game(table: Table, settings: Settings) -> None:
    """Set up the game and players that the settings name, when the journal has no game; without players do nothing."""
    if table.snapshot().game is None and settings.table.players:
        table.submit(first_game(settings))
