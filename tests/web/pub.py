"""A pub for the web's tests: the real table and web server on a data folder, with fakes for board, tray and photos."""

from __future__ import annotations

import os
import random
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import flask

from companion.bots.adviser import Advisor
from companion.bots.daily_puzzle import DailyPuzzle
from companion.bots.remarks import Remarks
from companion.bots.vote import Vote
from companion.errors import Doubt
from companion.games.engine.notation import line_of
from companion.games.engine.players import rule_of_thumb
from companion.games.engine.rulebook import form_of
from companion.games.registry import GAMES
from companion.history.export import PastGames
from companion.history.review import Review
from companion.settings.file import SettingsFile
from companion.settings.load import Origin, Settings
from companion.table.commands import Observe, PlayLine, StartGame
from companion.table.journal import Journal
from companion.table.photos import Photos
from companion.table.settings import TableSettings
from companion.table.tray.observation import Die, Observation
from companion.table.writer import Table
from web import api
from web.api import metrics, settings
from web.api.dice.teach import routes as teach_routes
from web.app import create_app
from web.guard import Hosts
from web.pages import Addresses, Pages, TableIdentity
from web.pairing.phones import Pairing
from web.pairing.roles import Role
from web.pairing.tokens import FileTokens, Paired
from web.routes import Routes
from web.serving.feed import Feed
from web.serving.limits import Limits
from web.serving.server import Server
from web.serving.site import Site
from web.serving.stream import EventStream

PIN = "271828"
HEADER: dict[str, Any] = {"transcript": 1, "game": "crib_dice", "players": ["Ann", "Ben"]}
ADDRESSES = Addresses("http://192.168.4.1:8000/", names=("dice.pub.example",))
LIMITS = Limits(streams=24, streams_spare=0)
ALONE = (f"127.0.77.{1 + int(os.environ.get('PYTEST_XDIST_WORKER', 'gw0')[2:])}", 0)
"""Loopback address that only this xdist worker uses, with any free port: the port stays free between two servers."""


