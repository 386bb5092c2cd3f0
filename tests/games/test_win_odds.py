"""The chance to win a game of Crib Dice, against boards played through one by one and games played out."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from companion.errors import RulesError
from companion.games.advice.odds import odds_view, options
from companion.games.crib_dice.odds.backward_induction import offers, set_scores
from companion.games.crib_dice.odds.race import Race, banks
from companion.games.crib_dice.odds.turn_value import turn_values
from companion.games.crib_dice.odds.win import values_by_games
from companion.games.crib_dice.pegs import CribbageBoard
from companion.games.crib_dice.scoring import set_score
from companion.games.crib_dice.state import CribDice, Turn
from companion.games.engine.dice import throws_of
from companion.games.engine.game import State, Stop, Throw
from tests.games.crib_turns import bank
from tests.games.playing import ADVANCED, STOP, begun, throw, told
from tests.games.playing import point as named

ROUNDS = 3  # until fuchles bring pegs back to the start and boards multiply


def board_at(*pegs: int, turn: int = 0, wipeouts: tuple[int, ...] | None = None, **rules: bool) -> CribbageBoard:
    players = len(pegs) * (2 if rules.get("partners") else 1)
    state = begun("crib_dice", players, rules=rules).state
    assert isinstance(state, CribDice)
    gone = tuple(side for side, peg in enumerate(pegs) if peg > state.board.holes)
    return replace(state.board, pegs=pegs, turn=turn, wipeouts=wipeouts or (0,) * len(pegs), finished=gone)


def shares(board: CribbageBoard) -> tuple[float, ...]:
    """Return each side's share of the win when every turn is played for its points."""
    race, found = Race(board), []
    for side in range(len(board.sides)):
        (finishing, on), (won, late) = race._finish_of(side), race._won(side)
        found.append(float((finishing[: len(won)] * won[:, : race._past]).sum() + on[len(won) - 1] * late))
    return tuple(found)


def values(state: State) -> dict[str, float]:
    return {str(option["line"]): option["value"] for option in options(state, "win")}


@pytest.mark.parametrize("piddle_points", [False, True])
def test_the_computed_distribution_of_crib_dice_banks_has_the_turns_expected_points_as_its_mean(
    piddle_points: bool,
) -> None:
    average = sum(points * chance for points, chance in enumerate(banks(piddle_points)))
    assert average == pytest.approx(turn_values(piddle_points).fresh(0), abs=1e-6)
    assert banks(piddle_points)[1] == 0, "a lone pair is thrown on, three 1s too"


def test_simulated_crib_dice_turns_wipe_out_as_often_as_the_odds_say() -> None:
    generator, wiped = random.Random(5), 0
    for _ in range(3000):
        wiped += played_turn(CribDice(board_at(0, 0)), generator).board.wipeouts[0]
    # Four standard deviations of 3,000 turns.
    assert wiped / 3000 == pytest.approx(1 - sum(banks(False)), abs=0.037)


def played_turn(state: CribDice, generator: random.Random) -> CribDice:
    """Return the state after one turn through the engine, played for points."""
    board = state.board
    while state.board is board:
        best = max(state.expected_values(), key=lambda worth: (worth[1], worth[0] == Stop()))[0]
        state = state.after(Throw(tuple(generator.choices(range(1, 7), k=best))) if isinstance(best, int) else best)
    return state


@pytest.mark.parametrize(
    "board",
    [
        board_at(0, 0),
        board_at(119, 117, turn=1, wipeouts=(2, 1)),
        board_at(30, 110, 85, turn=2, wipeouts=(2, 0, 1), piddle_points=True),
        board_at(125, 119, 60, 121, 80, turn=1, skunk=True),
        board_at(125, 119, 125, 121, turn=3),
        board_at(90, 100, turn=3, wipeouts=(3, 2), partners=True, pandemonium=True),
        replace(board_at(100, 122, 90, turn=2), first=1),
        replace(board_at(20, 0, turn=3, wipeouts=(1, 2), find_a_loser=True, long_game=True), first=1),
    ],
)
def test_crib_dice_win_odds_of_all_sides_sum_to_1(board: CribbageBoard) -> None:
    found = shares(board)
    assert sum(found) == pytest.approx(1, abs=1e-8)
    assert min(found) >= 0


