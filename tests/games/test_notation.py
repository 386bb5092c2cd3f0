"""The notation of transcripts: valid lines, valid files, and what is refused (docs/reference/transcript.md)."""

from __future__ import annotations

import codecs
import json
from typing import Any

import pytest

from companion.errors import NotationError, RulesError
from companion.games.engine.game import Bomb, Enter, Keep, NamePoint, Spend, Stop, Throw, Undo
from companion.games.engine.notation import action_of, line_of, parse_line
from companion.games.engine.notation.json_text import BEYOND_ANY_GAME, json_of
from companion.games.engine.replay import replayed, transcript_of
from tests.games.refusals import HEADER, TOO_LONG, bad, error_of

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
def test_transcript_action_lines_are_read_and_written_back(line: str, action: Any) -> None:
    assert parse_line(line) == action
    assert parse_line(line.encode()) == action
    assert action_of(line_of(action)) == action
    assert line_of(action) == json.loads(line)


NO_DIE = ["0", "7", "-1", "-0", "true", "3.0", "1e0", '"3"', "null", "[3]", "NaN", "Infinity", "-Infinity", "01", "+1"]
NO_DIE += [TOO_LONG, f"-{TOO_LONG}"]
NO_DICE = ["7", '"66"', '{"6": 6}', "null", "true", "[1 2]", "[1, 2,]"]
NO_TEXT = ["1", "null", "true", '["ones"]', "{}"]
NO_INTEGER = ["5.0", "5e2", '"5"', "true", "null", "[5]", "{}"]
NO_COUNT = [*NO_INTEGER, "0", "-1", f"-{TOO_LONG}"]
BAD_VALUES = {
    '{"throw": [1, ?]}': NO_DIE,
    '{"do": "point", "value": ?}': NO_DIE,
    '{"do": "keep", "dice": [6, ?]}': ["null", "0", "7"],
    '{"throw": ?}': NO_DICE,
    '{"do": "keep", "dice": ?}': NO_DICE,
    '{"do": "score", "category": ?}': NO_TEXT,
    '{"leave": ?}': NO_TEXT,
    '{"do": "spend", "on": ?, "points": 5}': NO_TEXT,
    '{"do": "spend", "on": "Sue", "points": ?}': NO_INTEGER,
    '{"undo": ?}': NO_COUNT,
    '{"do": ?}': ["stop", '"pass"', '"Stop"', '"throw"', '""', *NO_TEXT],
}
"""Values that make a line malformed where they stand for the question mark."""
MALFORMED = [
    *(line.replace("?", value) for line, values in BAD_VALUES.items() for value in values),
    *("", " ", "\t", "[" * 100_000, "[" * 100_000 + "]" * 100_000, '{"throw":' * 5000 + "1" + "}" * 5000),
    *('\ufeff{"do": "stop"}', '\xa0{"do": "stop"}', '{"do": "stop"}\x0c', '{"do": "st\top"}', '{"do": "stop"}\x00'),
    f'{{"undo": {TOO_LONG}, "undo": 1}}',
    *"""\
null
7
[]
"stop"
{}
true
stop
{
{'do': 'stop'}
{"do": "stop",}
{"do": "stop"} {"do": "stop"}
{"do": "stop"} // banks
[{"do": "stop"}]
{"do": "stop", "now": true}
{"do": "stop", "value": 5}
{"do": "stop", "throw": [1]}
{"throw": [1], "undo": 1}
{"throw": [1], "do": "keep"}
{"undo": 1, "do": "stop"}
{"undo": 1, "redo": 1}
{"Throw": [1]}
{"do": "point"}
{"do": "point", "values": 3}
{"do": "point", "value": 3, "dice": []}
{"do": "keep"}
{"do": "score"}
{"do": "spend", "on": "Sue"}
{"do": "spend", "points": 5}
{"do": "spend", "on": "Sue", "points": 5, "from": "Ann"}
{"throw": [1, 2], "throw": [1, 2]}
{"do": "stop", "do": "stop"}
{"do": "keep", "dice": [1], "dice": [1]}""".splitlines(),
]


@pytest.mark.parametrize("line", MALFORMED)
def test_a_malformed_transcript_line_is_a_notation_error(line: str) -> None:
    with pytest.raises(NotationError) as caught:
        parse_line(line)
    assert len(str(caught.value)) < 300
    assert error_of(HEADER, line, '{"throw": [1,2,3,4,5,6]}') == (2, "notation")


@pytest.mark.parametrize("line", ['  {"undo" : 1}  ', '{"undo":1}\r', '\t{"undo":\t1}\t\r', '{"und\\u006f": 1}'])
def test_a_transcript_line_may_contain_json_white_space_and_escapes(line: str) -> None:
    assert parse_line(line) == Undo(1)


@pytest.mark.parametrize(
    "thing",
    [None, 7, [], "stop", (), {1: 2}, {"do": {}}, {"throw": (1, 2)}, {"throw": [10**5000]}, {"undo": -(10**5000)}],
)
def test_decoded_transcript_json_that_is_no_action_is_a_notation_error(thing: object) -> None:
    with pytest.raises(NotationError):
        action_of(thing)


