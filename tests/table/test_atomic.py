"""Files are replaced whole, by way of a hidden file beside them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.table.atomic import replacing, write_file


def test_replacing_a_file_leaves_other_files_with_the_suffix_part_unchanged(tmp_path: Path) -> None:
    others = [tmp_path / name for name in ("report.part", "report.zip.part")]
    for other in others:
        other.write_text("mine")
    write_file(tmp_path / "report.zip", [b"new"])
    assert sorted(tmp_path.iterdir()) == sorted([*others, tmp_path / "report.zip"])
    assert [other.read_text() for other in others] == ["mine", "mine"]


def test_two_writers_of_one_file_put_only_whole_files_in_place(tmp_path: Path) -> None:
    file = tmp_path / "report.zip"
    with replacing(file) as slow:
        slow.write(b"the slow ")
        write_file(file, [b"the fast one"])
        assert file.read_bytes() == b"the fast one"
        slow.write(b"one")
    assert [(path, path.read_bytes()) for path in tmp_path.iterdir()] == [(file, b"the slow one")]


def test_a_failed_file_replacement_keeps_the_old_file_and_leaves_no_other_file(tmp_path: Path) -> None:
    file = tmp_path / "report.zip"
    file.write_text("old")

    def pieces() -> Iterator[bytes]:
        yield b"half"
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_file(file, pieces())
    assert [(path, path.read_text()) for path in tmp_path.iterdir()] == [(file, "old")]
    with pytest.raises(FileNotFoundError) as refused:
        write_file(tmp_path / "no" / "folder", [b"new"])
    assert refused.value.filename == str(tmp_path / "no" / "folder"), "the name that people know"
