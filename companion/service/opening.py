"""Open what the settings name: strip, buttons, camera, port. A part that can't be opened is replaced or left out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from companion.adapters.buttons import shutdown_problems
from companion.errors import DeviceError, RulesError, SetupError
from companion.games.engine.notation import header_of
from companion.service.addresses import bound, listening_socket, refusal_of
from companion.service.site import Door, addresses_of
from companion.settings.load import LeftOut, Origin, Settings
from companion.settings.starting import Starting, fields_of
from companion.table.commands import StartGame
from companion.table.terms import HOUSE, terms_of
from hardware.buttons import Buttons
from hardware.buttons.opening import open_buttons
from hardware.machine import model
from hardware.power import supply_problem
from hardware.settings import PowerSettings
from hardware.strips import Strip
from hardware.strips.opening import open_strip
from hardware.track import Layout, layout_of
from hardware.wiring import wiring_problems
from vision.cameras import Camera
from vision.cameras.opening import MissingCamera, open_camera
from web.pairing.guesses import new_pin
from web.pairing.phones import Pairing
from web.pairing.tokens import FileTokens
from web.serving.settings import WebSettings

ANY_PORT = Settings(web=WebSettings(port=0))
"""Settings with web port 0, at which the kernel chooses a free port. A start that may replace failing settings
(`Starting.forgiving`) tries it last, so that the pages open all the same."""

MAX_SSID_BYTES = 32
"""Most bytes of a Wi-Fi's name (SSID) in UTF-8. Higher: the QR code joins nothing; lower: valid names are refused."""
MIN_PASSPHRASE = 8
"""Fewest characters of a WPA2 password, fixed by the standard. Lower: phones can't join by the QR code; higher: valid
passwords are refused."""


@dataclass(frozen=True, slots=True)
class Opened:
    """The parts that the settings name, opened but not started."""

    layout: Layout
    strip: Strip
    buttons: Buttons
    camera: Camera


def opened_parts(starting: Starting) -> Opened:
    """Return the layout, strip, buttons and camera of the settings, opened but not started.

    The settings of the first game, the Wi-Fi and the hotspot are checked, too. In a forgiving start, settings in
    `starting` that fail are replaced by the last good ones, else by the defaults. Outside a service, values typed on
    the command line stay. The limits of the strip's current always stay: they protect the power supply. The camera has
    no default: if the last good source does not open either, a `MissingCamera` stands in. The stand-in never
    replaces a source that was typed outside a service. Raises SetupError with all problems that remain.
    """
    wiring = {"strip": set(fields_of("strip")) - set(PowerSettings.__struct_fields__), "track": fields_of("track")}
    board = starting.choose(wiring, _board, Settings())
    if board is not None:
        too_small = supply_problem(starting.settings.strip, board[0].leds)
        if too_small:
            starting.report("strip", "limit_ma", too_small)
    buttons = starting.choose({"buttons": fields_of("buttons")}, _buttons, Settings())
    camera = starting.choose({"camera": ("source",)}, _camera, instead=_missing)
    starting.choose({"table": fields_of("table")}, _check_first_game, Settings())
    starting.choose({"web": ("wifi", "wifi_password")}, _check_wifi, Settings())
    starting.choose({"web": ("hotspot",)}, _check_hotspot, Settings())
    if starting.problems or board is None or buttons is None or camera is None:
        raise SetupError(list(dict.fromkeys(starting.problems)))
    return Opened(*board, buttons, camera)


def opened_door(
    starting: Starting, clock: Callable[[], float], show_code: Callable[[tuple[int, ...], float], None]
) -> Door:
    """Open and return a `Door`: a listening socket, the addresses to show, a new PIN and the paired phones.

    The socket listens on the settings' host and port. If the port is taken, one of the next ones is used, and
    `starting.left_out` reports it. With `starting.forgiving` a host or port that can't be used is replaced, too.
    Outside a service, values typed on the command line are kept. `show_code` shows a phone's join code on the board, as
    `Pairing` calls it. Raises SetupError if no port can be used.
    """
    tokens = FileTokens(starting.settings.data.folder / "paired.json")

    def door(settings: Settings) -> Door:
        """Return a `Door` that listens on the web port of these settings. Raises SetupError if that fails."""
        link = listening_socket(settings.web.host, settings.web.port)
        pairing = Pairing(new_pin(), tokens, clock, show_code)
        return Door(link, partial(addresses_of, settings.web, link.getsockname()[1]), pairing)

    starting.choose({"web": ("host",)}, _check_host, Settings())
    opened = starting.choose({"web": ("port",)}, door, Settings(), ANY_PORT)
    if opened is None:
        raise SetupError(list(dict.fromkeys(starting.problems)))
    wanted = starting.settings.web.port
    if wanted not in (0, opened.port):
        starting.left_out += (LeftOut("web", "port", f"Port {wanted} is taken: {opened.port} is used instead."),)
    return opened


