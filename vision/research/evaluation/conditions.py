"""The twelve conditions of the rendered evaluation: kinds of dice, ground, light and camera."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np

from vision.cameras.simulated.camera import LENS
from vision.cameras.simulated.tray import DIE_MM, RIDGE_MM, TRAY_WH_MM
from vision.research.evaluation import grounds, kinds
from vision.research.evaluation.grounds import Ground
from vision.research.evaluation.kinds import Material
from vision.research.evaluation.raycast import Doubles, Floats, Lamp, LyingDie
from vision.research.evaluation.scene import Rendered, Scene, Shot, flat_turn, rendered

MARGIN_MM = 12.5
"""Least distance of a die's centre from the walls and from the ridge between the zones, in mm. A flat die then fits at
any rotation. Smaller puts dice into the walls; larger leaves less room for them."""
TOUCHING_SHARE = 0.3
"""Share, 0 to 1, of the uncrowded pictures in which two dice touch face to face. More makes the pictures harder to
read."""
MIN_GAP_MM = 1.5
"""Least gap, in mm, between dice that are not meant to touch. A larger one spreads the dice; if one finds no free
place, rendering never ends."""
BESIDE_SHARE = 0.7
"""Share of the dice of a crowded picture, 0 to 1, that are placed against another die. More makes larger groups."""
Light = tuple[list[Lamp], Doubles]
"""Lamps, and the (3,) colour of the ambient light."""
Place = tuple[float, float, float]
"""Centre x and y of a die in mm, and its rotation in radians."""


@dataclass(frozen=True, slots=True)
class Condition:
    """The materials, ground and lights from which a picture is rendered.

    Attributes:
        name: Name of the condition.
        dice: Materials of dice to choose from.
        grounds: Painters of the ground to choose from.
        light: Draws the light.
        shot: Draws the settings of the camera.
    """

    name: str
    dice: tuple[Material, ...]
    grounds: tuple[Ground, ...]
    light: Callable[[np.random.Generator], Light]
    shot: Callable[[np.random.Generator], Shot]


def soft(rng: np.random.Generator) -> Light:
    """Draw soft light: two diffuse bars left and right, as docs/reference/hardware.md wants them."""
    bar = rng.uniform(0.28, 0.36)
    tint = 1 + rng.uniform(-0.06, 0.06) * np.array([1, 0, -1])
    left, right = _towards(180 + rng.uniform(-12, 12), 55), _towards(rng.uniform(-12, 12), 55)
    return [Lamp(left, tint * bar, 6.0), Lamp(right, tint * bar * rng.uniform(0.85, 1.1), 6.0)], 0.4 * tint


def hard(rng: np.random.Generator) -> Light:
    """Draw hard light: one bare bulb at the side, with crisp shadows and bright highlights."""
    bulb = _towards(rng.uniform(0, 360), rng.uniform(42, 60))
    return [Lamp(bulb, np.array([0.78, 0.88, 1.0]) * rng.uniform(0.85, 1.05), 0.7)], np.array([0.20, 0.19, 0.18])


def coloured(rng: np.random.Generator) -> Light:
    """Draw coloured light: warm bulbs, or a pub's coloured lamp at one side."""
    tint = np.array(((0.55, 0.82, 1.0), (1.0, 0.75, 0.68), (0.72, 0.9, 0.74), (0.85, 0.66, 1.0))[rng.integers(4)])
    lamps = [Lamp(_towards(rng.uniform(0, 360), 55), tint * 0.6, 3.0)]
    return lamps, 0.45 * (0.4 + 0.6 * tint)


def dim(rng: np.random.Generator) -> Light:
    """Draw dim light, as of a candle. The camera's gain makes up for it and adds noise."""
    lamps, sky = soft(rng)
    part = rng.uniform(0.22, 0.4)
    return [Lamp(one.towards, one.colour_bgr * part, one.soft_mm) for one in lamps], sky * part


def evening(rng: np.random.Generator) -> Light:
    """Draw the lighting of a pub in the evening: dim or coloured."""
    return (dim, coloured)[rng.integers(2)](rng)


def mixed(rng: np.random.Generator) -> Light:
    """Draw any of the usual lights."""
    return (soft, hard, coloured)[rng.choice(3, p=[0.6, 0.25, 0.15])](rng)


def clean(rng: np.random.Generator) -> Shot:
    """Draw the settings of a well calibrated camera: right exposure, little noise and blur."""
    return Shot(rng.uniform(0.93, 1.07), rng.uniform(1.2, 2.4), rng.uniform(0.5, 0.9), jpeg=_quality(rng, 88))


def noisy(rng: np.random.Generator) -> Shot:
    """Draw the settings of a camera at high gain: much noise."""
    return Shot(rng.uniform(0.85, 1.15), rng.uniform(4, 7), rng.uniform(0.6, 1.0))