class Clock:
    """A clock that stands still until a test changes `now_s`."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@dataclass(frozen=True)
class MemoryTokens(FileTokens):
    """Fake of the file of paired phones that keeps them in memory."""

    path: Path = Path()
    kept: list[Paired] = field(default_factory=list)

    def load(self) -> tuple[Paired, ...]:
        return tuple(self.kept)

    def save(self, phones: tuple[Paired, ...]) -> None:
        self.kept[:] = phones


@dataclass
class StandInBoard:
    """Fake board: a strip of three LEDs that always shows the same frame."""

    leds: Sequence[Sequence[int]] = ((0, 0, 0), (12, 8, 1), (255, 120, 0))
    milliamps: int = 42

    def latest(self) -> StandInBoard:
        return self

    def spots(self) -> Sequence[tuple[float, float]]:
        return [(10.0 * at, 0.0) for at in range(len(self.leds))]


@dataclass
class StandInTray:
    """Fake of the virtual tray that records in `done` which methods were called."""

    done: list[tuple[Any, ...]] = field(default_factory=list)
    places: dict[int, tuple[float, float]] = field(default_factory=lambda: {n: (40.0 + 35 * n, 60.0) for n in range(7)})
    out: set[int] = field(default_factory=set)

    def throw(self, ids: Sequence[int] | None, strength: float) -> None:
        self._check(ids)
        self.done.append(("throw", tuple(ids or ()), strength))  # first: a page may look at any moment
        self.out -= set(ids or self.places)

    def throw_on(self, count: int) -> None:
        self.done.append(("throw on", count))

    def shake(self) -> None:
        self.done.append(("shake",))

    def move(self, die: int, x_mm: float, y_mm: float) -> None:
        self._check([die])
        self.done.append(("move", die, x_mm, y_mm))
        self.places[die] = (x_mm, y_mm)
        self.out.discard(die)

    def lift(self, ids: Sequence[int] | None) -> None:
        self._check(ids)
        self.done.append(("lift", tuple(ids or ())))
        self.out |= set(ids or self.places)

    def dice(self) -> Sequence[Mapping[str, Any]]:
        return [
            {"id": n, "x_mm": x, "y_mm": y, "place": place, "x_px": 4 * x, "y_px": 4 * y, "size_px": 64}
            for n, (x, y) in self.places.items()
            for place in ("out" if n in self.out else "throw",)
        ]

    def zones(self) -> Mapping[str, Any]:
        return {
            "width_mm": 320,
            "height_mm": 240,
            "throw": [0, 0, 320, 180],
            "keep": [0, 180, 320, 60],
            "picture_wh": [1280, 960],
            "mm_to_px": [[4, 0, 0], [0, 4, 0], [0, 0, 1]],
        }

    def picture_jpeg(self) -> bytes:
        return JPEG

    def _check(self, ids: Sequence[int] | None) -> None:
        for die in ids or ():
            if die not in self.places:
                raise ValueError(f"There is no die {die}")


JPEG = bytes.fromhex(
    "ffd8ffdb004300030202020202030202020303030304060404040404080606050609080a0a090809090a0c0f0c0a0b0e0b09090d110d0e0f"
    "101011100a0c12131210130f101010ffc9000b080001000101011100ffcc000600101005ffda0008010100003f00d2cf20ffd9"
)
"""The smallest JPEG: one grey pixel."""


WEBP = bytes.fromhex("52494646240000005745425056503820180000003001009d012a010001000cc0ce25a400037000feec670000")
"""The smallest WebP: one pixel."""


@dataclass
class StandInPhotos:
    """Fake photos: only throw 1 has one."""

    def jpeg(self, throw: int) -> bytes | None:
        return JPEG if throw == 1 else None


@dataclass
class StandInClips:
    """Fake clips: only throw 1 has one."""

    def throws(self) -> list[int]:
        return [1]

    def webp(self, throw: int) -> bytes | None:
        return WEBP if throw == 1 else None


@dataclass
class Mute:
    """Fake loudspeaker that can be turned on and says nothing."""

    on: bool = False

    def turn(self, on: bool) -> None:
        self.on = on


@dataclass
class Pub:
    """A table with its web application and their parts; tests use it by a Flask test client or by `served`."""

    app: flask.Flask
    site: Site
    feed: Feed
    limits: Limits
    table: Table
    clock: Clock
    tray: StandInTray
    pairing: Pairing
    folder: Path

    def stranger(self, address: str = "192.168.4.20") -> Any:
        """Return a new test client that is not paired and has the IP address of another machine."""
        client = self.app.test_client()
        client.environ_base["REMOTE_ADDR"] = address
        return client

    def host(self) -> Any:
        """Return a new test client that is paired as an owner."""
        return self.paired(Role.OWNER)

    def make_owners(self) -> None:
        """Make every paired phone an owner: browsers pair by PIN, as players."""
        for phone in self.pairing.phones():
            assert self.pairing.give_role(phone.id, Role.OWNER)

    def paired(self, role: Role, name: str = "Host", address: str = "192.168.4.10") -> Any:
        """Return a new test client that is paired in a role."""
        client = self.stranger(address)
        answer = client.post("/api/pair", json={"pin": PIN, "name": name})
        assert answer.status_code == 200
        assert self.pairing.give_role(answer.json["id"], role)
        return client

    def state(self) -> dict[str, Any]:
        """Return the state of the game in the newest snapshot, which must have one."""
        state = self.table.snapshot().state
        assert state is not None
        return state

    def start(self, **header: Any) -> int:
        """Start a game with `HEADER`, changed by `header`; return the number of the snapshot after that."""
        answer = self.host().post("/api/games", json={**HEADER, **header})
        assert answer.status_code == 200, answer.text
        return int(answer.json["number"])


def play(pub: Pub, *lines: dict[str, Any]) -> None:
    """Play transcript lines, each on the newest snapshot."""
    for line in lines:
        pub.table.submit(PlayLine(number=pub.table.snapshot().number, line=line))


def begin(pub: Pub, game: str, *lines: dict[str, Any]) -> None:
    """Start a game of Ann and Ben, and play transcript lines."""
    pub.table.submit(StartGame(header={**HEADER, "game": game}))
    play(pub, *lines)


USUAL: dict[str, Callable[[Path, Table], Any]] = {
    "evening": lambda folder, _: PastGames(folder),
    "review": lambda folder, _: Review(folder),
    "advice": lambda _, table: Advisor(table.state),
    "settings": lambda folder, _: settings_file(folder),
    "voice": lambda _, __: Mute(),
    "clips": lambda _, __: StandInClips(),
}
"""Factories of the usual parts of a pub by name, each called with the data folder and the table."""


def settings_file(folder: Path) -> SettingsFile:
    """Return the settings file of a data folder, whose changes are accepted and go nowhere else."""
    return SettingsFile(Origin(folder / "pegpip.toml"), Settings(), lambda _: [], lambda _: None)


def play_one(pub: Pub, dice: random.Random) -> None:
    """Play a throw, or the decision that a careless player makes, on the newest snapshot."""
    game = pub.table.state().record.game
    assert game is not None
    choice = rule_of_thumb(game.transcript.state)
    play(pub, {"throw": dice.choices(range(1, 7), k=choice)} if isinstance(choice, int) else line_of(choice))


def play_out(pub: Pub, dice: random.Random, leaves: tuple[str, int] | None = None) -> None:
    """Play the game on the table to its end; `leaves`: who leaves it, after how many lines."""
    for _ in range(leaves[1] if leaves else 0):
        play_one(pub, dice)
    if leaves:
        play(pub, {"leave": leaves[0]})
    while not pub.state()["over"]:
        play_one(pub, dice)


@contextmanager
def opened(
    folder: Path,
    limits: Limits = LIMITS,
    addresses: Addresses | Callable[[], Addresses] = ADDRESSES,
    name: str = "Peg & Pip",
    **parts: Any,
) -> Iterator[Pub]:
    """Yield a pub on a data folder, with `parts` by name (`make_more`); True stands for the part in `USUAL`.

    A function for `addresses` returns those of the moment. The part `tray` is a fake unless it is None. `health` is the
    answer of `/healthz`; without it all is well.
    """
    clock, tray = Clock(), StandInTray()
    table = Table(Journal(folder), Photos(folder), clock=clock, wall=lambda: 1_700_000_000.0)
    table.start()
    pairing = Pairing(PIN, MemoryTokens(), clock)
    feed, games = Feed(table), parts.get("games", tuple(map(form_of, GAMES.values())))
    well = {"status": "ok", "parts": {"camera": {"ok": True, "says": "The tray is in view."}}}
    health = parts.pop("health", well)
    made = {name: USUAL[name](folder, table) if part is True else part for name, part in parts.items()}
    having: dict[str, Any] = {"tray": tray, "photos": StandInPhotos(), **made}
    photos = having["photos"]
    make_more: dict[str, Callable[[Any], Routes]] = {
        "settings": lambda it: settings.routes(it, pairing),
        "tray": lambda it: api.tray.routes(it, table, pairing),
        "evening": lambda it: api.evening.routes(it, table),
        "advice": lambda it: api.advice.routes(it, Vote(table.state), DailyPuzzle(lambda: date(2026, 11, 25))),
        "house": lambda it: api.house.routes(it, Remarks(table.state, lambda: TableSettings(name=name)), pairing),
        "voice": api.voice.routes,
        "review": lambda it: api.review.routes(it, photos),
        "calibrate": api.calibrate.routes,
        "clips": api.photos.replays,
        "teach": teach_routes,
    }
    groups = [
        api.state.routes(feed, StandInBoard(), lambda _guest: health, pairing),
        metrics.routes(feed, StandInBoard(), lambda: health),
        api.games.routes(games, table, pairing),
        api.photos.routes(photos, table),
        api.play.routes(table, pairing),
        api.pair.routes(pairing),
        *(make(having[part]) for part, make in make_more.items() if having.get(part) is not None),
    ]
    now = addresses if callable(addresses) else lambda: addresses
    app = create_app(Pages(feed, pairing, games, now, TableIdentity(lambda: name)), groups, "0")
    hosts = Hosts(now().names)
    stream = EventStream(feed, hosts, pairing.knows, limits)
    try:
        yield Pub(app, Site(app, stream, limits), feed, limits, table, clock, tray, pairing, folder)
    finally:
        feed.close()
        table.stop()


@contextmanager
def served(pub: Pub, at: tuple[str, int] = ("127.0.0.1", 0)) -> Iterator[str]:
    """Serve a pub's site by the real server at an address (port 0: a free one), and yield its URL."""
    listening = socket.create_server(at, backlog=256)
    host, port = listening.getsockname()
    server = Server(pub.site, listening, pub.limits)
    thread = threading.Thread(target=server.run, name="server")
    thread.start()
    try:
        yield f"http://{host}:{port}"
    finally:
        server.stop()
        thread.join(60)


def observation(
    thrown: Sequence[int], kept: Sequence[int] = (), doubt: str | None = None, at_s: float = 100.0
) -> Observe:
    """Return the command by which a camera reports dice that have just come to rest, with these values by zone."""
    places = [(value, 30.0 + 31 * at) for at, value in enumerate(thrown)]
    lying = tuple(_die(value, x_mm, 60.0 + at_s % 40) for value, x_mm in places)
    aside = tuple(_die(value, 30.0 + 31 * at, 210.0) for at, value in enumerate(kept))
    return Observe(
        Observation(
            thrown=lying, kept=aside, doubt=Doubt(doubt) if doubt else None, photo_jpeg=JPEG, at_s=at_s, emptied=True
        )
    )


def _die(value: int, x_mm: float, y_mm: float) -> Die:
    box = (int(x_mm * 4) - 32, int(y_mm * 4) - 32, 64, 64)
    return Die(value=value, x_mm=x_mm, y_mm=y_mm, confidence=0.97, box_xywh=box)
