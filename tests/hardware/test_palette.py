"""Colours of ten players: distinct for every kind of colour vision, and equal on strip and page."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import numpy as np
import pytest

from hardware.palette import PLAYERS

LOOK = Path(__file__).resolve().parents[2] / "web" / "static" / "shared" / "tokens.css"
OKABE_ITO = 6
EYES = {  # Machado, Oliveira and Fernandes (2009), severity 1, on linear light
    "most": np.identity(3),
    "protanopes": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopes": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopes": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.119192, 0.9503041]]
)
WHITE = TO_XYZ.sum(1)


def lab(vision: str) -> np.ndarray:
    """Return the (10, 3) CIELAB values of the players' colours as seen with a kind of colour vision."""
    colours = np.array(PLAYERS)
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    xyz = np.clip(linear @ np.array(EYES[vision]).T, 0, 1) @ TO_XYZ.T / WHITE
    x, y, z = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116).T
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], 1)


@pytest.mark.parametrize("vision", EYES)
def test_player_colours_are_as_distinct_as_okabe_ito_to_colour_blind_eyes(vision: str) -> None:
    """The least distance in CIELAB is no smaller than that of Okabe and Ito's palette, for usual eyes too."""
    seen = lab(vision)
    apart = {
        pair: float(np.linalg.norm(seen[pair[0]] - seen[pair[1]])) for pair in itertools.combinations(range(10), 2)
    }
    theirs = min(
        float(np.linalg.norm(lab(each)[one] - lab(each)[other]))
        for each in EYES
        for one, other in itertools.combinations(range(OKABE_ITO), 2)
    )
    assert min(apart.values()) >= theirs, min(apart, key=lambda pair: apart[pair])


def test_the_web_page_and_the_led_strip_agree_on_the_player_colours() -> None:
    written = dict(re.findall(r"--p(\d): #([0-9a-f]{6});", LOOK.read_text(encoding="utf-8")))
    page = [[int(written[str(at)][k : k + 2], 16) / 255 for k in (0, 2, 4)] for at in range(len(PLAYERS))]
    assert np.abs(np.array(page) - PLAYERS).max() < 0.003
