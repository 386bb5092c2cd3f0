"""The rules in pictures: each picture shows what its words say, and the catalogue has them."""

from __future__ import annotations

import re

import pytest

from companion.games.crag.scoring import points_for
from companion.games.crapola.scoring import keepable, points_of
from companion.games.crib_dice.scoring import set_score
from companion.games.registry import GAMES
from web.catalogue import texts

SHOWN = {each.text: each.dice for game in GAMES.values() for each in game.pictures}
ROWS = 9
"""Most rows of a game: with the sentences beside them they fill two screens of a phone at most."""


@pytest.mark.parametrize("game", GAMES)
def test_every_rules_picture_has_a_caption_in_the_catalogue(game: str) -> None:
    pictures = GAMES[game].pictures
    assert 5 <= len(pictures) <= ROWS
    assert {each.text for each in pictures} <= texts("en").keys()


def test_scoring_rules_pictures_score_the_points_that_their_captions_name() -> None:
    said = {key: texts("en")[key] for key in SHOWN}

    def tells(key: str, points: int) -> None:
        assert f"{points:,}" in re.findall(r"\d[\d,]*(?<!,)", said[key]), key

    for key in ("rules.crib_pair", "rules.crib_set"):
        tells(key, set_score(len(SHOWN[key]), SHOWN[key][0]))
    rows = {
        "best": "crag",
        "thirteen": "thirteen",
        "alike": "three_of_a_kind",
        "straight": "odd_straight",
        "number": "sixes",
    }
    for picture, row in rows.items():
        tells(f"rules.crag_{picture}", points_for(row, SHOWN[f"rules.crag_{picture}"]))
    for picture in ("one", "five", "three", "ones", "pairs", "straight"):
        points = points_of(SHOWN[f"rules.crapola_{picture}"])
        assert points is not None
        tells(f"rules.crapola_{picture}", points)
    assert not keepable(SHOWN["rules.crapola_lost"])
