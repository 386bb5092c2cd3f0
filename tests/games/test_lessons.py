"""Lessons of the tutorial: every turn of every game is explained, in words that every language has."""

from __future__ import annotations

import random
from typing import Any

import pytest

from companion.games.engine.game import Header, State, Throw
from companion.games.engine.players import rule_of_thumb
from companion.games.engine.transcript import Transcript
from companion.games.engine.views.phrase import Phrase
from companion.games.registry import GAMES
from tests.games.playing import BOMB, STOP, keep, point, score, spend, throw, told
from web.catalogue import ARGUMENT, LANGUAGES, texts

GAMES_EACH = 12
"""Whole games of each kind: enough that nearly every lesson comes up."""
LONGEST = 150
"""Letters of the lessons of one moment, with usual numbers: four lines on a phone, and two on the pub's screen."""
NUMBERS = {"least": "1,000", "name": "Bartholomew"}


WIPED = [throw(5, 5, 2, 2, 1, 4, 6), point(5), throw(2, 3, 3, 4, 6)]


def played(game: str, seed: int) -> list[State]:
    """All states of a whole game by rules of thumb, by advanced rules if `seed` is odd."""
    bold = {"bomb", "piddle_points", "double_fuchle", "skunk", "bumping"} if seed % 2 else set()
    rules = {each.key: each.key in bold or each.default for each in GAMES[game].switches}
    transcript, dice = Transcript.begin(Header(game, ("Ann", "Ben", "Cleo"), rules)), random.Random(seed)
    found = [transcript.state]
    while not transcript.state.standing.over:
        choice = rule_of_thumb(transcript.state)
        action = Throw(tuple(dice.choices(range(1, 7), k=choice))) if isinstance(choice, int) else choice
        transcript = transcript.then(action)
        found.append(transcript.state)
    return found


def lessons(state: State) -> tuple[Phrase, ...]:
    return GAMES[state.standing.header.game].panels(state).lesson


def taught(game: str, *lines: dict[str, Any], header: dict[str, Any] | None = None) -> list[str]:
    """The lessons after those lines, without the first part of their keys."""
    state = told(game, *lines, header=header or {}).state
    return [phrase.code.partition("_")[2] for phrase in lessons(state)]


def words(phrase: Phrase, language: str) -> str:
    """A lesson in that language, with long numbers and names."""
    catalogue = texts(language)
    text = (
        catalogue.get(phrase.code) or catalogue[f"{phrase.code}.{'one' if phrase.args.get('count') == 1 else 'other'}"]
    )
    given = {**phrase.args, **{name: NUMBERS[name] for name in NUMBERS.keys() & phrase.args.keys()}}
    assert set(ARGUMENT.findall(text)) <= given.keys(), phrase.code
    return ARGUMENT.sub(lambda found: str(given[found[1]]), text)


@pytest.mark.parametrize("game", GAMES)
def test_played_games_have_lessons_within_the_length_limit_in_each_language(game: str) -> None:
    for seed in range(GAMES_EACH):
        *before, last = played(game, seed)
        assert lessons(last) == ()
        for state in before:
            assert lessons(state), state
            for language in LANGUAGES:
                assert len(" ".join(words(phrase, language) for phrase in lessons(state))) <= LONGEST


@pytest.mark.parametrize("game", GAMES)
def test_played_games_show_every_tutorial_lesson_but_the_known_rare_ones(game: str) -> None:
    seen = {phrase.code for seed in range(GAMES_EACH) for state in played(game, seed) for phrase in lessons(state)}
    prefix = next(iter(seen - {"hint.last_turn"})).partition("_")[0]
    known = {key.removesuffix(".one").removesuffix(".other") for key in texts("en") if key.startswith(f"{prefix}_")}
    assert known - seen <= RARE


RARE = {
    "lesson.crib_seven",
    "lesson.crib_bombing",
    "lesson.crib_bombed",
    "lesson.crib_bomb",
    "lesson.crib_announce",
    "lesson.crib_last_chance",
    "lesson.crib_out",
    "lesson.crib_home_free",
    "lesson.crapola_spent",
    "lesson.crapola_first",
}
"""Lessons that may miss in so few games by rules of thumb; the tests below bring them about."""


