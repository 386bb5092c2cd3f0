"""`pegpip replay`, `rules` and `odds`: what they print and how they exit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from companion.bench.rules import measure
from companion.cli import pegpip
from companion.errors import DeviceError, RulesError
from companion.games.registry import GAMES
from tests.games.playing import ADVANCED, CRIB_SWITCHES

PEGPIP = [sys.executable, "-c", "from companion.cli import main; main()"]
FOLDER = Path(__file__).resolve().parent.parent / "transcripts"
GOOD = FOLDER / "crib-bumping-chain.jsonl"
REFUSED = FOLDER / "crib-undo-too-many.jsonl"
LONG = FOLDER / "crib-long-partners-pandemonium.jsonl"


def run(*words: str, stdin: bytes = b"") -> Result:
    return CliRunner().invoke(pegpip, words, input=stdin, standalone_mode=False, catch_exceptions=False)


def objects(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def states_beside(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.with_suffix(".states.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("command", ["replay", "odds", "luck"])
def test_analysis_commands_escape_terminal_control_codes_in_player_names(command: str, tmp_path: Path) -> None:
    file = tmp_path / "foreign.jsonl"
    game = FOLDER / "crag-for-two.jsonl" if command == "luck" else GOOD  # a finished one
    file.write_bytes(game.read_bytes().replace(b'"Ann"', rb'"\u001b[2JAnn\u009b"'))
    done = subprocess.run([*PEGPIP, command, file], capture_output=True, text=True, check=False)
    printed = done.stdout + done.stderr
    assert r"\x1b[2JAnn\x9b" in printed
    assert not {"\x1b", "\x9b"} & set(printed)


# --- replay


@pytest.mark.parametrize("path", [GOOD, REFUSED])
def test_replay_json_prints_the_state_after_each_line_and_exits_1_at_a_refused_line(path: Path) -> None:
    for result in (run("replay", "--json", str(path)), run("replay", "--json", "-", stdin=path.read_bytes())):
        assert objects(result) == states_beside(path)
        assert (result.return_value, "line 6" in result.stderr) == ((1, True) if path == REFUSED else (0, False))


def test_json_of_the_replay_command_names_each_states_file_and_goes_on_after_a_refused_transcript() -> None:
    result = run("replay", "--json", str(REFUSED), str(GOOD))
    assert result.return_value == 1
    by_file = {path: [one for one in objects(result) if one["file"] == str(path)] for path in (REFUSED, GOOD)}
    for path, found in by_file.items():
        assert found == [{"file": str(path), **state} for state in states_beside(path)]
    assert run("replay", "--json", str(GOOD), str(LONG)).return_value == 0


def test_replay_reports_a_missing_file_and_still_replays_later_files(tmp_path: Path) -> None:
    result = run("replay", "--json", str(tmp_path / "none.jsonl"), str(tmp_path), str(GOOD))
    assert result.return_value == 1
    assert len(objects(result)) == len(states_beside(GOOD))
    assert "none.jsonl can't be read" in result.stderr


def test_replay_without_json_prints_a_table_with_winner_and_refusals() -> None:
    result = run("replay", str(LONG), str(REFUSED))
    assert f"{LONG}:" in result.stdout
    assert "won." in result.stdout
    assert "refused (illegal_action)" in result.stdout
    assert result.return_value == 1
    assert "throw 7" in run("replay", str(GOOD)).stdout


def test_replay_says_that_nobody_won_when_a_lone_player_has_left() -> None:
    lines = b'{"transcript": 1, "game": "crag", "players": ["Ann"]}\n{"leave": "Ann"}\n'
    assert "over: nobody won." in run("replay", "-", stdin=lines).stdout


def test_replay_succeeds_with_a_player_name_ascii_output_cannot_encode() -> None:
    header = {"transcript": 1, "game": "crag", "players": ["\N{GAME DIE}"]}
    process = subprocess.run(
        [*PEGPIP, "replay", "-"],
        input=json.dumps(header).encode(),
        capture_output=True,
        env={"PYTHONIOENCODING": "ascii", "PATH": ""},
        check=False,
        timeout=600,
    )
    assert (process.returncode, process.stderr) == (0, b"")
    assert b"round 1" in process.stdout


def test_the_replay_command_loads_no_opencv_numpy_flask_rich_or_msgspec() -> None:
    assert LONG.read_bytes().count(b"\n") > 100
    script = (
        "import sys; from companion.cli import main\n"
        "try: main()\n"
        "finally: sys.stderr.write(' '.join({'cv2', 'numpy', 'flask', 'rich', 'msgspec'} & set(sys.modules)))"
    )
    process = subprocess.run(
        [sys.executable, "-c", script, "replay", "--json", str(LONG)], capture_output=True, check=True, timeout=600
    )
    assert process.stderr == b""


# --- rules


@pytest.mark.parametrize("game", GAMES)
def test_the_rules_command_prints_a_games_rules_house_rules_and_credits(game: str) -> None:
    text = run("rules", game).stdout
    chosen = GAMES[game]
    assert text.startswith(chosen.title)
    assert all(switch.key in text and switch.meaning in text for switch in chosen.switches)
    assert chosen.credits in text
    assert chosen.in_words.splitlines()[0] in text


@pytest.mark.parametrize("game", GAMES)
def test_a_tray_notice_links_to_at_most_one_existing_rules_paragraph(game: str) -> None:
    """`why` maps headings of the rules text to codes of tray notices; the notices of illegal dice are among them."""
    headings = {paragraph.split(".")[0] for paragraph in GAMES[game].in_words.split("\n\n")}
    explained = [code for codes in GAMES[game].why.values() for code in codes]
    assert set(GAMES[game].why) <= headings
    assert len(set(explained)) == len(explained)
    assert {"count", "decide_first", "illegal_hold"} <= set(explained)


def test_crib_dice_rules_text_names_inventor_version_licence_and_site() -> None:
    text = run("rules", "crib_dice").stdout
    for word in ("Howard Fosdick", "V 2.1", "CC BY-ND", "BestFreeNewGames.com"):
        assert word in text


@pytest.mark.parametrize("game", GAMES)
def test_the_rules_command_json_lists_each_house_rule_with_default_and_meaning(game: str) -> None:
    form, chosen = json.loads(run("rules", game, "--json").stdout), GAMES[game]
    assert (form["game"], form["title"]) == (game, chosen.title)
    assert form["switches"] == [
        {**asdict(switch), "type": "bool" if isinstance(switch.default, bool) else "integer"}
        for switch in chosen.switches
    ]
    assert "basic" in form["presets"]
    assert all(preset.keys() <= {row["key"] for row in form["switches"]} for preset in form["presets"].values())
    assert all(row["meaning"].endswith(".") and row["title"] for row in form["switches"])


def test_house_rules_default_off_in_crib_dice_and_crag_and_on_in_crapola() -> None:
    """Crapola starts with an entry of 1,000 and a target of 15,000 points, and its three switches on."""
    defaults = {game: {switch.key: switch.default for switch in GAMES[game].switches} for game in GAMES}
    assert defaults["crib_dice"] == dict.fromkeys(CRIB_SWITCHES, False)
    assert defaults["crag"] == {"thirteen_without_double": False}
    on = dict.fromkeys(("reversal", "spend", "seventh_die"), True)
    assert defaults["crapola"] == {"entry": 1000, "target": 15000, **on}


def test_the_advanced_preset_of_crib_dice_sets_five_house_rules() -> None:
    assert GAMES["crib_dice"].presets == {"basic": {}, "advanced": ADVANCED}


def ended(*words: str) -> subprocess.CompletedProcess[bytes]:
    """Return how a process of the command ended."""
    return subprocess.run([*PEGPIP, *words], capture_output=True, check=False, timeout=600, stdin=subprocess.DEVNULL)


@pytest.mark.parametrize(
    "words", ["rules crib_dize", "rules", "odds", "replay", "replay --jason -", "odds --goal glory -"]
)
def test_rules_odds_and_replay_exit_2_with_usage_on_wrong_arguments(words: str) -> None:
    process = ended(*words.split())
    assert process.returncode == 2
    assert b"Usage" in process.stderr
    assert b"Traceback" not in process.stderr
    assert b"points" in process.stderr or "--goal" not in words


@pytest.mark.parametrize("name", ["crib_dize", "poker"])
def test_the_rules_command_names_crib_dice_once_in_its_error_about_an_unknown_game(name: str) -> None:
    assert ended("rules", name).stderr.count(b"crib_dice") == 1


# --- odds


def odds(*lines: dict[str, Any], game: str = "crib_dice") -> dict[str, Any]:
    header = {"transcript": 1, "game": game, "players": ["Ann", "Ben"]}
    result = run("odds", "--json", "-", stdin="\n".join(map(json.dumps, [header, *lines])).encode())
    assert result.exit_code == 0
    (found,) = objects(result)
    return found


def test_odds_json_names_the_player_the_chance_of_a_safe_throw_and_the_best_option() -> None:
    found = odds({"throw": [5, 5, 2, 2, 1, 4, 6]}, {"do": "point", "value": 5})
    assert set(found) == {"player", "safe", "options", "best", "goal", "exact"}
    assert (found["player"], found["goal"], found["best"]) == ("Ann", "points", {"throw": 5})
    assert found["safe"] == pytest.approx(1 - (2 / 3) ** 5)
    assert found["options"][1] == {"line": {"do": "stop"}, "value": 2.0}


def test_the_odds_command_with_goal_win_prints_win_probabilities() -> None:
    header = b'{"transcript": 1, "game": "crib_dice", "players": ["Ann", "Ben"]}'
    (found,) = objects(run("odds", "--json", "--goal", "win", "-", stdin=header))
    assert (found["goal"], found["best"]) == ("win", {"throw": 7})
    assert found["options"][0]["value"] == pytest.approx(0.456840, abs=1e-6)


def test_the_odds_command_refuses_win_odds_of_a_new_crapola_game_of_three() -> None:
    three = b'{"transcript": 1, "game": "crapola", "players": ["Ann", "Ben", "Cleo"]}'
    with pytest.raises(RulesError, match="last round"):
        run("odds", "--goal", "win", "-", stdin=three)


def test_the_odds_command_lists_no_options_for_a_finished_game() -> None:
    result = run("odds", "--json", str(LONG))
    nothing = {"player": None, "safe": None, "best": None, "goal": "points", "exact": True}
    assert objects(result) == [{**nothing, "options": []}]
    assert "over" in run("odds", str(LONG)).stdout


def test_the_odds_command_without_its_json_option_prints_whose_turn_it_is_and_the_options() -> None:
    text = run("odds", "-", stdin=b'{"transcript": 1, "game": "crapola", "players": ["Ann", "Ben"]}').stdout
    assert "Ann is on." in text
    assert "97.7%" in text
    assert '{"throw": 6}' in text


def test_the_odds_command_names_the_file_that_is_missing_or_refused(tmp_path: Path) -> None:
    with pytest.raises(RulesError, match=rf"{REFUSED.name}: line 6"):
        run("odds", "--json", str(REFUSED))
    with pytest.raises(DeviceError, match="none can't be read"):
        run("odds", str(tmp_path / "none"))


def test_the_rules_engine_benchmark_reports_a_positive_number_of_transcript_lines_per_second() -> None:
    assert measure(lines=100)["rules_lines_per_s"] > 0


def test_replay_and_odds_refuse_named_pipes_and_files_over_16_mb(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "long").open("wb") as file:
        file.truncate(17 << 20)
    for name, told in (("pipe", "no file"), ("long", "16 MB")):
        done = run("replay", str(tmp_path / name))
        assert done.return_value == 1
        assert told in done.stderr
        with pytest.raises(DeviceError, match=told):
            run("odds", str(tmp_path / name))