def blurred(rng: np.random.Generator) -> Shot:
    """Draw the settings of a poor camera: out of focus, motion blur, lens distortion and often low JPEG quality."""
    return Shot(
        rng.uniform(0.92, 1.08),
        rng.uniform(1.5, 2.5),
        rng.uniform(1.2, 2.0),
        rng.uniform(0, 3),
        rng.uniform(-0.03, 0.02),
        _quality(rng, 55),
    )


ALL_GROUNDS: tuple[Ground, ...] = (grounds.felt, grounds.felt, grounds.leather, grounds.wood)
"""Grounds to choose from where the light or the camera is tested. Felt stands twice, so that half of them are felt."""
_RIG: tuple[Ground, ...] = (grounds.felt,)
"""Ground of the tray as it is built: felt only."""

CONDITIONS = (
    Condition("ivory", (kinds.IVORY, kinds.WHITE_RED_PIPS), _RIG, soft, clean),
    Condition("black", (kinds.BLACK, kinds.SPECKLED_NIGHT), _RIG, soft, clean),
    Condition("coloured dice", (kinds.RED, kinds.BLUE, kinds.GREEN, kinds.AMBER), _RIG, soft, clean),
    Condition("translucent", (kinds.RUBY, kinds.SAPPHIRE, kinds.SMOKE), _RIG, soft, clean),
    Condition("speckled, wooden", (kinds.SPECKLED_GREY, kinds.MARBLED, kinds.BEECH, kinds.WALNUT), _RIG, soft, clean),
    Condition(
        "rounded, large one", (kinds.LARGE_ONE, kinds.LARGE_RED_ONE, kinds.ROUNDED, kinds.PRINTED), _RIG, soft, clean
    ),
    Condition("worn paint", (kinds.WORN_IVORY, kinds.WORN_RED), _RIG, soft, clean),
    Condition("leather, wood", kinds.ALL_KINDS, (grounds.leather, grounds.wood), soft, clean),
    Condition("wet, patterned", kinds.PLAIN_KINDS, (grounds.wet_felt, grounds.patterned), soft, clean),
    Condition("hard light", kinds.PLAIN_KINDS, ALL_GROUNDS, hard, clean),
    Condition("dim, coloured", kinds.PLAIN_KINDS, ALL_GROUNDS, evening, noisy),
    Condition("blur, bent, jpeg", kinds.PLAIN_KINDS, ALL_GROUNDS, mixed, blurred),
)
"""The twelve conditions: name, kinds of dice, grounds, light and camera."""


def picture(condition: Condition, seed: int, most: int = 7, *, crowded: bool = False) -> Rendered:
    """Render the picture of a condition and seed. The same arguments give the same picture.

    Args:
        condition: Choices of dice, ground, light and camera.
        seed: Seed of all randomness.
        most: Largest number of dice; the least is two.
        crowded: Whether most dice touch another one, with a side or a corner.
    """
    rng = np.random.default_rng([seed, *condition.name.encode()])
    lamps, sky = condition.light(rng)
    scene = Scene(
        tray(condition.grounds[rng.integers(len(condition.grounds))], rng),
        fall_off(rng),
        lamps,
        sky,
        lying(condition.dice, int(rng.integers(2, most + 1)), rng, crowded=crowded),
    )
    return rendered(scene, condition.shot(rng), rng)


def tray(ground: Ground, rng: np.random.Generator) -> Floats:
    """Paint the tray from above, (h, w, 3) linear light: the ground, a wooden rim, and the ridge at the keep zone."""
    seen = grounds.wood(LENS.size_wh, rng) * 0.6
    x0, y0, x1, y1 = LENS.project(np.array([[0, 0, 0], [*TRAY_WH_MM, 0]])).round().astype(int).ravel()
    seen[y0:y1, x0:x1] = ground((int(x1 - x0), int(y1 - y0)), rng)
    ridge = round(float(LENS.project(np.array([RIDGE_MM, 0.0, 0.0]))[0]))
    seen[y0:y1, ridge - 5 : ridge + 5] = (0.06, 0.22, 0.36)
    seen[y0:y1, ridge - 5 : ridge - 2] *= 0.5
    return seen


def fall_off(rng: np.random.Generator) -> Floats:
    """Draw the uneven light of the tray: (h, w) share of it at each pixel, 1 at the brightest place."""
    width, height = LENS.size_wh
    x, y = rng.uniform(0.3, 0.7, 2) * (width, height)
    far = np.hypot((np.arange(width) - x)[None, :], (np.arange(height) - y)[:, None]) / width
    return (1 - rng.uniform(0.1, 0.4) * far**2).astype(np.float32)


