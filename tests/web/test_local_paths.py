"""Tests of the removal of local file paths from texts for guests."""

from pathlib import Path

import pytest

from web.local_paths import without_paths


@pytest.mark.parametrize("folder", [".", "data"])
def test_path_removal_leaves_text_naming_a_relative_data_folder_unchanged(folder: str) -> None:
    """Settings may name the data folder relative to the folder that the table is started from."""
    says = "Only 3.5 MB of data are free."
    assert without_paths(says, Path(folder)) == says


def test_hiding_a_quoted_path_from_guests_keeps_both_quotation_marks() -> None:
    """Python's own errors of the disk name a path between quotation marks."""
    assert without_paths("No such file: '/home/x/y'.") == "No such file: '…'."
    assert without_paths('"/dev/leds0" (see /etc/x) is missing.') == '"…" (see …) is missing.'
