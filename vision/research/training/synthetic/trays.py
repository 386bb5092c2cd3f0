"""A set of rendered trays, in the form of the photo sets: whole scenes, with the shadows and lamps that one die lacks.

The evaluation's conditions, from seeds that it never uses; two fifths with its own kinds of dice, a little different.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vision.cameras.simulated.appearance import BGR, Kind
from vision.research.evaluation.conditions import CONDITIONS, picture
from vision.research.evaluation.kinds import Material, Texture, a_little_different
from vision.research.evaluation.scene import Rendered
from vision.research.training.datasets import Photo
from vision.research.training.synthetic.makes import Image, some_make

RENDERED_TRAYS = 900
"""Number of trays that a training run renders, in sixteen minutes and 2.6 GB of memory. Twice as many take twice the
time and memory; fewer show less variety."""
TRAYS_WEIGHT = 14.0
"""How often training draws from the rendered set, relative to the weights of the photo sets. Twice as much shows
rendered trays about twice as often."""
FIRST_SEED = 1_000_000_000
"""First random seed of the training pictures. The evaluation counts from 0, so that it never shares a picture with
training."""
SEEDS_A_RUN = 1_000_000
"""Distance between the first random seeds of two training runs, above the number of trays of a run. So no run repeats
another's trays."""
MAX_DICE = 16
"""Largest number of dice in a rendered training tray. More than are thrown in a game, as rendering the tray costs far
more time than a die."""
CROWDED_SHARE = 0.5
"""Share of the training trays, 0 to 1, in which most dice touch. Smaller: two touching dark dice may be detected as
one. Larger: training shows fewer dice that lie apart."""
MARGIN_FACES = 2.0
"""Margin that is kept around the dice when a training tray is cropped, in sizes of the largest face. More keeps more
empty ground."""
AS_EVALUATED_SHARE = 0.4
"""Share of the training trays, 0 to 1, with the evaluation's own kinds of dice, slightly varied. More makes training
and evaluation more alike."""
WORN, BARE, DRILLED = 0.35, (0.03, 0.45), (0.6, 1.0)
"""Share of the trays in which all dice are worn; ranges of the share of pips without paint, and of the pips' depth, 1
for half a ball. All 0 to 1. A larger share, or more bare pips, trains more on pips that hardly show; deeper ones cast
more shade."""
CLEAR, THROUGH, SUNK, GLOSS = 0.35, (0.3, 0.85), (0.0, 0.5), (0.03, 0.12)
"""Share of the trays in which all dice are clear, 0 to 1 - WORN; ranges of clearness, depth of pips and gloss, 0 to 1.
A larger share, or more clearness, trains more on dice whose lower pips shine through; more gloss, on reflections."""
TEXTURES = (Texture.PLAIN, Texture.PLAIN, Texture.SPECKLED, Texture.MARBLED, Texture.WOODEN)
"""Textures that two-coloured dice are drawn from; PLAIN is twice as likely."""


def tray_set(count: int, seed: int) -> list[Photo]:
    """Render `count` trays with 2 to 16 dice each; return them as labelled photos, cropped to their dice.

    Different seeds give different trays.
    """
    rng = np.random.default_rng(seed)
    first = FIRST_SEED + seed * SEEDS_A_RUN
    return [_photo(_picture(first + at, rng)) for at in range(count)]


def _picture(seed: int, rng: np.random.Generator) -> Rendered:
    condition = CONDITIONS[int(rng.integers(len(CONDITIONS)))]
    evaluated = rng.random() < AS_EVALUATED_SHARE
    kinds = [a_little_different(kind, rng) for kind in condition.dice] if evaluated else _kinds(rng)
    made = rng.random()
    if made < WORN:
        kinds = [replace(kind, bare=rng.uniform(*BARE), drilled=rng.uniform(*DRILLED), clear=0.0) for kind in kinds]
    elif made < WORN + CLEAR:
        kinds = [
            replace(kind, clear=rng.uniform(*THROUGH), drilled=rng.uniform(*SUNK), gloss=rng.uniform(*GLOSS))
            for kind in kinds
        ]
    return picture(replace(condition, dice=tuple(kinds)), seed, MAX_DICE, crowded=bool(rng.random() < CROWDED_SHARE))


def _kinds(rng: np.random.Generator) -> list[Material]:
    """Draw one to four kinds of dice for a tray."""
    return [_kind(rng) for _ in range(int(rng.integers(1, 5)))]


def _kind(rng: np.random.Generator) -> Material:
    """Draw a look (`vision.research.training.synthetic.makes`) and convert it to the renderer's material."""
    make = some_make(rng)
    corner = float(np.clip(make.corner, 0.03, 0.24))
    texture = TEXTURES[int(rng.integers(len(TEXTURES)))]
    return Material(
        Kind(_bgr(make.body), _bgr(make.pip), make.radius, make.spacing, make.one_larger, corner),
        _bgr(make.marbling),
        texture if (make.body != make.marbling).any() else Texture.PLAIN,
        make.drilled,
        rng.uniform(0.01, 0.1),
        make.clear,
    )


def _bgr(colour: Image) -> BGR:
    blue, green, red = np.clip(colour, 0, 255).round().astype(int).tolist()
    return blue, green, red


def _photo(shown: Rendered) -> Photo:
    """Crop a rendered picture to its dice and a margin, and return it as a labelled photo."""
    boxes = np.array([die.box_xywh for die in shown.dice], np.float32)
    room = MARGIN_FACES * float(boxes[:, 2].max())
    height, width = shown.image_bgr.shape[:2]
    x0, y0 = np.maximum(0, boxes[:, :2].min(0) - room).astype(int)
    x1, y1 = np.minimum((width, height), (boxes[:, :2] + boxes[:, 2:]).max(0) + room).astype(int)
    dice = [(x + w / 2 - x0, y + h / 2 - y0, w, die.value) for die in shown.dice for x, y, w, h in (die.box_xywh,)]
    return Photo(shown.image_bgr[y0:y1, x0:x1].copy(), np.array(dice, np.float32).reshape(-1, 4))
