"""Luck and decisions: they make up the result exactly, and who always does what is best gives nothing away."""

from __future__ import annotations

import json
import random
import re
from operator import mul
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.cli import pegpip
from companion.errors import RulesError
from companion.games.advice.luck import Move, Story, goal_for, story_of, value_taken
from companion.games.advice.odds import values_of, win_chances
from companion.games.engine.game import Action, NamePoint, Spend, Stop, Throw, Undo
from companion.games.engine.notation import header_line, line_of
from companion.games.engine.players import LEVELS, erring, level_named
from companion.games.engine.replay import transcript_of
from companion.games.engine.transcript import Transcript, corrected
from tests.games.playing import ADVANCED, STOP, begun, keep, some_action, spend, throw, told

GAMES = [
    ("crib_dice", "win", {}),
    ("crib_dice", "win", {"piddle_points": True, "skunk": True}),
    ("crib_dice", "points", {"bomb": True, "bumping": True}),
    ("crib_dice", "win", ADVANCED),
    ("crib_dice", "games", ADVANCED),
    ("crag", "points", {}),
    ("crapola", "points", {"target": 3000, "entry": 500}),
]


def played_by(game: str, levels: list[str], seed: int, **rules: Any) -> Transcript:
    """Play a game through the engine and return its transcript.

    Besides the levels there are `random`, which plays random actions, and `points`, which makes no mistake in points.
    """
    return played_on(begun(game, len(levels), rules=rules), levels, random.Random(seed))


def played_on(transcript: Transcript, levels: list[str], generator: random.Random) -> Transcript:
    """Play a game on to its end."""
    while (seat := transcript.state.standing.to_play) is not None:
        state, level = transcript.state, levels[seat]
        choice: Action | int
        if level == "random":
            choice = some_action(state, generator)
        else:
            choice = erring(state, 0.0) if level == "points" else level_named(level)(state)
        if isinstance(choice, int):
            choice = Throw(tuple(generator.choices(range(1, 7), k=choice)))
        transcript = transcript.then(choice)
    return transcript


@pytest.mark.parametrize(("game", "goal", "rules"), GAMES)
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 2**32), levels=st.lists(st.sampled_from(["random", *LEVELS]), min_size=2, max_size=2))
def test_the_contributions_in_a_luck_analysis_add_up_to_each_sides_final_result(
    game: str, goal: str, rules: dict[str, Any], seed: int, levels: list[str]
) -> None:
    makes_up(story_of(played_by(game, levels, seed, **rules), goal))


def makes_up(story: Story, error: float = 1e-8) -> None:
    for account in story.accounts:
        whole = account.start + account.luck + account.decisions + account.approximation
        assert whole == pytest.approx(account.result, abs=1e-9)
        assert account.gave_away >= 0
    assert all(move.cost >= 0 for move in story.moves)
    assert all(move.best is None for move in story.moves if move.cost == 0), "what was best needs no better"
    for move in story.moves:
        if isinstance(move.action, Throw):
            assert move.approximation == 0, "a throw has no approximation error"
        else:
            assert move.luck == 0, "a decision has no luck"
            assert move.approximation == pytest.approx(0, abs=error), "values are exact, or nearly"


