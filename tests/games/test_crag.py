"""Rules of Crag, a test for each claim of docs/reference/rules.md."""

from __future__ import annotations

import re
from itertools import permutations, product
from typing import Any

import pytest

from companion.errors import IllegalAction
from companion.games.crag.scoring import CATEGORIES, points_for
from companion.games.engine.game import Enter, Keep
from companion.games.engine.notation import action_of
from tests.games.naive_crag import worth
from tests.games.playing import BOMB, STOP, begun, keep, point, score, spend, throw, told

THROWS = sorted({tuple(sorted(dice)) for dice in product(range(1, 7), repeat=3)})


def refused(*lines: dict[str, Any], players: int = 1) -> str:
    transcript = told("crag", *lines[:-1], players=players)
    with pytest.raises(IllegalAction) as caught:
        transcript.then(action_of(lines[-1]))
    return str(caught.value)


@pytest.mark.parametrize("strict", [False, True])
def test_crag_points_of_every_throw_and_category_equal_the_naive_scoring(strict: bool) -> None:
    for dice in THROWS:
        for category in CATEGORIES:
            for order in set(permutations(dice)):
                assert points_for(category, order, strict) == worth(category, list(dice), strict), (dice, category)


def test_a_13_with_a_pair_in_crag_thirteen_is_26_or_0_by_house_rule() -> None:
    lines = [throw(1, 6, 6), score("thirteen")]
    assert told("crag", *lines, players=1).view()["scores"] == {"Ann": 26}
    assert points_for("thirteen", (1, 6, 6)) == 26
    strict = told("crag", *lines, players=1, rules={"thirteen_without_double": True})
    assert strict.view()["scores"] == {"Ann": 0}


def test_the_highest_total_of_a_crag_score_sheet_is_244() -> None:
    best = [max(points_for(category, dice) for dice in THROWS) for category in CATEGORIES]
    assert (len(best), sum(best)) == (13, 244)


def test_a_crag_game_with_the_best_throw_for_each_category_totals_244() -> None:
    lines = []
    for category in CATEGORIES:
        dice = max(THROWS, key=lambda dice: points_for(category, dice))
        lines += [throw(*dice), score(category)]
    end = told("crag", *lines, players=1).view()
    assert (end["scores"], end["over"], end["round"], end["player"]) == ({"Ann": 244}, True, 13, None)
    assert end["outcome"] == {"winners": ["Ann"], "games_lost": {"Ann": 0}}


def test_a_crag_turn_is_three_dice_a_keep_and_one_rethrow_of_the_others() -> None:
    lines, turn = [throw(6, 1, 6), keep(6, 6), throw(1), score("crag")], list[tuple[Any, ...]]()
    for count in range(5):
        now = told("crag", *lines[:count]).view()
        turn.append((now["throw_sizes"], now["decisions"], now["dice"], now["rethrown"], now["player"]))
    assert turn == [
        ([3], [], [], False, "Ann"),
        ([], ["keep", "score"], [1, 6, 6], False, "Ann"),
        ([1], [], [6, 6], False, "Ann"),
        ([], ["score"], [1, 6, 6], True, "Ann"),
        ([3], [], [], False, "Ben"),
    ]
    assert now["sheets"] == {"Ann": {"crag": 50}, "Ben": {}}


@pytest.mark.parametrize(("kept", "size"), [((), 3), ((1,), 2), ((6,), 2), ((6, 1), 1), ((6, 6), 1)])
def test_a_crag_rethrow_must_have_exactly_as_many_dice_as_were_not_kept(kept: tuple[int, ...], size: int) -> None:
    after = told("crag", throw(1, 6, 6), keep(*kept)).view()
    assert (after["throw_sizes"], after["dice"]) == ([size], sorted(kept))
    for other in {0, 1, 2, 3, 4} - {size}:
        refused(throw(1, 6, 6), keep(*kept), throw(*[1] * other))


@pytest.mark.parametrize("kept", [(1, 6, 6), (2,), (1, 1), (6, 6, 6), (1, 6, 6, 6), (2, 6, 1)])
def test_a_crag_keep_of_all_three_dice_or_of_values_not_thrown_is_refused(kept: tuple[int, ...]) -> None:
    refused(throw(1, 6, 6), keep(*kept))


