"""Background subtraction against the empty tray, with shadows and lighting changes compensated.

The masks are coarse: a die is about a dozen pixels wide. A shadow dims the felt but keeps its hue. So each pixel is
compared with the empty tray's colour, scaled by the gain that fits best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.images.scaling import scaled
from vision.reading.reading import FrameBGR

Mask = NDArray[np.uint8]
"""(h, w) 255 for foreground, else 0."""
Levels = NDArray[np.float32]
"""(h, w, 3) or (h, w) float32 colour or grey levels, 0 to 255."""

MASK_FACE_PX = 16.0
"""Width of a die's face in the foreground masks, in pixels. Larger masks show thinner objects and take longer;
GAIN_TILE_PX and the kernel that closes holes are made for this width."""
LOW_THRESHOLD_LEVELS = 13.0
"""Low threshold of the hysteresis: colour distance, in levels of 0 to 255, above which a pixel is possible foreground.
A higher one overlooks dice of the felt's colour, a lower one takes noise for foreground."""
HIGH_THRESHOLD_LEVELS = 30.0
"""High threshold of the hysteresis: colour distance, in levels of 0 to 255, above which a pixel is certain foreground.
Also the tolerance of `EmptyTray.matches`; and a pixel with less than this share (of 255) of the empty tray's light is
too dim to judge. A higher one overlooks objects, and calls dim light too dim sooner."""

SHADOW_GAIN_RANGE = (0.47, 1.12)
"""Smallest and largest factor by which shadow or reflected light may change the felt's brightness. It limits a tile of
the lighting estimate relative to the whole view, and a pixel relative to that estimate. A wider range overlooks dark or
pale dice; a narrower one takes shadows for dice."""
GAIN_TILE_PX = 64
"""Side of a tile of the lighting estimate, in pixels of the foreground masks. It is four times a die's face, so that
dice seldom fill half of a tile. Larger: a coarser estimate; smaller: dice distort it."""
GAIN_SAMPLES = 16
"""Pixels along each side of a tile that the lighting estimate uses. More are slower; fewer make it less exact."""


_CHANNEL_SUM = np.ones((1, 3), np.float32)
"""Matrix that sums the three colour channels."""
_FACE_KERNEL = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (5, 5))
"""Kernel, 5 px wide, for masks in which a face is 16 px wide. It closes holes of up to four pixels, and lets
`EmptyTray.matches` allow shifts of two. A larger one joins dice that lie close; a smaller one leaves holes."""


@dataclass(frozen=True, slots=True, eq=False)
class Foreground:
    """Where a view differs from the empty tray. Holes of a few pixels, such as pips within a die, are filled.

    Attributes:
        possible: Mask at the low threshold; includes hard shadows and changed light.
        certain: Mask at the high threshold; may miss parts of a die that has the felt's colour.
    """

    possible: Mask
    certain: Mask