@pytest.mark.parametrize(("game", "goal", "rules"), GAMES)
@settings(max_examples=3, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_luck_analysis_moves_add_up_to_the_final_result_after_an_undo_and_a_throw_correction(
    game: str, goal: str, rules: dict[str, Any], seed: int
) -> None:
    generator, levels = random.Random(seed), ["careless", "steady"]
    once = played_by(game, levels, seed, **rules)
    taken_back = played_on(once.then(Undo(generator.randint(1, once.line_count))), levels, generator)
    throws = [place for place, action in enumerate(taken_back.actions) if isinstance(action, Throw)]
    place = generator.choice(throws)
    dice = tuple(generator.choices(range(1, 7), k=len(taken_back.actions[place].dice)))  # type: ignore[union-attr]
    story = story_of(played_on(corrected(taken_back, place, Throw(dice)).transcript, levels, generator), goal)
    makes_up(story)


@pytest.mark.parametrize(
    ("game", "goal", "rules"),
    [*(each for each in GAMES if each[1] != "games"), ("crag", "win", {})],  # no level plays for games lost
)
def test_a_luck_story_finds_no_mistake_by_a_player_of_best_options(game: str, goal: str, rules: dict[str, Any]) -> None:
    perfect = "best" if goal == "win" else "points"
    for seed in range(2):
        story = story_of(played_by(game, [perfect, "careless"], seed, **rules), goal)
        mine, other = story.accounts
        assert mine.gave_away == 0
        assert other.gave_away > 0
        assert {move.seat for move in story.costliest} == {1}


@pytest.mark.parametrize(("game", "goal", "rules"), [*GAMES, ("crag", "win", {})])
def test_a_luck_account_sums_own_moves_and_if_the_goal_is_not_points_subtracts_those_of_others(
    game: str, goal: str, rules: dict[str, Any]
) -> None:
    """Luck and approximation error that one side gains, the other loses, except in points."""
    story = story_of(played_by(game, ["steady", "careless"], 2, **rules), goal)
    if game == "crag":
        assert any(move.approximation for move in story.moves) is (goal == "win"), "its values are exact in points"
    for seat, account in enumerate(story.accounts):
        others = 0 if goal == "points" else -1
        sign = [1 if move.seat == seat else others for move in story.moves]
        parts = [(one.luck, one.approximation, one.cost) for one in story.moves]
        luck, error, decisions = (sum(map(mul, sign, part)) for part in zip(*parts, strict=True))
        assert account.luck == pytest.approx(luck, abs=1e-9)
        assert account.approximation == pytest.approx(error, abs=1e-9)
        assert account.decisions == pytest.approx(-decisions, abs=1e-9)


@pytest.mark.parametrize(("game", "goal", "rules"), GAMES)
def test_the_results_in_a_luck_analysis_equal_those_of_the_finished_game(
    game: str, goal: str, rules: dict[str, Any]
) -> None:
    transcript = played_by(game, ["steady", "careless"], 3, **rules)
    story, outcome = story_of(transcript, goal), transcript.state.standing.outcome
    assert outcome is not None
    assert story.goal == goal
    for side, account in enumerate(story.accounts):
        if goal == "games":
            assert account.result == sum(outcome.games_lost) - 2 * outcome.games_lost[side]
        elif goal == "win":
            assert account.result == (side in outcome.winners) / len(outcome.winners)
        elif game != "crib_dice":  # there fuchles, bombs and bumps move pegs too
            assert account.result == pytest.approx(transcript.state.standing.scores[side])
    one, other = story.accounts
    if goal != "points":
        assert (one.start, other.start) == win_chances(begun(game, rules=rules).state, goal)
        assert one.luck == pytest.approx(-other.luck, abs=1e-9)
        assert one.decisions == pytest.approx(other.gave_away - one.gave_away)
    else:
        assert (one.decisions, other.decisions) == (-one.gave_away, -other.gave_away)


def test_each_move_of_a_luck_report_gives_the_number_of_its_transcript_line() -> None:
    transcript = played_by("crag", ["careless"], 5)
    for move in story_of(transcript).moves:
        assert transcript.actions[move.line - 2] == move.action


def test_luck_reports_use_win_chances_by_default_only_for_two_player_crib_dice_without_bombs() -> None:
    solved = begun("crib_dice"), begun("crib_dice", roll_off=True)
    others = begun("crib_dice", 3), begun("crib_dice", rules={"bomb": True}), begun("crag"), begun("crapola")
    assert [goal_for(each.header) for each in (*solved, *others)] == ["win"] * 2 + ["points"] * 4


HOT = [throw(1, 2, 3, 4, 5, 6), keep(1, 2, 3, 4, 5, 6), STOP]
CRAPPED_OUT = throw(2, 2, 3, 3, 4, 6)


def expected(*lines: dict[str, Any], **rules: Any) -> float:
    """Return the expected points of a turn of Crapola after those lines, with best play."""
    return max(value for _, value in told("crapola", *lines, rules=rules).state.expected_values())


def test_a_crapola_luck_report_starts_at_the_expected_points_of_a_turn() -> None:
    rules = {"target": 1000, "entry": 0}
    ann, ben = story_of(told("crapola", *HOT, CRAPPED_OUT, rules=rules), "points").accounts
    assert (ann.start, ann.result) == (expected(**rules), 1000)
    assert (ben.start, ben.result, ben.gave_away) == (expected(*HOT, **rules), 0, 0)
    assert ben.luck == -ben.start
    assert ann.gave_away == expected(*HOT[:2], **rules) - 1000, "who has a thousand and hot dice throws on"


def test_a_luck_report_values_a_crapola_spend_that_the_odds_do_not_list_by_the_win_chance_after_it() -> None:
    before = told("crapola", *HOT * 2, rules={"target": 3000, "entry": 0})
    after = before.then(Spend("Ben", 600))
    mover = before.state.standing.side
    assert mover is not None
    values = values_of(before.state, "win")
    assert Spend("Ben", 600) not in dict(values)
    taken = value_taken(values, before.state, Spend("Ben", 600), after.state, "win")
    assert taken == win_chances(after.state)[mover]
    listed = next(option for option, _ in values if isinstance(option, Spend))
    following = before.then(listed).state
    assert value_taken(values, before.state, listed, following, "win") == dict(values)[listed]


def test_luck_analysis_rates_spending_crapola_points_as_costing_the_turns_expected_points() -> None:
    rules = {"target": 1500, "entry": 0}
    end = [*HOT * 2, throw(1, 1, 2, 3, 4, 6), keep(1, 1), STOP, CRAPPED_OUT]
    story = story_of(told("crapola", *HOT * 2, spend("Ben", 600), *end, rules=rules), "points")
    (spending,) = (move for move in story.moves if isinstance(move.action, Spend))
    assert spending == Move(8, 0, Spend("Ben", 600), 0.0, expected(*HOT * 2, **rules), 6)


def test_a_luck_story_in_points_does_not_call_the_best_move_for_the_win_a_mistake() -> None:
    """Ann opened the last round with 2,000; Ben has 1,000 and 1,000 in this turn: a bank is a tie, which Ann wins."""
    ones = [throw(1, 1, 1, 2, 3, 4), keep(1, 1, 1)]
    story = story_of(told("crapola", *[*ones, STOP] * 3, *ones, throw(2, 3, 4), rules={"target": 2000}))
    assert story.moves[-1].cost > 0, "it adds up"
    assert story.moves[-1].best is None
    assert not [move for move in story.costliest if move.line == story.moves[-1].line]
    makes_up(story)


def test_the_json_of_a_luck_story_move_names_the_action_and_best_option() -> None:
    players, common = ("Ann", "Ben"), {"line": 3, "player": "Ben", "luck": 0.0, "gave_away": 2.5, "approximation": 0.0}
    for best, line in ((5, {"throw": 5}), (NamePoint(2), {"do": "point", "value": 2}), (None, None)):
        assert Move(3, 1, Stop(), 0.0, 2.5, best).view(players) == {**common, "action": STOP, "best": line}


def test_a_luck_analysis_stays_the_same_if_the_kept_dice_are_listed_in_reverse_order() -> None:
    finished = played_by("crapola", ["careless", "careless"], 1, target=3000, entry=500)
    lines = [header_line(finished.header), *map(line_of, finished.actions)]
    turned = [{**line, "dice": line["dice"][::-1]} if "dice" in line else line for line in lines]
    assert turned != lines
    assert story_of(transcript_of("\n".join(map(json.dumps, turned)).encode())) == story_of(finished)


def test_a_luck_story_lists_at_most_3_luckiest_and_costliest_moves() -> None:
    lucks = [0.1, 0.0, 0.4, -0.2, 0.3, 0.2]
    throws = tuple(Move(2 + place, 0, Throw((1, 2)), luck, 0.0, None) for place, luck in enumerate(lucks))
    decided = tuple(Move(8 + place, 0, Stop(), 0.5, luck, 2) for place, luck in enumerate(lucks))
    story = Story("win", (), throws + decided)
    assert [move.luck for move in story.luckiest] == [0.4, 0.3, 0.2]
    assert [move.cost for move in story.costliest] == [0.4, 0.3, 0.2]
    nothing = Story("win", (), (throws[1], throws[3], decided[1]))
    assert nothing.luckiest == nothing.costliest == ()


def test_a_luck_analysis_with_an_unknown_goal_is_refused() -> None:
    with pytest.raises(RulesError, match="'glory'; there are: points, win"):
        story_of(told("crapola", *HOT, CRAPPED_OUT, rules={"target": 1000}), "glory")


def luck(transcript: Transcript, *words: str) -> Any:
    lines = [header_line(transcript.header), *map(line_of, transcript.actions)]
    content = "\n".join(map(json.dumps, lines)).encode()
    return CliRunner().invoke(pegpip, ["luck", *words, "-"], input=content, standalone_mode=False)


def test_luck_command_json_lists_3_luckiest_and_3_costliest_moves() -> None:
    transcript = played_by("crib_dice", ["steady", "careless"], 1)
    found = json.loads(luck(transcript, "--json").stdout)
    assert set(found) == {"goal", "players", "luckiest", "dearest", "moves"}
    assert found["goal"] == "win"
    assert len(found["luckiest"]) == len(found["dearest"]) == 3
    dearest = found["dearest"][0]
    assert dearest["gave_away"] == max(move["gave_away"] for move in found["moves"])
    assert dearest["best"] != dearest["action"]
    assert "Costliest" in luck(transcript).stdout


@pytest.mark.parametrize(
    ("game", "goal", "rules", "unit"),
    [
        ("crib_dice", "win", {}, "% of a win"),
        ("crib_dice", "games", ADVANCED, "games"),
        ("crag", "points", {}, "points"),
    ],
)
def test_the_luck_command_prints_its_results_in_the_unit_that_the_goal_option_chooses(
    game: str, goal: str, rules: dict[str, Any], unit: str
) -> None:
    transcript = played_by(game, ["steady", "careless"], 1, **rules)
    standing = transcript.state.standing
    assert standing.outcome is not None
    results = {
        "win": [100 * (side in standing.outcome.winners) / len(standing.outcome.winners) for side in range(2)],
        "games": [sum(standing.outcome.games_lost) - 2 * lost for lost in standing.outcome.games_lost],
        "points": list(standing.scores),
    }
    heading, *lines = luck(transcript, "--goal", goal).stdout.splitlines()
    assert heading.endswith(f" result   ({unit})")
    assert [float(line.split()[4].rstrip(",")) for line in lines[:2]] == pytest.approx(results[goal], abs=0.051)
    assert [line.split()[0] for line in lines[2:]] == ["Luckiest:"] * 3 + ["Costliest:"] * 3
    assert all(re.match(rf"\w+: [\d.]+ ?{unit}, line ", line) for line in lines[2:])


def test_luck_command_refuses_an_unfinished_game_and_refuses_goal_win_for_a_solo_crag_game() -> None:
    unfinished, no_win = luck(begun("crag")), luck(played_by("crag", ["careless"], 1), "--goal", "win")
    assert isinstance(unfinished.exception, RulesError)
    assert isinstance(no_win.exception, RulesError)
    assert "not finished" in str(unfinished.exception)
    assert "between two sides only" in str(no_win.exception)
    assert unfinished.stdout == no_win.stdout == ""
