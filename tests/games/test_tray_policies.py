"""What each game makes of dice in its tray, told of states and dice alone: no camera, no table."""

from __future__ import annotations

from typing import Any

from companion.games.engine.game import Action, Enter, Keep, NamePoint, Stop, Throw, Undo
from companion.games.engine.transcript import Transcript
from companion.games.engine.tray_policy import DecidedElsewhere, KeepZonePolicy, Meaning, TrayDice, Values, state_after
from companion.games.engine.views.phrase import Phrase
from companion.games.registry import policy_for
from tests.games.playing import BOMB, STOP, begun, keep, point, score, throw, told

MIXED = throw(5, 5, 2, 2, 1, 4, 6)
ALIKE = throw(6, 6, 6, 6, 6, 6, 6)
SIX_ALIKE = throw(3, 3, 3, 3, 3, 3, 1)
FIVE_ONES = throw(1, 1, 1, 1, 1, 2, 2)
FROZEN = told("crib_dice", MIXED, point(5))
HOT = [throw(1, 2, 3, 4, 5, 6), keep(1, 2, 3, 4, 5, 6)]


def crapola(*lines: dict[str, Any], entry: int = 0) -> Transcript:
    return told("crapola", *lines, rules={"entry": entry})


def over(game: str) -> Transcript:
    return told(game, {"leave": "Ann"})


def at_rest(transcript: Transcript, *kept: int, **dice: Any) -> Meaning:
    return policy_for(transcript.state).at_rest(transcript.state, TrayDice(kept=kept, **dice))


def notice(code: str, player: str | None = "Ann", **args: Any) -> Meaning:
    return Meaning(notice=Phrase(code, {"player": player, **args}))


def before_throw(transcript: Transcript, *kept: int, **dice: Any) -> list[tuple[Action, ...]]:
    return list(policy_for(transcript.state).before_throw(transcript.state, TrayDice(kept=kept, **dice)))


def thrown(transcript: Transcript, dice: TrayDice, *still: int) -> list[Values]:
    return list(policy_for(transcript.state).thrown(transcript.state, dice, still))


def staying(transcript: Transcript) -> Values:
    return policy_for(transcript.state).staying(transcript.state)


def takes_all(transcript: Transcript) -> bool:
    return policy_for(transcript.state).takes_all(transcript.state)


def test_tray_dice_newly_kept_are_those_that_the_keep_zone_gained() -> None:
    assert TrayDice(kept=(2, 5, 5), kept_before=(5,)).newly_kept == (2, 5)
    assert TrayDice(kept=(5,), kept_before=(2, 5)).newly_kept == ()


def test_during_a_roll_off_the_tray_records_throws_and_offers_no_decisions() -> None:
    rolling, plain = begun("crag", roll_off=True), KeepZonePolicy()
    assert type(policy_for(rolling.state)) is KeepZonePolicy
    assert at_rest(rolling, 3) == notice("throw", decisions=[], sizes=[2])
    assert (before_throw(rolling, 3), staying(rolling), takes_all(rolling)) == ([()], (), True)
    assert thrown(rolling, TrayDice((3, 4), (6,))) == [(3, 4)]
    assert thrown(rolling, TrayDice((3, 4)), 3) == []
    assert plain.before_bank(rolling.state, TrayDice((3, 4), set_aside=(1,))) == plain.choices(rolling.state) == ()
    assert plain.at_rest(over("crag").state, TrayDice()) == Meaning()
    naming = told("crib_dice", MIXED).state
    assert (plain.dice_expected(rolling.state), plain.dice_expected(naming)) == (2, None)
    assert plain.at_rest(naming, TrayDice()) == notice("decide", decisions=["point"])


