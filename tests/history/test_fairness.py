"""The fairness test: few false alarms, biased dice found in time, reading errors not blamed on the dice."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from itertools import pairwise, product
from math import exp, log, prod
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from companion.cli import pegpip
from companion.errors import DeviceError, RulesError
from companion.history.fairness import (
    BIASES,
    MEDIANS,
    MIN_EVIDENCE,
    Counts,
    Fairness,
    _slipped,
    _taken_for,
    could_have_found,
    evidence_after,
)
from companion.table.commands import PlayLine, StartGame
from companion.table.writer import Table
from tests.games.playing import throw
from tests.history.fair_sets import found_after, with_one_face

HEADER = {"transcript": 1, "game": "crag", "players": ["Ann", "Ben"]}
TRANSCRIPTS = Path(__file__).parent.parent / "transcripts"


def thrown(weights: Sequence[float], rolls: int, seed: int) -> Fairness:
    return evidence_after([value] for value in random.Random(seed).choices(range(1, 7), weights, k=rolls))


def test_the_fairness_test_calls_fair_dice_uneven_in_at_most_5_percent_of_1000_sets_of_rolls() -> None:
    """The evidence is looked at after each of 2,000 rolls of a set."""
    alarms = np.isfinite(found_after(np.full(6, 1 / 6), sets=1000, rolls=2000, seed=9)).sum()
    assert 0 < alarms <= 50, "at most 1 in 20"


@given(st.lists(st.lists(st.integers(1, 6), min_size=1, max_size=7), max_size=30))
def test_fairness_evidence_is_the_log_likelihood_ratio_of_biased_to_fair_dice(throws: list[list[int]]) -> None:
    fairness = evidence_after(throws)
    ratio = 0.0
    for face, (chance, weight) in product(range(6), BIASES):
        dice = [6 * (chance if value - 1 == face else (1 - chance) / 5) for values in throws for value in values]
        ratio += weight / 6 * prod(dice)
    assert fairness.evidence == pytest.approx(log(ratio), abs=1e-9)
    assert fairness.highest >= max(0.0, fairness.evidence) - 1e-12
    assert fairness.rolled == sum(map(len, throws))
    assert fairness.throws == len(throws)


def test_the_fairness_likelihood_ratio_is_a_martingale_for_fair_dice() -> None:
    before = evidence_after([[1, 6], [6, 6, 2]])
    after = [exp(before.thrown([value]).evidence) for value in range(1, 7)]
    assert sum(after) / 6 == pytest.approx(exp(before.evidence))


@pytest.mark.parametrize("chance", [0.22, 0.25, 0.35])
def test_the_computed_number_of_rolls_to_detect_a_bias_matches_the_simulated_median(chance: float) -> None:
    rolls = next(rolled for rolled in range(10, 10_000) if (could_have_found(rolled) or 1.0) <= chance)
    median = np.median(found_after(with_one_face(chance), sets=2000, rolls=4 * rolls, seed=11))
    assert rolls == pytest.approx(median, rel=0.1)


def test_the_smallest_bias_that_fairness_can_detect_falls_with_more_rolls() -> None:
    assert could_have_found(MEDIANS[-1][1] - 1) is None
    chances = [could_have_found(rolled) or 0.0 for rolled in range(MEDIANS[-1][1], 40_000, 50)]
    assert all(later < sooner for sooner, later in pairwise(chances))
    for chance, rolled in MEDIANS:
        assert could_have_found(rolled) == pytest.approx(chance)


def test_a_verdict_of_loaded_dice_does_not_turn_even_in_300_fair_looking_throws() -> None:
    found = thrown([0.15] * 5 + [0.25], 2000, seed=1)
    assert found.verdict == "loaded"
    assert found.confusion is None
    for values in [[1, 2, 3, 4, 5]] * 200 + [[1, 2, 3, 4, 5, 6]] * 100:
        found = found.thrown(values)
        assert found.verdict != "even", "the verdict stays: the bound on false alarms covers all throws"
    assert found.evidence < 0, "the values alone are those of fair dice by then"


def test_fairness_suspects_misread_5s_if_as_many_5s_are_missing_as_there_are_extra_6s() -> None:
    # One in five 5s is read as a 6, and nobody corrects it.
    found = thrown([1, 1, 1, 1, 0.8, 1.2], 5000, seed=2)
    assert found.verdict == "uneven"
    assert found.confusion == (5, 6)


def test_the_fairness_check_calls_misread_but_fair_dice_loaded_in_at_most_5_of_100_runs() -> None:
    """The reader takes three in ten 5s for 6s."""
    loaded = [thrown([1, 1, 1, 1, 0.7, 1.3], 1500, seed).verdict == "loaded" for seed in range(100)]
    assert sum(loaded) <= 5


def test_the_fairness_check_does_not_call_dice_loaded_if_1_percent_of_values_are_misread_as_6() -> None:
    """One in a hundred dice of each other value is read as a 6."""
    least, most = (1 - 0.01) / 6, (1 + 0.05) / 6
    loaded = thrown([least] * 5 + [most], 20_000, seed=3)
    assert loaded.verdict in {"even", "uneven"}


COUNTS: list[Counts] = [(10, 20, 30, 25, 15, 20), (0, 0, 0, 0, 0, 9), (50, 50, 50, 50, 50, 50), (0, 4, 0, 9, 1, 0)]


@pytest.mark.parametrize("counts", COUNTS)
def test_fairness_fit_of_5s_read_as_6s_reaches_the_maximum_likelihood(counts: Counts) -> None:
    best = -float("inf")
    for share in np.linspace(0, 1, 2001):
        chances = [1 / 6, 1 / 6, 1 / 6, 1 / 6, (1 - share) / 6, (1 + share) / 6]
        likely = sum(
            count * log(chance) if chance else -1e9 * count for count, chance in zip(counts, chances, strict=True)
        )
        best = max(best, likely)
    assert _taken_for(counts, 5, 6) == pytest.approx(best, abs=1e-4)
    assert _taken_for(counts, 5, 6) >= best - 1e-9


@pytest.mark.parametrize("counts", COUNTS)
def test_fairness_fits_misread_rates_that_are_at_least_as_likely_as_random_guesses(counts: Counts) -> None:
    generator, best = random.Random(4), -float("inf")
    for _ in range(3000):
        slip = [generator.uniform(0, 0.01) for _ in range(6)]
        onto = generator.choices(range(6), [1 + count for count in counts], k=6)
        chances = [(1 - share) / 6 for share in slip]
        for share, other in zip(slip, onto, strict=True):
            chances[other] += share / 6
        best = max(best, sum(count * log(chance) for count, chance in zip(counts, chances, strict=True)))
    assert _slipped(counts) >= best - 1e-9


def dice(*words: str, stdin: bytes = b"") -> Any:
    return CliRunner().invoke(pegpip, ["dice", *words], input=stdin, standalone_mode=False, catch_exceptions=False)


def test_the_dice_command_counts_faces_and_throws_of_transcripts() -> None:
    files = [str(TRANSCRIPTS / name) for name in ("crag-for-two.jsonl", "crib-basic-for-three.jsonl")]
    found = json.loads(dice("--json", *files).stdout)
    lines = [json.loads(line) for file in files for line in Path(file).read_text().splitlines()]
    values = [value for line in lines for value in line.get("throw", ())]
    assert found["counts"] == {str(face): values.count(face) for face in range(1, 7)}
    assert found["throws"] == sum("throw" in line for line in lines)
    assert found["enough"] == MIN_EVIDENCE
    assert "an even share" in dice(*files).stdout


def test_dice_fairness_command_without_throws_gives_verdict_even_and_says_not_enough_throws(tmp_path: Path) -> None:
    found = json.loads(dice("--json", "--data", str(tmp_path)).stdout)
    assert (found["verdict"], found["throws"], found["could_have_found"]) == ("even", 0, None)
    assert "Not enough throws yet" in dice("--data", str(tmp_path)).stdout


def test_the_dice_command_refuses_a_set_that_never_played_and_names_the_known_ones(
    table: Table, tmp_path: Path
) -> None:
    for name in ("", "Blue"):
        table.submit(StartGame(header=HEADER, terms={"dice": name}))
        table.submit(PlayLine(number=table.snapshot().number, line=throw(1, 2, 3)))
    assert "1 throw, 3 dice" in dice("--set", "Blue", "--data", str(tmp_path)).stdout
    with pytest.raises(DeviceError, match=r"with the set of dice 'Nope'\. Known sets: 'Blue', ''\.$"):
        dice("--set", "Nope", "--data", str(tmp_path))


@pytest.mark.parametrize("words", [("--since", "2"), ("--set", ""), ("--data", ".")], ids=["since", "set", "data"])
def test_the_dice_command_with_files_refuses_since_set_and_data_options(words: tuple[str, ...]) -> None:
    with pytest.raises(click.UsageError, match="--since"):
        dice(*words, str(TRANSCRIPTS / "crag-for-two.jsonl"))


def test_the_dice_command_refuses_invalid_and_missing_transcripts(tmp_path: Path) -> None:
    with pytest.raises(RulesError, match="-: line 1"):
        dice("-", stdin=b"{}")
    with pytest.raises(DeviceError, match=r"none\.jsonl can't be read"):
        dice(str(tmp_path / "none.jsonl"))
