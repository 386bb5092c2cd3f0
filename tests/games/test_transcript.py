"""A transcript as a value: undo, what stands, the lines counted, and corrections."""

from __future__ import annotations

import pytest

from companion.errors import IllegalAction, RulesError
from companion.games.engine.game import Header, Stop, Throw, Undo
from companion.games.engine.notation import action_of
from companion.games.engine.transcript import Transcript, corrected, race_of
from tests.games.playing import STOP, begun, point, throw, told

FIRST = throw(5, 5, 2, 2, 1, 4, 6)


def undo(count: int) -> dict[str, int]:
    return {"undo": count}


def test_an_undo_of_1_or_3_transcript_lines_takes_back_the_last_1_or_3_lines() -> None:
    transcript = told("crib_dice", FIRST, point(5), STOP)
    assert transcript.then(Undo(1)).view() == {**told("crib_dice", FIRST, point(5)).view(), "line": 5}
    assert transcript.then(Undo(3)).view() == {**begun("crib_dice").view(), "line": 5}


def test_transcript_line_count_excludes_undo_lines_and_the_lines_that_they_undo() -> None:
    twice = told("crib_dice", FIRST, point(5), STOP, undo(1), undo(1))
    assert twice.view() == {**told("crib_dice", FIRST).view(), "line": 6}
    assert twice.line_count == 1
    assert twice.actions == (action_of(FIRST),)
    again = twice.then(action_of(point(2)))
    assert (again.view()["point"], again.lines_read, again.line_count) == (2, 7, 2)
    assert again.then(Undo(2)).state == begun("crib_dice").state


def test_two_equal_transcripts_of_2100_lines_compare_equal_and_have_a_short_repr() -> None:
    wiped_out = [throw(2, 2, 3, 3, 4, 5, 6), point(2), throw(3, 3, 4, 5, 6)]
    one, other = (told("crib_dice", *wiped_out * 700) for _ in range(2))
    assert one == other
    assert len(repr(one)) < 2 * len(repr(told("crib_dice", *wiped_out)))


@pytest.mark.parametrize("count", [1, 2, 10**30])
def test_a_transcript_refuses_an_undo_of_more_lines_than_remain_to_undo(count: int) -> None:
    with pytest.raises(IllegalAction):
        begun("crib_dice").then(Undo(count))
    one = told("crib_dice", FIRST)
    with pytest.raises(IllegalAction):
        one.then(Undo(count + 1))
    with pytest.raises(IllegalAction):
        one.then(Undo(1)).then(Undo(count))


def test_an_undo_can_take_back_roll_off_throws() -> None:
    transcript = told("crib_dice", throw(1, 2), throw(5, 6), roll_off=True)
    assert transcript.view()["player"] == "Ben"
    back = transcript.then(Undo(1)).view()
    assert (back["player"], back["throw_sizes"]) == ("Ben", [2])
    assert transcript.then(Undo(2)).view()["player"] == "Ann"


def test_adding_an_illegal_line_raises_an_error_and_leaves_the_transcript_unchanged() -> None:
    transcript = told("crib_dice", FIRST)
    before = transcript.view()
    with pytest.raises(IllegalAction):
        transcript.then(Stop())
    assert transcript.view() == before


def test_transcripts_with_equal_lines_are_equal_and_others_are_not() -> None:
    assert told("crib_dice", FIRST) == told("crib_dice", FIRST)
    assert told("crib_dice", FIRST) != told("crib_dice", throw(5, 5, 2, 2, 1, 4, 5))


def test_transcript_begin_raises_a_rules_error_for_an_invalid_header() -> None:
    rules = begun("crib_dice").header.rules
    with pytest.raises(RulesError):
        Transcript.begin(Header("crib_dice", ("Ann",), rules))
    with pytest.raises(RulesError):
        Transcript.begin(Header("chess", ("Ann", "Ben"), rules))
    with pytest.raises(RulesError):
        Transcript.begin(Header("crib_dice", ("Ann", "Ben"), rules, "Cat"))


def test_the_list_of_a_transcripts_turns_omits_the_roll_off_and_a_leave_ends_a_turn() -> None:
    two = [FIRST, point(5), STOP]
    lines = [throw(1, 1), throw(1, 2), throw(5, 6), *two, FIRST, {"leave": "Ann"}, *two, *two, FIRST, point(2)]
    turns = told("crib_dice", *lines, players=3, roll_off=True).turns()
    assert [turn.player for turn in turns] == ["Cat", "Ann", "Ben", "Cat", "Ben"]
    assert [turn.seat for turn in turns] == [2, 0, 1, 2, 1]
    assert [len(turn.steps) for turn in turns] == [4, 3, 4, 4, 3]
    assert [turn.gained for turn in turns] == [2, 0, 2, 2, 0]
    assert [turn.ended for turn in turns] == [True, True, True, True, False]
    assert [turn.abandoned for turn in turns] == [False, True, False, False, False]
    assert told("crib_dice", throw(1, 2), roll_off=True).turns() == ()


def test_score_changes_in_a_transcript_are_listed_in_order_including_bumps_back_to_0() -> None:
    lines = [*[FIRST, point(5), STOP] * 2, throw(1, 1, 1, 1, 1, 1, 2), point(1), STOP, FIRST, point(5), STOP]
    changes = race_of(told("crib_dice", *lines, rules={"bumping": True}))
    assert [each.side for each in changes] == [0, 0, 1, 0, 0, 1]
    assert [each.score for each in changes] == [2, 0, 2, 4, 0, 4]
    assert changes[0].before.view()["decisions"] == ["stop"]


