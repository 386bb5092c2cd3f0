"""`pegpip play`: serves the table until Ctrl-C."""

from __future__ import annotations

import gc
import logging
import signal
import sys
import time
from pathlib import Path
from types import FrameType
from typing import Any

import click

from companion.app import App, build
from companion.commands import CONFIG, CTRL_C
from companion.commands.join import draw
from companion.diagnostics import logs
from companion.errors import CompanionError, DeviceError, SetupError
from companion.games.engine.players import LEVELS
from companion.games.registry import GAMES
from companion.service import safe_mode
from companion.service.addresses import local_page
from companion.service.crash_loop import REVERT_AFTER, SAFE_MODE_AFTER, Starts
from companion.service.process import share_one_heap
from companion.service.sd_notify import under_systemd
from companion.settings import last_good
from companion.settings import load as config
from companion.settings.starting import Starting, begin
from companion.table.lock import InUse
from hardware.strips.opening import known_kinds
from vision.cameras.opening import FORMS

log = logging.getLogger(__name__)

NEW_FILE = "# Settings of a Peg & Pip table. What is left out has its default: see docs/reference/settings.md.\n"
"""Text that is written to the settings file when it does not exist."""


@click.command()
@click.option("--game", help=f"Game that a first start sets up: {', '.join(GAMES)}.")
@click.option("--players", help="Names of the players, clockwise: Ann,Ben.")
@click.option("--house", metavar="LEVEL", help=f"Seat a computer player, named House: {', '.join(LEVELS)}.")
@click.option("--camera", help=f"One of {', '.join(FORMS)}.")
@click.option("--strip", help=f"One of {', '.join(known_kinds())}.")
@click.option("--buttons", help="none, keys or gpio.")
@click.option("--host", help="Address to serve on; by default all of this machine's.")
@click.option("--port", type=int, help="Port to serve on; the next free one when it is taken.")
@click.option("--data", metavar="DIR", help="Folder of the journal and the photos.")
@CONFIG
@click.option("-v", "--verbose", is_flag=True, help="Log what happens to standard error.")
@click.option("--log-json", is_flag=True, help="Log one JSON object a line, for programs.")
def command(settings_file: Path | None, verbose: bool, log_json: bool, **given: Any) -> int:
    """Serve the table: camera, rules, board and phones, until Ctrl-C.

    Without options or settings: a virtual camera, the board drawn in the page, port 8000. Open /tray to throw simulated
    dice. A settings file named by --config is created if it is missing. The exit status is 130 after Ctrl-C, and 0
    after SIGTERM.
    """
    share_one_heap()
    logs.configure_logging(time.monotonic, verbose=verbose, structured=log_json)
    service = under_systemd()
    if settings_file is not None:
        _create(settings_file, service=service)
    starting = begin(config.Origin(settings_file or config.default_file(), _overrides(given)), service=service)
    starts = Starts(starting.settings.data.folder)
    app = _built(starting, starts)
    for each in starting.left_out:
        log.warning("%s", each.why)
    stopped_by: list[int] = []

    def stop(number: int, _frame: FrameType | None) -> None:
        stopped_by.append(number)
        app.server.stop()

    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)

    def ready() -> None:
        starts.ready()
        if app.parts:  # safe mode opens no part, so that it proves no settings
            last_good.keep(app.settings.data.folder, app.settings)
        gc.freeze()  # a garbage collection stops all threads: it need not search code, tables and routes
        _announce(app)

    try:
        app.run(ready)
    except InUse:
        starts.withdraw()
        raise
    except CompanionError as ill:
        starts.failed(str(ill))
        raise
    return CTRL_C if signal.SIGINT in stopped_by else 0


def _built(starting: Starting, starts: Starts) -> App:
    """Build the table from the settings and return it: its port is open, but no part, such as the camera, runs yet.

    After REVERT_AFTER failed starts the last good settings are used; after SAFE_MODE_AFTER the table is built in safe
    mode. `starts` records this start as a failed one. A SetupError or Ctrl-C removes this record; a DeviceError leaves
    it, with the error as the reason. All three exceptions are raised again.
    """
    before = starts.begin()
    try:
        if len(before) >= SAFE_MODE_AFTER:
            return safe_mode.build(starting, before[-1])
        if len(before) >= REVERT_AFTER:
            starting.go_back(before[-1])
        return build(starting)
    except DeviceError as ill:
        starts.failed(str(ill))
        raise
    except (SetupError, KeyboardInterrupt):
        starts.withdraw()  # a person at the terminal reads it and corrects it, or has stopped it
        raise


def _create(file: Path, *, service: bool) -> None:
    """Create a settings file without settings, and its folder, and print the file's name to stderr.

    Does nothing if the file exists. If the disk refuses, SetupError is raised. With `service` the failure is only
    logged, because the service must start all the same.
    """
    try:
        if file.exists():
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("x", encoding="utf-8") as made:
            made.write(NEW_FILE)
    except OSError as refused:
        if not service:
            raise SetupError([f"Settings file {file} can't be created ({refused.strerror}). Name another."]) from None
        log.warning("Settings file %s can't be created (%s): all settings are defaults.", file, refused.strerror)
    else:
        click.echo(f"Created the settings file {file}; all settings have their defaults.", err=True)


def _overrides(given: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return options of `pegpip play` as settings, section -> key -> value, without those that are None.

    `given` has the value of every option by name; the names in `players` are split at commas.
    """
    players = given["players"]
    tree = {
        "table": {
            "game": given["game"],
            "players": None if players is None else [each.strip() for each in players.split(",") if each.strip()],
            "house": given["house"],
        },
        "camera": {"source": given["camera"]},
        "strip": {"kind": given["strip"]},
        "buttons": {"kind": given["buttons"]},
        "web": {"host": given["host"], "port": given["port"]},
        "data": {"dir": given["data"]},
    }
    return {section: {key: value for key, value in keys.items() if value is not None} for section, keys in tree.items()}


def _announce(app: App) -> None:
    """Print the page's address, the PIN and how to stop the table.

    Printed only where they apply:

    - The port, if the wanted one is taken.
    - The QR codes, on a terminal.
    - Where to throw simulated dice, with the virtual camera.
    """
    wanted = app.settings.web.port
    if wanted not in (0, app.door.port):
        click.echo(f"Port {wanted} is taken: using {app.door.port} instead.")
    if sys.stdout.isatty():
        draw(app.door.addresses(), app.door.pairing.owner_code())
    click.echo(f"page: {app.door.addresses().page}")
    click.echo(f"PIN: {app.door.pairing.pin}")
    if app.settings.camera.source.strip() == "virtual":
        here = local_page(app.settings.web.host, app.door.port)
        click.echo(f"Throw simulated dice: {here}tray   Play: /control   TV: /tv")
    click.echo("Ctrl-C stops the table; nothing is lost.")
    sys.stdout.flush()
