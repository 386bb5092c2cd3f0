"""The QR codes on the pub's screen can be scanned from a picture of it, whatever else it shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.games.registry import GAMES
from tests.scanning import text_of
from tests.web.injecting import FedPage
from tests.web.measuring import ADDRESSES, SCREEN, SIZES, SPOKEN, TABLE_NAME, WHOLE, Size, measured, resize
from tests.web.pub import Pub, opened, served
from tests.web.scenes import scenes, seated

pytestmark = pytest.mark.browser
FIRST_GAMES = [header for header in seated(GAMES["crag"]) if WHOLE or len(header.players) == 3]
"""Headers of the game that fills the pub's screen most."""


def decoded(fed: FedPage) -> list[str]:
    """Return the texts of all QR codes in a screenshot of the page, each read from a crop as a phone would see it."""
    picture = cv2.imdecode(np.frombuffer(fed.page.screenshot(), np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    boxes = [box.bounding_box() for box in fed.page.query_selector_all(".codes img") if box.is_visible()]
    views = [
        picture[int(b["y"]) - 3 : int(b["y"] + b["height"]) + 4, int(b["x"]) - 3 : int(b["x"] + b["width"]) + 4]
        for b in boxes
    ]
    return [text_of(view) for view in views]


@pytest.mark.parametrize("size", SIZES[3:] if WHOLE else (SCREEN,), ids=str)
def test_the_tv_pages_qr_codes_scan_during_and_after_a_game_and_offline(
    chromium: Any, site: tuple[str, Pub], size: Size
) -> None:
    shown = scenes(list(seated(list(GAMES.values())[-1]))[-1])
    fed = FedPage(chromium, site[0], "/tv")
    resize(fed, size)
    for moment in ("asking", "over"):
        fed.show(shown[moment])
        assert decoded(fed) == [ADDRESSES.wifi, ADDRESSES.page], moment
    fed.lose()
    assert decoded(fed) == [ADDRESSES.wifi, ADDRESSES.page]
    fed.close()


def test_a_new_tables_tv_page_fits_a_scannable_qr_code_for_the_owner(chromium: Any, tmp_path: Path) -> None:
    wrong: dict[Any, Any] = {}
    with opened(tmp_path, addresses=ADDRESSES, name=TABLE_NAME) as pub, served(pub) as address:
        for language in SPOKEN:
            fed = FedPage(chromium, address, "/tv", language)
            wrong |= measured(fed, f"first-start-{language}", SIZES if WHOLE else (SCREEN,))
            resize(fed, SCREEN)
            wifi, host = decoded(fed)
            assert (wifi, host.split("#")[0]) == (ADDRESSES.wifi, f"{ADDRESSES.page}control")
            for header in FIRST_GAMES:  # begun before anyone is the host
                fed.show(scenes(header)["deciding"])
                found = measured(fed, f"first-game-{len(header.players)}-{language}", SIZES if WHOLE else (SCREEN,))
                wrong |= {(len(header.players), language, size): faults for size, faults in found.items()}
                resize(fed, SCREEN)
                assert decoded(fed) == [wifi, host]
            fed.close()
    assert wrong == {}
