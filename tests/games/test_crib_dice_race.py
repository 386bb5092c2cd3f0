"""Crib Dice, claim by claim: the race of the pegs, what sends them back, and its end (docs/reference/rules.md)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.games.crib_turns import MISS, TWO, bank, refused
from tests.games.playing import BOMB, STOP, check, claim, point, scores, throw, told, won

TWO_MISSED = [*bank(20), *TWO, *MISS, *TWO, *MISS, *TWO]
OUT_NEXT = [*MISS, *TWO] * 4
FINISHED = [*([*TWO, *MISS, *TWO] * 4), *bank(113), *MISS]

FUCHLES = [
    claim("a stop saves the peg", [*TWO_MISSED, *TWO], scores=scores(22, 6)),
    claim("the third wipe-out in a row sends the peg to hole 0", [*TWO_MISSED, *MISS],
          scores=scores(0, 6), wipeouts=scores(0, 0), fuchled=["Ann"]),
    claim("a stop ends it", [*TWO_MISSED, *MISS, *TWO, *TWO], fuchled=[]),
    claim("a peg at hole 0 is fuchled too", [*MISS, *TWO, *MISS, *TWO, *MISS], fuchled=["Ann"], scores=scores(0, 4)),
    claim("pandemonium allows three", [*TWO_MISSED, *MISS], rules="pandemonium",
          scores=scores(20, 6), wipeouts=scores(3, 0)),
    claim("pandemonium takes four", [*TWO_MISSED, *MISS, *TWO, *MISS], rules="pandemonium", fuchled=["Ann"]),
    claim("without double fuchle nobody is out", [*MISS, *TWO] * 5, out=[], wipeouts=scores(2, 0)),
    claim("without double fuchle one is fuchled again", [*([*MISS, *TWO] * 5), *MISS], fuchled=["Ann"]),
    claim("one wipe-out after it puts nobody out", [*MISS, *TWO, *TWO] * 4, 3, rules="double_fuchle", out=[]),
    claim("two put a player out", [*([*MISS, *TWO, *TWO] * 4), *MISS], 3, rules="double_fuchle", out=["Ann"],
          fuchled=[], wipeouts=scores(2, 0, 0), scores=scores(0, 8, 8), over=False, player="Ben"),
    claim("who is out is skipped", [*([*MISS, *TWO, *TWO] * 4), *MISS, *TWO, *TWO], 3, rules="double_fuchle",
          player="Ben"),
    claim("who was not fuchled is not out", [*MISS, *TWO] * 2, rules="double_fuchle", out=[]),
    claim("a score in between saves", [*OUT_NEXT, *TWO, *TWO, *MISS, *TWO, *MISS], rules="double_fuchle",
          out=[], over=False, wipeouts=scores(2, 0)),
    claim("the last one in wins at once", [*OUT_NEXT, *MISS], rules="double_fuchle skunk",
          outcome=won("Ben", Ann=4), over=True, player=None, round=5),
    claim("who has finished is still in", FINISHED, 3, rules="double_fuchle",
          finished=["Ann"], out=["Ben"], over=False, player="Cat"),
    claim("and wins", [*FINISHED, *TWO], 3, rules="double_fuchle", outcome=won("Ann", Ben=1, Cat=1)),
]  # fmt: skip
ENDS = [
    claim("hole 120 is no finish", bank(120), finished=[], over=False),
    claim("a round after hole 120 goes on", [*bank(120), *TWO], over=False),
    claim("the others play the round", bank(121), 3, finished=["Ann"], player="Ben", over=False),
    claim("all the others", [*bank(121), *TWO], 3, over=False),
    claim("to its end", [*bank(121), *TWO, *MISS], 3, outcome=won("Ann", Ben=1, Cat=1), player=None, point=None,
          frozen=0, round=1, throw_sizes=[], decisions=[], dice=[], turn_points=0),
    claim("the last of the round ends the game", [*TWO, *bank(121)], over=True),
    claim("rounds count from the first player", [*TWO, *bank(121)], 3, "Cat", player="Ben"),
    claim("the round of the first player ends", [*TWO, *bank(121), *TWO], 3, "Cat", over=True),
    claim("the furthest peg wins", [*bank(121), *bank(125)], outcome=won("Ben", Ann=1), finished=["Ann", "Ben"]),
    claim("equal pegs share the win", [*bank(121), *bank(121)], rules="skunk", outcome=won("Ann", "Ben")),
    claim("the long game goes on at hole 240", [*bank(240), *TWO], rules="long_game", finished=[], over=False),
    claim("the long game ends past hole 240", [*bank(241), *TWO], rules="long_game", finished=["Ann"], over=True,
          outcome=won("Ann", Ben=1)),
]  # fmt: skip
SKUNKS = [
    *(claim(f"hole {peg}", [*bank(121), *bank(peg)], rules="skunk", outcome=won("Ann", Ben=lost))
      for peg, lost in ((60, 2), (61, 1), (2, 2))),
    claim("none without the house rule", [*bank(121), *bank(2)], outcome=won("Ann", Ben=1)),
    *(claim(f"long game, hole {peg}", [*bank(241), *bank(peg)], rules="skunk long_game", outcome=won("Ann", Ben=lost))
      for peg, lost in ((121, 2), (122, 1), (61, 2))),
    claim("without points", [*bank(121), *MISS], rules="skunk", outcome=won("Ann", Ben=2)),
    claim("fuchled", [*TWO, *MISS, *TWO, *MISS, *bank(117), *MISS], rules="skunk", fuchled=["Ben"],
          outcome=won("Ann", Ben=4)),
]  # fmt: skip
BUMPS = [
    claim("back five holes", [*bank(20), *bank(20)], rules="bumping", scores=scores(15, 20)),
    claim("not without the house rule", [*bank(20), *bank(20)], scores=scores(20, 20)),
    claim("a bumped peg bumps", [*bank(10), *bank(15), *bank(20), *bank(20)], 4, rules="bumping",
          scores=scores(5, 10, 15, 20)),
    claim("hole 0 holds any number", [*bank(3), *bank(3)], 4, rules="bumping skunk", scores=scores(0, 3, 0, 0),
          fuchled=[]),
    claim("to hole 0", [*bank(5), *bank(5)], rules="bumping", scores=scores(0, 5)),
    claim("the count of wipe-outs stays", [*bank(20), *TWO, *MISS, *bank(18)], rules="bumping",
          wipeouts=scores(1, 0), scores=scores(15, 20)),
    claim("not past the end", [*bank(121), *bank(121)], rules="bumping", scores=scores(121, 121)),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "set_up", "wanted"), FUCHLES)
def test_crib_dice_fuchles_follow_the_basic_pandemonium_and_double_fuchle_rules(
    lines: Any, set_up: Any, wanted: Any
) -> None:
    check("crib_dice", lines, set_up, wanted)


@pytest.mark.parametrize(("lines", "set_up", "wanted"), ENDS)
def test_a_crib_dice_game_ends_with_the_round_in_which_a_side_finishes(lines: Any, set_up: Any, wanted: Any) -> None:
    check("crib_dice", lines, set_up, wanted)


@pytest.mark.parametrize(("lines", "set_up", "wanted"), SKUNKS)
def test_the_skunk_rule_doubles_the_loss_of_a_crib_dice_peg_not_past_half_way(
    lines: Any, set_up: Any, wanted: Any
) -> None:
    check("crib_dice", lines, set_up, wanted)


@pytest.mark.parametrize(("lines", "set_up", "wanted"), BUMPS)
def test_crib_dice_bumping_moves_back_the_peg_that_another_lands_on(lines: Any, set_up: Any, wanted: Any) -> None:
    check("crib_dice", lines, set_up, wanted)


def test_after_a_crib_dice_game_ends_only_an_undo_is_allowed() -> None:
    lines = [*bank(121), *TWO]
    for line in (throw(*[1] * 7), STOP, BOMB, point(2)):
        assert "over" in refused([*lines, line])
    assert told("crib_dice", *lines, {"undo": 1}).view()["decisions"] == ["stop"]
