"""The track: which LEDs light which hole, for one shared lane or a lane per player, and the ready-made layouts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from companion.errors import SetupError, nearest
from hardware.settings import TrackSettings

Place = tuple[float, float]
"""x to the right and y down, in millimetres."""
Lane = tuple[tuple[int, ...], ...]
"""LEDs of the start pocket, of each hole, and of the finish pocket."""
OWN = "own"
"""Name of the layout that the section [track] of the settings describes."""


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Layout of a track: the LED of each hole, and each LED's place.

    Compared by identity, so that it can key a cache.

    Attributes:
        name: Name of the preset, or `own`.
        leds: Number of LEDs of the whole strip.
        lanes: For each lane the LEDs of its start pocket, each hole, and its finish pocket. A pocket may be empty.
        status: LEDs of the status segment, empty when there is none.
        places_mm: Place of each LED, x to the right and y down, for drawings.
    """

    name: str
    leds: int
    lanes: tuple[Lane, ...]
    status: tuple[int, ...]
    places_mm: tuple[Place, ...]

    @property
    def holes(self) -> int:
        """Number of holes of a lane, without its pockets."""
        return len(self.lanes[0]) - 2

    def lane_of(self, peg: int) -> Lane:
        """Return the lane of a peg, by its index in seat order; with more pegs than lanes, lanes are shared."""
        return self.lanes[peg % len(self.lanes)]

    def lane_index(self, hole: float, of_holes: int) -> int:
        """Convert a hole of a game to the index of its place in a lane of the LED track (`lane_of`).

        Index 0 is the start pocket, 1 to `holes` are the lane's holes, and `holes` + 1 is the finish pocket. A game of
        `of_holes` holes is scaled, rounding up, so that a peg that has moved is not shown at the start. A `hole` of 0
        or less is the game's start; any value above `of_holes` is its finish.
        """
        if hole <= 0:
            return 0
        if hole > of_holes:
            return self.holes + 1
        return min(self.holes, max(1, -int(-hole * self.holes // of_holes)))


def layout_from(settings: TrackSettings) -> Layout:
    """Convert the section [track] of the settings to a layout: the LEDs of each hole, and each LED's place in mm.

    The layout's name is `own`. Raises SetupError with the faults that `_problems` finds in the settings.
    """
    problems = _problems(settings)
    if problems:
        raise SetupError(problems)
    lanes = tuple(_lane(_indices(text), settings) for text in settings.lanes)
    places = _places(lanes, settings)
    return Layout(OWN, settings.leds, lanes, _indices(settings.status), places)


def layout_of(name: str, own: TrackSettings) -> Layout:
    """Return the ready-made layout of that name, or for `own` the one that the settings describe.

    Raises SetupError if there is no such name, or if the settings are wrong.
    """
    return layout_from(own) if name == OWN else preset(name)


def preset(name: str) -> Layout:
    """Return the ready-made layout of a name in PRESETS. Raises SetupError, with the nearest name, for any other.

    >>> layout = preset("strip122")
    >>> layout.leds, layout.holes, len(layout.lanes)
    (122, 120, 1)
    """
    if name not in PRESETS:
        raise SetupError([f"There is no layout called {name!r}{nearest(name, PRESETS)}"])
    return PRESETS[name]()


_RANGES = re.compile(r"\d{1,5}(-\d{1,5})?(,\d{1,5}(-\d{1,5})?)*")
"""A list of LEDs, as `0-60,66-126`. At most five digits: a typing error must not make a list of a billion LEDs."""


def _problems(settings: TrackSettings) -> list[str]:
    """Return a sentence with a cure for each fault of a described layout; an empty list if there is none.

    Lists of LEDs that can't be parsed are reported alone, and so is a layout without lanes. Otherwise the faults are
    lanes of the wrong length, LEDs that do not exist, and LEDs that are used twice.
    """
    texts = [*settings.lanes, *([settings.status] if settings.status else [])]
    unreadable = [text for text in texts if not _RANGES.fullmatch(text.replace(" ", ""))]
    if unreadable:
        return [f"{text!r} is no list of LEDs; write it like '0-121' or '0-60,66-126'." for text in unreadable]
    if not settings.lanes:
        return ["The track has no lane; name a preset or write lanes, for example lanes = ['0-121']."]
    problems = []
    wanted = settings.start_leds + settings.holes * settings.leds_per_hole + settings.finish_leds
    for number, text in enumerate(settings.lanes, 1):
        if (got := len(_indices(text))) != wanted:
            problems.append(
                f"Lane {number} names {got} LEDs, but {settings.holes} holes with their pockets need {wanted}; "
                f"{'add' if got < wanted else 'take away'} {abs(wanted - got)}."
            )
    named = Counter(index for text in texts for index in _indices(text))
    if (highest := max(named)) >= settings.leds:
        problems.append(
            f"The layout names LED {highest}, but the strip has {settings.leds} (0 to {settings.leds - 1}); "
            f"set leds = {highest + 1} or shorten the lanes."
        )
    twice = sorted(index for index, times in named.items() if times > 1)
    if twice:
        listed = ", ".join(map(str, twice[:8])) + (" ..." if len(twice) > 8 else "")
        problems.append(f"LEDs {listed} are mapped twice; give each of them to one hole only.")
    return problems


def _indices(text: str) -> tuple[int, ...]:
    """Return the LED indexes that a text such as `0-60,66-126` lists, in its order; `5-3` runs backwards.

    Spaces are ignored. Without them, the text must match `_RANGES` or be empty; this is not checked.
    """
    found: list[int] = []
    for part in filter(None, text.replace(" ", "").split(",")):
        first, _, last = part.partition("-")
        a, b = int(first), int(last or first)
        found += range(a, b + 1) if a <= b else range(a, b - 1, -1)
    return tuple(found)


def _lane(indices: Sequence[int], settings: TrackSettings) -> Lane:
    """Divide the LEDs of a lane, in wiring order, into start pocket, holes and finish pocket in the order of travel.

    With `serpentine`, pegs travel in wiring order. Without it, pegs travel from left to right in each row of
    `row_holes` holes, while the strip turns back at each row's end. The holes of the 2nd, 4th, ... row are then
    reversed, and so are the LEDs within each of these holes. The pockets are in no row and keep their order. The number
    of LEDs must fit the settings; it is not checked.
    """
    start, finish, each = settings.start_leds, settings.finish_leds, settings.leds_per_hole
    between = indices[start : len(indices) - finish]
    holes = [tuple(between[k : k + each]) for k in range(0, len(between), each)]
    if not settings.serpentine:
        rows = [holes[k : k + settings.row_holes] for k in range(0, len(holes), settings.row_holes)]
        turned = [row if number % 2 == 0 else [hole[::-1] for hole in row[::-1]] for number, row in enumerate(rows)]
        holes = [hole for row in turned for hole in row]
    return (tuple(indices[:start]), *holes, tuple(indices[len(indices) - finish :]))


def _places(lanes: Sequence[Lane], settings: TrackSettings) -> tuple[Place, ...]:
    """Return the place (x, y), in mm, of each LED of a strip whose track the settings describe lane by lane.

    `lanes` are those that `_lane` returns. Hole 1 of the first lane is at (0, 0), and y grows downwards. A row has
    `row_holes` holes and lies four LED pitches below the one before; lanes lie below each other. With `serpentine`
    every second row of a lane runs to the left. Pockets lengthen a lane's first and last row. LEDs that belong to no
    lane are in rows below all lanes.
    """
    row_leds = settings.row_holes * settings.leds_per_hole
    cells, top = dict[int, tuple[int, int]](), 0
    for start, *holes, finish in lanes:
        between = [led for hole in holes for led in hole]
        last_row = (len(between) - 1) // row_leds
        for step, led in enumerate((*start, *between, *finish), -len(start)):
            row = min(max(0, step // row_leds), last_row)
            column = step - row * row_leds
            leftward = settings.serpentine and row % 2 == 1
            cells[led] = (row_leds - 1 - column if leftward else column, top + row)
        top += last_row + 1
    for number, led in enumerate(led for led in range(settings.leds) if led not in cells):
        cells[led] = (number % row_leds, top + number // row_leds)
    pitch_mm = settings.pitch_mm
    return tuple((column * pitch_mm, row * 4 * pitch_mm) for _, (column, row) in sorted(cells.items()))


def strip122() -> Layout:
    """Return the layout of a straight strip of 122 LEDs (144 a metre): start, 120 holes, finish, in one lane."""
    pitch_mm = 1000 / 144
    lane = tuple((led,) for led in range(122))
    return Layout("strip122", 122, (lane,), (), tuple((led * pitch_mm, 0.0) for led in range(122)))


def board3x121() -> Layout:
    """Return the layout of a cribbage board: three lanes of 120 holes and a finish, one LED each, 144 LEDs a metre.

    The lanes run side by side, 11 mm apart, through four rows that are 48 mm apart. The wire follows the first lane to
    its finish, the second lane backwards, and the third lane forwards. No lane has a start pocket: a peg that has not
    started is not shown.
    """
    pitch_mm, lane_mm, row_mm = 1000 / 144, 11.0, 48.0
    places: list[Place] = []
    lanes: list[Lane] = []
    for lane in range(3):
        travel = [_on_board(step, lane * lane_mm, pitch_mm, row_mm) for step in range(121)]
        first = lane * 121
        indices = range(first, first + 121) if lane % 2 == 0 else range(first + 120, first - 1, -1)
        places += travel if lane % 2 == 0 else travel[::-1]
        lanes.append(((), *((led,) for led in indices)))
    return Layout("board3x121", 363, tuple(lanes), (), tuple(places))


def _on_board(step: int, across_mm: float, pitch_mm: float, row_mm: float) -> Place:
    """Return the place in mm of a hole, `step` 0 to 120, on a lane of the cribbage board `across_mm` from the outer."""
    # The outer lane stays the outer one at each turn, as on a cribbage board.
    row, column = min(3, step // 30), step - 30 * min(3, step // 30)
    forth = row % 2 == 0
    return (column if forth else 29 - column) * pitch_mm, row * row_mm + (across_mm if forth else 22.0 - across_mm)


def matrix16() -> Layout:
    """Return the layout of a 16 x 16 matrix wired back and forth: one lane as a spiral inwards.

    The lane has a start LED and 120 holes; the rest of the spiral is its finish pocket. LEDs between arms are unused.
    """
    side, pitch_mm = 16, 10.0
    # Rows are wired back and forth.
    cells = [(x if y % 2 == 0 else side - 1 - x, y) for y in range(side) for x in range(side)]
    path = [cells.index(cell) for cell in _snail(side)]
    lane = (*((led,) for led in path[:121]), tuple(path[121:]))
    return Layout("matrix16", side * side, (lane,), (), tuple((x * pitch_mm, y * pitch_mm) for x, y in cells))


def _snail(side: int) -> list[tuple[int, int]]:
    """Return in order the cells (x, y) of a clockwise spiral inwards from the upper left corner of a square.

    `side` is the square's width in cells. One row or column of cells stays free between neighbouring arms.
    """
    x, y, dx, dy = 0, 0, 1, 0
    taken = [(0, 0)]
    turns = 0
    while turns < 2:
        ahead, beyond = (x + dx, y + dy), (x + 2 * dx, y + 2 * dy)
        inside = 0 <= ahead[0] < side and 0 <= ahead[1] < side
        if inside and ahead not in taken and beyond not in taken:
            x, y = ahead
            taken.append(ahead)
            turns = 0
        else:
            dx, dy = -dy, dx
            turns += 1
    return taken


def table300() -> Layout:
    """Return the layout of a strip of 300 LEDs (60 a metre) round a table of 1.5 x 1 m, with two LEDs a hole.

    The layout has one lane of 120 holes with start and finish pocket, and a status segment.
    """
    start, holes, finish = range(4), range(4, 244), range(244, 252)
    lane = (tuple(start), *((led, led + 1) for led in holes[::2]), tuple(finish))
    # Clockwise from the upper left corner.
    along_mm, corners_mm = (np.arange(300) + 0.5) * 1000 / 60, (0, 1500, 2500, 4000, 5000)
    x_mm, y_mm = (np.interp(along_mm, corners_mm, each) for each in ((0, 1500, 1500, 0, 0), (0, 0, 1000, 1000, 0)))
    places = tuple(zip(x_mm.tolist(), y_mm.tolist(), strict=True))
    return Layout("table300", 300, (lane,), tuple(range(264, 288)), places)


PRESETS: dict[str, Callable[[], Layout]] = {
    "strip122": strip122,
    "board3x121": board3x121,
    "matrix16": matrix16,
    "table300": table300,
}
"""Functions that make the ready-made layouts of the track, by name."""