def test_in_a_bots_turn_dice_in_the_tray_are_read_as_throws_never_as_decisions() -> None:
    transcript = told("crag", throw(6, 6, 2), keep(6, 6))
    state, elsewhere = transcript.state, DecidedElsewhere(policy_for(transcript.state))
    assert (elsewhere.dice_expected(state), elsewhere.starts_afresh(state), elsewhere.staying(state)) == (
        3,
        False,
        (6, 6),
    )
    assert elsewhere.starts_afresh(begun("crag").state)
    assert list(elsewhere.before_throw(state, TrayDice(kept=(2,)))) == [()]
    assert list(elsewhere.thrown(state, TrayDice((1, 5), (6, 6)), (5,))) == [(1,)]
    assert list(elsewhere.thrown(state, TrayDice((1,), (6, 6)), ())) == [(1,), (1, 6, 6)]
    assert elsewhere.at_rest(state, TrayDice((1,), (5,))) == notice("throw", decisions=[], sizes=[1])
    assert elsewhere.before_bank(state, TrayDice(set_aside=(1,))) == ()
    assert (elsewhere.takes_all(state), elsewhere.game.takes_all(state)) == (True, False)
    entering = told("crag", throw(6, 6, 1)).state
    assert elsewhere.choices(entering)[0] == Enter("crag")


def test_crib_dice_tray_accepts_a_throw_only_if_dice_left_unmoved_are_the_frozen_ones() -> None:
    """Dice that did not move belong to no throw, and the throw is read only if they equal the frozen dice."""
    assert thrown(FROZEN, TrayDice((2, 3, 5), (5,)), 5) == [(2, 3)]
    assert thrown(FROZEN, TrayDice((2, 3, 5)), 5, 5, 5) == []
    assert thrown(FROZEN, TrayDice((2, 3, 4)), 2) == []
    assert thrown(FROZEN, TrayDice((2, 3, 4), (5, 5, 5), (5, 5))) == [(2, 3, 4), (2, 3, 4, 5)]
    assert thrown(FROZEN, TrayDice((2, 3, 4), (5, 5), (5, 5))) == [(2, 3, 4)]


def test_state_after_a_list_of_actions_is_none_if_one_of_them_is_illegal() -> None:
    after = state_after(begun("crib_dice").state, ())
    assert after == begun("crib_dice").state
    assert state_after(FROZEN.state, (Stop(),)) == FROZEN.then(Stop()).state
    assert state_after(FROZEN.state, (Stop(), Stop())) is None


def test_crib_dice_notice_says_why_the_dice_in_the_keep_zone_choose_no_legal_point_value() -> None:
    """Dice in the keep zone that name no point value get a notice with the reason."""
    naming = told("crib_dice", MIXED)
    illegal: dict[str, Any] = {"values": [5, 2]}
    assert at_rest(naming) == notice("choose_point", values=[5, 2])
    reasons: dict[tuple[int, ...], dict[str, Any]] = {
        (5,): {"reason": "all_of_value", "missing": 1},
        (1,): {"reason": "pair_needed"},
        (2, 5): {"reason": "one_value"},
    }
    for kept, reason in reasons.items():
        args = {**illegal, **reason, "dice": list(kept), "value": kept[0]}
        assert at_rest(naming, *kept) == Meaning(notice=Phrase("illegal_hold", args))
    for kept in ((3,), (5, 5, 5)):
        changed = Phrase("changed", {"was": [1, 2, 2, 4, 5, 5, 6], "kept": list(kept)})
        assert at_rest(naming, *kept) == Meaning(notice=changed)


def test_moving_dice_to_the_keep_zone_chooses_their_value_as_the_crib_dice_point() -> None:
    going_on = Phrase("throw", {"player": "Ann", "decisions": ["stop"], "sizes": [5]})
    assert at_rest(told("crib_dice", MIXED), 5, 5) == Meaning((NamePoint(5),), going_on)
    rolled_over = Phrase("again_or_bank", {"player": "Ann", "sizes": [7]})
    assert at_rest(told("crib_dice", ALIKE), *[6] * 7) == Meaning((NamePoint(6),), rolled_over)
    assert before_throw(told("crib_dice", MIXED), 5, 5) == [(NamePoint(5),)]
    assert before_throw(FROZEN, 2, 2) == [()]
    assert before_throw(told("crib_dice", MIXED)) == before_throw(told("crib_dice", MIXED), 2, 5) == []


def test_keeping_five_of_six_equal_crib_dice_is_enough_to_name_the_point_before_a_throw() -> None:
    assert before_throw(told("crib_dice", SIX_ALIKE), *[3] * 5) == [(NamePoint(3),)]
    assert before_throw(told("crib_dice", SIX_ALIKE), *[3] * 4) == []
    assert before_throw(told("crib_dice", SIX_ALIKE), 3, 3, 3, 3, 6) == []
    assert before_throw(told("crib_dice", ALIKE), *[6] * 5) == []