RETHROWN = [throw(1, 2, 4), keep(4), throw(6, 3)]
OVER = [line for category in CATEGORIES for line in (throw(1, 1, 2), score(category))]


@pytest.mark.parametrize(
    ("lines", "refusals"),
    [
        ([], [score("ones"), keep(), keep(1)]),
        ([throw(1, 2, 3), keep(1)], [score("ones"), keep(1), keep(), STOP]),
        (RETHROWN, [keep(4), keep(), throw(1), throw(1, 2, 3)]),
        ([throw(2, 2, 3)], [STOP, BOMB, point(2), spend("Ben", 1)]),
        (OVER, [throw(1, 2, 3), keep(), score("ones")]),
    ],
    ids=["before a throw", "kept", "thrown again", "of other games", "over"],
)
def test_crag_refuses_moves_made_at_the_wrong_time_or_from_other_games(
    lines: list[dict[str, Any]], refusals: list[dict[str, Any]]
) -> None:
    for line in refusals:
        assert re.search(r"can't be (decided|made) here|is over", refused(*lines, line))


def test_crag_refuses_a_used_and_an_unknown_category() -> None:
    assert "already" in refused(throw(1, 2, 3), score("ones"), throw(1, 1, 1), score("ones"))
    assert "'twos'" in refused(throw(1, 2, 3), score("two"))


def test_scoring_a_crag_gives_a_jackpot_event_but_scoring_sixes_gives_none() -> None:
    for category, codes in {"crag": ["entered", "jackpot"], "sixes": ["entered"]}.items():
        assert [event.code for event in told("crag", throw(1, 6, 6), score(category)).events] == codes


def test_each_crag_player_fills_a_separate_score_sheet() -> None:
    after = told("crag", throw(1, 2, 3), score("ones"), throw(1, 1, 3), score("ones")).view()
    assert after["sheets"] == {"Ann": {"ones": 1}, "Ben": {"ones": 2}}
    assert (after["scores"], after["round"], after["player"]) == ({"Ann": 1, "Ben": 2}, 2, "Ann")


def test_crag_options_include_every_choice_of_dice_to_keep_and_all_categories_best_first() -> None:
    options = told("crag", throw(1, 6, 6)).state.options()
    keeps = [option.dice for option in options if isinstance(option, Keep)]
    assert keeps == [(), (1,), (6,), (1, 6), (6, 6)]
    entries = [option.category for option in options if isinstance(option, Enter)]
    assert entries[:4] == ["crag", "thirteen", "sixes", "ones"]
    assert sorted(entries) == sorted(CATEGORIES)
    assert told("crag", throw(1, 6, 6), keep(1)).state.options() == ()


def test_crag_players_with_equal_totals_share_the_win() -> None:
    lines = [line for category in CATEGORIES for line in (throw(1, 6, 6), score(category)) * 3]
    end = told("crag", *lines, players=3, first="Cat").view()
    assert end["outcome"] == {"winners": ["Ann", "Ben", "Cat"], "games_lost": {"Ann": 0, "Ben": 0, "Cat": 0}}
    assert (end["round"], end["dice"], end["throw_sizes"], end["decisions"]) == (13, [], [], [])


def test_crag_outcome_names_top_scorer_and_one_lost_game_per_other_player() -> None:
    lines = []
    for category in CATEGORIES:
        lines += [throw(1, 1, 2), score(category), throw(1, 6, 6), score(category), throw(1, 1, 2), score(category)]
    end = told("crag", *lines, players=3).view()
    assert end["outcome"] == {"winners": ["Ben"], "games_lost": {"Ann": 1, "Ben": 0, "Cat": 1}}


def test_crag_rounds_1_and_2_start_with_the_player_in_the_header_field_called_first() -> None:
    for turns, wanted in ((1, ("Ann", 1)), (3, ("Cat", 2))):
        after = told("crag", *[throw(1, 2, 3), score("ones")] * turns, players=3, first="Cat").view()
        assert (after["player"], after["round"]) == wanted


def test_a_crag_transcript_header_accepts_twenty_players() -> None:
    names = [f"Player {number}" for number in range(20)]
    assert begun("crag", header={"players": names}).header.players == tuple(names)
