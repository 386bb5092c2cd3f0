"""The strategy guide in the repository is what `make guide` writes."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("matplotlib", reason="the guide's charts need matplotlib, of the extra `dev`")

from companion.games.solving.guide.__main__ import CHARTS, PAGES, main


def test_committed_strategy_guide_files_equal_what_make_guide_writes(tmp_path: Path) -> None:
    main(tmp_path / "pages", tmp_path / "charts")
    for made, kept in (("pages", PAGES), ("charts", CHARTS)):
        written = {file.name: file.read_bytes() for file in (tmp_path / made).iterdir()}
        assert written == {file.name: file.read_bytes() for file in kept.iterdir()}
