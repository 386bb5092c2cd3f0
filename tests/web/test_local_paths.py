"""Tests of the removal of local file paths from texts for guests."""

from pathlib import Path

import pytest

from web.local_paths import without_paths


@pytest.mark.parametrize("folder", [".", "data"])
def test_hiding_a_relative_data_folders_path_leaves_a_text_without_paths_unchanged(folder: str) -> None:
    """Settings may name the data folder relative to the folder that the table is started from."""
    says = "Only 3.5 MB of data are free."
    assert without_paths(says, Path(folder)) == says


def test_hiding_a_file_path_in_a_message_to_guests_keeps_the_quotation_marks_around_it() -> None:
    """Python's own errors of the disk name a path between quotation marks."""
    assert without_paths("No such file: '/home/x/y'.") == "No such file: '…'."
    assert without_paths('"/dev/leds0" (see /etc/x) is missing.') == '"…" (see …) is missing.'
