"""The notation, sentence by sentence of TRANSCRIPT.md: what is a line, what is a header, and what is neither."""

from __future__ import annotations

import json
from typing import Any

import pytest

from companion.errors import NotationError, RulesError
from companion.rules.game import Bomb, Enter, Header, Keep, NamePoint, Spend, Stop, Throw, Undo
from companion.rules.json_text import BEYOND_ANY_GAME, json_of
from companion.rules.notation import action_of, header_line, header_of, line_of, parse_line
from companion.rules.registry import GAMES, game_named
from companion.rules.replay import replayed, transcript_of

HEADER = '{"transcript": 1, "game": "crapola", "players": ["Ann", "Ben"]}'
TOO_LONG = "9" * 5000


def error_of(*lines: str | bytes) -> tuple[int, str]:
    """Line and code of the refusal that a transcript ends with."""
    content = b"\n".join(line.encode() if isinstance(line, str) else line for line in lines)
    last = list(replayed(content))[-1]
    assert last["message"], "a refusal says why"
    return last["line"], last["error"]


# --- lines


@pytest.mark.parametrize(
    ("line", "action"),
    [
        ('{"throw": [5,5,2,2,1,4,6]}', Throw((5, 5, 2, 2, 1, 4, 6))),
        ('{"throw": []}', Throw(())),
        ('{"do": "point", "value": 5}', NamePoint(5)),
        ('{"value": 1, "do": "point"}', NamePoint(1)),
        ('{"do": "stop"}', Stop()),
        ('{"do": "bomb"}', Bomb()),
        ('{"do": "keep", "dice": [6,6]}', Keep((6, 6))),
        ('{"do": "keep", "dice": []}', Keep(())),
        ('{"do": "score", "category": "crag"}', Enter("crag")),
        ('{"do": "score", "category": ""}', Enter("")),
        ('{"do": "spend", "on": "Sue", "points": 500}', Spend("Sue", 500)),
        ('{"do": "spend", "on": "Sue", "points": -0}', Spend("Sue", 0)),
        ('{"do": "spend", "on": "Sue", "points": -7}', Spend("Sue", -7)),
        ('{"undo": 1}', Undo(1)),
        ('{"undo": 12345678901234567890}', Undo(12345678901234567890)),
    ],
)
def test_each_kind_of_line_tells_its_action(line: str, action: Any) -> None:
    assert parse_line(line) == action
    assert parse_line(line.encode()) == action
    assert action_of(line_of(action)) == action
    assert line_of(action) == json.loads(line)


