"""Kinds of dice that a rendered picture may show, and what they are made of."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from vision.cameras.simulated.appearance import BGR, Kind

DARK: BGR = (26, 24, 26)
"""Colour of the pips on light dice: blue, green, red, 0 to 255. Higher: greyer pips, which stand out less."""
LIGHT: BGR = (232, 236, 238)
"""Colour of the pips on dark dice: blue, green, red, 0 to 255. Lower: greyer pips, which stand out less."""


class Texture(Enum):
    """Visible texture of a die's body."""

    PLAIN = "plain"
    SPECKLED = "speckled"
    MARBLED = "marbled"  # two colours run into each other
    WOODEN = "wooden"


@dataclass(frozen=True, slots=True)
class Material:
    """Look and material of a kind of die, as the ray caster renders it.

    Attributes:
        kind: Colours and measures of its faces.
        other_bgr: Second colour of the body, 0 to 255: of speckles, veins or grain.
        texture: Pattern of the second colour.
        drilled: Depth of the pips: 0 for printed ones, 1 for half a ball.
        gloss: Share of the light that is mirrored, 0 to 1.
        clear: Share of the light that goes through the body, 0 to 1.
        bare: Share of the pips that have lost paint, 0 to 1.
    """

    kind: Kind
    other_bgr: BGR = (128, 128, 128)
    texture: Texture = Texture.PLAIN
    drilled: float = 0.6
    gloss: float = 0.05
    clear: float = 0.0
    bare: float = 0.0


# Materials of the dice that the evaluation renders.
# Colours are blue, green, red from 0 to 255. The measures of `Kind` are shares of the die's edge, and the numbers of
# `Material` shares from 0 to 1, both explained there.
IVORY = Material(Kind((196, 222, 234), DARK))
"""Ivory body, pips of the colour DARK. The body's colour is blue, green, red, 0 to 255. Larger numbers: a lighter
body."""
BLACK = Material(Kind((30, 28, 28), LIGHT))
"""Black body, light pips; colours are blue, green, red, 0 to 255. Higher body values: greyer dice, with less contrast
to their pips."""
RED = Material(Kind((36, 30, 176), LIGHT))
"""Opaque red body, light pips; colours are blue, green, red from 0 to 255. Larger numbers: a lighter body, with less
contrast to the pips."""
BLUE = Material(Kind((130, 70, 26), LIGHT))
"""Opaque dark blue body (blue, green, red, 0 to 255), light pips. Higher numbers: a lighter body, from which the pips
stand out less."""
GREEN = Material(Kind((52, 110, 28), LIGHT))
"""Green body, light pips; colours are blue, green, red, 0 to 255. Higher body values: lighter dice, with less contrast
to their pips."""
WHITE_RED_PIPS = Material(Kind((214, 222, 226), (40, 30, 168)), drilled=0.4)
"""White body, red pips; colours are blue, green, red from 0 to 255. `drilled` is the pips' depth, 0 to 1: smaller is
flatter."""
AMBER = Material(Kind((50, 160, 226), DARK))
"""Opaque yellow-orange body (blue, green, red, 0 to 255), dark pips. Lower numbers: a darker body, from which the pips
stand out less."""
SMOKE = Material(Kind((70, 66, 70), LIGHT), clear=0.5, drilled=0.3, gloss=0.09)
"""Grey clear body with light pips. The colour is blue, green, red, 0 to 255; the other numbers are shares, 0 to 1.
Larger `clear`: floor and lower face's pips show more; larger `drilled`: deeper pips; larger `gloss`: brighter
highlights."""
RUBY = Material(Kind((30, 18, 186), LIGHT, corner=0.03), clear=0.6, drilled=0.2, gloss=0.09)
"""Red clear body with sharp edges. The colour is blue, green, red, 0 to 255. `clear` and `gloss` are shares of the
light, `drilled` the pips' depth, 0 to 1; `corner` is a share of the edge. Larger `clear`: the lower face's pips show
more; larger `corner`: rounder edges."""
SAPPHIRE = Material(Kind((170, 82, 20), LIGHT, corner=0.03), clear=0.6, drilled=0.2, gloss=0.09)
"""Blue clear body with sharp edges. The colour is blue, green, red, 0 to 255. `clear` and `gloss` are shares of the
light, `drilled` the pips' depth, 0 to 1; `corner` is a share of the edge. Larger `clear`: the lower face's pips show
more; larger `corner`: rounder edges."""
SPECKLED_GREY = Material(Kind((150, 148, 146), DARK), (66, 60, 58), Texture.SPECKLED)
"""Grey body with darker speckles, dark pips; colours are blue, green, red from 0 to 255. A second colour nearer to the
first: fainter speckles."""
SPECKLED_NIGHT = Material(Kind((52, 34, 28), LIGHT), (120, 100, 60), Texture.SPECKLED)
"""Dark blue body with lighter speckles, light pips; colours are blue, green, red from 0 to 255. Lighter speckles: the
pips stand out less."""
MARBLED = Material(Kind((120, 52, 36), LIGHT), (30, 24, 120), Texture.MARBLED, gloss=0.08)
"""Two dark colours run into each other, light pips; colours are blue, green, red from 0 to 255. Lighter ones: the pips
stand out less. Larger `gloss`, a share of the light, 0 to 1: brighter highlights."""
BEECH = Material(
    Kind((132, 178, 212), (34, 38, 48), corner=0.13), (100, 146, 186), Texture.WOODEN, drilled=0.7, gloss=0.01
)
"""Light wood with dark pips. Colours of body, pips and grain are blue, green, red, 0 to 255; the other numbers are
shares, 0 to 1. Larger `corner`: rounder edges; larger `drilled`: deeper pips; larger `gloss`: brighter highlights."""
WALNUT = Material(Kind((44, 66, 100), (196, 216, 226)), (30, 46, 74), Texture.WOODEN, drilled=0.3, gloss=0.02)
"""Dark wood with light pips. Colours of body, pips and grain are blue, green, red, 0 to 255; the other numbers are
shares, 0 to 1. Larger `drilled`: deeper pips; larger `gloss`: brighter highlights."""
LARGE_ONE = Material(Kind((204, 220, 226), DARK, one_scale=1.7, corner=0.16), drilled=0.9)
"""White, with a 1 whose pip is larger by the factor `one_scale`. Larger: it fills more of the face. Colours are blue,
green, red, 0 to 255; `corner` is a share of the edge, `drilled` the pips' depth, 0 to 1."""
LARGE_RED_ONE = Material(Kind((208, 222, 228), (36, 34, 150), one_scale=1.75, corner=0.18), drilled=0.9)
"""White with red pips, and a 1 whose pip is larger by the factor `one_scale`. Larger: it fills more of the face.
Colours are blue, green, red, 0 to 255; `corner` is a share of the edge, `drilled` the pips' depth, 0 to 1."""
ROUNDED = Material(Kind((200, 220, 230), DARK, pip_radius=0.085, spacing=0.235, corner=0.24), drilled=0.0)
"""White, with very round edges and small printed pips near the middle. Colours are blue, green, red, 0 to 255; lengths
are shares of the die's edge. Larger `pip_radius`: larger pips; larger `spacing`: pips nearer to the rim; larger
`corner`: rounder still."""
PRINTED = Material(Kind((206, 224, 232), DARK, pip_radius=0.105), drilled=0.0)
"""White, with large printed pips; colours are blue, green, red, 0 to 255. `pip_radius` is a share of the die's edge.
Larger: narrower gaps between the pips. `drilled` 0 makes them flat."""
WORN_IVORY = replace(IVORY, bare=0.16, drilled=0.9)
"""Ivory with deep pips; the share `bare` of them, 0 to 1, has lost paint. `drilled` is their depth, 0 to 1. Larger
`bare`: more pips hardly show. Larger `drilled`: deeper pips."""
WORN_RED = replace(RED, bare=0.16, drilled=0.9)
"""Red with deep pips; the share `bare` of them, 0 to 1, has lost paint. `drilled` is their depth, 0 to 1. Larger
`bare`: more pips hardly show. Larger `drilled`: deeper pips."""

