"""Transcript headers: game, players, house rules and who starts (docs/reference/transcript.md)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from companion.errors import NotationError, RulesError
from companion.games.engine.game import Header
from companion.games.engine.notation import header_line, header_of
from companion.games.engine.replay import replayed
from companion.games.registry import GAMES, game_named
from tests.games.refusals import HEADER, bad, error_of


@pytest.mark.parametrize("key", ["transcript", "game", "players"])
def test_a_transcript_header_without_a_required_key_is_refused(key: str) -> None:
    assert key in bad(**{key: ...})


WRONG: dict[str, list[Any]] = {
    "transcript": [0, 2, True, 1.0, "1", None, [1]],
    "game": ["yahtzee", "Crapola", "", None, 1, ["crapola"], {"crapola": 1}],
    "players": [None, "Ann", {}, [], ["Ann"], *(["Ann", name] for name in (1, None, ["Ben"], "", "Ann", "x" * 25))],
    "rules": [
        *(None, [], "entry", True, {"bomb": True}, {"basic": True}, {"quick": True}, {"": True}),
        *({"entry": value} for value in (True, -1, 1000.0, "1000", None)),
        *({"target": value} for value in (0, False)),
        *({"reversal": value} for value in (1, 0, None, "true")),
    ],
    "first": ["Cat", None, 0, "", "ann"],
    "roll_off": [1, 0, None, "true"],
}


@pytest.mark.parametrize(("key", "value"), [(key, value) for key, values in WRONG.items() for value in values])
def test_a_transcript_header_with_a_wrong_value_is_a_rules_error_that_names_its_key(key: str, value: Any) -> None:
    assert key.removesuffix("s") in bad(**{key: value})


def test_a_mistyped_transcript_header_is_refused_with_a_suggestion() -> None:
    assert "'crapola'" in bad(game="crappola")
    assert "'roll_off'" in bad(rolloff=True)
    assert "'seventh_die'" in bad(rules={"seventh_dice": True})
    assert "'target'" in bad(rules={"tarjet": 5})
    assert "known:" in bad(rules={"zzzz": 5})


@pytest.mark.parametrize("players", [["Ann", "ann"], ["A", " A"], ["x" * 24, "y"], ["\N{GAME DIE}" * 24, "é"]])
def test_a_transcript_header_accepts_player_names_that_are_similar_or_24_characters_long(players: list[str]) -> None:
    assert header_of({**json.loads(HEADER), "players": players}).players == tuple(players)
    assert next(iter(replayed(json.dumps({**json.loads(HEADER), "players": players}).encode())))[
        "scores"
    ] == dict.fromkeys(players, 0)


def test_a_transcript_player_name_with_half_a_surrogate_pair_is_refused() -> None:
    for half in ("\\ud83c", "\\ud800", "\\udfff", "A\\udc00"):
        assert error_of(HEADER.replace("Ann", half)) == (1, "rules")
    for whole in ("\\ud7ff", "\\ue000"):
        assert "error" not in next(iter(replayed(HEADER.replace("Ann", whole).encode())))
    assert next(iter(replayed(HEADER.replace("Ann", "\\ud83c\\udfb2").encode())))["player"] == "\N{GAME DIE}"


def test_a_transcript_header_whose_rules_have_a_preset_name_as_a_key_is_refused() -> None:
    assert "advanced" in bad(game="crib_dice", rules={"advanced": True})


def test_a_transcript_header_with_both_a_first_player_and_a_roll_off_is_refused() -> None:
    assert "not both" in bad(first="Ben", roll_off=True)
    assert header_of({**json.loads(HEADER), "first": "Ben", "roll_off": False}).first == "Ben"


def test_a_transcript_header_stating_default_rules_equals_one_without() -> None:
    plain = header_of(json.loads(HEADER))
    stated = {"entry": 1000, "target": 15000, "reversal": True, "spend": True, "seventh_die": True}
    assert header_of({**json.loads(HEADER), "rules": stated, "roll_off": False}) == plain
    assert header_of({**json.loads(HEADER), "rules": {}}) == plain
    assert plain == Header("crapola", ("Ann", "Ben"), stated)
    assert header_line(plain) == json.loads(HEADER)


def test_a_written_transcript_header_omits_only_the_default_rules() -> None:
    full = {**json.loads(HEADER), "rules": {"entry": 0, "spend": False}, "first": "Ben"}
    assert header_line(header_of(full)) == full
    rolled = {**json.loads(HEADER), "roll_off": True}
    assert header_line(header_of(rolled)) == rolled


@pytest.mark.parametrize("thing", [None, 1, [], "header", [json.loads(HEADER)]])
def test_a_transcript_header_that_is_no_json_object_is_a_notation_error(thing: Any) -> None:
    with pytest.raises(NotationError):
        header_of(thing)
    assert error_of(json.dumps(thing)) == (1, "notation")


@pytest.mark.parametrize("line", ["", "{", "Crapola", '{"transcript": NaN}', "[" * 100_000])
def test_a_transcript_header_that_is_not_json_is_a_notation_error(line: str) -> None:
    assert error_of(line) == (1, "notation")


@pytest.mark.parametrize(
    "line",
    [
        "{}",
        '{"throw": [1,2,3]}',
        HEADER[:-1] + ', "players": ["Ann", "Ben"]}',
        HEADER[:-1] + ', "rules": {"entry": 0, "entry": 0}}',
        HEADER[:-1] + ', "note": "x"}',
    ],
)
def test_a_json_object_that_is_no_transcript_header_is_a_rules_error(line: str) -> None:
    assert error_of(line) == (1, "rules")


def test_the_game_registry_finds_a_game_by_name_and_suggests_for_a_typo() -> None:
    assert list(GAMES) == ["crib_dice", "crag", "crapola"]
    assert all(game_named(name).name == name for name in GAMES)
    with pytest.raises(RulesError, match="did you mean 'crag'"):
        game_named("crab")
