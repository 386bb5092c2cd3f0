"""Leaving in mid-game, claim by claim (docs/reference/rules.md, "Leaving"); the naive engines test the rest."""

from __future__ import annotations

from typing import Any

import pytest

from companion.errors import IllegalAction, RulesError
from companion.games.advice.luck import story_of
from companion.games.advice.odds import options
from companion.games.crag.scoring import CATEGORIES
from companion.games.engine.event import Event
from companion.games.engine.game import Enter, Leave, Throw, Undo
from companion.games.engine.leaving import turn_continues
from companion.games.engine.notation import action_of
from companion.games.engine.transcript import GAME_OVER, Transcript, corrected
from companion.games.registry import GAMES, game_named
from tests.games.playing import BOMB, STOP, begun, keep, point, score, spend, throw, told

TWO = [throw(2, 2, 1, 3, 4, 5, 6), point(2), STOP]
SIXES = [throw(6, 6, 6, 6, 6, 6, 6), point(6)]
HOME = [*SIXES * 4, throw(1, 1, 1, 2, 3, 4, 5), point(1), STOP]
HOT = [throw(1, 2, 3, 4, 5, 6), keep(1, 2, 3, 4, 5, 6)]
CRAPPED = throw(2, 2, 3, 3, 4, 6)


def leave(name: str) -> dict[str, str]:
    return {"leave": name}


def view(game: str, *lines: dict[str, Any], **more: Any) -> dict[str, Any]:
    return told(game, *lines, **more).view()


@pytest.mark.parametrize("game", GAMES)
def test_a_players_leave_shows_in_the_state_view_and_can_be_undone(game: str) -> None:
    transcript = begun(game, 3)
    assert "left" not in transcript.view()
    left = transcript.then(Leave("Ben"))
    assert left.view()["left"] == ["Ben"]
    assert left.events[-1].code == "left"
    assert (left.events[-1].seat, left.events[-1].side) == (1, 1)
    assert left.then(Undo(1)).state == transcript.state
    assert "leave" not in left.view()["decisions"]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("lines", [["Nobody"], ["ben"], ["Ben", "Ben"], ["Ben", "Cat", "Ann"]])
def test_a_leave_by_an_unknown_or_gone_player_or_after_the_end_is_refused(game: str, lines: list[str]) -> None:
    transcript = begun(game, 3)
    for name in lines[:-1]:
        transcript = transcript.then(Leave(name))
    with pytest.raises(IllegalAction, match=r"not in this game; there are Ann|already left|is over"):
        transcript.then(Leave(lines[-1]))


@pytest.mark.parametrize("game", GAMES)
def test_the_last_player_in_any_game_wins_at_once_when_all_others_leave(game: str) -> None:
    transcript = begun(game, 3).then(Leave("Cat")).then(Leave("Ann"))
    assert (transcript.events, transcript.state.standing.to_play) == ((Event("left", 0, seat=0), GAME_OVER), None)
    over = transcript.view()
    assert (over["over"], over["player"], over["round"], over["left"]) == (True, None, 1, ["Ann", "Cat"])
    assert over["outcome"] == {"winners": ["Ben"], "games_lost": {"Ann": 1, "Ben": 0, "Cat": 1}}


@pytest.mark.parametrize("game", GAMES)
def test_a_roll_off_goes_on_or_is_decided_when_a_player_leaves(game: str) -> None:
    three = begun(game, 3, roll_off=True)
    assert three.then(Leave("Ann")).view()["player"] == "Ben"
    assert three.then(Leave("Ben")).events == (Event("left", 1, seat=1),)
    low, high = throw(1, 2), throw(6, 6)
    begins = told(game, low, high, leave("Cat"), players=3, roll_off=True).view()
    assert (begins["player"], begins["throw_sizes"] != [2]) == ("Ben", True)
    tied = told(game, high, high, low, players=3, roll_off=True)
    assert tied.then(Leave("Cat")).view()["player"] == "Ann"
    assert tied.then(Leave("Cat")).view()["throw_sizes"] == [2]
    alone = tied.then(action_of(high)).then(Leave("Ann")).view()
    assert (alone["player"], alone["throw_sizes"] != [2]) == ("Ben", True)
    again = told(game, high, leave("Ann"), low, low, players=3, roll_off=True).view()
    assert (again["player"], again["throw_sizes"]) == ("Ben", [2])
    assert begun(game, 2, roll_off=True).then(Leave("Ben")).view()["outcome"]["winners"] == ["Ann"]


def test_leaving_in_ones_own_crib_dice_turn_counts_no_wipe_out() -> None:
    after = view("crib_dice", throw(2, 2, 1, 3, 4, 5, 6), point(2), leave("Ann"), players=3)
    assert (after["player"], after["wipeouts"], after["turn_points"], after["dice"]) == (
        "Ben",
        {"Ann": 0, "Ben": 0, "Cat": 0},
        0,
        [],
    )
    assert (after["out"], after["scores"]["Ann"]) == (["Ann"], 0)


