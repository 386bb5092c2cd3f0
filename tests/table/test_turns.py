"""Gains and losses of turns: what the highlights of a game are made from."""

from __future__ import annotations

from companion.table.evening.statistics import turn_results
from tests.games.playing import STOP, point, throw, told

SIX_SIXES = [throw(6, 6, 6, 6, 6, 6, 1), point(6)]
WIPE_OUT = [throw(2, 2, 3, 4, 5, 6, 1), point(2), throw(3, 3, 4, 5, 6)]


def test_statistics_count_a_crib_dice_fuchles_holes_as_loss_of_the_turn() -> None:
    """A fuchle, the third wipe-out in a row, puts the peg back to 0."""
    banks = [*SIX_SIXES, STOP]
    losses = [turn for turn in turn_results(told("crib_dice", *banks, *(WIPE_OUT * 6))) if turn.kind == "dearest_loss"]
    assert [turn.points for turn in losses] == [2, 2, 2, 2, 2, 26]
    assert losses[-1].player == "Ann", "a set of six 6s brought the peg to hole 24"