@pytest.mark.parametrize(
    "line",
    [
        "",
        " ",
        "\t",
        "null",
        "7",
        "[]",
        '"stop"',
        "{}",
        "true",
        "stop",
        "{",
        '{"do": stop}',
        "{'do': 'stop'}",
        '{"do": "stop",}',
        '{"do": "stop"} {"do": "stop"}',
        '{"do": "stop"} // banks',
        '[{"do": "stop"}]',
        '{"do": "pass"}',
        '{"do": "Stop"}',
        '{"do": ""}',
        '{"do": null}',
        '{"do": ["stop"]}',
        '{"do": {"stop": 1}}',
        '{"do": 1}',
        '{"do": "stop", "now": true}',
        '{"do": "stop", "value": 5}',
        '{"do": "stop", "throw": [1]}',
        '{"throw": [1], "undo": 1}',
        '{"throw": [1], "do": "keep"}',
        '{"undo": 1, "do": "stop"}',
        '{"Throw": [1]}',
        '{"do": "point"}',
        '{"do": "point", "value": 0}',
        '{"do": "point", "value": 7}',
        '{"do": "point", "value": true}',
        '{"do": "point", "value": 3.0}',
        '{"do": "point", "value": "3"}',
        '{"do": "point", "value": null}',
        '{"do": "point", "value": [3]}',
        '{"do": "point", "values": 3}',
        '{"do": "point", "value": 3, "dice": []}',
        '{"do": "keep"}',
        '{"do": "keep", "dice": 6}',
        '{"do": "keep", "dice": "66"}',
        '{"do": "keep", "dice": {"6": 6}}',
        '{"do": "keep", "dice": [6, null]}',
        '{"do": "keep", "dice": [0]}',
        '{"do": "keep", "dice": [7]}',
        '{"do": "keep", "dice": null}',
        '{"do": "score"}',
        '{"do": "score", "category": 1}',
        '{"do": "score", "category": null}',
        '{"do": "score", "category": ["ones"]}',
        '{"do": "spend", "on": "Sue"}',
        '{"do": "spend", "points": 5}',
        '{"do": "spend", "on": 1, "points": 5}',
        '{"do": "spend", "on": "Sue", "points": 5.0}',
        '{"do": "spend", "on": "Sue", "points": 5e2}',
        '{"do": "spend", "on": "Sue", "points": "5"}',
        '{"do": "spend", "on": "Sue", "points": true}',
        '{"do": "spend", "on": "Sue", "points": null}',
        '{"do": "spend", "on": "Sue", "points": 5, "from": "Ann"}',
        '{"throw": 7}',
        '{"throw": "1234567"}',
        '{"throw": null}',
        '{"throw": {"1": 1}}',
        '{"throw": [true, 2]}',
        '{"throw": [1.0, 2]}',
        '{"throw": [1e0, 2]}',
        '{"throw": ["1", 2]}',
        '{"throw": [[1], 2]}',
        '{"throw": [0, 2]}',
        '{"throw": [-0, 2]}',
        '{"throw": [-1, 2]}',
        '{"throw": [7, 2]}',
        '{"throw": [null]}',
        '{"throw": [NaN]}',
        '{"throw": [Infinity]}',
        '{"throw": [-Infinity]}',
        '{"throw": [01, 2]}',
        '{"throw": [+1, 2]}',
        '{"throw": [1, 2,]}',
        '{"throw": [1 2]}',
        f'{{"throw": [{TOO_LONG}]}}',
        f'{{"throw": [-{TOO_LONG}]}}',
        '{"throw": [1, 2], "throw": [1, 2]}',
        '{"do": "stop", "do": "stop"}',
        '{"do": "keep", "dice": [1], "dice": [1]}',
        '{"undo": 0}',
        '{"undo": -1}',
        '{"undo": true}',
        '{"undo": 1.0}',
        '{"undo": 1e0}',
        '{"undo": "1"}',
        '{"undo": null}',
        '{"undo": [1]}',
        '{"undo": {}}',
        '{"undo": 1, "redo": 1}',
        f'{{"undo": -{TOO_LONG}}}',
        f'{{"undo": {TOO_LONG}, "undo": 1}}',
        '\ufeff{"do": "stop"}',
        '\xa0{"do": "stop"}',
        '{"do": "stop"}\x0c',
        '{"do": "st\top"}',
        '{"do": "stop"}\x00',
        "[" * 100_000,
        "[" * 100_000 + "]" * 100_000,
        '{"throw":' * 5000 + "1" + "}" * 5000,
    ],
)
def test_what_is_not_exactly_one_of_the_lines_is_notation(line: str) -> None:
    with pytest.raises(NotationError) as caught:
        parse_line(line)
    assert len(str(caught.value)) < 300
    assert error_of(HEADER, line, '{"throw": [1,2,3,4,5,6]}') == (2, "notation")


@pytest.mark.parametrize("line", [b'{"do": "\xff"}', b"\xff\xfe{\x00}\x00", b'{"do": "st\xc3p"}', b"\xed\xa0\x80"])
def test_bytes_that_are_no_utf_8_are_notation(line: bytes) -> None:
    assert error_of(HEADER, line) == (2, "notation")
    assert error_of(line) == (1, "notation")


def test_utf_16_is_notation() -> None:
    assert error_of(HEADER.encode("utf-16")) == (1, "notation")
    assert error_of("\ufeff" + HEADER) == (1, "notation")


@pytest.mark.parametrize("line", ['  {"undo" : 1}  ', '{"undo":1}\r', '\t{"undo":\t1}\t\r', '{"und\\u006f": 1}'])
def test_white_space_around_and_inside_an_object_is_fine(line: str) -> None:
    assert parse_line(line) == Undo(1)


@pytest.mark.parametrize(
    "thing",
    [None, 7, [], "stop", (), {1: 2}, {"do": {}}, {"throw": (1, 2)}, {"throw": [10**5000]}, {"undo": -(10**5000)}],
)
def test_a_decoded_object_is_checked_as_strictly(thing: object) -> None:
    with pytest.raises(NotationError):
        action_of(thing)


def test_a_mistyped_decision_is_told_the_nearest_one() -> None:
    with pytest.raises(NotationError, match="did you mean 'stop'"):
        parse_line('{"do": "stopp"}')
    with pytest.raises(NotationError, match="'throw', 'do' or 'undo'"):
        parse_line('{"roll": [1]}')


def test_a_refusal_shows_what_was_wrong_but_no_more_than_a_line_of_it() -> None:
    for line, shown in (
        ('{"throw": [1, 0]}', "^0 is no value of a die"),
        ('{"undo": "1"}', "not '1'"),
        ('{"do": "stop", "now": 1}', "exactly do: {'do': 'stop', 'now': 1}"),
        ('{"undo": "%s"}' % ("x" * 58), "not '" + "x" * 58 + "'\\.$"),
        ('{"undo": "%s"}' % ("x" * 59), "not '" + "x" * 56 + r"\.\.\.\.$"),
        ('{"do": "stop", "do": "stop"}', "^An object with a key twice is no line"),
        ("[]", "^What is no JSON object is no line"),
    ):
        with pytest.raises(NotationError, match=shown):
            parse_line(line)
    with pytest.raises(NotationError, match="not that"):
        action_of({"undo": -(10**5000)})
    assert "`game`" in bad(game=1)
    assert "`first`" in bad(first=1)
    assert bad(game="crag", players=[]).startswith("Crag is for 1 or more players")