@pytest.mark.parametrize(
    "board",
    [
        board_at(119, 119),
        board_at(119, 120, turn=1, wipeouts=(1, 2)),
        board_at(130, 119, 118, turn=1, piddle_points=True),
        replace(board_at(119, 120, turn=1, wipeouts=(3, 0), pandemonium=True), first=1),
        board_at(130, 119, turn=1),
        replace(board_at(119, 130, 118, turn=2), first=1),
        board_at(239, 240, long_game=True),
        board_at(118, 120, wipeouts=(0, 2), find_a_loser=True),
        board_at(118, 120, turn=1, find_a_loser=True, piddle_points=True),
    ],
)
def test_crib_dice_win_odds_lie_in_bounds_from_enumerating_three_rounds(board: CribbageBoard) -> None:
    decided, open_still = played_through(board)
    assert open_still < 0.15
    for share, won in zip(shares(board), decided, strict=True):
        assert won - 1e-8 <= share <= won + open_still + 1e-8


def played_through(board: CribbageBoard) -> tuple[list[float], float]:
    """Return each side's share in games that end within a limit of rounds, and the probability of longer games."""
    chances = {_key(board): (board, 1.0)}
    won, open_still = [0.0] * len(board.sides), 0.0
    turn_banks = banks(bool(board.header.rules["piddle_points"]))
    for _ in range(ROUNDS * len(board.sides)):
        following: dict[Any, tuple[CribbageBoard, float]] = {}
        for before, chance in chances.values():
            if chance < 1e-5:
                open_still += chance
                continue
            ends = [(before.wiped_out(0), 1 - sum(turn_banks))]
            ends += [(before.banked(points), share) for points, share in enumerate(turn_banks) if share]
            for after, share in ends:
                outcome = after.outcome
                if outcome is None:
                    known = following.get(_key(after), (after, 0.0))[1]
                    following[_key(after)] = after, known + chance * share
                    continue
                for side in outcome.winners:
                    won[side] += chance * share / len(outcome.winners)
        chances = following
    return won, open_still + sum(chance for _, chance in chances.values())


def _key(board: CribbageBoard) -> Any:
    return board.turn, board.pegs, board.wipeouts


@pytest.mark.parametrize(
    "board",
    [
        board_at(0, 0, long_game=True),
        board_at(60, 119, 0, turn=1, wipeouts=(1, 2, 0)),
        board_at(30, 110, 85, 2, 50, turn=12, wipeouts=(3, 0, 1, 0, 2), pandemonium=True, piddle_points=True),
        board_at(245, 119, 60, 230, turn=1, wipeouts=(0, 2, 1, 0), long_game=True),
    ],
)
def test_crib_dice_win_odds_equal_those_from_peg_position_probabilities_per_round(board: CribbageBoard) -> None:
    """The odds of whole games agree with probabilities of every peg position, carried from round to round."""
    assert shares(board) == pytest.approx(followed(board), abs=1e-9)


