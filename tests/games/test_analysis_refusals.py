"""Input that `pegpip odds`, `luck`, `dice` or `simulate` can't use: a clear message, exit status 1 or 2."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from companion.cli import main

HEADER = '{"transcript": 1, "game": "crib_dice", "players": ["Ann", "Ben"]}\n'
FILES = {
    "unfinished": HEADER + '{"throw": [5, 5, 5, 2, 1, 4, 6]}\n',
    "illegal": HEADER + '{"throw": [5, 5]}\n',
    "foreign": '[Event "F/S Return Match"]\n1. e4 e5\n',
    "chess": '{"transcript": 1, "game": "chess", "players": ["Ann", "Ben"]}\n',
    "newer": '{"transcript": 2, "game": "crib_dice", "players": ["Ann", "Ben"]}\n',
    "empty": "",
    "three": '{"transcript": 1, "game": "crapola", "players": ["Ann", "Ben", "Cleo"]}\n',
}


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        ("luck unfinished", 1, "unfinished: The game is not finished"),
        ("odds --goal win three", 1, "three: The chance to win"),
        *((f"{command} illegal", 1, "line 2: A throw of 2") for command in ("odds", "luck", "dice")),
        *((f"{command} foreign", 1, "line 1: ") for command in ("odds", "luck", "dice")),
        *((f"{command} chess", 1, "no game 'chess'") for command in ("odds", "luck", "dice")),
        *((f"{command} newer", 1, "version of the notation") for command in ("odds", "luck", "dice")),
        *((f"{command} empty", 1, "line 1: ") for command in ("odds", "luck", "dice")),
        *((f"{command} missing", 1, "can't be read") for command in ("odds", "luck", "dice")),
        ("odds --goal glory unfinished", 2, "glory"),
        ("luck --goal glory unfinished", 2, "glory"),
        ("dice --since 0", 2, "0 is not in the range"),
        ("dice --data missing", 2, "does not exist"),
        ("simulate crib_dice --players bset,steady", 2, "did you mean 'best'"),
        ("simulate crib_dise --players best,steady", 2, "did you mean 'crib_dice'"),
        ("simulate crib_dice --players best,steady --games 0", 2, "0 is not in the range"),
        ("simulate crib_dice --players best,steady --games -3", 2, "-3 is not in the range"),
        ("simulate crib_dice --players best,steady --games many", 2, "not a valid integer"),
        ("simulate crib_dice --players best", 2, "for 2 to 6 players"),
        ("simulate crib_dice --players best,steady --rules bombs", 2, "no JSON object"),
        ('simulate crib_dice --players best,steady --rules {"bombs":true}', 2, "did you mean 'bomb'"),
        (f"simulate crib_dice --players best,steady --rules {'[' * 9_000}", 2, "nested too deeply"),
        (f"simulate crib_dice --players best,steady --rules {'1' * 9_000}", 2, "`rules` is an object"),
        ("puzzles crib_dise", 2, "did you mean 'crib_dice'"),
        ("puzzles crag --n 0", 2, "0 is not in the range"),
        ("puzzles crag --n many", 2, "not a valid integer"),
        ("puzzles", 2, "Missing argument 'GAME'"),
        ("train-me crib_dise", 2, "did you mean 'crib_dice'"),
        ("simulate crib_dice", 2, "Missing option '--players'"),
    ],
)
def test_analysis_commands_explain_unusable_input_and_exit_1_or_2(
    words: str,
    status: int,
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["pegpip", *words.split()])
    with pytest.raises(SystemExit) as ended:
        main()
    printed = capsys.readouterr()
    assert ended.value.code == status
    assert told in printed.err
    assert printed.out == ""