def lying(of: tuple[Material, ...], count: int, rng: np.random.Generator, *, crowded: bool = False) -> list[LyingDie]:
    """Draw dice of random materials that lie flat without overlap, all of one kind in half of the pictures.

    With `crowded` most dice touch another one. Without it two dice touch in some of the pictures, and no others do.
    `count` is at least 2. Never returns if a die finds no free place.
    """
    one_set = rng.random() < 0.5
    first = of[rng.integers(len(of))]
    dice = []
    for x, y, yaw in (_crowd if crowded else _strewn)(count, rng):
        kind = first if one_set else of[rng.integers(len(of))]
        # Dice of one set come from one maker; each has its own marks.
        made = kind if one_set else kinds.a_little_different(kind, rng)
        turn = flat_turn(int(rng.integers(1, 7)), yaw + rng.integers(4) * np.pi / 2)
        dice.append(LyingDie(np.array([x, y, DIE_MM / 2]), turn, DIE_MM, made, int(rng.integers(1 << 30))))
    return dice


def _strewn(count: int, rng: np.random.Generator) -> list[Place]:
    """Draw `count` places without overlap. In some pictures the first two touch face to face."""
    at = _pair(rng) if rng.random() < TOUCHING_SHARE else []
    while len(at) < count:
        at.append(_free(at, rng))
    return at


def _crowd(count: int, rng: np.random.Generator) -> list[Place]:
    """Draw `count` places without overlap, most of them touching another."""
    at = [_free([], rng)]
    while len(at) < count:
        beside = _beside(at, rng) if rng.random() < BESIDE_SHARE else None
        at.append(beside or _free(at, rng))
    return at


def _beside(others: list[Place], rng: np.random.Generator) -> Place | None:
    """Draw a place that touches one of the others, from a random side; None if another die or a wall is in the way."""
    x, y, yaw = others[rng.integers(len(others))]
    yaw = yaw if rng.random() < 0.5 else rng.uniform(0, np.pi / 2)
    from_side = rng.uniform(0, 2 * np.pi)
    for away in np.arange(DIE_MM, 1.5 * DIE_MM, 0.1):
        place = (x + float(away * np.cos(from_side)), y + float(away * np.sin(from_side)), float(yaw))
        if not any(_one_in_other(place, other) for other in others):
            low, high = MARGIN_MM, (RIDGE_MM - MARGIN_MM, TRAY_WH_MM[1] - MARGIN_MM)
            return place if low < place[0] < high[0] and low < place[1] < high[1] else None
    return None


def _one_in_other(one: Place, other: Place) -> bool:
    """Return whether two dice at these places overlap."""
    squares = [((x, y), (DIE_MM, DIE_MM), float(np.degrees(yaw))) for x, y, yaw in (one, other)]
    return cv2.rotatedRectangleIntersection(*squares)[0] != cv2.INTERSECT_NONE


def _pair(rng: np.random.Generator) -> list[Place]:
    """Draw two places at which dice touch face to face, displaced along the faces."""
    yaw, slide = rng.uniform(0, np.pi / 2), rng.uniform(-0.5, 0.5) * DIE_MM
    x, y = rng.uniform(40, RIDGE_MM - 40), rng.uniform(40, TRAY_WH_MM[1] - 40)
    along = np.array([np.cos(yaw), np.sin(yaw)]) * (DIE_MM + 0.1) + np.array([-np.sin(yaw), np.cos(yaw)]) * slide
    return [(x, y, yaw), (x + float(along[0]), y + float(along[1]), yaw)]


def _free(others: list[Place], rng: np.random.Generator) -> Place:
    """Draw a place where a die fits, mostly in the throw zone and sometimes in the keep zone.

    The die keeps a gap of at least MIN_GAP_MM to those at `others`. Never returns if there is no such place.
    """
    while True:
        low, high = (RIDGE_MM, TRAY_WH_MM[0]) if rng.random() < 0.15 else (0.0, RIDGE_MM)
        x, y = rng.uniform(low + MARGIN_MM, high - MARGIN_MM), rng.uniform(MARGIN_MM, TRAY_WH_MM[1] - MARGIN_MM)
        if all(np.hypot(x - a, y - b) > DIE_MM * 1.42 + MIN_GAP_MM for a, b, _ in others):
            return float(x), float(y), float(rng.uniform(0, np.pi / 2))


def _towards(around_deg: float, up_deg: float) -> Doubles:
    around, up = np.radians(around_deg), np.radians(up_deg)
    return np.array([np.cos(around) * np.cos(up), np.sin(around) * np.cos(up), np.sin(up)])


def _quality(rng: np.random.Generator, least: int) -> int | None:
    return int(rng.integers(least, 96)) if rng.random() < 0.6 else None