def followed(board: CribbageBoard) -> list[float]:
    """Return each side's share of the win when every turn is played for its points."""
    chances, holes, sides = np.array(banks(bool(board.header.rules["piddle_points"]))), board.holes, len(board.sides)
    at = np.zeros((sides, board.fuchle_at, holes + 1 + max(len(chances), *board.pegs)))
    for side in range(sides):
        at[side, board.wipeouts[side], board.pegs[side]] = 1.0
    moves = np.array([np.pad(chances, (hole, at.shape[2] - hole - len(chances))) for hole in range(holes + 1)])
    won, under_way, played = np.zeros(sides), np.ones(sides), board.turn % sides
    while under_way.prod() > 1e-12:
        for side in ((board.first + turn) % sides for turn in range(played, sides)):
            on = at[side, :, : holes + 1].copy()
            at[side, :, : holes + 1] = 0.0
            at[side, 1:, : holes + 1] += (1 - chances.sum()) * on[:-1]
            at[side, 0, 0] += (1 - chances.sum()) * on[-1].sum()
            at[side, 0] += on.sum(axis=0) @ moves
        past = at[:, 0, holes + 1 :].copy()
        at[:, 0, holes + 1 :] = 0.0
        under_way = at.sum(axis=(1, 2))
        for side in range(sides):
            shared = np.ones((1, past.shape[1]))  # by how many others are level
            for other in (other for other in range(sides) if other != side):
                below = under_way[other] + past[other].cumsum() - past[other]
                shared = np.pad(shared * below, ((0, 1), (0, 0))) + np.pad(shared * past[other], ((1, 0), (0, 0)))
            won[side] += past[side] @ (shared / np.arange(1, sides + 1)[:, np.newaxis]).sum(axis=0)
        played = 0
    return won.tolist()


def test_simulated_crib_dice_games_are_won_as_often_as_the_odds_say() -> None:
    board, generator, won = board_at(100, 112, wipeouts=(0, 1)), random.Random(3), 0.0
    for _ in range(1000):
        state = CribDice(board)
        while not state.standing.over:
            state = played_turn(state, generator)
        winners = state.view()["outcome"]["winners"]
        won += ("Ann" in winners) / len(winners)
    # Four standard deviations of 1,000 games.
    assert won / 1000 == pytest.approx(shares(board)[0], abs=0.064)


def test_crib_dice_win_odds_of_the_last_turn_count_a_tie_as_half_and_a_lead_as_1() -> None:
    board = board_at(130, 120, turn=1)
    for points, share in ((7, 0.0), (9, 0.0), (10, 0.5), (11, 1.0), (40, 1.0)):
        choosing = CribDice(board, Turn("choosing", points - 2, 4, 2, (1, 2, 3, 4, 4, 5, 6)))
        assert values(choosing)["{'do': 'stop'}"] == share
    three = CribDice(board, Turn("choosing", 6, 5, 4, (1, 2, 3, 5, 5, 5, 5)))
    assert values(three) == {"{'do': 'stop'}": 1.0, "{'throw': 3}": pytest.approx(19 / 27)}


def test_crib_dice_win_odds_choose_a_throw_if_a_stop_surely_loses_though_points_choose_the_stop() -> None:
    board = board_at(150, 120, turn=1)
    # Four 5s and 15 gathered are 25; 30 draw level. One more 5 draws level, two win, and the stop is lost.
    state = CribDice(board, Turn("choosing", 15, 5, 4, (1, 2, 3, 5, 5, 5, 5)))
    assert options(state)[0]["line"] == {"do": "stop"}
    found = options(state, "win")
    assert found[0]["line"] == {"throw": 3}
    assert found[1] == {"line": {"do": "stop"}, "value": 0.0}


def test_a_crib_dice_bank_that_ties_three_players_has_win_odds_of_one_third() -> None:
    choosing = Turn("choosing", 3, 4, 2, (1, 2, 3, 4, 4, 5, 6))
    assert values(CribDice(board_at(125, 125, 120, turn=2), choosing))["{'do': 'stop'}"] == pytest.approx(1 / 3)
    assert values(CribDice(board_at(125, 124, 120, turn=2), choosing))["{'do': 'stop'}"] == pytest.approx(1 / 2)


