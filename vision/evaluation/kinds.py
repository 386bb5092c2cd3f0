"""Kinds of dice that a rendered picture may show."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vision.cameras.simulated.appearance import BGR, Kind, Texture

DARK: BGR = (26, 24, 26)
LIGHT: BGR = (232, 236, 238)

IVORY = Kind((196, 222, 234), DARK)
BLACK = Kind((30, 28, 28), LIGHT)
RED = Kind((36, 30, 176), LIGHT)
BLUE = Kind((130, 70, 26), LIGHT)
GREEN = Kind((52, 110, 28), LIGHT)
WHITE_RED_PIPS = Kind((214, 222, 226), (40, 30, 168), drilled=0.4)
AMBER = Kind((50, 160, 226), DARK)
SMOKE = Kind((70, 66, 70), LIGHT, clear=0.5, drilled=0.3, gloss=0.09)
RUBY = Kind((30, 18, 186), LIGHT, clear=0.6, drilled=0.2, gloss=0.09, corner=0.03)
SAPPHIRE = Kind((170, 82, 20), LIGHT, clear=0.6, drilled=0.2, gloss=0.09, corner=0.03)
SPECKLED_GREY = Kind((150, 148, 146), DARK, (66, 60, 58), Texture.SPECKLED)
SPECKLED_NIGHT = Kind((52, 34, 28), LIGHT, (120, 100, 60), Texture.SPECKLED)
MARBLED = Kind((120, 52, 36), LIGHT, (30, 24, 120), Texture.MARBLED, gloss=0.08)
BEECH = Kind((132, 178, 212), (34, 38, 48), (100, 146, 186), Texture.WOODEN, drilled=0.7, gloss=0.01, corner=0.13)
WALNUT = Kind((44, 66, 100), (196, 216, 226), (30, 46, 74), Texture.WOODEN, drilled=0.3, gloss=0.02)
LARGE_ONE = Kind((204, 220, 226), DARK, one_scale=1.7, drilled=0.9, corner=0.16)
LARGE_RED_ONE = Kind((208, 222, 228), (36, 34, 150), one_scale=1.75, drilled=0.9, corner=0.18)
ROUNDED = Kind((200, 220, 230), DARK, pip_radius=0.085, spacing=0.235, corner=0.24, drilled=0.0)
PRINTED = Kind((206, 224, 232), DARK, drilled=0.0, pip_radius=0.105)
WORN_IVORY = replace(IVORY, bare=0.16, drilled=0.9)
WORN_RED = replace(RED, bare=0.16, drilled=0.9)

PLAIN_KINDS = (IVORY, BLACK, RED, BLUE, GREEN, WHITE_RED_PIPS, AMBER)
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


def a_little_different(kind: Kind, rng: np.random.Generator) -> Kind:
    """The same kind from another maker: colours and measures off by a little."""

    def shade(colour: BGR, spread: float) -> BGR:
        changed = np.array(colour) * rng.uniform(1 - spread, 1 + spread, 3)
        b, g, r = changed.clip(0, 255).round().astype(int).tolist()
        return b, g, r

    return replace(
        kind,
        body_bgr=shade(kind.body_bgr, 0.08),
        pip_bgr=shade(kind.pip_bgr, 0.06),
        other_bgr=shade(kind.other_bgr, 0.08),
        pip_radius=kind.pip_radius * rng.uniform(0.92, 1.08),
        spacing=kind.spacing * rng.uniform(0.96, 1.04),
        corner=kind.corner * rng.uniform(0.85, 1.15),
    )
