"""What the pages need of the rest of the house: small protocols that whoever composes the program fulfils."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from companion.session.past.review import ReviewedThrow
from companion.session.past.statistics import Tally
from companion.session.snapshot import News, Snapshot
from web.pairing import Pairing


class TablePart(Protocol):
    """The table's single writer, as `companion.session.table.Table`."""

    def snapshot(self) -> Snapshot:
        """The newest snapshot."""

    def subscribe(self, callback: Callable[[Snapshot, News], None]) -> Callable[[], None]:
        """Call back with each new snapshot and what it brought (from the writer's thread); returns what ends it."""

    def submit(self, command: Any) -> Snapshot:
        """Do a command; the snapshot after it. Raises StaleAction, IllegalAction, NotationError, RulesError."""


class BoardFrame(Protocol):
    """What the LED strip shows at a moment."""

    @property
    def leds(self) -> Sequence[Sequence[int]]:
        """[r, g, b] of each LED, 0 to 255, in the order of the strip."""

    @property
    def milliamps(self) -> float:
        """What the strip draws now."""


class BoardPart(Protocol):
    """The LED board."""

    def latest(self) -> BoardFrame:
        """The newest frame."""

    def spots(self) -> Sequence[tuple[float, float]]:
        """Where each LED is on the board: x to the right and y down, in millimetres, in the order of the strip."""


class SwitchCard(Protocol):
    """A house rule, as `companion.games.game.Switch`."""

    @property
    def key(self) -> str:
        """Its key in a header's `rules`."""

    @property
    def default(self) -> bool | int:
        """Its value when a header does not name it."""

    @property
    def title(self) -> str:
        """Its name on a form."""

    @property
    def meaning(self) -> str:
        """What it does, in words."""

    @property
    def minimum(self) -> int | None:
        """The least value of a number."""


class GameCard(Protocol):
    """A game that can be chosen, as `companion.games.game.Game`."""

    @property
    def name(self) -> str:
        """Its name in a header."""

    @property
    def title(self) -> str:
        """Its name in words."""

    @property
    def min_players(self) -> int:
        """The fewest players."""

    @property
    def max_players(self) -> int | None:
        """The most players; None when there is no limit."""

    @property
    def switches(self) -> Sequence[SwitchCard]:
        """Its house rules."""

    @property
    def presets(self) -> Mapping[str, Mapping[str, bool | int]]:
        """Named sets of house rules."""

    @property
    def in_words(self) -> str:
        """How it is played, in paragraphs."""

    @property
    def credits(self) -> str:
        """Whose game it is."""


class PhotoPart(Protocol):
    """The photos that are kept."""

    def throw_jpeg(self, number: int) -> bytes | None:
        """The photo of a throw, or None."""

    def question_jpeg(self, number: int) -> bytes | None:
        """The photo that a question is about, or None when it is no longer open."""


class TrayPart(Protocol):
    """The virtual tray: dice that a person moves on a page. There is none when the camera is real."""

    def throw(self, ids: Sequence[int] | None, strength: float) -> None:
        """Throw these dice (None: all that lie in the throw zone or outside); strength 0 to 1."""

    def shake(self) -> None:
        """Shake the tray: the dice in the throw zone are thrown again."""

    def move(self, die: int, x_mm: float, y_mm: float) -> None:
        """Lay a die somewhere in the tray, the same face up. Raises ValueError for no such die."""

    def lift(self, ids: Sequence[int] | None) -> None:
        """Lift these dice (None: all) out of the tray. Raises ValueError for no such die."""

    def dice(self) -> Sequence[Mapping[str, Any]]:
        """Each die: `id`, `x_mm`, `y_mm`, `place` (throw, keep, out), `x_px`, `y_px`, `size_px` in the picture.

        Never a value: the page shows the picture, and the camera reads it.
        """

    def zones(self) -> Mapping[str, Any]:
        """`width_mm`, `height_mm`, `keep` and `throw` [x, y, w, h] in mm, `picture_wh`, `mm_to_px` (3 x 3)."""

    def picture_jpeg(self) -> bytes:
        """The camera's newest picture."""


