"""The number of dice that the table expects in its tray, which the reader takes as a hint."""

from __future__ import annotations

from typing import Any

import pytest

from companion.games.engine.notation import action_of, header_of
from companion.games.engine.transcript import Transcript
from companion.games.registry import policy_for


def expected(header: dict[str, Any], *lines: dict[str, Any]) -> tuple[int | None, bool]:
    transcript = Transcript.begin(header_of({"transcript": 1, "players": ["Ann", "Ben"], **header}))
    for line in lines:
        transcript = transcript.then(action_of(line))
    policy = policy_for(transcript.state)
    return policy.dice_expected(transcript.state), policy.starts_afresh(transcript.state)


def throw(*dice: int) -> dict[str, Any]:
    return {"throw": list(dice)}


@pytest.mark.parametrize("game", ["crib_dice", "crag", "crapola"])
def test_the_tray_expects_two_dice_for_a_roll_off_in_every_game(game: str) -> None:
    rolling = {"game": game, "roll_off": True}
    assert expected(rolling) == (2, True)
    assert expected(rolling, throw(3, 4)) == (2, True)


@pytest.mark.parametrize(("game", "dice"), [("crib_dice", 7), ("crag", 3), ("crapola", None)])
def test_after_a_roll_off_crib_dice_expects_7_dice_crag_3_and_crapola_any_number(game: str, dice: int | None) -> None:
    assert expected({"game": game, "roll_off": True}, throw(3, 4), throw(1, 1)) == (dice, True)


def test_the_tray_expects_no_fixed_number_of_dice_with_five_crib_dice_frozen() -> None:
    """A piddle is a throw of two dice with five or six frozen; the player may borrow a frozen die for it."""
    named = [throw(5, 5, 5, 5, 5, 2, 3), {"do": "point", "value": 5}]
    assert expected({"game": "crib_dice"}, *named) == (None, False)


def test_crag_expects_three_dice_in_the_tray_after_a_keep_and_after_a_category_was_scored() -> None:
    kept = [throw(6, 6, 2), {"do": "keep", "dice": [6, 6]}]
    assert expected({"game": "crag"}, *kept) == (3, False)
    entered = [*kept, throw(1), {"do": "score", "category": "crag"}]
    assert expected({"game": "crag"}, *entered) == (3, True)


def test_kept_crapola_dice_are_expected_to_stay_in_the_tray_until_the_player_craps_out() -> None:
    """Kept dice lie in the tray beside the next throw; a crap-out ends the turn and frees all of them."""
    kept = [throw(1, 1, 2, 3, 4, 6), {"do": "keep", "dice": [1]}]
    assert expected({"game": "crapola"}, *kept)[1] is False
    assert expected({"game": "crapola"}, *kept, throw(2, 2, 3, 4, 6))[1] is True
