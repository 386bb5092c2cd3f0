"""`make faults` in short: after damage, kills and failed writes everything is restored, or the loss reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults import backups, below, damaged, latent

SILENT = {"silent", "hung", "photos gone", "LOST, SILENT", "ANOTHER STATE, SILENT", "ANOTHER STATE",
          "REFUSED, AND SOMETHING LOST"}  # fmt: skip


def test_random_damage_to_a_data_folder_is_repaired_or_reported(tmp_path: Path) -> None:
    found = damaged.run(tmp_path, 16, seed=11)
    assert sum(found.values()) == 16
    assert SILENT.isdisjoint(+found)


def test_damage_to_one_journal_copy_and_later_to_the_other_is_reported_and_loses_nothing(tmp_path: Path) -> None:
    assert latent.run(tmp_path, 24, seed=3) == {"told, nothing missing": 24}


def test_a_journal_file_or_photo_replaced_by_an_older_one_or_another_tables_is_reported(tmp_path: Path) -> None:
    found = latent.swaps(tmp_path, len(latent.SWAPS))
    assert found == {f"told, the whole one wins: {kind}": 1 for kind in latent.SWAPS}


def test_importing_a_mutilated_backup_is_refused_or_restores_all_entries(tmp_path: Path) -> None:
    played = damaged.played_folder(tmp_path / "played", 4, 5).folder
    found = backups.run(tmp_path, played, 40)
    assert sum(found.values()) == 40
    assert found.keys() == {"refused", "the same"}


@pytest.mark.parametrize(("kind", "count"), [("power", 16), ("kills", 4), ("calls", 3)])
def test_power_cuts_kills_and_failed_calls_lose_no_journal_entry_silently(
    tmp_path: Path, kind: str, count: int
) -> None:
    found = below.run(kind, tmp_path / kind, count)
    if found is None:
        pytest.skip("there is no C compiler")
    assert sum(found.values()) >= count
    assert SILENT.isdisjoint(found)