@dataclass(frozen=True, slots=True, eq=False)
class EmptyTray:
    """The reference picture of the empty floor, which views of the floor are compared with.

    Attributes:
        scale: Scale of the masks and of `levels` relative to the view of the floor.
        levels: (h, w, 3) colour levels of the empty floor at that scale.
    """

    scale: float
    levels: Levels

    @staticmethod
    def of(view_bgr: FrameBGR, face_px: float, wanted_px: float = MASK_FACE_PX) -> EmptyTray:
        """Make the reference picture by shrinking a view of the empty floor.

        Args:
            view_bgr: (h, w, 3) view of the empty floor.
            face_px: Width of a die's face in this view, in pixels.
            wanted_px: Width of a face in the reference, in pixels. A view with smaller faces is not enlarged.
        """
        scale = min(1.0, wanted_px / face_px)
        return EmptyTray(scale, shrunk(view_bgr, scale))

    def foreground(self, view: Levels) -> Foreground:
        """Return the masks of possible and certain foreground in a view of the floor.

        The caller has shrunk `view` to `scale`; the masks have its size. Soft shadows and smooth changes of light are
        compensated. A pixel too dim to judge is set in both masks.
        """
        distance = self._distance(view)
        return Foreground(_mask(distance > LOW_THRESHOLD_LEVELS), _mask(distance > HIGH_THRESHOLD_LEVELS))

    def registered(self, view: Levels, dice: Mask) -> EmptyTray:
        """Return the empty tray's reference, shifted and rotated to match `view`, in which the tray has moved a little.

        The caller has shrunk `view` to the reference's `scale`, and `dice`, the mask of pixels to leave out.
        Registration maximises the enhanced correlation coefficient (Evangelidis and Psarakis 2008), which ignores a
        global change of brightness. Returns `self` if the registration fails.
        """
        reference, current = (cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY) for picture in (self.levels, view))
        identity = np.identity(3, np.float32)[:2]
        try:
            _, warp = cv2.findTransformECC(
                reference, current, identity, motionType=cv2.MOTION_EUCLIDEAN, inputMask=~dice
            )
        except cv2.error:  # a plain ground, or one that has nothing in common with the view
            return self
        size_wh = reference.shape[1::-1]
        return EmptyTray(self.scale, cv2.warpAffine(self.levels, warp, size_wh, borderMode=cv2.BORDER_REPLICATE))

    def matches(self, view: Levels, face_xy: Sequence[float], size_px: float) -> bool:
        """Return whether a view shows only the empty tray where a face was detected.

        Each pixel is compared with the empty tray within two pixels of the same place. In each channel its level must
        lie between the least and the greatest level there, or less than HIGH_THRESHOLD_LEVELS outside. True for a face
        that is printed on the tray. False for a white die on white paper: its pips differ.

        Args:
            view: View of the tray, already shrunk to `scale`.
            face_xy: Centre of the face, in pixels of `view`.
            size_px: Edge of the face, in pixels of `view`.
        """
        last_xy = np.subtract(view.shape[1::-1], 1)  # a cut-off die may be found beyond the edge
        corners = np.add.outer((-size_px / 2, size_px / 2), face_xy).round().clip(0, last_xy)
        (x0, y0), (x1, y1) = corners.astype(int)
        seen = view[y0 : y1 + 1, x0 : x1 + 1]
        left, up = min(x0, 2), min(y0, 2)  # the kernel also needs the empty tray around the face
        around = self.levels[y0 - up : y1 + 3, x0 - left : x1 + 3]
        own = np.s_[up : up + seen.shape[0], left : left + seen.shape[1]]
        brightest, darkest = cv2.dilate(around, _FACE_KERNEL)[own], cv2.erode(around, _FACE_KERNEL)[own]
        return bool(max((seen - brightest).max(), (darkest - seen).max()) < HIGH_THRESHOLD_LEVELS)

    def _gain(self, view: Levels) -> Levels:
        """Return the ratio of a view's light to that of the empty tray, (h, w, 3): 1 for equal light, 2 for double.

        The ratio of each tile is its median, so that dice hardly count. It is limited to SHADOW_GAIN_RANGE times the
        median of the whole view, and interpolated between the tiles.
        """
        height, width = view.shape[:2]
        across, down = (max(1, round(side / GAIN_TILE_PX)) for side in (width, height))
        size_wh = across * GAIN_SAMPLES, down * GAIN_SAMPLES
        seen, empty = (cv2.resize(each, size_wh, interpolation=cv2.INTER_NEAREST) for each in (view, self.levels))
        ratio = (seen + 1) / (empty + 1)  # black pixels have no ratio
        tiles = ratio.reshape(down, GAIN_SAMPLES, across, GAIN_SAMPLES, 3)
        grid, overall = np.median(tiles, axis=(1, 3)), np.median(tiles, axis=(0, 1, 2, 3))
        grid = np.clip(grid, overall * SHADOW_GAIN_RANGE[0], overall * SHADOW_GAIN_RANGE[1]).astype(np.float32)
        return cv2.resize(grid, (width, height), interpolation=cv2.INTER_LINEAR)

    def _distance(self, view: Levels) -> Levels:
        """Return each pixel's colour distance from the empty tray, (h, w) in levels; shadows and light don't count.

        Infinite where the light is so dim that objects can't be seen.

        The empty tray is first adapted to the view's light (`_gain`). Then each of its pixels is scaled by the gain
        that fits best, within SHADOW_GAIN_RANGE. For a view s, an empty tray e and a gain d the distance is the square
        root of s.s - 2 d s.e + d d e.e. This form needs the fewest passes over colours.
        """
        empty = self.levels * self._gain(view)
        empty_squared = cv2.max(cv2.transform(empty * empty, _CHANNEL_SUM), 1.0)
        product = cv2.transform(view * empty, _CHANNEL_SUM)
        gain = cv2.min(cv2.max(cv2.divide(product, empty_squared), SHADOW_GAIN_RANGE[0]), SHADOW_GAIN_RANGE[1])
        squared = cv2.transform(cv2.multiply(view, view), _CHANNEL_SUM) + gain * (gain * empty_squared - 2 * product)
        share = (_brightest(view) + 1) / (_brightest(self.levels) + 1)
        # In such dim light even white on black would not be certain foreground.
        squared[share < HIGH_THRESHOLD_LEVELS / 255] = np.inf
        return cv2.sqrt(cv2.max(squared, 0.0))


def shrunk(view_bgr: FrameBGR, scale: float) -> Levels:
    """Return a view scaled by `scale` (at most 1) as (h, w, 3) float32. Averaging removes noise like a blur would."""
    return scaled(view_bgr, scale).astype(np.float32)


def _brightest(levels: Levels) -> Levels:
    """Return each pixel's brightest channel, (h, w), of (h, w, 3) levels. NumPy's `max` takes 25 times as long."""
    return reduce(cv2.max, cv2.split(levels))


def _mask(foreground: NDArray[np.bool_]) -> Mask:
    """Convert an (h, w) boolean foreground to a mask of 0 and 255, with holes of up to four pixels across closed."""
    return cv2.morphologyEx(foreground.astype(np.uint8) * 255, cv2.MORPH_CLOSE, _FACE_KERNEL)