# --- roll-off


def test_crapola_roll_off_takes_two_dice_in_seat_order_and_highest_starts() -> None:
    transcript = begun("crapola", 3, roll_off=True)
    for name, dice in (("Ann", (1, 2)), ("Ben", (5, 4)), ("Cat", (3, 3))):
        now = transcript.view()
        assert (now["player"], now["round"], now["throw_sizes"], now["decisions"]) == (name, 1, [2], [])
        assert (now["turn_points"], now["over"], now["dice"], now["line"]) == (0, False, [], transcript.lines_read)
        transcript = transcript.then(Throw(dice))
    assert (transcript.view()["player"], transcript.view()["throw_sizes"]) == ("Ben", [6])


def test_tied_players_roll_off_again_and_the_winner_starts() -> None:
    lines = [throw(6, 4), throw(1, 2), throw(5, 5), throw(4, 6)]
    transcript = told("crag", *lines, players=4, roll_off=True)
    seen = []
    for dice in ((1, 2), (3, 4), (5, 2), (1, 1), (6, 6)):
        seen.append(transcript.view()["player"])
        transcript = transcript.then(Throw(dice))
    assert seen == ["Ann", "Cat", "Dan", "Cat", "Dan"]
    assert (transcript.view()["player"], transcript.view()["throw_sizes"]) == ("Dan", [3])
    turn = [throw(1, 2, 3), {"do": "score", "category": "ones"}]
    for line in turn:
        transcript = transcript.then(action_of(line))
    assert (transcript.view()["player"], transcript.view()["round"]) == ("Ann", 1)


def test_a_roll_off_of_a_single_player_ends_after_one_throw() -> None:
    assert told("crag", throw(1, 1), players=1, roll_off=True).view()["throw_sizes"] == [3]


@pytest.mark.parametrize("line", [throw(), throw(1), throw(1, 2, 3), throw(*[1] * 7), STOP, point(2)])
def test_a_roll_off_refuses_every_action_but_a_throw_of_two_dice(line: dict[str, object]) -> None:
    transcript = begun("crib_dice", roll_off=True)
    with pytest.raises(IllegalAction, match="a throw of 2"):
        transcript.then(action_of(line))
    assert transcript.state.options() == ()
    assert transcript.state.standing.over is False
    assert transcript.state.safe_chance is None
    assert transcript.state.expected_values() == ((2, 0.0),)


# --- corrections


def test_correcting_a_throw_in_a_transcript_replays_the_lines_after_it() -> None:
    transcript = told("crib_dice", FIRST, point(5), throw(5, 1, 6, 6, 6), STOP)
    fixed = corrected(transcript, 2, Throw((5, 5, 6, 6, 6)))
    assert fixed.refused == ()
    assert fixed.transcript.view()["scores"] == {"Ann": 10, "Ben": 0}
    assert (fixed.transcript.line_count, fixed.transcript.lines_read) == (4, 5)


def test_correcting_a_throw_in_a_transcript_drops_the_first_line_made_illegal_and_all_after_it() -> None:
    transcript = told("crib_dice", FIRST, point(5), throw(5, 1, 6, 6, 6), STOP, FIRST, point(5))
    fixed = corrected(transcript, 0, Throw((6, 6, 2, 2, 1, 4, 5)))
    assert fixed.transcript.view()["decisions"] == ["point"]
    assert [(index, action) for index, action, _ in fixed.refused] == list(enumerate(transcript.actions))[1:]
    assert "5 can't be the point" in fixed.refused[0][2]
    assert all("followed" in message for _, _, message in fixed.refused[1:])


def test_correcting_a_crib_dice_throw_to_a_wipe_out_reports_the_later_transcript_lines_as_refused() -> None:
    transcript = told("crib_dice", FIRST, point(5), throw(5, 1, 6, 6, 6), STOP, FIRST)
    fixed = corrected(transcript, 2, Throw((2, 3, 6, 6, 6)))
    assert fixed.transcript.view()["player"] == "Ben"
    assert [index for index, _, _ in fixed.refused] == [3, 4]


@pytest.mark.parametrize("index", [-1, 3, 100])
def test_correcting_a_transcript_line_that_does_not_exist_is_refused(index: int) -> None:
    transcript = told("crib_dice", FIRST, point(5), STOP)
    with pytest.raises(IllegalAction, match="3 stand"):
        corrected(transcript, index, Stop())


def test_a_transcript_correction_that_is_itself_illegal_is_refused() -> None:
    transcript = told("crib_dice", FIRST, point(5), STOP)
    with pytest.raises(IllegalAction):
        corrected(transcript, 0, Throw((1, 2)))
    assert corrected(transcript, 2, Throw((1, 1, 1, 1, 1))).refused == ()


def test_lines_a_correction_drops_after_the_first_misfit_say_they_followed_it() -> None:
    """The first refused line gets the rules engine's reason; each later line gets a reason that names the misfit."""
    transcript = told("crib_dice", FIRST, point(5), STOP, FIRST, point(2))
    fixed = corrected(transcript, 0, Throw((2, 2, 1, 3, 4, 6, 6)))
    assert [why for _, _, why in fixed.refused[1:]] == ["It followed a line that no longer fits."] * 3
