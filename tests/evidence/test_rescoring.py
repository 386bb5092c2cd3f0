"""Stored throws read again: judged by what stands, told apart from what changed, and shared without names."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from companion.commands import read, rescore
from companion.evidence.folder import PackageFolder
from companion.evidence.rescoring import Rescored, rescored, stored_throws, summary
from companion.history.export import PastGames
from companion.history.judged import figures, judged_throws, upper_bound
from tests.evidence.playing import VirtualEvening
from tests.evidence.proving import noisy_classifier
from tests.waiting import until
from vision.networks import Networks
from vision.research.evaluation.rigs import exported


@pytest.fixture(scope="module")
def again(played: Path, networks: Networks) -> list[Rescored]:
    assert until(lambda: len(PackageFolder(played, 0).files()) == 4)
    return list(rescored(stored_throws(played), networks, pytest.fail))


def test_the_same_reader_reads_as_at_the_table(again: list[Rescored]) -> None:
    assert len(again) == 4
    assert [each.changed for each in again] == [False] * 4


def test_a_corrected_throw_is_a_false_accept(again: list[Rescored]) -> None:
    found = summary(again, [])
    assert (found["throws"], found["exact"], found["trusted"], found["false_accepts"]) == (4, 3, 4, 1)
    assert [each.throw.judged.throw for each in again if each.differs] == [3]


def test_a_worse_network_is_exposed(played: Path, networks: Networks) -> None:
    worse = list(rescored(stored_throws(played), noisy_classifier(networks, 2.0), pytest.fail))
    assert sum(each.changed for each in worse) >= 3


def test_a_new_calibration_changes_no_old_result(played: Path, tmp_path: Path, networks: Networks) -> None:
    shutil.copytree(played, tmp_path / "table")
    with VirtualEvening(tmp_path / "table", networks, seed=7) as evening:
        evening.recalibrate(die_mm=evening.rig.die_mm * 1.04)
        evening.throw()
        assert evening.kept(5)
    both = list(rescored(stored_throws(tmp_path / "table"), networks, pytest.fail))
    assert len({file.parent for file in evening.packages.files().values()}) == 2
    assert [each.changed for each in both] == [False] * 5


def test_a_package_of_another_table_is_refused(played: Path, tmp_path: Path, networks: Networks) -> None:
    shutil.copytree(played, tmp_path / "table")
    with VirtualEvening(tmp_path / "other", networks, seed=9) as evening:
        evening.throw()
        assert evening.kept(1)
        strange = evening.packages.files()[1]
    shutil.copyfile(strange, PackageFolder(tmp_path / "table", 0).files()[1])
    refused = list[str]()
    assert [each.judged.throw for each in stored_throws(tmp_path / "table", refuse=refused.append)] == [2, 3, 4]
    assert len(refused) == 1
    assert "does not belong to entry" in refused[0]


def test_the_command_reports_harmed_packages_and_reads_the_others(played: Path, tmp_path: Path) -> None:
    shutil.copytree(played, tmp_path / "table")
    file = PackageFolder(tmp_path / "table", 0).files()[2]
    file.write_bytes(file.read_bytes()[:1000])
    done = CliRunner().invoke(
        rescore.command,
        ["--data", str(tmp_path / "table"), "--json", "--html", str(tmp_path / "sheet")],
        standalone_mode=False,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.return_value == 1
    assert [line["throw"] for line in lines[:-1]] == [1, 3, 4]
    assert len(lines[-1]["refused"]) == 1
    assert "can't be read" in done.stderr
    page = (tmp_path / "sheet" / "index.html").read_text()
    assert page.count("<figure>") == 1
    assert (tmp_path / "sheet" / "3.jpg").exists()


def test_an_export_names_nobody_and_is_read_by_the_command_and_the_evaluation(played: Path, tmp_path: Path) -> None:
    file = tmp_path / "throws.zip"
    CliRunner().invoke(rescore.command, ["--data", str(played), "--export", str(file)], standalone_mode=False)
    with zipfile.ZipFile(file) as archive:
        archive.extractall(tmp_path / "set")
        text = b"".join(archive.read(name) for name in archive.namelist() if name.endswith((".jsonl", ".json")))
    assert b"Ann" not in text
    assert not any(photo.encode() in text for photo in _photos(played))
    done = CliRunner().invoke(read.command, ["--json", str(file)], standalone_mode=False)
    values = [json.loads(line)["values"] for line in done.stdout.splitlines()]
    cases = list(exported(tmp_path / "set"))
    assert values[0] == list(cases[0].truth)
    assert len(values) == len(cases) == 4
    assert cases[2].truth == (1, 1, 1, 1, 1, 1, 2)


def _photos(folder: Path) -> list[str]:
    return [each.package.record.photo for each in stored_throws(folder)]


def test_a_damaged_export_is_told(tmp_path: Path) -> None:
    (tmp_path / "throws.zip").write_bytes(b"PK no zip")
    done = CliRunner().invoke(read.command, ["--json", str(tmp_path / "throws.zip")], standalone_mode=False)
    assert done.return_value == 1
    assert "no export of throws" in json.loads(done.stdout)["error"]


def test_the_figures_count_what_was_accepted_and_corrected(played: Path) -> None:
    found = figures(judged_throws(PastGames(played), played), {1: "virtual", 2: "virtual"})
    assert (found["throws"], found["accepted"], found["corrected"]) == (4, 4, 1)
    assert found["bound"] == pytest.approx(0.7514, abs=1e-4)
    assert [(each["name"], each["throws"]) for each in found["by"]["camera"]] == [("", 2), ("virtual", 2)]


def test_the_bound_is_that_of_the_tables() -> None:
    assert upper_bound(0, 400) == pytest.approx(1 - 0.05 ** (1 / 400))
    assert upper_bound(1, 10) == pytest.approx(0.3942, abs=1e-4)
    assert upper_bound(5, 5) == upper_bound(0, 0) == 1.0