def problems_of(wanted: Settings, running: Settings, port: int) -> list[str]:
    """Return what is wrong with the `wanted` settings, one sentence each; empty if they work.

    Problems that the `running` settings have too, such as a missing camera, are left out: they must not prevent other
    changes. If no problem is left, the changes are tried, up to the first failure. If the camera's source or the
    strip's kind changed, the new one is started and stopped. A changed port is listened on for a moment. A changed host
    alone is not tried. `port` is the one that the table serves now.
    """
    problems = [each for each in _faults(wanted) if each not in _faults(running)]
    if problems:
        return problems
    try:
        if wanted.camera.source != running.camera.source:
            camera = _camera(wanted)
            try:
                camera.start()
                camera.frame()
            finally:
                camera.stop()
        if wanted.strip.kind != running.strip.kind:
            _, strip = _board(wanted)
            try:
                strip.start()
            finally:
                strip.stop()
        if wanted.web.port not in (running.web.port, port):
            bound(wanted.web.host, wanted.web.port).close()
    except DeviceError as ill:
        return [str(ill)]
    except OSError as refused:  # of the port; devices raise DeviceError
        return [str(refusal_of(wanted.web.host, wanted.web.port, refused))]
    return []


def first_game(settings: Settings) -> StartGame:
    """Return the command that sets up the game of a first start, with the house rules' defaults.

    If the setting `house` asks for a computer player, it is the last player, unless `players` names it already.
    """
    table, name = settings.table, settings.table.house_name or HOUSE
    players, terms = [*table.players], {"serious": table.serious, "dice": table.dice}
    if table.house:
        players += [name] if name not in players else []
        terms |= {"house": {"player": name, "level": table.house}}
    return StartGame(header={"transcript": 1, "game": table.game, "players": players, "rules": {}}, terms=terms)


def _faults(settings: Settings) -> tuple[str, ...]:
    """Return what is wrong with the settings of a table, one sentence each; empty if they work.

    Opens layout, strip, buttons and camera without starting them. Checks the first game, and the names and password of
    the Wi-Fi networks. The web port is not tried.
    """
    try:
        opened_parts(Starting(settings, Origin(settings.data.folder)))
    except SetupError as wrong:
        return wrong.problems
    return ()


def _board(settings: Settings) -> tuple[Layout, Strip]:
    """Return the settings' LED layout and a strip for it, not started. Raises SetupError with all problems."""
    strip = settings.strip
    problems = wiring_problems(strip.kind, strip, None, model())
    try:
        layout = layout_of(strip.layout, settings.track)
        opened = open_strip(strip.kind, layout.leds, strip)
    except SetupError as wrong:
        raise SetupError([*problems, *wrong.problems]) from None
    if problems:
        raise SetupError(problems)
    return layout, opened


def _buttons(settings: Settings) -> Buttons:
    """Return the reader of the board's buttons that the setting `[buttons] kind` names, not started.

    Raises SetupError if the kind, the settings of the shutdown button, or the wiring of buttons on GPIO pins is wrong.
    """
    strip, buttons = settings.strip, settings.buttons
    problems = wiring_problems(strip.kind, strip, buttons, model()) if buttons.kind == "gpio" else []
    problems += shutdown_problems(buttons)
    if problems:
        raise SetupError(problems)
    return open_buttons(buttons.kind, buttons)


def _camera(settings: Settings) -> Camera:
    """Return the settings' camera, not started. Raises SetupError if [camera] source is wrong."""
    wanted = settings.camera
    return open_camera(wanted.source, wanted.dice, wanted.mains_hz)


def _missing(settings: Settings) -> Camera:
    """Return a stand-in for the settings' camera, which opens it as soon as that works."""
    return MissingCamera(settings.camera.source.strip().partition(":")[0], partial(_camera, settings))


def _check_first_game(settings: Settings) -> bool:
    """Return True if the settings' first game can be set up, else raise SetupError.

    `Starting.choose` calls this and needs a value, because None is a failure there.
    """
    game = first_game(settings)
    try:
        terms_of(game.terms, header_of(game.header))
    except RulesError as refused:
        raise SetupError([f"[table] {refused}"]) from None
    return True


def _check_wifi(settings: Settings) -> bool:
    """Return True if a Wi-Fi can have the settings' name and password (IEEE 802.11), else raise SetupError.

    The name has at most MAX_SSID_BYTES bytes; if it is empty, the page shows no QR code for a Wi-Fi. The password is
    empty for an open Wi-Fi, else MIN_PASSPHRASE characters or more; its upper limit is not checked.
    """
    problems = _name_problems("wifi", settings.web.wifi)
    if 0 < len(settings.web.wifi_password) < MIN_PASSPHRASE:
        rule = f"a Wi-Fi's password has {MIN_PASSPHRASE} to 63 characters"
        problems.append(f"[web] `wifi_password` is too short: {rule}. Correct it, or leave it empty for an open Wi-Fi.")
    if problems:
        raise SetupError(problems)
    return True


def _check_hotspot(settings: Settings) -> bool:
    """Return True if a Wi-Fi can have the name of the settings' hotspot, else raise SetupError."""
    if problems := _name_problems("hotspot", settings.web.hotspot):
        raise SetupError(problems)
    return True


def _name_problems(key: str, name: str) -> list[str]:
    """Return what is wrong with a Wi-Fi's name, the value of a key of [web]; empty if it is short enough."""
    if len(name.encode()) <= MAX_SSID_BYTES:
        return []
    rule = f"a Wi-Fi's name has at most {MAX_SSID_BYTES} bytes, and a letter such as ä takes two"
    return [f"[web] `{key}` = {name!r} has {len(name.encode())} bytes: {rule}. Shorten it."]


def _check_host(settings: Settings) -> bool:
    """Return True if this machine can listen on the settings' host, else raise SetupError."""
    try:
        bound(settings.web.host, 0).close()
    except OSError as refused:
        raise SetupError([str(refusal_of(settings.web.host, settings.web.port, refused))]) from None
    return True
