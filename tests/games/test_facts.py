"""Facts about a position of Crib Dice, which puzzles and votes give as reasons."""

from __future__ import annotations

from companion.games.registry import GAMES
from tests.games.crib_turns import bank
from tests.games.playing import told


def codes(*points: int, **header: object) -> list[str]:
    """Return the facts' codes after turns of three players that bank these points."""
    state = told("crib_dice", *[line for each in points for line in bank(each)], players=3, **header).state
    return [fact.code for fact in GAMES["crib_dice"].facts(state)]


def test_a_crib_dice_fact_tells_of_a_great_lead_until_somebody_finishes() -> None:
    assert codes(10, 60, 10) == ["behind"]
    assert codes(10, 60, 10, 10) == ["ahead"]
    assert codes(10, 60, 10, 121) == [], "the second is ahead of the third alone"