def test_a_crib_dice_leavers_peg_returns_to_hole_0_and_loses_the_finish() -> None:
    on = view("crib_dice", *HOME, leave("Ann"), players=3)
    assert (on["finished"], on["out"], on["scores"]["Ann"], on["player"]) == ([], ["Ann"], 0, "Ben")
    assert not view("crib_dice", *HOME, leave("Ann"), *TWO, *TWO, players=3)["over"]
    assert view("crib_dice", *HOME, leave("Cat"), *TWO, players=3)["outcome"]["winners"] == ["Ann"]


def test_a_leave_can_end_a_crib_dice_find_a_loser_game_in_mid_turn() -> None:
    rules = {"rules": {"find_a_loser": True}}
    lost = view("crib_dice", *HOME, throw(2, 2, 1, 3, 4, 5, 6), leave("Cat"), players=3, header=rules)
    assert lost["outcome"] == {"winners": ["Ann"], "games_lost": {"Ann": 0, "Ben": 1, "Cat": 1}}
    assert (lost["dice"], lost["turn_points"], lost["round"]) == ([], 0, 1)


def test_a_crib_dice_leaver_without_points_loses_4_games_under_skunk() -> None:
    skunk = {"rules": {"skunk": True}}
    mine = told("crib_dice", leave("Ann"), header=skunk)
    assert mine.view()["outcome"]["games_lost"] == {"Ann": 4, "Ben": 0}
    assert [event.code for event in mine.events] == ["left", "skunked", "game_over"]
    assert told("crib_dice", leave("Ben"), header=skunk).events[1:] == (Event("skunked", 1, {"games": 4}), GAME_OVER)


def test_a_crib_dice_team_plays_on_with_the_partner_who_did_not_leave() -> None:
    partners = {"rules": {"partners": True}}
    one = view("crib_dice", leave("Ann"), *TWO, players=4, header=partners)
    assert (one["player"], one["round"], one["out"]) == ("Cat", 2, [])
    next_round = view("crib_dice", leave("Ann"), *TWO * 3, players=4, header=partners)
    assert (next_round["player"], next_round["round"]) == ("Ben", 3)
    gone = view("crib_dice", leave("Cat"), leave("Ann"), players=4, header=partners)
    assert gone["outcome"]["winners"] == ["Ben & Dan"]
    assert gone["left"] == ["Ann", "Cat"]


def test_a_crib_dice_team_stays_finished_until_both_partners_leave() -> None:
    partners = {"rules": {"partners": True}}
    one = view("crib_dice", *HOME, leave("Ann"), players=6, header=partners)
    assert (one["finished"], one["out"], one["scores"]["Ann & Dan"]) == (["Ann & Dan"], [], 121)
    both = view("crib_dice", *HOME, leave("Ann"), leave("Dan"), players=6, header=partners)
    assert (both["finished"], both["out"], both["scores"]["Ann & Dan"]) == ([], ["Ann & Dan"], 0)


def test_an_eliminated_crib_dice_player_may_still_leave_the_game() -> None:
    rules = {"rules": {"double_fuchle": True}}
    wiped = [throw(2, 2, 1, 3, 4, 5, 6), point(2), throw(3, 3, 4, 5, 6)]
    out = told("crib_dice", *[*wiped, *TWO, *TWO] * 5, players=3, header=rules)
    assert (out.view()["out"], out.view()["wipeouts"]["Ann"]) == (["Ann"], 2)
    left = out.then(Leave("Ann")).view()
    assert left == {**out.view(), "line": left["line"], "left": ["Ann"]}


FIVE_ONES = [throw(1, 1, 1, 1, 1, 2, 3), point(1), BOMB]


def test_a_crib_dice_bomb_whose_target_leaves_hits_another_player() -> None:
    bomb = {"rules": {"bomb": True}}
    announced = [*TWO, *FIVE_ONES, leave("Ann")]
    behind = [*TWO, *TWO[:2], throw(3, 3, 4, 5, 6), *SIXES, STOP, *FIVE_ONES, leave("Cat"), throw(1, 3)]
    after = told("crib_dice", *announced, throw(1, 3), players=3, header=bomb)
    assert (after.view()["scores"], after.view()["player"]) == ({"Ann": 0, "Ben": 0, "Cat": 0}, "Cat")
    assert [event.code for event in after.events] == ["threw", "bombed"]
    assert view("crib_dice", *announced, throw(2, 3), players=3, header=bomb)["wipeouts"]["Ben"] == 1
    assert view("crib_dice", *behind, players=3, header=bomb)["scores"] == {"Ann": 0, "Ben": 2, "Cat": 0}


