"""Crib Dice, claim by claim as docs/reference/rules.md makes them: bombs, finding a loser, partners."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from companion.errors import IllegalAction, RulesError
from companion.games.crib_dice.pegs import new_board
from companion.games.engine.notation import action_of, header_of
from companion.games.engine.transcript import Transcript
from tests.games.crib_turns import MISS, TWO, bank, ones, refused, sevens
from tests.games.playing import BOMB, NAMES, STOP, begun, check, claim, point, scores, throw, told, won

LOST_BOMB = [*ones(5), BOMB, throw(2, 3)]
FUCHLED = [*bank(20), *MISS, *TWO, *MISS, *TWO]
BEHIND = [*bank(20), *MISS, *MISS, *MISS, *MISS, *ones(6), BOMB]
ANNOUNCED = [*bank(20), *sevens(2), *ones(5), BOMB]
OUT = [*([*TWO, *MISS, *TWO] * 5), *ones(6)]

MAY_BOMB = [
    claim("without the house rule", [*bank(20), *ones(6)], decisions=["stop"]),
    claim("six 1s", [*bank(20), *ones(6)], rules="bomb", decisions=["bomb", "stop"]),
    claim("seven 1s", [*bank(20), *ones(7)], rules="bomb", decisions=["bomb", "stop"]),
    claim("six 2s", [*bank(20), throw(*[2] * 6, 1), point(2)], rules="bomb", decisions=["stop"]),
    claim("four 1s", [*bank(20), *ones(4)], rules="bomb", decisions=["stop"]),
    claim("four 1s in pandemonium", [*bank(20), *ones(4)], rules="bomb pandemonium", decisions=["stop"]),
    claim("pandemonium alone", [*bank(20), *ones(5)], rules="pandemonium", decisions=["stop"]),
    claim("all at the start", ones(6), rules="bomb", decisions=["stop"]),
    claim("a joint leader", [*bank(20), *bank(20), *ones(6)], rules="bomb", decisions=["stop"]),
    claim("a sole leader", [*bank(20), *bank(22), *TWO, *ones(6)], rules="bomb", decisions=["stop"]),
    claim("who is behind", [*bank(20), *bank(22), *ones(6)], rules="bomb", decisions=["bomb", "stop"]),
    claim("behind a finished peg", [*bank(121), *ones(6)], rules="bomb", decisions=["stop"]),
    claim("level with all but a finished peg", [*TWO, *bank(20), *TWO, *bank(119), *ones(6)], 3, rules="bomb",
          decisions=["stop"]),
    claim("behind who is out", OUT, 3, rules="bomb double_fuchle", out=["Ben"], decisions=["stop"]),
]  # fmt: skip
BOMBS = [
    *(claim(f"{count} 1s swap the pegs at once", [*bank(20), *ones(count), BOMB], rules="bomb", scores=scores(0, 20),
            player="Ann", bombing=False, wipeouts=scores(0, 0), turn_points=0) for count in (6, 7)),
    claim("five 1s announce it", ANNOUNCED, rules="bomb", bombing=True, throw_sizes=[2], decisions=[], turn_points=13,
          frozen=5, point=1, player="Ben"),
    *(claim(f"{dice} succeeds", [*bank(20), *MISS, *TWO, *ones(5), BOMB, throw(*dice)], rules="bomb",
            scores=scores(0, 22), wipeouts=scores(0, 0), player="Ann") for dice in ((1, 2), (2, 1), (1, 1), (6, 1))),
    *(claim(f"{dice} is a wipe-out", [*bank(20), *ones(5), BOMB, throw(*dice)], rules="bomb", scores=scores(20, 0),
            wipeouts=scores(0, 1), player="Ann") for dice in ((2, 2), (2, 3), (6, 5))),
    claim("a failed one can fuchle", [*FUCHLED, *LOST_BOMB], rules="bomb", fuchled=["Ben"]),
    claim("and put out", [*FUCHLED, *LOST_BOMB, *TWO, *MISS, *TWO, *LOST_BOMB], rules="bomb double_fuchle",
          out=["Ben"]),
    claim("an unannounced 1 is none", [*bank(20), *ones(5), throw(1, 3)], rules="bomb", scores=scores(20, 0),
          player="Ben", throw_sizes=[7]),
    claim("the first clockwise of equal leaders", [*bank(20), *TWO, *bank(20), *ones(6), BOMB], 4, rules="bomb",
          scores=scores(0, 2, 20, 20)),
    claim("the one leader", [*bank(20), *TWO, *bank(20), *TWO, *TWO, *ones(6), BOMB], 4, rules="bomb",
          scores=scores(2, 22, 20, 2)),
    claim("the first after the bomber", [*bank(20), *TWO, *bank(20), *TWO, *MISS, *ones(6), BOMB], 4, rules="bomb",
          scores=scores(20, 20, 2, 2)),
    claim("a finished peg is no target", [*bank(121), *bank(20), *ones(6), BOMB], 3, rules="bomb",
          scores=scores(121, 0, 20)),
    claim("the victim's wipe-outs stay", BEHIND, rules="bomb", scores=scores(0, 20), wipeouts=scores(2, 0), fuchled=[]),
    claim("and count on", [*BEHIND, *MISS], rules="bomb", fuchled=["Ann"]),
    claim("it ends the bomber's fuchle", [*FUCHLED, *MISS, *TWO, *ones(6), BOMB], rules="bomb", fuchled=[],
          scores=scores(0, 26)),
    claim("it bumps no peg", [*bank(20), *TWO, *ones(6), BOMB], 3, rules="bomb bumping", scores=scores(0, 2, 20)),
    claim("five 1s are enough in pandemonium", [*bank(20), *ones(5), BOMB], rules="bomb pandemonium",
          scores=scores(0, 20)),
    claim("it swaps the pegs of teams", [*bank(20), *TWO, *ones(6), BOMB], 6, rules="partners bomb",
          scores={"Ann & Dan": 0, "Ben & Eve": 2, "Cat & Fay": 20}),
]  # fmt: skip
LOSERS = [
    claim("play goes on", [*bank(121), *TWO, *TWO, *TWO], 3, rules="find_a_loser", player="Cat", over=False, round=2,
          finished=["Ann"]),
    claim("until one is left", [*bank(121), *TWO, *TWO, *TWO, *bank(119)], 3, rules="find_a_loser", over=True,
          outcome=won("Ann", "Cat", Ben=1)),
    claim("winners in the order of finishing", [*TWO, *TWO, *bank(150), *bank(119)], 3, rules="find_a_loser",
          finished=["Cat", "Ann"], outcome=won("Cat", "Ann", Ben=1)),
    claim("the last one in wins", [*([*MISS, *TWO] * 4), *MISS], rules="find_a_loser double_fuchle",
          outcome=won("Ben", Ann=1)),
    claim("who is out loses", [*([*TWO, *MISS, *TWO] * 4), *bank(113), *MISS], 3,
          rules="find_a_loser double_fuchle skunk", outcome=won("Ann", Ben=4, Cat=2)),
]  # fmt: skip
PARTNERS = [
    *(claim(f"turn {turn}", TWO * turn, 4, rules="partners", player=player, round=1 + turn // 2)
      for turn, player in enumerate(("Ann", "Ben", "Cat", "Dan", "Ann"))),
    claim("a team has one peg", TWO * 5, 4, rules="partners", scores={"Ann & Cat": 6, "Ben & Dan": 4}),
    claim("six are three teams", TWO * 4, 6, rules="partners", player="Eve", round=2,
          scores={"Ann & Dan": 4, "Ben & Eve": 2, "Cat & Fay": 2}),
    claim("a finish in a round", bank(121), 4, "Dan", rules="partners", player="Ann", over=False),
    claim("ends it after a turn of each team", [*bank(121), *TWO], 4, "Dan", rules="partners",
          outcome={"winners": ["Ben & Dan"], "games_lost": {"Ann & Cat": 1, "Ben & Dan": 0}}),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "set_up", "wanted"), MAY_BOMB)
def test_crib_dice_allows_a_bomb_only_with_enough_1s_and_a_rival_peg_ahead(
    lines: Any, set_up: Any, wanted: Any
) -> None:
    check("crib_dice", lines, set_up, wanted)
    if "bomb" not in wanted["decisions"]:
        with pytest.raises(IllegalAction):
            told("crib_dice", *lines, BOMB, **set_up)


@pytest.mark.parametrize(("lines", "set_up", "wanted"), BOMBS)
def test_a_crib_dice_bomb_swaps_pegs_with_the_leader_or_is_a_wipe_out(lines: Any, set_up: Any, wanted: Any) -> None:
    check("crib_dice", lines, set_up, wanted)


def test_an_announced_crib_dice_bomb_allows_only_a_throw_of_two_dice() -> None:
    for line in (STOP, BOMB, throw(1, 2, 3), throw(*[1] * 7)):
        refused([*ANNOUNCED, line], bomb=True)


def test_an_eliminated_crib_dice_peg_cannot_be_bombed() -> None:
    board = replace(new_board(begun("crib_dice", 3).header, 0), out=frozenset({1}), pegs=(0, 20, 10))
    assert (board.furthest, replace(board, pegs=(0, 20, 0)).may_bomb) == (2, False)


@pytest.mark.parametrize(("lines", "set_up", "wanted"), LOSERS)
def test_crib_dice_find_a_loser_rule_plays_until_one_side_is_left(lines: Any, set_up: Any, wanted: Any) -> None:
    check("crib_dice", lines, set_up, wanted)


@pytest.mark.parametrize(("lines", "set_up", "wanted"), PARTNERS)
def test_crib_dice_partners_share_a_score_and_take_turns(lines: Any, set_up: Any, wanted: Any) -> None:
    check("crib_dice", lines, set_up, wanted)


def test_in_a_crib_dice_partner_roll_off_all_four_players_throw_and_the_best_player_starts() -> None:
    transcript = begun("crib_dice", 4, rules={"partners": True}, roll_off=True)
    for name, dice in zip(NAMES, [(1, 2), (1, 1), (6, 6), (2, 3)], strict=False):
        assert transcript.view()["player"] == name
        assert transcript.view()["scores"] == {"Ann & Cat": 0, "Ben & Dan": 0}
        transcript = transcript.then(action_of(throw(*dice)))
    assert transcript.view()["player"] == "Cat"


@pytest.mark.parametrize(("players", "partners"), [(6, False), (7, False), (1, False), (2, True), (3, True), (5, True)])
def test_crib_dice_refuses_a_wrong_number_of_players_with_or_without_partners(players: int, partners: bool) -> None:
    with pytest.raises(RulesError):
        begun("crib_dice", players, rules={"partners": partners})


@pytest.mark.parametrize(("players", "partners"), [(2, False), (5, False), (4, True), (6, True)])
def test_crib_dice_accepts_an_allowed_number_of_players_with_or_without_partners(players: int, partners: bool) -> None:
    assert isinstance(begun("crib_dice", players, rules={"partners": partners}), Transcript)


def test_a_crib_dice_header_with_two_teams_of_equal_name_is_refused() -> None:
    header = {"transcript": 1, "game": "crib_dice", "players": ["A", "A & B", "B & C", "C"]}
    assert header_of(header).players == ("A", "A & B", "B & C", "C")
    with pytest.raises(RulesError, match="same name"):
        header_of({**header, "rules": {"partners": True}})