def test_notation_errors_name_the_fault_and_quote_at_most_60_characters() -> None:
    for line, shown in (
        ('{"throw": [1, 0]}', "^0 is no value of a die"),
        ('{"undo": "1"}', "not '1'"),
        ('{"do": "stop", "now": 1}', "exactly do: {'do': 'stop', 'now': 1}"),
        ('{"undo": "%s"}' % ("x" * 58), "not '" + "x" * 58 + "'\\.$"),
        ('{"undo": "%s"}' % ("x" * 59), "not '" + "x" * 56 + r"\.\.\.\.$"),
        ('{"do": "stop", "do": "stop"}', "^An object with a key twice is no line"),
        ("[]", "^What is no JSON object is no line"),
        ('{"do": "stopp"}', "did you mean 'stop'"),
        ('{"roll": [1]}', r"; it has 'throw', 'do', 'leave' or 'undo'\.$"),
    ):
        with pytest.raises(NotationError, match=shown):
            parse_line(line)
    with pytest.raises(NotationError, match=r"^An undo takes back 1 line or more, not that\.$"):
        action_of({"undo": -(10**5000)})
    assert "`game`" in bad(game=1)
    assert "`first`" in bad(first=1)
    assert bad(game="crag", players=[]).startswith("Crag is for 1 or more players")


def test_a_transcript_number_of_too_many_digits_is_read_as_10_to_the_18() -> None:
    """10**18 is far above the points of any game; a negative number becomes -10**18."""
    assert json_of(TOO_LONG) == BEYOND_ANY_GAME > int("9" * 17)
    assert json_of(f"-{TOO_LONG}") == -BEYOND_ANY_GAME
    assert json_of(f"[{TOO_LONG}, 3, {'8' * 3999}]")[1:] == [3, int("8" * 3999)]
    assert error_of(HEADER, f'{{"undo": {TOO_LONG}}}') == (2, "illegal_action")
    header = HEADER[:-1] + f', "rules": {{"entry": {TOO_LONG}}}}}'
    assert "error" not in list(replayed(header.encode()))[-1]


def test_a_transcript_line_is_checked_for_notation_before_legality() -> None:
    first = '{"throw": [2,2,2,3,4,6]}'
    assert error_of(HEADER, first, '{"throw": [7]}') == (3, "notation")
    assert error_of(HEADER, first, '{"do": "bomb", "at": 1}') == (3, "notation")
    assert error_of(HEADER, first, '{"do": "bomb"}') == (3, "illegal_action")
    assert error_of(HEADER, first, '{"throw": []}') == (3, "illegal_action")


# --- files

NO_UTF_8 = [b'{"do": "\xff"}', b"\xff\xfe{\x00}\x00", b'{"do": "st\xc3p"}', b"\xed\xa0\x80"]


@pytest.mark.parametrize(
    ("lines", "number"),
    [
        *(([HEADER, line], 2) for line in NO_UTF_8),
        *(([line], 1) for line in [*NO_UTF_8, HEADER.encode("utf-16"), "\ufeff", "", "\n", "\n\n"]),
        *(([HEADER, line], 2) for line in ("\r", "\n", '\n{"throw": [1,2,3,4,5,6]}')),
    ],
)
def test_a_blank_line_or_one_that_is_no_utf_8_is_a_notation_error(lines: list[str | bytes], number: int) -> None:
    assert error_of(*lines) == (number, "notation")


def test_the_last_line_of_a_transcript_needs_no_line_feed() -> None:
    lines = HEADER.encode() + b'\n{"throw": [1,2,3,4,5,6]}'
    assert list(replayed(lines)) == list(replayed(lines + b"\n"))
    assert len(list(replayed(lines))) == 2


def test_a_carriage_return_at_the_end_of_a_transcript_line_is_ignored() -> None:
    lines = HEADER.encode() + b'\r\n{"throw": [1,2,3,4,5,6]}\r\n'
    assert [state["line"] for state in replayed(lines)] == [1, 2]


def test_a_byte_order_mark_at_the_start_of_a_transcript_is_ignored() -> None:
    lines = HEADER.encode() + b'\n{"throw": [1,2,3,4,5,6]}\n'
    assert list(replayed(codecs.BOM_UTF8 + lines)) == list(replayed(lines))
    assert error_of(HEADER, '\ufeff{"throw": [1,2,3,4,5,6]}') == (2, "notation")


def test_a_json_error_in_a_transcript_states_the_line_number_once_and_the_column_number() -> None:
    with pytest.raises(NotationError, match=r"^line 2: The line is no JSON object: Expecting value, column 15\.$"):
        transcript_of(f'{HEADER}\n{{"throw": [1, x]}}'.encode())


def test_only_a_line_feed_ends_a_transcript_line() -> None:
    names = HEADER.replace("Ann", "A\u2028n").encode()
    assert next(iter(replayed(names)))["player"] == "A\u2028n"
    assert error_of(HEADER + "\r" + '{"throw": [1,2,3,4,5,6]}') == (1, "notation")


def test_transcript_replay_ends_at_the_first_refused_line() -> None:
    states = list(replayed(f'{HEADER}\n{{"throw": [1]}}\n{{"throw": [1,2,3,4,5,6]}}\nnonsense'.encode()))
    assert [(state["line"], state.get("error")) for state in states] == [(1, None), (2, "illegal_action")]
    assert set(states[-1]) == {"line", "error", "message"}


def test_a_transcript_error_keeps_its_exception_type_and_gains_the_line_number() -> None:
    with pytest.raises(NotationError, match="line 2: "):
        transcript_of(f"{HEADER}\nnonsense".encode())
    with pytest.raises(RulesError, match="line 1: "):
        transcript_of(b"{}")