TWO, FIVE = WIPED[:2], [throw(5, 5, 5, 5, 5, 4, 6), point(5)]
BANKED = [*TWO, STOP]
FIVE_ONES, SIX_ONES = ([*BANKED, throw(*[1] * ones, *rest), point(1)] for ones, rest in ((5, (2, 3)), (6, (3,))))
FUCHLED = [*WIPED, *BANKED, *BANKED] * 3
HOME = [*[throw(6, 6, 6, 6, 6, 6, 6), point(6)] * 5, STOP]
BOMBS, PANDEMONIUM, LAST_CHANCE = {"bomb": True}, {"bomb": True, "pandemonium": True}, {"double_fuchle": True}
CRIB_DICE = [
    ([], {}, ["first"]),
    (WIPED[:1], {}, ["choose"]),
    (TWO, {}, ["pair", "go_on"]),
    ([throw(5, 5, 5, 2, 1, 4, 6), point(5)], {}, ["set", "go_on"]),
    ([*TWO, throw(5, 2, 3, 4, 6)], {}, ["joined", "go_on"]),
    ([*TWO, throw(1, 2, 3, 4, 6)], {}, ["safe", "go_on"]),
    ([*TWO, {"leave": "Cat"}], {}, ["go_on"]),  # it tells of no throw
    (FIVE, {}, ["set", "last_two"]),
    ([throw(5, 5, 5, 5, 5, 5, 5), point(5)], {}, ["seven"]),
    (WIPED, {}, ["wiped_out"]),
    (FUCHLED[:-6], {}, ["fuchled"]),
    (BANKED, {}, ["banked"]),
    *((BANKED, {rule: True}, ["moved"]) for rule in ("bomb", "bumping")),  # no bank is safe
    ([*FIVE, throw(2, 2)], {}, ["double"]),
    ([*FIVE, throw(2, 3)], {}, ["rollover"]),
    ([*FIVE, throw(5, 5)], {}, ["again"]),
    (FIVE_ONES, BOMBS, ["set", "announce"]),  # it takes a throw of two dice
    (FIVE_ONES, PANDEMONIUM, ["set", "bomb"]),
    (SIX_ONES, BOMBS, ["set", "bomb"]),
    ([*FIVE_ONES, BOMB], BOMBS, ["bombing"]),
    ([*FIVE_ONES, BOMB, throw(1, 3)], BOMBS, ["bombed"]),
    (FUCHLED[:-6], LAST_CHANCE, ["fuchled"]),
    ([*FUCHLED, *WIPED], LAST_CHANCE, ["last_chance"]),
    ([*FUCHLED, *FUCHLED[:9], *WIPED], LAST_CHANCE, ["out"]),
    (HOME, {}, ["home"]),
    (HOME, {"find_a_loser": True}, ["home_free"]),
]


@pytest.mark.parametrize(("lines", "rules", "wanted"), CRIB_DICE)
def test_the_crib_dice_tutorial_shows_the_lessons_that_fit_the_turn_and_race_phase(
    lines: list[dict[str, Any]], rules: dict[str, bool], wanted: list[str]
) -> None:
    assert taught("crib_dice", *lines, header={"players": ["Ann", "Ben", "Cat"], "rules": rules}) == wanted


USED = [throw(6, 6, 2), score("crag")]
CRAG = [
    ([throw(6, 6, 2), score("sixes")], "number"),
    ([throw(6, 6, 2), score("odd_straight")], "nothing"),
    ([throw(6, 6, 2), score("three_of_a_kind")], "nothing"),
    ([throw(6, 6, 1), score("crag")], "best"),
    ([throw(2, 5, 6), score("thirteen")], "total"),
    ([throw(1, 3, 5), score("odd_straight")], "straight"),
    ([throw(4, 4, 4), score("three_of_a_kind")], "alike"),
    ([throw(6, 6, 2)], "thrown"),
    ([throw(6, 6, 2), keep(6, 6)], "keeping"),
    ([throw(6, 6, 2), keep(6, 6), throw(1)], "rethrown"),
    ([*USED, throw(6, 6, 2)], "thrown_late"),  # no crag can be aimed at
    ([*USED, throw(6, 6, 2), keep(6), throw(1, 2)], "rethrown"),
]


@pytest.mark.parametrize(("lines", "wanted"), CRAG)
def test_crag_teaches_exactly_one_lesson_at_each_stage_of_a_turn(lines: list[dict[str, Any]], wanted: str) -> None:
    assert taught("crag", *lines, header={"players": ["Ann"]}) == [wanted]


def test_the_crag_lesson_after_a_keep_tells_how_many_dice_to_rethrow() -> None:
    (phrase,) = lessons(told("crag", throw(6, 6, 2), keep(6, 6)).state)
    assert phrase.args == {"count": 1}


THROWN = throw(1, 1, 1, 5, 2, 3)
KEPT = [THROWN, keep(1, 1, 1)]
CRAPOLA = [
    ([], {}, ["enter"]),
    ([], {"entry": 0}, ["first"]),
    ([THROWN], {}, ["keep"]),
    ([THROWN, keep(5)], {}, ["too_little"]),
    (KEPT, {}, ["go_on"]),
    ([throw(1, 1, 1, 5, 5, 5), keep(1, 1, 1, 5, 5, 5)], {}, ["hot_dice"]),
    ([*KEPT, throw(2, 3, 4)], {}, ["lost"]),
    ([*KEPT, STOP], {}, ["banked"]),
    ([*KEPT, STOP], {"target": 1000}, ["last_round", "turn"]),
    ([*KEPT, STOP, {"leave": "Ann"}], {"target": 1000}, ["enter"]),  # no leader is left to be behind
    ([*[*KEPT, STOP] * 3, spend("Ben", 500)], {}, ["spent"]),
]


@pytest.mark.parametrize(("lines", "rules", "wanted"), CRAPOLA)
def test_the_crapola_tutorial_explains_the_current_stage_of_the_turn_and_of_the_game(
    lines: list[dict[str, Any]], rules: dict[str, Any], wanted: list[str]
) -> None:
    assert taught("crapola", *lines, header={"players": ["Ann", "Ben", "Cat"], "rules": rules}) == wanted


def test_in_the_last_crapola_round_the_tutorial_names_the_leader_and_the_point_gap() -> None:
    behind = told("crapola", *[*KEPT, STOP] * 3, rules={"target": 2000}).state
    assert lessons(behind)[1].args == {"points": 1000, "name": "Ann"}
