"""Gains and losses of turns: what the highlights of a game are made from."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from companion.table.evening.statistics import turn_results
from companion.table.projection import snapshot_of
from companion.table.writer import Table
from tests.games.playing import STOP, point, throw, told
from tests.known import known
from tests.table.acting import HEADER, played, started

SIX_SIXES = [throw(6, 6, 6, 6, 6, 6, 1), point(6)]
WIPE_OUT = [throw(2, 2, 3, 4, 5, 6, 1), point(2), throw(3, 3, 4, 5, 6)]


def test_turn_statistics_count_crib_dice_holes_lost_to_a_fuchle_as_loss() -> None:
    """A fuchle, the third wipe-out in a row, puts the peg back to 0."""
    banks = [*SIX_SIXES, STOP]
    losses = [turn for turn in turn_results(told("crib_dice", *banks, *(WIPE_OUT * 6))) if turn.kind == "dearest_loss"]
    assert [turn.points for turn in losses] == [2, 2, 2, 2, 2, 26]
    assert losses[-1].player == "Ann", "a set of six 6s brought the peg to hole 24"


def test_highlight_of_a_throw_entered_by_hand_names_no_earlier_photo(table: Table) -> None:
    """The best turn's only throw, the second of the game, was entered by hand."""
    started(table, {**HEADER, "players": ["Ann", "Ben", "Cat"]})
    played(table, [throw(2, 2, 3, 4, 5, 6, 1), point(2), STOP, *SIX_SIXES, STOP, {"leave": "Ann"}, {"leave": "Ben"}])
    state = table.state()
    game = known(state.record.game)
    first = known(game.lines[0].thrown)
    lines = (replace(game.lines[0], thrown=msgspec.structs.replace(first, photo=True)), *game.lines[1:])
    pictured = replace(state, record=replace(state.record, games=(replace(game, lines=lines),)))
    (best,) = snapshot_of(pictured).highlights
    assert (best.points, best.throw) == (24, None)