def test_crib_dice_odds_of_a_stop_or_a_wipe_out_equal_those_of_the_resulting_position() -> None:
    """A throw of two dice has the mean of the values of going on and of a wipe-out, weighted by the ways."""
    board = board_at(60, 75, wipeouts=(1, 2), pandemonium=True)
    state = CribDice(board, Turn("choosing", 3, 4, 4, (1, 2, 3, 4, 4, 4, 4)))
    after = shares(board.banked(3 + set_score(4, 4)))[0]
    assert values(state)["{'do': 'stop'}"] == pytest.approx(after, abs=1e-8)
    lost = CribDice(board, Turn("choosing", 0, 4, 5, (1, 2, 4, 4, 4, 4, 4)))
    worth = Race(board).turn_values_to_win()
    assert worth.lost == pytest.approx(shares(board.wiped_out(0))[0], abs=1e-8)
    wanted = (30 * worth.fresh(12) + 5 * worth.lost) / 35
    assert values(lost)["{'throw': 2}"] == pytest.approx(wanted)


def test_crib_dice_win_odds_include_the_fuchle_that_a_wipe_out_causes() -> None:
    for board in (board_at(60, 75, wipeouts=(2, 0)), board_at(60, 75, turn=1, wipeouts=(0, 3), pandemonium=True)):
        worth = Race(board).turn_values_to_win()
        assert worth.lost == pytest.approx(shares(board.wiped_out(0))[board.side], abs=1e-8)


def test_crib_dice_win_odds_of_a_throw_are_the_mean_over_its_results() -> None:
    board = board_at(104, 110, turn=1, piddle_points=True)
    worth = Race(board).turn_values_to_win()
    for turn in (
        Turn(),
        Turn("choosing", 4, 3, 3, (3, 3, 3, 1, 2, 4, 5)),
        Turn("choosing", 0, 1, 2, (1, 1, 2, 3, 4, 5, 6)),
    ):
        state = CribDice(board, turn)
        size = state.throw_sizes[0]
        total = 0.0
        for dice, ways in throws_of(size):
            after = state.after(Throw(dice))
            follows = max(value for _, value in after.expected_values_by(worth)) if after.board is board else worth.lost
            total += float(Fraction(ways, 6**size)) * follows
        assert dict(state.expected_values_by(worth))[size] == pytest.approx(total, abs=1e-9)


def test_crib_dice_win_odds_of_play_for_the_win_are_no_lower_than_of_play_for_points() -> None:
    for board in (board_at(60, 100, 20, turn=1), board_at(110, 118, wipeouts=(2, 2))):
        assert Race(board).turn_values_to_win().fresh(0) >= shares(board)[board.side] - 1e-9


def test_crib_dice_win_odds_are_refused_for_three_players_with_rule_find_a_loser() -> None:
    with pytest.raises(RulesError, match="find_a_loser"):
        options(begun("crib_dice", 3, rules={"find_a_loser": True}).state, "win")


@pytest.mark.parametrize("rule", ["bomb", "bumping", "double_fuchle", "long_game", "pandemonium"])
@pytest.mark.parametrize("players", [2, 3])
def test_crib_dice_win_odds_under_rules_without_a_stored_table_are_marked_inexact(rule: str, players: int) -> None:
    told = odds_view(begun("crib_dice", players, rules={rule: True, "bomb": True}).state, "win")
    assert not told["exact"]
    assert 0 < told["options"][0]["value"] < 1
    solved = odds_view(begun("crib_dice", rules=ADVANCED).state, "win")
    assert solved["exact"]


def test_a_crib_dice_bank_that_finishes_has_win_odds_of_1_in_the_find_a_loser_variant() -> None:
    board = board_at(110, 120, find_a_loser=True)
    past, short = (values(CribDice(board, Turn("choosing", so_far, 4, 2, (1, 2, 3, 4, 4, 5, 6)))) for so_far in (9, 8))
    assert past["{'do': 'stop'}"] == 1.0
    assert short["{'do': 'stop'}"] == pytest.approx(shares(board.banked(10))[0], abs=1e-8)
    assert {type(value) for value in (*past.values(), *short.values())} == {float}, "what JSON takes"
    assert shares(board_at(0, 0, find_a_loser=True))[0] > 0.51
    assert shares(board_at(0, 0))[0] == pytest.approx(0.5)


