"""Pictures without dice, of what the other networks take for dice: dominoes, cards, holes, discs, and cut-out objects.

Each picture shows one kind of thing, one to eight times, on a photo or on a plain ground.
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.networks.classifier import rotation
from vision.reading.reading import FrameBGR

Cutout = NDArray[np.uint8]
"""(h, w, 4) picture of an object: blue, green, red, and its opacity."""

SIZE_WH = (960, 720)
"""Width and height, in pixels, of each picture without dice. Larger: things cover less of it, and a picture takes more
time and memory."""
OBJECT_PX = (40.0, 600.0)
"""Shortest and longest edge of the objects pasted into a picture, in pixels, drawn log-uniformly once per picture. Each
object is then scaled by 0.8 to 1.25. Wider: training sees more sizes, with fewer examples of each. An object larger
than the picture is left out, so a much longer edge gives pictures without any."""
PHOTO_SHARE = 0.08
"""Share, 0 to 1, of the pictures that are an unchanged photo, without a pasted object. More: training sees more
textures of real surroundings and fewer objects that resemble dice."""
PLAIN_SHARE = 0.5
"""Share, 0 to 1, of the pictures with pasted objects whose background is blended with one colour until nearly plain.
More trains on plain backgrounds, less on patterned ones."""
MIN_CONTRAST = 150
"""Least difference between the sums of the channels, each 0 to 765, of an object's body and its pips. Higher: only bold
pips, and more draws to find two colours. Lower: pips that hardly show."""
EDGE_PX = 120
"""Edge of the square canvas of a drawn disc or half a domino, in pixels, before it is scaled. The holes of a drawn
panel are a third of this apart. Larger: finer drawings, more time."""
LAYOUTS: dict[int, tuple[tuple[int, int], ...]] = {
    0: (),
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, 1), (-1, 1), (1, -1)),
    5: ((-1, -1), (1, 1), (-1, 1), (1, -1), (0, 0)),
    6: ((-1, -1), (1, 1), (-1, 1), (1, -1), (-1, 0), (1, 0)),
}
"""Places (x, y) of the pips of a domino's half or of a disc's dots, by their number, in steps between pips."""


class Things:
    """Draws pictures without dice from the cut-out objects and the photos of a folder.

    A picture with an alpha channel is an object; any other is a photo. `grounds` are more photos. Raises SystemExit if
    there is no photo.
    """

    def __init__(self, folder: Path, grounds: list[FrameBGR]) -> None:
        found = [cv2.imread(str(file), cv2.IMREAD_UNCHANGED) for file in sorted(folder.rglob("*")) if file.is_file()]
        coloured = [each for each in found if each is not None and each.ndim == 3 and each.dtype == np.uint8]
        self.objects: list[Cutout] = [each for each in coloured if each.shape[2] == 4]
        photos = [*grounds, *(each for each in coloured if each.shape[2] == 3)]
        if not photos:
            raise SystemExit(f"There is no photo without dice in {folder}.")
        self.photos = [cv2.resize(each, SIZE_WH, interpolation=cv2.INTER_AREA) for each in photos]

    def picture(self, rng: np.random.Generator) -> FrameBGR:
        """Draw a random picture (720, 960, 3) without dice."""
        shown = self.photos[int(rng.integers(len(self.photos)))].copy()
        if rng.random() < PHOTO_SHARE:
            return shown
        if rng.random() < PLAIN_SHARE:
            noise = rng.normal(0, rng.uniform(1, 8), shown.shape)
            shown = np.clip(0.15 * shown + 0.85 * np.array(_colour(rng)) + noise, 0, 255).astype(np.uint8)
        draw = (self._object, domino, panel, disc, card)[int(rng.choice(5, p=(0.48, 0.2, 0.08, 0.14, 0.1)))]
        edge_px = float(np.exp(rng.uniform(*np.log(OBJECT_PX))))
        for _ in range(int(rng.choice((1, 2, 3, 5, 8)))):
            _paste(shown, _turned(draw(rng), edge_px * rng.uniform(0.8, 1.25), rng), rng)
        return cv2.GaussianBlur(shown, (0, 0), rng.uniform(0.4, 1.4)) if rng.random() < 0.5 else shown

    def _object(self, rng: np.random.Generator) -> Cutout:
        return self.objects[int(rng.integers(len(self.objects)))] if self.objects else disc(rng)


def domino(rng: np.random.Generator) -> Cutout:
    """Draw a domino with two values, mostly with a line between its halves, sometimes with a rivet."""
    body, pip = _two_colours(rng)
    shown = np.full((2 * EDGE_PX, EDGE_PX, 3), body, np.uint8)
    radius, spread = rng.uniform(0.06, 0.11), rng.uniform(0.85, 1.0)
    for half in (0.5, 1.5):
        _pips(shown, (EDGE_PX / 2, half * EDGE_PX), EDGE_PX * spread, int(rng.integers(7)), pip, radius, rng)
    if rng.random() < 0.85:
        ends = (EDGE_PX // 10, EDGE_PX), (EDGE_PX - EDGE_PX // 10, EDGE_PX)
        cv2.line(shown, *ends, pip, int(rng.integers(1, 5)), cv2.LINE_AA)
    if rng.random() < 0.4:
        cv2.circle(shown, (EDGE_PX // 2, EDGE_PX), EDGE_PX // 12, (90, 170, 200), -1, cv2.LINE_AA)
    return _cut(shown, int(rng.integers(4, 27)))


def panel(rng: np.random.Generator) -> Cutout:
    """Draw a panel with 2 to 9 rows and columns of holes, as of a dice tower, a pegboard or a loudspeaker."""
    body, hole = _two_colours(rng)
    columns, rows, step = int(rng.integers(2, 10)), int(rng.integers(2, 10)), EDGE_PX // 3
    shown = np.full((rows * step, columns * step, 3), body, np.uint8)
    radius, shift = int(rng.uniform(0.12, 0.4) * step), 0.5 if rng.random() < 0.3 else 0.0
    for column in range(columns):
        for row in range(rows):
            centre = int((column + 0.5 + shift * (row % 2)) * step), int((row + 0.5) * step)
            cv2.circle(shown, centre, radius, hole, -1, cv2.LINE_AA)
    return _cut(shown, int(rng.integers(21)))


def disc(rng: np.random.Generator) -> Cutout:
    """Draw a shaded disc with dots, as a button, a chip, a counter or a fruit."""
    body, pip = _two_colours(rng)
    lamp = rng.uniform(0.3, 0.7, 2)[:, None, None]
    shade = 1.25 - 0.7 * np.hypot(*(np.mgrid[:EDGE_PX, :EDGE_PX] / EDGE_PX - lamp))[:, :, None]
    shown = np.clip(np.array(body) * shade, 0, 255).astype(np.uint8)
    dots = int(rng.choice((0, 1, 1, 1, 2, 4, 4, 5, 6)))
    if dots == 1 and rng.random() < 0.5:
        x, y = rng.uniform(0.4, 0.6, 2) * EDGE_PX
        cv2.circle(shown, (int(x), int(y)), max(2, int(rng.uniform(0.03, 0.15) * EDGE_PX)), pip, -1, cv2.LINE_AA)
    else:
        middle = EDGE_PX / 2, EDGE_PX / 2
        _pips(shown, middle, EDGE_PX * rng.uniform(0.5, 0.9), dots, pip, rng.uniform(0.04, 0.1), rng)
    if rng.random() < 0.4:
        middle_px = EDGE_PX // 2, EDGE_PX // 2
        cv2.circle(shown, middle_px, int(0.42 * EDGE_PX), pip, int(rng.integers(1, 6)), cv2.LINE_AA)
    return _cut(shown, EDGE_PX // 2)


def card(rng: np.random.Generator) -> Cutout:
    """Draw a card or a label with scattered spots, figures and letters."""
    body, pip = _two_colours(rng)
    height, width = ((220, 150), (150, 220), (120, 300), (200, 200))[int(rng.integers(4))]
    shown = np.full((height, width, 3), body, np.uint8)
    for _ in range(int(rng.integers(1, 13))):
        x, y = int(rng.integers(15, width - 15)), int(rng.integers(15, height - 15))
        if rng.random() < 0.6:
            cv2.circle(shown, (x, y), int(rng.integers(4, 15)), pip, -1, cv2.LINE_AA)
        else:
            letter, font = "0123456789OQo@*%"[int(rng.integers(16))], int(rng.integers(4))
            size, strokes = rng.uniform(0.5, 1.5), int(rng.integers(1, 5))
            cv2.putText(shown, letter, (x - 8, y + 8), font, size, pip, strokes, cv2.LINE_AA)
    return _cut(shown, int(rng.integers(17)))


def _pips(
    shown: NDArray[np.uint8],
    middle_xy: tuple[float, float],
    edge_px: float,
    value: int,
    colour: tuple[int, ...],
    radius: float,
    rng: np.random.Generator,
) -> None:
    """Draw the pips of a value, 0 to 6, around a middle, in place; in half of the calls turned by a quarter.

    `radius` is that of a pip, as a share of `edge_px`.
    """
    turned = rng.random() < 0.5
    for x, y in LAYOUTS[value]:
        step = np.array((y, x) if turned else (x, y)) * 0.27 * edge_px
        centre = int(middle_xy[0] + step[0]), int(middle_xy[1] + step[1])
        cv2.circle(shown, centre, max(2, int(radius * edge_px)), colour, -1, cv2.LINE_AA)


def _cut(shown: NDArray[np.uint8], corner_px: int) -> Cutout:
    """Return a drawn object with rounded corners of that radius; all outside is transparent."""
    height, width = shown.shape[:2]
    opacity = np.zeros((height, width), np.uint8)
    cv2.rectangle(opacity, (corner_px, 0), (width - corner_px - 1, height - 1), 255, -1)
    cv2.rectangle(opacity, (0, corner_px), (width - 1, height - corner_px - 1), 255, -1)
    for x in (corner_px, width - corner_px - 1):
        for y in (corner_px, height - corner_px - 1):
            cv2.circle(opacity, (x, y), corner_px, 255, -1, cv2.LINE_AA)
    return np.dstack([shown, opacity])


def _turned(thing: Cutout, edge_px: float, rng: np.random.Generator) -> Cutout:
    """Return an object scaled to a longer edge of `edge_px`, turned at random, and often narrowed as if seen aslant.

    The result is square and large enough for any turn; around the object it is transparent.
    """
    height, width = thing.shape[:2]
    scale = edge_px / max(height, width)
    aside = rng.uniform(0.7, 1.0) if rng.random() < 0.4 else 1.0
    about = np.diag([aside, 1.0]) @ rotation(rng.uniform(0, 2 * np.pi)) * scale
    reach = int(np.hypot(height, width) * scale) + 2
    shift = reach / 2 - about @ np.array([width / 2, height / 2])
    small = np.hstack([about, shift[:, None]])
    return cv2.warpAffine(thing, small, (reach, reach), flags=cv2.INTER_AREA, borderValue=(0, 0, 0, 0))


def _paste(shown: NDArray[np.uint8], thing: Cutout, rng: np.random.Generator) -> None:
    """Paste an object into a picture at a random place, often with a shadow; one that does not fit is left out."""
    height, width = thing.shape[:2]
    room_y, room_x = shown.shape[0] - height, shown.shape[1] - width
    if room_x <= 0 or room_y <= 0:
        return
    x, y = int(rng.integers(room_x)), int(rng.integers(room_y))
    part, opacity = shown[y : y + height, x : x + width].astype(np.float32), thing[:, :, 3:].astype(np.float32) / 255
    if rng.random() < 0.6:
        away = int(rng.integers(1, 9))
        moved = np.pad(opacity[:, :, 0], ((away, 0), (away, 0)))[:height, :width]
        shadow = cv2.GaussianBlur(moved, (0, 0), 1 + away / 2)[:, :, None] * rng.uniform(0.2, 0.6)
        part *= 1 - shadow * (1 - opacity)
    shown[y : y + height, x : x + width] = (part * (1 - opacity) + thing[:, :, :3] * opacity).astype(np.uint8)


def _colour(rng: np.random.Generator) -> tuple[int, ...]:
    hsv = rng.integers(180), rng.choice((0, 20, 120, 220)), rng.integers(30, 256)
    return tuple(int(level) for level in cv2.cvtColor(np.array([[hsv]], np.uint8), cv2.COLOR_HSV2BGR)[0, 0])


def _two_colours(rng: np.random.Generator) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Draw the colours of an object's body and of its pips, which differ clearly."""
    while True:
        body, pip = _colour(rng), _colour(rng)
        if abs(sum(body) - sum(pip)) > MIN_CONTRAST:
            return body, pip