def test_a_fuchled_crib_dice_peg_that_a_bomb_moves_on_is_no_longer_fuchled() -> None:
    """The target has left since the bomb was announced, so that it hits the other player, who is behind."""
    wiped_out = [throw(2, 2, 1, 3, 4, 5, 6), point(2), throw(3, 3, 4, 5, 6)]
    lines = [*[*wiped_out, *TWO, *SIXES, STOP] * 3, *TWO[:2], throw(3, 3, 4, 5, 6), *FIVE_ONES]
    header = {"rules": {"bomb": True, "double_fuchle": True, "skunk": True}}
    announced = told("crib_dice", *lines, players=3, header=header)
    assert (announced.view()["fuchled"], announced.view()["scores"]) == (["Ann"], {"Ann": 0, "Ben": 6, "Cat": 90})
    after = told("crib_dice", *lines, leave("Cat"), throw(1, 3), players=3, header=header).view()
    assert (after["fuchled"], after["scores"]) == ([], {"Ann": 6, "Ben": 0, "Cat": 0})


def test_a_crib_dice_bomb_with_nobody_left_to_hit_only_ends_the_turn() -> None:
    bomb = {"rules": {"bomb": True}}
    lines = [*TWO, *TWO, *TWO[:2], throw(2, 2, 2, 1, 1), STOP]  # Ann 2, Ben 2, Cat more
    lines += [*HOME, *FIVE_ONES, leave("Cat"), throw(1, 4)]  # Ann is home, and Cat was the target
    transcript = told("crib_dice", *lines, players=3, header=bomb)
    over = transcript.view()
    assert [event.code for event in transcript.events] == ["threw", "game_over"]
    assert (over["outcome"]["winners"], over["scores"]["Ben"], over["wipeouts"]["Ben"]) == (["Ann"], 2, 0)


def test_a_crag_leavers_score_sheet_stays_and_the_seat_has_no_more_turns() -> None:
    crag = throw(1, 6, 6)
    after = view("crag", crag, score("crag"), throw(1, 1, 1), leave("Ann"), score("ones"), players=3)
    assert (after["player"], after["sheets"]["Ann"], after["round"]) == ("Cat", {"crag": 50}, 1)
    round_two = view("crag", crag, score("crag"), leave("Ben"), crag, score("crag"), players=3)
    assert (round_two["player"], round_two["round"]) == ("Ann", 2)


def test_a_crag_game_ends_after_round_13_though_a_player_left_in_round_13() -> None:
    rounds = [line for row in CATEGORIES for _ in range(3) for line in (throw(1, 2, 4), score(row))]
    before, last = rounds[:-4], rounds[-4:]
    over = view("crag", *before, leave("Ann"), *last, players=3)
    assert (over["over"], over["round"]) == (True, 13)


def test_a_lone_crag_player_may_leave_and_nobody_wins() -> None:
    alone = view("crag", throw(1, 6, 6), leave("Ann"), players=1)
    assert (alone["outcome"], alone["dice"]) == ({"winners": [], "games_lost": {"Ann": 1}}, [])
    assert view("crag", leave("Ann"), players=1, roll_off=True)["over"]


def test_a_leaver_keeps_crapola_points_and_is_no_target_of_a_spend() -> None:
    lines = [*HOT, STOP, *HOT, STOP, CRAPPED, CRAPPED]
    assert view("crapola", *lines, players=4, header={"rules": {"reversal": False}})["decisions"] == ["spend"]
    left = told("crapola", *lines, leave("Ben"), players=4, header={"rules": {"reversal": False}})
    assert (left.view()["decisions"], left.view()["scores"]["Ben"]) == ([], 1000)
    with pytest.raises(IllegalAction):
        left.then(action_of(spend("Ben", 1)))


def test_a_crapola_crap_out_still_reverses_play_after_one_of_three_quits() -> None:
    left = view("crapola", leave("Ben"), CRAPPED, players=3)
    assert (left["direction"], left["player"]) == (-1, "Cat")
    mine = view("crapola", leave("Ann"), players=3)
    assert (mine["direction"], mine["player"]) == (1, "Ben")


def test_a_departed_crapola_leader_allows_seven_dice_until_the_turn_ends() -> None:
    rich = [line for _ in range(6) for line in HOT]
    lines = [*rich, STOP]
    assert view("crapola", *lines, players=3)["throw_sizes"] == [6, 7]
    during = told("crapola", *lines, leave("Ann"), players=3)
    assert during.view()["throw_sizes"] == [6, 7], "the turn had begun"
    assert during.then(action_of(CRAPPED)).view()["throw_sizes"] == [6]