def test_crib_dice_asks_for_frozen_dice_in_the_keep_zone_until_enough_lie_there() -> None:
    throwing = notice("throw", decisions=["stop"], sizes=[5])
    assert at_rest(FROZEN) == notice("freeze", value=5, missing=2, sizes=[5])
    assert at_rest(FROZEN, 5) == notice("freeze", value=5, missing=1, sizes=[5])
    assert at_rest(FROZEN, 5, 5) == at_rest(FROZEN, keep_zone=False) == throwing
    assert at_rest(FROZEN, 2, 2, overruled=True) == throwing
    six = told("crib_dice", SIX_ALIKE, point(3))
    assert at_rest(six, *[3] * 4) == notice("freeze", value=3, missing=2, sizes=[2])
    assert at_rest(six, *[3] * 5) == notice("throw", decisions=["stop"], sizes=[2]), (
        "a frozen die is thrown with the loose die: a piddle takes two"
    )
    five = told("crib_dice", FIVE_ONES, point(1))
    assert at_rest(five, *[1] * 4) == notice("freeze", value=1, missing=1, sizes=[2])
    seven = told("crib_dice", ALIKE, point(6))
    assert at_rest(seven, *[6] * 7) == at_rest(seven, keep_zone=False) == notice("again_or_bank", sizes=[7])


def test_crib_dice_with_all_seven_frozen_offers_to_throw_seven_again_or_to_bank() -> None:
    rolled_over = notice("again_or_bank", sizes=[7])
    four_then_three = told("crib_dice", throw(3, 3, 3, 3, 1, 2, 6), point(3), throw(3, 3, 3))
    assert at_rest(four_then_three, *[3] * 4) == rolled_over
    assert at_rest(told("crib_dice", ALIKE, point(6))) == rolled_over


def test_setting_aside_other_dice_changes_the_crib_dice_point_only_before_the_next_throw() -> None:
    assert at_rest(FROZEN, 2, 2) == Meaning((Undo(1), NamePoint(2)))
    assert at_rest(FROZEN, 6) == notice("illegal_hold", reason="not_the_point", dice=[6], value=5)
    assert at_rest(FROZEN, 5, 5, 5) == notice("illegal_hold", reason="too_many", dice=[5, 5, 5], value=5)
    thrown_on = FROZEN.then(Throw((5, 1, 1, 3, 4)))
    assert at_rest(thrown_on, 1, 1) == notice("illegal_hold", reason="not_the_point", dice=[1, 1], value=5)
    ahead = [throw(2, 2, 1, 3, 4, 5, 6), point(2), STOP]
    bombing = told("crib_dice", *ahead, FIVE_ONES, point(1), BOMB, rules={"bomb": True})
    refused = notice("illegal_hold", "Ben", reason="not_the_point", dice=[2, 2], value=1)
    assert at_rest(bombing, 2, 2) == refused, "an announced bomb is no change of mind"


def test_crib_dice_tray_notice_asks_to_clear_the_tray_before_a_turn_but_not_after_the_game() -> None:
    assert at_rest(begun("crib_dice")) == at_rest(begun("crib_dice"), 5, 5) == notice("clear_tray", sizes=[7])
    assert at_rest(over("crib_dice")) == at_rest(over("crib_dice"), 5) == Meaning()


def test_only_frozen_crib_dice_are_expected_to_stay_in_the_tray_for_the_next_throw() -> None:
    assert (staying(FROZEN), takes_all(FROZEN)) == ((5, 5), False)
    assert (staying(told("crib_dice", MIXED)), takes_all(begun("crib_dice"))) == ((), True)
    assert staying(told("crib_dice", ALIKE, point(6))) == staying(begun("crib_dice")) == ()
    policy = policy_for(FROZEN.state)
    assert policy.before_bank(FROZEN.state, TrayDice(kept=(2, 2), set_aside=(2,))) == policy.choices(FROZEN.state) == ()
    assert (policy.starts_afresh(FROZEN.state), policy.starts_afresh(begun("crib_dice").state)) == (False, True)
    assert (policy.dice_expected(FROZEN.state), policy.dice_expected(over("crib_dice").state)) == (7, None)


