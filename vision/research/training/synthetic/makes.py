"""Draws the look of painted dice at random from the kinds that are sold: colours, pips, marbling and wear."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Image = NDArray[np.float32]

MARBLED_SHARE = 0.4
"""Share, 0 to 1, of the painted makes without worn paint for which a second body colour is drawn. Worn makes have only
one. Larger: training sees more marbled dice."""
WORN_SHARE = 0.2
"""Share of the painted makes of dice, 0 to 1, that have lost paint. More trains on faded pips."""
GOLD, RED = np.array([70.0, 165, 200]), np.array([45.0, 30, 160])
"""Colours (b, g, r) of pips that are common on dark dice and stand out least."""
MAX_TRIED_COLOURS = 8
"""Largest number of colours that are tried for a marbling; if none contrasts with the pips, the body stays plain. More:
fewer plain bodies."""
MIN_CONTRAST_LEVELS = 36.0
"""Least difference of pips and body in some colour channel, 0 to 255. Dark red on black has little more; a higher limit
paints no such dice."""


@dataclass(frozen=True, slots=True, eq=False)
class Make:
    """How one die is made: colours in BGR levels, lengths in edges of a face."""

    body: Image
    marbling: Image
    """The second colour of a marbled or speckled body; the same as the first in one of a single colour."""
    speck_px: int
    """Size of the marbling's patches, in pixels of a face's texture."""
    pip: Image
    one: Image
    """Colour of the single pip."""
    spacing: float
    radius: float
    one_larger: float
    corner: float
    drilled: float
    """How strongly the pips are shaded as hollows, 0 to 1."""
    grain: float
    """Levels of noise in the body."""
    streaky: bool
    clear: float
    """How much of the ground shines through, 0 to 1."""
    worn: float
    """Probability that a pip has lost paint. A pip without any still shows its hollow."""
    veined: bool = False
    """Whether the marbling runs in veins, not in patches."""
    glitter: float = 0.0
    """Share of the body that sparkles, 0 to 1."""
    sheen: float = 14.0
    """Standard deviation of a face's change of light from its middle to an edge, in levels. Large for metal."""
    gloss: float = 0.0
    """Probability that a face mirrors a window or lamp as a bright line; also scales the glints in drilled pips."""
    ringed: bool = False
    """Whether the pips are rings."""
    dotted: bool = False
    """Whether rings have a dot in the middle, as old bone dice have."""
    uneven: float = 0.006
    """Standard deviation of a pip's position along x and y, in edges of a face. Larger for pips drilled by hand."""


def some_make(rng: np.random.Generator) -> Make:
    """Draw the look of a die: ivory, black, coloured with white pips or another common kind, or any two colours."""
    body, pip = _colours(rng)
    while np.abs(body - pip).max() < MIN_CONTRAST_LEVELS:
        pip = rng.uniform(0, 255, 3)
    worn = rng.uniform(0.05, 0.6) if rng.random() < WORN_SHARE else 0.0
    metal, mirror = bool(rng.random() < 0.06), rng.random()
    marbling = _second_colour(body, pip, rng) if rng.random() < MARBLED_SHARE and not worn else body
    one = pip if rng.random() < 0.8 else np.array([30.0, 20.0, 200.0])
    if np.abs(body - one).max() < MIN_CONTRAST_LEVELS:
        one = pip
    return Make(
        body.astype(np.float32),
        marbling.astype(np.float32),
        int(rng.integers(3, 24)),
        pip.astype(np.float32),
        one.astype(np.float32),
        spacing=rng.uniform(0.20, 0.29),
        radius=rng.uniform(0.07, 0.125),
        one_larger=rng.uniform(1.3, 2.0) if rng.random() < 0.2 else 1.0,
        corner=rng.uniform(0.02, 0.30),
        drilled=rng.uniform(0.35, 1) if worn else rng.uniform(0, 1) if rng.random() < 0.5 else 0.0,
        grain=rng.uniform(3, 10 if worn else 28) if metal or rng.random() < 0.35 else 0.0,
        streaky=metal or bool(rng.random() < 0.5),
        clear=rng.uniform(0.1, 0.85) if not metal and not worn and rng.random() < 0.28 else 0.0,
        worn=worn,
        veined=bool(rng.random() < 0.6),
        glitter=rng.uniform(0.01, 0.12) if rng.random() < 0.1 else 0.0,
        sheen=rng.uniform(30, 70) if metal else 14.0,
        gloss=mirror if mirror > 0.5 else 0.0,
        ringed=bool(rng.random() < 0.07),
        dotted=bool(rng.random() < 0.6),
        uneven=rng.uniform(0.01, 0.03) if rng.random() < 0.12 else 0.006,
    )


def _colours(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Draw the colours (b, g, r) of body and pips."""
    kind, dark = rng.random(), rng.uniform(5, 60, 3)
    if kind < 0.22:
        ivory = rng.uniform(180, 255, 3) - (rng.random() < 0.5) * np.array([60.0, 20, 0])
        return ivory, rng.uniform(0, 60, 3)
    if kind < 0.34:
        return dark, rng.uniform(170, 255, 3)
    if kind < 0.48:
        return dark, _vivid(rng)
    if kind < 0.58:
        return dark, GOLD * rng.uniform(0.5, 1.1) if rng.random() < 0.5 else RED * rng.uniform(0.45, 1.2)
    if kind < 0.72:
        return _vivid(rng), np.full(3, rng.uniform(190, 255))
    if kind < 0.80:
        return _vivid(rng), GOLD * rng.uniform(0.7, 1.15)
    if kind < 0.85:
        return _vivid(rng), _vivid(rng)
    if kind < 0.91:
        return _wood_or_bone(rng), rng.uniform(0, 70, 3) if rng.random() < 0.75 else rng.uniform(170, 255, 3)
    return rng.uniform(0, 255, 3), rng.uniform(0, 255, 3)


def _vivid(rng: np.random.Generator) -> Floats:
    """Draw a saturated colour (b, g, r)."""
    hue, full, bright = rng.uniform(0, 180), rng.uniform(120, 255), rng.uniform(60, 230)
    return cv2.cvtColor(np.array([[[hue, full, bright]]], np.uint8), cv2.COLOR_HSV2BGR)[0, 0].astype(float)


def _wood_or_bone(rng: np.random.Generator) -> Floats:
    """Draw a colour (b, g, r) of wood or bone."""
    hue, full, bright = rng.uniform(6, 26), rng.uniform(40, 190), rng.uniform(70, 240)
    return cv2.cvtColor(np.array([[[hue, full, bright]]], np.uint8), cv2.COLOR_HSV2BGR)[0, 0].astype(float)


def _black_or_white(rng: np.random.Generator) -> Floats:
    """Draw a nearly black or nearly white colour (b, g, r)."""
    return np.full(3, rng.uniform(0, 60) if rng.random() < 0.5 else rng.uniform(180, 255))


def _second_colour(body: Floats, pip: Floats, rng: np.random.Generator) -> Floats:
    """Draw a second colour of the body that contrasts with the pips; the body's own colour if none is found."""
    for _ in range(MAX_TRIED_COLOURS):
        other = _vivid(rng) if rng.random() < 0.65 else _black_or_white(rng)
        colour = body + (other - body) * rng.uniform(0.3, 1)
        if np.abs(colour - pip).max() >= MIN_CONTRAST_LEVELS:
            return colour
    return body