def test_numbers_of_any_length_are_read() -> None:
    assert json_of(TOO_LONG) == BEYOND_ANY_GAME
    assert json_of(f"-{TOO_LONG}") == -BEYOND_ANY_GAME
    assert json_of(f"[{TOO_LONG}, 3, {'8' * 3999}]")[1:] == [3, int("8" * 3999)]
    assert error_of(HEADER, f'{{"undo": {TOO_LONG}}}') == (2, "illegal_action")
    header = HEADER[:-1] + f', "rules": {{"entry": {TOO_LONG}}}}}'
    assert "error" not in list(replayed(header.encode()))[-1]


def test_notation_is_checked_before_state_and_rules() -> None:
    first = '{"throw": [2,2,2,3,4,6]}'
    assert error_of(HEADER, first, '{"throw": [7]}') == (3, "notation")
    assert error_of(HEADER, first, '{"do": "bomb", "at": 1}') == (3, "notation")
    assert error_of(HEADER, first, '{"do": "bomb"}') == (3, "illegal_action")
    assert error_of(HEADER, first, '{"throw": []}') == (3, "illegal_action")


# --- headers


def bad(**changes: Any) -> str:
    """The message for a header with those changes; a change to `...` leaves the key out."""
    header = {**json.loads(HEADER), **changes}
    header = {key: value for key, value in header.items() if value is not ...}
    with pytest.raises(RulesError) as caught:
        header_of(header)
    assert caught.value.code == "rules"
    return str(caught.value)


@pytest.mark.parametrize("key", ["transcript", "game", "players"])
def test_a_header_needs_these(key: str) -> None:
    assert key in bad(**{key: ...})


@pytest.mark.parametrize("value", [0, 2, True, 1.0, "1", None, [1]])
def test_the_version_is_the_integer_1(value: Any) -> None:
    bad(transcript=value)


@pytest.mark.parametrize("value", ["yahtzee", "Crapola", "", None, 1, ["crapola"], {"crapola": 1}])
def test_the_game_is_one_of_those_there_are(value: Any) -> None:
    bad(game=value)


def test_a_mistyped_game_or_key_is_told_the_nearest_one() -> None:
    assert "'crapola'" in bad(game="crappola")
    assert "'roll_off'" in bad(rolloff=True)
    assert "'seventh_die'" in bad(rules={"seventh_dice": True})
    assert "'target'" in bad(rules={"tarjet": 5})
    assert "known:" in bad(rules={"zzzz": 5})


@pytest.mark.parametrize(
    "players",
    [
        None,
        "Ann",
        {},
        ["Ann", 1],
        ["Ann", None],
        ["Ann", ["Ben"]],
        ["Ann", ""],
        ["Ann", "Ann"],
        ["Ann", "x" * 25],
        [],
        ["Ann"],
    ],
)
def test_players_are_a_list_of_different_names_of_1_to_24_characters(players: Any) -> None:
    bad(players=players)


@pytest.mark.parametrize("players", [["Ann", "ann"], ["A", " A"], ["x" * 24, "y"], ["\N{GAME DIE}" * 24, "é"]])
def test_names_are_compared_exactly_and_measured_in_code_points(players: list[str]) -> None:
    assert header_of({**json.loads(HEADER), "players": players}).players == tuple(players)
    assert next(iter(replayed(json.dumps({**json.loads(HEADER), "players": players}).encode())))[
        "scores"
    ] == dict.fromkeys(players, 0)


def test_half_a_surrogate_pair_is_no_name() -> None:
    for half in ("\\ud83c", "\\ud800", "\\udfff", "A\\udc00"):
        assert error_of(HEADER.replace("Ann", half)) == (1, "rules")
    for whole in ("\\ud7ff", "\\ue000"):
        assert "error" not in next(iter(replayed(HEADER.replace("Ann", whole).encode())))
    assert next(iter(replayed(HEADER.replace("Ann", "\\ud83c\\udfb2").encode())))["player"] == "\N{GAME DIE}"


@pytest.mark.parametrize(
    "rules",
    [
        None,
        [],
        "entry",
        True,
        {"entry": True},
        {"entry": -1},
        {"entry": 1000.0},
        {"entry": "1000"},
        {"entry": None},
        {"target": 0},
        {"target": False},
        {"reversal": 1},
        {"reversal": 0},
        {"reversal": None},
        {"reversal": "true"},
        {"bomb": True},
        {"basic": True},
        {"quick": True},
        {"": True},
    ],
)
def test_rules_hold_switches_of_the_game_with_values_of_their_type(rules: Any) -> None:
    bad(rules=rules)