def test_the_last_crapola_round_goes_on_without_players_who_leave() -> None:
    target = {"rules": {"target": 1000, "reversal": False}}
    after = told("crapola", *HOT, STOP, leave("Ann"), CRAPPED, players=3, header=target)
    assert (after.view()["last_round"], after.view()["player"]) == (True, "Cat")
    assert after.then(action_of(CRAPPED)).view()["outcome"]["winners"] == ["Ben", "Cat"]
    skipped = view("crapola", *HOT, STOP, leave("Cat"), CRAPPED, players=3, header=target)
    assert (skipped["over"], skipped["outcome"]["winners"], skipped["round"]) == (True, ["Ann"], 1)


def test_crapola_rounds_count_the_skipped_turns_of_players_who_left() -> None:
    bank = [*HOT, STOP]
    turns = [view("crapola", leave("Ben"), *bank * count, players=3)["round"] for count in range(5)]
    assert turns == [1, 1, 2, 2, 3]


def test_crapola_and_crag_win_odds_ignore_players_who_have_left() -> None:
    target = {"rules": {"target": 1000, "reversal": False, "entry": 0}}
    last = told("crapola", *HOT, STOP, *HOT, throw(1, 1, 1, 2, 3, 4), keep(1, 1, 1), STOP, players=3, header=target)
    best = options(last.state, "win")[0]["value"]
    assert options(last.then(Leave("Ben")).state, "win")[0]["value"] > best
    two = told("crapola", *HOT, STOP, header=target)
    three = told("crapola", *HOT, STOP, *HOT, *HOT[:2], STOP, players=3, header=target)
    assert options(three.then(Leave("Ben")).state, "win") == options(two.state, "win"), "he was no better than Ann"
    assert options(told("crapola", *HOT, STOP, leave("Cat"), players=3, header=target).state, "win")
    ahead = [throw(1, 6, 6), score("crag")]
    crag = told("crag", *ahead, players=3)
    assert options(crag.then(Leave("Ann")).state, "win")[0]["value"] == pytest.approx(0.5, abs=0.02)


def test_crib_dice_win_odds_are_refused_after_a_player_has_left() -> None:
    with pytest.raises(RulesError, match="left"):
        options(told("crib_dice", leave("Ann"), players=3).state, "win")
    with pytest.raises(RulesError, match="left"):
        options(told("crib_dice", leave("Ann"), players=4, header={"rules": {"partners": True}}).state, "win")


def test_a_luck_story_is_refused_for_a_game_that_a_player_left() -> None:
    with pytest.raises(RulesError, match="left"):
        story_of(told("crag", throw(1, 6, 6), leave("Ann")))


def test_every_games_panels_note_a_leaver_whose_peg_stays_on_the_track() -> None:
    for game, rules in GAMES.items():
        left = begun(game, 3).then(Leave("Ben")).state
        assert rules.panels(left).notes[1] == ("player.left",)
        assert rules.track(left).pegs[1].banked == 0
    scored = told("crag", *[throw(1, 6, 6), score("crag")] * 2, players=3)
    assert [peg.banked for peg in GAMES["crag"].track(scored.then(Leave("Ben")).state).pegs] == [25, 25, 0]
    rolling = begun("crag", 3, roll_off=True).then(Leave("Ben")).state
    assert game_named("crag").panels(rolling).notes[1] == ("player.left",)
    partners = begun("crib_dice", 4, header={"rules": {"partners": True}}).then(Leave("Ben"))
    assert game_named("crib_dice").panels(partners.state).notes == ((), ())


def test_correcting_a_throw_before_a_players_leave_keeps_the_leave() -> None:
    transcript = told("crag", throw(1, 6, 6), leave("Ben"), score("crag"), players=3)
    result = corrected(transcript, 0, Throw((2, 5, 6)))
    assert result.refused == ()
    assert result.transcript.view()["left"] == ["Ben"]
    assert isinstance(result.transcript.last, Enter)


def test_undo_resumes_a_game_that_a_players_leave_has_ended() -> None:
    transcript = told("crib_dice", *TWO, throw(2, 2, 1, 3, 4, 5, 6), leave("Ann"))
    assert transcript.view()["over"]
    back: Transcript = transcript.then(Undo(1))
    assert (back.view()["player"], back.view()["decisions"]) == ("Ben", ["point"])


def test_turn_continues_is_true_only_if_another_player_leaves_mid_game() -> None:
    three = told("crag", throw(1, 6, 6), players=3).state
    assert turn_continues(three, three.after(Leave("Ben")))
    assert not turn_continues(three, three.after(Leave("Ann")))
    two = told("crag", throw(1, 6, 6)).state
    assert not turn_continues(two, two.after(Leave("Ben"))), "the game is over"
    tied = told("crag", throw(3, 3), throw(3, 3), throw(1, 1), throw(2, 2), players=3, roll_off=True).state
    assert not turn_continues(tied, tied.after(Leave("Ann"))), "Ben was to roll off, and begins now"
