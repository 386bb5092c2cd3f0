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
from tests.games.playing import BOMB, STOP, begun, check, claim, keep, point, score, scores, spend, throw, told, won

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
def test_a_roll_off_goes_on_without_a_player_who_left_until_one_player_has_won_it(game: str) -> None:
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


ROUND_13 = [line for row in CATEGORIES for _ in range(3) for line in (throw(1, 2, 4), score(row))]
CRAG = throw(1, 6, 6)
NOBODY_SPENDS = [*HOT, STOP, *HOT, STOP, CRAPPED, CRAPPED]
LAST_ROUND = {"target": 1000, "reversal": False}
IN_CRIB_DICE = [
    claim("in one's turn it counts no wipe-out", [throw(2, 2, 1, 3, 4, 5, 6), point(2), leave("Ann")], 3, player="Ben",
          wipeouts=scores(0, 0, 0), turn_points=0, dice=[], out=["Ann"], scores=scores(0, 0, 0)),
    claim("a finish is lost", [*HOME, leave("Ann")], 3, finished=[], out=["Ann"], scores=scores(0, 0, 0), player="Ben"),
    claim("and the game goes on", [*HOME, leave("Ann"), *TWO, *TWO], 3, over=False),
    claim("a round ends without who left", [*HOME, leave("Cat"), *TWO], 3, outcome=won("Ann", Ben=1, Cat=1)),
    claim("find a loser ends in mid-turn", [*HOME, throw(2, 2, 1, 3, 4, 5, 6), leave("Cat")], 3, rules="find_a_loser",
          outcome=won("Ann", Ben=1, Cat=1), dice=[], turn_points=0, round=1),
    claim("a partner plays on", [leave("Ann"), *TWO], 4, rules="partners", player="Cat", round=2, out=[]),
    claim("in that person's rounds", [leave("Ann"), *TWO * 3], 4, rules="partners", player="Ben", round=3),
    claim("until both have left", [leave("Cat"), leave("Ann")], 4, rules="partners", left=["Ann", "Cat"],
          outcome={"winners": ["Ben & Dan"], "games_lost": {"Ann & Cat": 1, "Ben & Dan": 0}}),
    claim("a team stays finished", [*HOME, leave("Ann")], 6, rules="partners", finished=["Ann & Dan"], out=[],
          scores={"Ann & Dan": 121, "Ben & Eve": 0, "Cat & Fay": 0}),
    claim("until both partners leave", [*HOME, leave("Ann"), leave("Dan")], 6, rules="partners", finished=[],
          out=["Ann & Dan"], scores={"Ann & Dan": 0, "Ben & Eve": 0, "Cat & Fay": 0}),
]  # fmt: skip
IN_CRAG = [
    claim("the sheet stays", [CRAG, score("crag"), throw(1, 1, 1), leave("Ann"), score("ones")], 3, player="Cat",
          round=1, sheets={"Ann": {"crag": 50}, "Ben": {"ones": 3}, "Cat": {}}),
    claim("the seat is skipped", [CRAG, score("crag"), leave("Ben"), CRAG, score("crag")], 3, player="Ann", round=2),
    claim("it ends after round 13", [*ROUND_13[:-4], leave("Ann"), *ROUND_13[-4:]], 3, over=True, round=13),
    claim("a lone player may leave", [CRAG, leave("Ann")], 1, outcome=won(Ann=1), dice=[]),
]  # fmt: skip
IN_CRAPOLA = [
    claim("points may be spent on who is there", NOBODY_SPENDS, 4, rules={"reversal": False}, decisions=["spend"]),
    claim("but not on who left", [*NOBODY_SPENDS, leave("Ben")], 4, rules={"reversal": False}, decisions=[],
          scores=scores(1000, 1000, 0, 0)),
    claim("with two left of three play turns", [leave("Ben"), CRAPPED], 3, direction=-1, player="Cat"),
    claim("leaving turns nothing", [leave("Ann")], 3, direction=1, player="Ben"),
    *(claim(f"skipped turns count, {turns} turns", [leave("Ben"), *[*HOT, STOP] * turns], 3, round=round_)
      for turns, round_ in enumerate((1, 1, 2, 2, 3))),
    claim("seven dice by a rich leader", [*HOT * 6, STOP], 3, throw_sizes=[6, 7]),
    claim("until the turn ends", [*HOT * 6, STOP, leave("Ann")], 3, throw_sizes=[6, 7]),
    claim("and no longer", [*HOT * 6, STOP, leave("Ann"), CRAPPED], 3, throw_sizes=[6]),
    claim("the last round goes on", [*HOT, STOP, leave("Ann"), CRAPPED], 3, rules=LAST_ROUND, last_round=True,
          player="Cat"),
    claim("to its end", [*HOT, STOP, leave("Ann"), CRAPPED, CRAPPED], 3, rules=LAST_ROUND,
          outcome=won("Ben", "Cat", Ann=1)),
    claim("without who left", [*HOT, STOP, leave("Cat"), CRAPPED], 3, rules=LAST_ROUND, over=True, round=1,
          outcome=won("Ann", Ben=1, Cat=1)),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "set_up", "wanted"), IN_CRIB_DICE)
def test_a_player_who_leaves_crib_dice_is_out_unless_a_partner_plays_on(lines: Any, set_up: Any, wanted: Any) -> None:
    check("crib_dice", lines, set_up, wanted)


@pytest.mark.parametrize(("lines", "set_up", "wanted"), IN_CRAG)
def test_a_player_who_left_crag_keeps_the_scores_and_gets_no_more_turns(lines: Any, set_up: Any, wanted: Any) -> None:
    check("crag", lines, set_up, wanted)