def test_the_crag_tray_notice_says_what_to_do_next_in_each_state_of_a_turn() -> None:
    thrown_once, kept = told("crag", throw(6, 6, 2)), told("crag", throw(6, 6, 2), keep(6, 6))
    entered = told("crag", throw(6, 6, 2), score("sixes"))
    assert at_rest(begun("crag")) == notice("clear_tray", sizes=[3])
    assert at_rest(entered) == notice("clear_tray", "Ben", sizes=[3])
    assert at_rest(thrown_once, 6) == notice("choose_entry", kept=[6], again=2)
    assert at_rest(thrown_once) == notice("choose_entry", kept=[], again=3)
    wrong = notice("illegal_hold", reason="not_of_throw", dice=[5], values=[2, 6, 6])
    assert at_rest(thrown_once, 5) == wrong
    assert at_rest(kept, 6, 6) == notice("throw", decisions=[], sizes=[1])
    rethrown = kept.then(Throw((1,)))
    assert at_rest(rethrown, 6, 6) == notice("choose_entry", kept=[6, 6], again=0)
    assert at_rest(over("crag")) == Meaning()


def test_crag_dice_in_the_keep_zone_before_the_next_throw_count_as_kept() -> None:
    thrown_once, kept = told("crag", throw(6, 6, 2)), told("crag", throw(6, 6, 2), keep(6, 6))
    assert before_throw(thrown_once, 6, 6) == [(Keep((6, 6)),)]
    assert before_throw(thrown_once, 5) == []
    assert before_throw(kept, 5) == [()]
    assert (staying(thrown_once), staying(kept), staying(begun("crag"))) == ((), (6, 6), ())
    assert (takes_all(thrown_once), takes_all(kept), takes_all(begun("crag"))) == (False, False, True)
    assert thrown(kept, TrayDice((1, 6)), 6) == [(1,)]
    assert policy_for(kept.state).before_bank(kept.state, TrayDice(set_aside=(6,))) == ()
    assert not policy_for(kept.state).starts_afresh(kept.state)


def test_crag_buttons_offer_scoring_categories_or_all_open_ones_if_none_scores() -> None:
    scoring = told("crag", throw(1, 2, 4)).state
    assert policy_for(scoring).choices(scoring) == (Enter("fours"), Enter("twos"), Enter("ones"))
    numbers = ["ones", "twos", "fours"]
    lines = [line for name in numbers for line in (throw(1, 2, 4), score(name))]
    nothing = told("crag", *lines, throw(1, 2, 4), players=1).state
    assert len(policy_for(nothing).choices(nothing)) == 10


def test_crapola_tray_notice_names_the_dice_set_aside_and_their_points() -> None:
    thrown_once = crapola(throw(1, 1, 5, 2, 3, 6))
    assert at_rest(thrown_once) == notice("choose_keep", dice=[], for_example=[1])
    hold = {"points": 100, "turn_points": 100, "sizes": [5], "decisions": ["stop"]}
    lying = {"thrown": (1, 2, 3, 5, 6)}
    meant = Meaning(notice=Phrase("hold", {"player": "Ann", "dice": [1], **hold}), set_aside=(1,))
    assert at_rest(thrown_once, 1, **lying) == meant
    second = crapola(throw(1, 1, 5, 2, 3, 6), keep(1), throw(1, 5, 2, 3, 3))
    hold = {"points": 50, "turn_points": 150, "sizes": [4], "decisions": ["stop"]}
    meant = Meaning(notice=Phrase("hold", {"player": "Ann", "dice": [5], **hold}), set_aside=(5,))
    assert at_rest(second, 1, 5, thrown=(1, 2, 3, 3), kept_before=(1,)) == meant
    few = crapola(throw(1, 1, 5, 2, 3, 6), entry=300)
    hold = {"points": 100, "turn_points": 100, "sizes": [5], "decisions": [], "least": 300}
    meant = Meaning(notice=Phrase("hold_on", {"player": "Ann", "dice": [1], **hold}), set_aside=(1,))
    assert at_rest(few, 1, **lying) == meant
    hold = {"points": 1000, "turn_points": 1000, "sizes": [6], "decisions": ["stop"]}
    all_of_them = Phrase("hold_all", {"player": "Ann", "dice": [1, 2, 3, 4, 5, 6], **hold})
    assert at_rest(crapola(HOT[0]), 1, 2, 3, 4, 5, 6) == Meaning(notice=all_of_them, set_aside=(1, 2, 3, 4, 5, 6))


