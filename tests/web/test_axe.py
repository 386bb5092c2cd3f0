"""axe-core finds nothing wrong with a page that follows the game, whatever happens on it, dark and light.

The short form takes the stage and a phone at their fullest; `make layout` everything.
"""

from __future__ import annotations

from typing import Any

import pytest

from companion.games.registry import GAMES
from tests.web.accessibility import in_each_look
from tests.web.injecting import FedPage
from tests.web.measuring import FOLLOWING, PHONE, SCREEN, WHOLE, resize
from tests.web.pub import Pub
from tests.web.scenes import scenes, seated
from web.pages import LOOKS

pytestmark = pytest.mark.browser
LOOKED_AT = {"tv": ("cheered", "over"), "control": ("asking", "over")}
"""Situations in which the short form checks each page."""


@pytest.mark.parametrize("game", GAMES if WHOLE else ["crag"])
@pytest.mark.parametrize("name", FOLLOWING if WHOLE else LOOKED_AT)
def test_axe_finds_no_violation_on_the_web_pages_that_show_a_live_game(
    chromium: Any, site: tuple[str, Pub], name: str, game: str
) -> None:
    shown, looks = FOLLOWING[name], LOOKS if WHOLE else ("light",)
    fed = FedPage(chromium, site[0], shown.path, paired=shown.paired)
    resize(fed, SCREEN if name == "tv" else PHONE)
    found = {}
    for moment, snapshot in scenes(list(seated(GAMES[game]))[-1]).items():
        for look in looks if WHOLE or moment in LOOKED_AT[name] else ():
            fed.show(snapshot, happens=moment == "cheered")
            found[moment, look] = in_each_look(fed.page, (look,))
    fed.lose()
    found["lost", "in each"] = in_each_look(fed.page, looks)
    assert {where: ill for where, ill in found.items() if ill} == {}
