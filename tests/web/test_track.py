"""The wooden track: pegs that share a hole stand apart, and arrows say which way each row runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from math import hypot

import pytest

from tests.web.injecting import FedPage
from tests.web.measuring import PHONE, SCREEN
from tests.web.scenes import among, scenes

pytestmark = pytest.mark.browser
NAMES = ("Ann", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hal", "Ida", "Jo")
PEGS = """() => [...document.querySelectorAll('#track .peg:not([style*="opacity: 0"])')].map((each) => {
  const { left, right, top, bottom } = each.querySelector('circle').getBoundingClientRect();
  return [(left + right) / 2, (top + bottom) / 2, (right - left) / 2]; })"""
"""Script that returns centre x, centre y and radius in pixels of every peg that is shown."""
TURNS = """() => document.querySelector('#track .way.turn').getAttribute('d').split('M').length - 1"""
SHARE_OF_TOUCH = 0.97
"""Least distance of two pegs' centres as a share of the sum of their radii: less would hide a mark."""


@pytest.mark.parametrize("path", ["/", "/tv"])
@pytest.mark.parametrize("count", range(2, len(NAMES) + 1))
def test_track_drawing_separates_the_pegs_of_2_to_10_players_at_the_start(
    fed_page: Callable[..., FedPage], count: int, path: str
) -> None:
    fed = fed_page(path, SCREEN if path == "/tv" else PHONE)
    fed.show(scenes(among("crapola", NAMES[:count]))["begun"])
    pegs, wood = fed.page.evaluate(PEGS), fed.page.locator("#wood").bounding_box()
    assert len(pegs) == count
    for (x, y, r), (other_x, other_y, other_r) in combinations(pegs, 2):
        assert hypot(x - other_x, y - other_y) >= SHARE_OF_TOUCH * (r + other_r)
    for x, y, r in pegs:
        assert wood["x"] <= x - r
        assert wood["y"] <= y - r


def test_track_drawing_has_three_bend_arrows_on_phones_and_one_on_the_tv(fed_page: Callable[..., FedPage]) -> None:
    for path, size, turns in (("/", PHONE, 3), ("/tv", SCREEN, 1)):
        fed = fed_page(path, size)
        fed.show(scenes(among("crib_dice", NAMES[:2]))["begun"])
        assert fed.page.evaluate(TURNS) == turns, path


@pytest.mark.parametrize(
    ("target", "first", "last"), [(5000, 500, 5000), (10_000, 1000, 10_000), (15_000, 1250, 15_000)]
)
def test_track_drawing_has_a_mark_at_each_multiple_of_a_round_number_up_to_the_target(
    fed_page: Callable[..., FedPage], target: int, first: int, last: int
) -> None:
    fed = fed_page("/tv", SCREEN)
    header = among("crapola", NAMES[:2])
    fed.show(scenes(replace(header, rules={**header.rules, "target": target}))["begun"])
    marks = [int(text.replace(",", "")) for text in fed.page.locator("#track .mark").all_text_contents()]
    assert marks == list(range(first, last + 1, first))


def test_the_drawn_tracks_hole_numbers_use_text_colour_in_forced_colours(fed_page: Callable[..., FedPage]) -> None:
    fed = fed_page("/", PHONE)
    fed.show(scenes(among("crib_dice", ("Ann", "Ben")))["begun"])
    fed.page.emulate_media(forced_colors="active")
    fill, colour = fed.page.evaluate(
        "[getComputedStyle(document.querySelector('.track .mark')).fill, getComputedStyle(document.body).color]"
    )
    fed.page.emulate_media(forced_colors="none")
    assert fill == colour