def test_crapola_notice_gives_the_reason_why_dice_set_aside_in_the_tray_may_not_be_kept() -> None:
    thrown_once = crapola(throw(1, 1, 5, 2, 3, 6))
    for kept, reason in {(2,): "does_not_score", (4,): "not_of_throw", (5, 5): "not_of_throw"}.items():
        args = {"player": "Ann", "dice": list(kept), "reason": reason, "values": [1, 1, 2, 3, 5, 6]}
        meant = Meaning(notice=Phrase("illegal_hold", args), set_aside=kept)
        assert at_rest(thrown_once, *kept, thrown=(1,) * (6 - len(kept))) == meant


def test_a_crapola_die_stays_set_aside_if_taken_out_of_the_tray_but_not_if_put_back_among_thrown_dice() -> None:
    second = crapola(throw(1, 1, 5, 2, 3, 6), keep(1), throw(1, 5, 2, 3, 3))
    whole = {"kept_before": (1,), "set_aside": (5,)}
    assert at_rest(second, 1, thrown=(1, 2, 3, 3), **whole).set_aside == (5,)
    assert at_rest(second, 1, thrown=(1, 2, 3, 3, 5), **whole).set_aside == (), (
        "all five dice lie in the tray: the 5 was moved back"
    )


def test_crapola_tray_notice_asks_for_a_throw_or_bank_after_dice_are_kept() -> None:
    assert at_rest(begun("crapola")) == notice("clear_tray", sizes=[6])
    assert at_rest(over("crapola")) == Meaning()
    kept = crapola(throw(1, 1, 5, 2, 3, 6), keep(1))
    assert at_rest(kept) == notice("throw", decisions=["stop"], sizes=[5])
    assert at_rest(crapola(*HOT)) == notice("again_or_bank", sizes=[6])
    assert at_rest(crapola(*HOT, entry=1500)) == notice("throw", decisions=[], sizes=[6])


def test_crapola_tray_policy_turns_set_aside_dice_into_a_keep_before_a_throw_or_bank() -> None:
    thrown_once, kept = crapola(throw(1, 1, 5, 2, 3, 6)), crapola(throw(1, 1, 5, 2, 3, 6), keep(1))
    assert before_throw(thrown_once, 1, set_aside=(1,)) == [(Keep((1,)),), (Keep((1, 1)),)]
    assert before_throw(thrown_once, set_aside=(5,)) == [(Keep((5,)),)]
    assert before_throw(thrown_once, 5, set_aside=(1,)) == [(Keep((1,)),), (Keep((1, 5)),)]
    assert before_throw(thrown_once) == before_throw(thrown_once, set_aside=(2,)) == []
    assert before_throw(kept, set_aside=(1,)) == [()]
    policy = policy_for(kept.state)
    assert policy.before_bank(thrown_once.state, TrayDice(set_aside=(1, 5))) == (Keep((1, 5)),)
    assert policy.before_bank(kept.state, TrayDice(set_aside=(1,))) == ()
    assert policy.before_bank(thrown_once.state, TrayDice()) == policy.choices(kept.state) == ()
    assert policy.dice_expected(kept.state) is None
    assert (policy.starts_afresh(kept.state), policy.starts_afresh(begun("crapola").state)) == (False, True)


def test_crapola_expects_the_dice_kept_since_the_last_hot_dice_to_stay_in_the_tray() -> None:
    kept = [throw(1, 1, 5, 2, 3, 6), keep(5)]
    assert (staying(crapola(*kept)), takes_all(crapola(*kept))) == ((5,), False)
    assert staying(crapola(*kept, throw(1, 2, 3, 3, 6), keep(1))) == (1, 5)
    assert (staying(crapola(*HOT)), takes_all(crapola(*HOT)), staying(begun("crapola"))) == ((), True, ())
    assert staying(crapola(*HOT, throw(1, 2, 2, 3, 3, 4), keep(1))) == (1,)
    assert thrown(crapola(*kept), TrayDice((1, 2, 2, 3, 5)), 5) == [(1, 2, 2, 3)]