@pytest.mark.parametrize(("lines", "set_up", "wanted"), IN_CRAPOLA)
def test_a_player_who_leaves_crapola_keeps_the_points_but_gets_no_turn(lines: Any, set_up: Any, wanted: Any) -> None:
    check("crapola", lines, set_up, wanted)


def test_a_game_of_one_player_ends_when_that_player_leaves_during_the_roll_off() -> None:
    assert view("crag", leave("Ann"), players=1, roll_off=True)["over"]


def test_crapola_refuses_a_spend_on_a_player_who_has_left() -> None:
    left = told("crapola", *NOBODY_SPENDS, leave("Ben"), players=4, header={"rules": {"reversal": False}})
    with pytest.raises(IllegalAction):
        left.then(action_of(spend("Ben", 1)))


def test_a_crib_dice_leaver_without_points_loses_4_games_under_the_skunk_rule() -> None:
    skunk = {"rules": {"skunk": True}}
    mine = told("crib_dice", leave("Ann"), header=skunk)
    assert mine.view()["outcome"]["games_lost"] == {"Ann": 4, "Ben": 0}
    assert [event.code for event in mine.events] == ["left", "skunked", "game_over"]
    assert told("crib_dice", leave("Ben"), header=skunk).events[1:] == (Event("skunked", 1, {"games": 4}), GAME_OVER)


def test_an_eliminated_crib_dice_player_may_still_leave_the_game() -> None:
    rules = {"rules": {"double_fuchle": True}}
    wiped = [throw(2, 2, 1, 3, 4, 5, 6), point(2), throw(3, 3, 4, 5, 6)]
    out = told("crib_dice", *[*wiped, *TWO, *TWO] * 5, players=3, header=rules)
    assert (out.view()["out"], out.view()["wipeouts"]["Ann"]) == (["Ann"], 2)
    left = out.then(Leave("Ann")).view()
    assert left == {**out.view(), "line": left["line"], "left": ["Ann"]}


FIVE_ONES = [throw(1, 1, 1, 1, 1, 2, 3), point(1), BOMB]


def test_a_crib_dice_bomb_hits_another_player_if_its_target_leaves_after_the_announcement() -> None:
    bomb = {"rules": {"bomb": True}}
    announced = [*TWO, *FIVE_ONES, leave("Ann")]
    behind = [*TWO, *TWO[:2], throw(3, 3, 4, 5, 6), *SIXES, STOP, *FIVE_ONES, leave("Cat"), throw(1, 3)]
    after = told("crib_dice", *announced, throw(1, 3), players=3, header=bomb)
    assert (after.view()["scores"], after.view()["player"]) == ({"Ann": 0, "Ben": 0, "Cat": 0}, "Cat")
    assert [event.code for event in after.events] == ["threw", "bombed"]
    assert view("crib_dice", *announced, throw(2, 3), players=3, header=bomb)["wipeouts"]["Ben"] == 1
    assert view("crib_dice", *behind, players=3, header=bomb)["scores"] == {"Ann": 0, "Ben": 2, "Cat": 0}


def test_a_bomb_that_moves_a_fuchled_crib_dice_player_forward_ends_the_fuchle() -> None:
    """The target has left since the bomb was announced, so that it hits the other player, who is behind."""
    wiped_out = [throw(2, 2, 1, 3, 4, 5, 6), point(2), throw(3, 3, 4, 5, 6)]
    lines = [*[*wiped_out, *TWO, *SIXES, STOP] * 3, *TWO[:2], throw(3, 3, 4, 5, 6), *FIVE_ONES]
    header = {"rules": {"bomb": True, "double_fuchle": True, "skunk": True}}
    announced = told("crib_dice", *lines, players=3, header=header)
    assert (announced.view()["fuchled"], announced.view()["scores"]) == (["Ann"], {"Ann": 0, "Ben": 6, "Cat": 90})
    after = told("crib_dice", *lines, leave("Cat"), throw(1, 3), players=3, header=header).view()
    assert (after["fuchled"], after["scores"]) == ([], {"Ann": 6, "Ben": 0, "Cat": 0})


def test_a_crib_dice_bomb_whose_last_possible_target_has_left_hits_nobody() -> None:
    bomb = {"rules": {"bomb": True}}
    lines = [*TWO, *TWO, *TWO[:2], throw(2, 2, 2, 1, 1), STOP]  # Ann 2, Ben 2, Cat more
    lines += [*HOME, *FIVE_ONES, leave("Cat"), throw(1, 4)]  # Ann is home, and Cat was the target
    transcript = told("crib_dice", *lines, players=3, header=bomb)
    over = transcript.view()
    assert [event.code for event in transcript.events] == ["threw", "game_over"]
    assert (over["outcome"]["winners"], over["scores"]["Ben"], over["wipeouts"]["Ben"]) == (["Ann"], 2, 0)


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


def test_pages_of_every_game_mark_a_player_who_left_and_the_led_track_keeps_the_peg() -> None:
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


def test_a_leave_ends_the_turn_only_if_the_leaver_was_playing_it_or_the_leave_ends_the_game_or_roll_off() -> None:
    three = told("crag", throw(1, 6, 6), players=3).state
    assert turn_continues(three, three.after(Leave("Ben")))
    assert not turn_continues(three, three.after(Leave("Ann")))
    two = told("crag", throw(1, 6, 6)).state
    assert not turn_continues(two, two.after(Leave("Ben"))), "the game is over"
    tied = told("crag", throw(3, 3), throw(3, 3), throw(1, 1), throw(2, 2), players=3, roll_off=True).state
    assert not turn_continues(tied, tied.after(Leave("Ann"))), "Ben was to roll off, and begins now"