class EveningPart(Protocol):
    """Games played, from the journal."""

    def games(self) -> Sequence[Mapping[str, Any]]:
        """Newest first: `id`, `game`, `title`, `players`, `winners`, `games_lost`, `over`, `throws`, `started`."""

    def transcript(self, game: int) -> Sequence[Mapping[str, Any]] | None:
        """The lines of a game that stand, the header first; None when there is no such game."""

    def moves(self, game: int) -> Sequence[Mapping[str, Any]] | None:
        """For each line: `line`, `state` after it, and the number of its `throw` or None."""

    def tallies(self, game: int) -> Mapping[str, Tally] | None:
        """Each player of a game in figures; None when there is no such game."""

    def players(self) -> Mapping[str, Tally]:
        """Everyone who has played here, over all games."""


class ReviewPart(Protocol):
    """Throws that the reader doubted or had wrong, as `companion.session.past.review.Review`."""

    def throws(self) -> Sequence[ReviewedThrow]:
        """The ones that stand, newest first."""

    def say(self, throw: int, values: Sequence[int]) -> None:
        """Say what each die of a throw's photo shows, 0: no die. Raises IllegalAction."""


class Voice(Protocol):
    """The table's own loudspeaker."""

    @property
    def on(self) -> bool:
        """Whether it speaks."""

    def turn(self, on: bool) -> None:
        """Let it speak, or be quiet."""


class CalibratePart(Protocol):
    """Calibrating with the table's own camera. What can't be done is a DeviceError."""

    def look(self) -> Mapping[str, Any]:
        """What the newest picture shows.

        `picture_wh` or None, `markers` and `zones` (throw, keep; empty while the sheet is not found) as [x, y] of their
        corners in pixels, `advice` with `code` and `says`, `sheet` and `empty` (taken?), `calibrated`, `says`,
        `virtual`, `lens` or None: from how many `views` `of` how many it is known, `degrees` across, `measured` or not.
        """

    def picture_jpeg(self) -> bytes | None:
        """The newest picture, or None."""

    def sheet_pdf(self, paper: str) -> bytes:
        """The sheet to print, on `a4` or `letter`."""

    def take_sheet(self, plan: Mapping[str, float], height_mm: float | None) -> Mapping[str, Any]:
        """Take the sheet in a tray of those measures (`web.api_calibrate.SheetBody`), the lens so high; the look."""

    def take_empty(self) -> Mapping[str, Any]:
        """Take the empty tray and keep the calibration; the look after it."""

    def take_die(self) -> Mapping[str, Any]:
        """Measure the one die in the throw zone and keep its size; the look after it."""

    def lay_sheet(self, lie: bool) -> Mapping[str, Any]:
        """Lay the sheet into the virtual tray, or lift it; the look after it."""


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where phones find the table.

    Attributes:
        page: The address to open, with the number and not a name: `http://192.168.4.1:8000/`.
        others: More addresses that reach it.
        names: Host names besides IP addresses, `localhost` and `*.local` that requests may name.
        wifi: Text of the QR code that joins the Wi-Fi (`WIFI:T:WPA;S:...;P:...;;`), or None.
    """

    page: str
    others: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    wifi: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """All that `web.app.create_app` needs."""

    table: TablePart
    board: BoardPart
    health: Callable[[], Mapping[str, Any]]
    games: Sequence[GameCard]
    pairing: Pairing
    photos: PhotoPart
    addresses: Addresses
    tray: TrayPart | None = None
    evening: EveningPart | None = None
    review: ReviewPart | None = None
    voice: Voice | None = None
    calibrate: CalibratePart | None = None
    name: str = "Peg & Pip"
    version: str = field(default="0")
    clock: Callable[[], float] = time.monotonic
