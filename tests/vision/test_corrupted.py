"""`pegpip read --json` on damaged, odd or hostile files: an answer or a clear error each, within a gigabyte."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.vision.harmed import HARMS, KINDS, cmyk_jpeg, harmed, plan, scenes
from vision.networks import load_networks
from vision.reading.reader import Reader

FILES = int(os.environ.get("PEGPIP_CORRUPTED", "60"))
BATCH = 100
MOST_MB = 1000


@functools.cache
def every_file() -> list[tuple[str, bytes]]:
    return harmed(FILES)


def read(folder: Path, names: list[str]) -> tuple[int, list[dict[str, object]], str, float]:
    """Run `pegpip read`; return its exit status, answers, standard error, and peak resident memory in megabytes."""
    command = [str(Path(sys.executable).with_name("pegpip")), "read", "--json", *names]
    with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
        process = subprocess.Popen(command, stdout=out, stderr=err, cwd=folder)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    answers = [json.loads(line) for line in (folder / "out").read_text().splitlines()]
    return process.returncode, answers, (folder / "err").read_text(), used.ru_maxrss / 1024


def well_formed(answer: dict[str, object]) -> bool:
    if "error" in answer:
        sentence = str(answer["error"])
        return set(answer) == {"image", "error"} and "\n" not in sentence and ": " in sentence
    assert isinstance(answer["values"], list)
    return (
        set(answer) == {"image", "values", "dice", "trusted", "doubt", "ms"}
        and answer["values"] == sorted(answer["values"])
        and all(1 <= value <= 6 for value in answer["values"])
        and answer["trusted"] == (answer["doubt"] is None)
    )


@pytest.mark.parametrize("first", range(0, FILES, BATCH))
def test_the_read_command_reads_or_clearly_refuses_each_corrupt_picture(first: int, tmp_path: Path) -> None:
    """The command prints no traceback and takes less than a gigabyte."""
    batch = every_file()[first : first + BATCH]
    for name, content in batch:
        (tmp_path / name).write_bytes(content)
    status, answers, complaints, peak_mb = read(tmp_path, [name for name, _ in batch])
    assert status == int(any("error" in answer for answer in answers)), complaints
    assert "Traceback" not in complaints
    assert [answer["image"] for answer in answers] == [name for name, _ in batch]
    assert [answer for answer in answers if not well_formed(answer)] == []
    assert peak_mb < MOST_MB
    print(f"{len(batch)} files, {sum('error' in answer for answer in answers)} refused, {peak_mb:.0f} MB")


def test_the_corrupted_test_files_cover_every_format_with_every_fault() -> None:
    assert len(set(plan(len(KINDS) * len(HARMS)))) == len(KINDS) * len(HARMS)


def test_the_generator_of_corrupted_picture_files_is_deterministic() -> None:
    assert harmed(12) == harmed(12)


def test_the_cmyk_jpeg_made_for_the_tests_has_four_channels_and_decodes() -> None:
    content = cmyk_jpeg(scenes(1)[0], np.random.default_rng(1))
    assert content[content.index(b"\xff\xc0") + 9] == 4
    assert cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR) is not None


@pytest.mark.parametrize("shape", [(1, 1), (1, 4000), (3000, 2), (1, 60_000)])
def test_reading_a_picture_thinner_than_any_die_finds_no_dice(shape: tuple[int, int]) -> None:
    """A strip of one pixel vanishes when it is scaled down for the network; OpenCV raised an error of its own then."""
    assert Reader(load_networks()).read(np.zeros((*shape, 3), np.uint8)).dice == ()