def test_a_finishing_crib_dice_stop_with_find_a_loser_and_bumping_has_odds_of_1() -> None:
    """The tables give the other side a last turn after a finish in the first turn of a round."""
    board, turn = board_at(119, 110, find_a_loser=True, bumping=True), Turn("choosing", 0, 4, 2, (1, 2, 3, 4, 4, 5, 6))
    assert {goal: options(CribDice(board, turn), goal)[0] for goal in ("win", "games")} == {
        goal: {"line": STOP, "value": 1.0} for goal in ("win", "games")
    }


def test_crib_dice_win_odds_are_refused_in_a_roll_off() -> None:
    with pytest.raises(RulesError, match="known once the roll-off is over"):
        options(begun("crib_dice", roll_off=True).state, "win")


def test_crib_dice_win_odds_list_no_options_after_the_game_is_over() -> None:
    for rules in ({}, {"bomb": True}):  # during the game that rule bars it
        assert options(told("crib_dice", *bank(121), *bank(2), rules=rules).state, "win") == []


def test_crib_dice_games_odds_count_skunks_end_with_the_game_and_refuse_3_players() -> None:
    for players in (2, 3):
        ended = told("crib_dice", *bank(121), *bank(2) * (players - 1), players=players).state
        assert ended.standing.over
        assert values_by_games(ended) == ()
    with pytest.raises(RulesError, match="between two sides only"):
        values_by_games(begun("crib_dice", 3).state)
    # Ben, at hole 58, needs 131 to win a game, 130 to tie, 61 not to be skunked, which loses two.
    board = board_at(130, 58, turn=1, wipeouts=(0, 0), **ADVANCED)
    for points, games in ((73, 1), (72, 0), (71, -1), (3, -1), (2, -2)):
        state = CribDice(board, Turn("choosing", points - 2, 4, 2, (1, 2, 3, 4, 4, 5, 6)))
        assert dict(values_by_games(state))[Stop()] == games


def test_mean_best_set_score_of_seven_crib_dice_from_the_set_tables_equals_that_over_all_throws() -> None:
    rows, chances = offers()
    assert rows.shape == (3, len(chances)), "no throw holds more than three sets"
    best = sum(
        ways * max(set_score(dice.count(face), face) for face in dice if dice.count(face) > 1)
        for dice, ways in throws_of(7)
    )
    assert chances @ set_scores()[rows - 1].max(axis=0) == pytest.approx(best / 6**7)


def test_crib_dice_win_odds_cover_every_legal_option_before_and_after_naming_the_point() -> None:
    naming: Any = told("crib_dice", throw(6, 6, 2, 2, 2, 4, 5)).state
    assert {str(line) for line in (named(2), named(6))} == set(values(naming))
    choosing = told("crib_dice", throw(6, 6, 2, 2, 2, 4, 5), named(2)).state
    assert set(values(choosing)) == {str(STOP), "{'throw': 4}"}


def test_win_odds_list_no_options_after_a_crib_dice_game_with_the_find_a_loser_rule() -> None:
    leaves = [{"leave": "Ann"}, {"leave": "Ben"}]
    over = told("crib_dice", *leaves, players=3, rules={"find_a_loser": True}).state
    assert over.standing.over
    assert options(over, "win") == []


def test_a_crib_dice_bomb_after_another_side_has_finished_has_win_odds_of_0() -> None:
    """A bomb hits a third side then, which is in play, and leaves the finisher ahead."""
    lines = [*bank(10), *bank(20), *bank(50), *bank(125), throw(1, 1, 1, 1, 1, 2, 3), named(1)]
    bomb = told("crib_dice", *lines, players=3, rules=ADVANCED).state
    assert values(bomb)["{'do': 'bomb'}"] == 0
    announced = told("crib_dice", *lines, {"do": "bomb"}, players=3, rules=ADVANCED).state
    assert values(announced) == {"{'throw': 2}": 0}
