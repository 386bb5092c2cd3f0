"""Crag's score sheet on the pages."""

from __future__ import annotations

from typing import Any

import pytest

from tests.web.injecting import FedPage
from tests.web.pub import Pub
from tests.web.scenes import among, scenes

pytestmark = pytest.mark.browser
MARKED = """[...document.querySelectorAll(".sheets tr")].map((row) =>
  [...row.children].findIndex((each) => getComputedStyle(each).backgroundColor !== "rgba(0, 0, 0, 0)"))"""
"""Script that returns for each row of the sheet which of its cells has a ground of its own."""


@pytest.mark.parametrize("path", ["/", "/tv"])
def test_the_score_sheet_marks_the_column_of_the_player_to_play(
    chromium: Any, site: tuple[str, Pub], path: str
) -> None:
    fed = FedPage(chromium, site[0], path)
    shown = scenes(among("crag", ("Ann", "Ben", "Cleo")))
    for moment in ("begun", "deciding"):
        fed.show(shown[moment])
        column = 1 + next(seat for seat, side in enumerate(shown[moment].sides) if side.to_play)
        assert set(fed.page.evaluate(MARKED)) == {column}
    assert fed.problems == []