def test_presets_are_no_switches() -> None:
    bad(game="crib_dice", rules={"advanced": True})


@pytest.mark.parametrize("changes", [{"first": "Cat"}, {"first": None}, {"first": 0}, {"first": ""}, {"first": "ann"}])
def test_the_first_is_one_of_the_players(changes: dict[str, Any]) -> None:
    bad(**changes)


@pytest.mark.parametrize("value", [1, 0, None, "true"])
def test_a_roll_off_is_true_or_false(value: Any) -> None:
    bad(roll_off=value)


def test_first_and_roll_off_exclude_each_other() -> None:
    assert "not both" in bad(first="Ben", roll_off=True)
    assert header_of({**json.loads(HEADER), "first": "Ben", "roll_off": False}).first == "Ben"


def test_a_header_may_state_defaults() -> None:
    plain = header_of(json.loads(HEADER))
    stated = {"entry": 1000, "target": 15000, "reversal": True, "spend": True, "seventh_die": True}
    assert header_of({**json.loads(HEADER), "rules": stated, "roll_off": False}) == plain
    assert header_of({**json.loads(HEADER), "rules": {}}) == plain
    assert plain == Header("crapola", ("Ann", "Ben"), stated)
    assert header_line(plain) == json.loads(HEADER)


def test_a_header_line_names_what_differs() -> None:
    full = {**json.loads(HEADER), "rules": {"entry": 0, "spend": False}, "first": "Ben"}
    assert header_line(header_of(full)) == full
    rolled = {**json.loads(HEADER), "roll_off": True}
    assert header_line(header_of(rolled)) == rolled


@pytest.mark.parametrize("thing", [None, 1, [], "header", [json.loads(HEADER)]])
def test_a_first_line_that_is_no_object_is_notation(thing: Any) -> None:
    with pytest.raises(NotationError):
        header_of(thing)
    assert error_of(json.dumps(thing)) == (1, "notation")


@pytest.mark.parametrize("line", ["", "{", "Crapola", '{"transcript": NaN}', "[" * 100_000])
def test_a_first_line_that_is_no_json_is_notation(line: str) -> None:
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
def test_an_object_that_is_no_header_is_rules(line: str) -> None:
    assert error_of(line) == (1, "rules")


# --- files


def test_empty_input_is_a_blank_line_1() -> None:
    assert error_of(b"") == (1, "notation")
    assert error_of(b"\n") == (1, "notation")
    assert error_of(b"\n\n") == (1, "notation")


def test_a_blank_line_is_no_line() -> None:
    assert error_of(HEADER, "", '{"throw": [1,2,3,4,5,6]}') == (2, "notation")
    assert error_of(HEADER, "", "") == (2, "notation")
    assert error_of(HEADER, "\r") == (2, "notation")


def test_the_last_line_needs_no_line_feed() -> None:
    lines = HEADER.encode() + b'\n{"throw": [1,2,3,4,5,6]}'
    assert list(replayed(lines)) == list(replayed(lines + b"\n"))
    assert len(list(replayed(lines))) == 2


def test_carriage_returns_before_line_feeds_are_white_space() -> None:
    lines = HEADER.encode() + b'\r\n{"throw": [1,2,3,4,5,6]}\r\n'
    assert [state["line"] for state in replayed(lines)] == [1, 2]


def test_only_a_line_feed_ends_a_line() -> None:
    names = HEADER.replace("Ann", "A\u2028n").encode()
    assert next(iter(replayed(names)))["player"] == "A\u2028n"
    assert error_of(HEADER + "\r" + '{"throw": [1,2,3,4,5,6]}') == (1, "notation")


def test_nothing_is_read_after_a_refused_line() -> None:
    states = list(replayed(f'{HEADER}\n{{"throw": [1]}}\n{{"throw": [1,2,3,4,5,6]}}\nnonsense'.encode()))
    assert [(state["line"], state.get("error")) for state in states] == [(1, None), (2, "illegal_action")]
    assert set(states[-1]) == {"line", "error", "message"}


def test_a_refusal_of_a_whole_transcript_names_its_line_and_keeps_its_kind() -> None:
    with pytest.raises(NotationError, match="line 2: "):
        transcript_of(f"{HEADER}\nnonsense".encode())
    with pytest.raises(RulesError, match="line 1: "):
        transcript_of(b"{}")


def test_games_are_found_by_name() -> None:
    assert list(GAMES) == ["crib_dice", "crag", "crapola"]
    assert all(game_named(name).name == name for name in GAMES)
    with pytest.raises(RulesError, match="did you mean 'crag'"):
        game_named("crab")
