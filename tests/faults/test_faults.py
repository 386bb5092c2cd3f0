"""`make faults` in short: what is damaged, cut off, killed or refused is the same afterwards, or is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults import backups, below, damaged, latent

SILENT = {"silent", "hung", "photos gone", "LOST, SILENT", "ANOTHER STATE, SILENT", "ANOTHER STATE",
          "REFUSED, AND SOMETHING LOST"}  # fmt: skip


def test_damaged_folders_are_the_same_or_told(tmp_path: Path) -> None:
    found = damaged.run(tmp_path, 16, seed=11)
    assert sum(found.values()) == 16
    assert SILENT.isdisjoint(+found)


def test_copies_spoilt_one_after_the_other_lose_nothing(tmp_path: Path) -> None:
    assert latent.run(tmp_path, 24, seed=3) == {"told, nothing missing": 24}


def test_foreign_older_and_swapped_files_are_told(tmp_path: Path) -> None:
    found = latent.swaps(tmp_path, len(latent.SWAPS))
    assert found == {f"told, the whole one wins: {kind}": 1 for kind in latent.SWAPS}


def test_mutilated_backups_are_refused_or_the_same(tmp_path: Path) -> None:
    played = damaged.played_folder(tmp_path / "played", 4, 5).folder
    found = backups.run(tmp_path, played, 40)
    assert sum(found.values()) == 40
    assert SILENT.isdisjoint(found)


@pytest.mark.parametrize(("kind", "count"), [("power", 16), ("kills", 4), ("calls", 3)])
def test_what_comes_from_below_is_survived_or_told(tmp_path: Path, kind: str, count: int) -> None:
    found = below.run(kind, tmp_path / kind, count)
    if found is None:
        pytest.skip("there is no C compiler")
    assert sum(found.values()) >= count
    assert SILENT.isdisjoint(found)