PLAIN_KINDS = (IVORY, BLACK, RED, BLUE, GREEN, WHITE_RED_PIPS, AMBER)
"""Dice of one opaque colour, for conditions that test the ground, the light or the camera."""
ALL_KINDS = (
    *PLAIN_KINDS,
    RUBY,
    SAPPHIRE,
    SPECKLED_GREY,
    SPECKLED_NIGHT,
    MARBLED,
    BEECH,
    WALNUT,
    LARGE_ONE,
    ROUNDED,
    PRINTED,
)
"""Kinds of dice to choose from where any may lie. Worn dice, SMOKE and LARGE_RED_ONE are left out."""


def a_little_different(made: Material, rng: np.random.Generator) -> Material:
    """Return a variant of a die's material: colours, pips and corners changed at random, by at most 15 %."""

    def shade(colour: BGR, spread: float) -> BGR:
        changed = np.array(colour) * rng.uniform(1 - spread, 1 + spread, 3)
        b, g, r = changed.clip(0, 255).round().astype(int).tolist()
        return b, g, r

    kind = made.kind
    body_bgr, pip_bgr, other_bgr = shade(kind.body_bgr, 0.08), shade(kind.pip_bgr, 0.06), shade(made.other_bgr, 0.08)
    faces = Kind(
        body_bgr,
        pip_bgr,
        pip_radius=kind.pip_radius * rng.uniform(0.92, 1.08),
        spacing=kind.spacing * rng.uniform(0.96, 1.04),
        one_scale=kind.one_scale,
        corner=kind.corner * rng.uniform(0.85, 1.15),
    )
    return replace(made, kind=faces, other_bgr=other_bgr)
