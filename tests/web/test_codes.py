"""The QR codes on the pub's screen can be scanned from a picture of it, whatever else it shows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.games.registry import GAMES
from companion.table.read_only import LastState
from tests.scanning import text_of
from tests.web.injecting import FedPage
from tests.web.measuring import ADDRESSES, SCREEN, SIZES, SPOKEN, TABLE_NAME, WHOLE, Size, measured, resize
from tests.web.pub import MemoryTokens, Pub, opened, served
from tests.web.scenes import scenes, seated
from web.pages import owner_url
from web.pairing.roles import Role

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
def test_qr_codes_on_the_tv_page_scan_during_after_and_without_a_game(
    chromium: Any, site: tuple[str, Pub], size: Size, tmp_path: Path
) -> None:
    """Also in safe mode, and on a page that has lost the table."""
    shown = scenes(list(seated(list(GAMES.values())[-1]))[-1])
    shown["safe mode"] = LastState(tmp_path, "journal.jsonl: entry 3 can't be read.").snapshot()
    fed = FedPage(chromium, site[0], "/tv")
    resize(fed, size)
    for moment in ("idle", "deciding", "asking", "over", "safe mode"):
        fed.show(shown[moment])
        assert decoded(fed) == [ADDRESSES.wifi, ADDRESSES.page], moment
    fed.lose()
    assert decoded(fed) == [ADDRESSES.wifi, ADDRESSES.page]


def by_nobody(_pub: Pub) -> None:
    """Pair no phone, as on a new table."""


def by_a_player(pub: Pub) -> None:
    """Pair a phone that is no owner."""
    pub.paired(Role.PLAYER)


def left(pub: Pub) -> None:
    """Pair an owner's phone, and remove it: the last one."""
    pub.host()
    assert pub.pairing.unpair(pub.pairing.phones()[0].id)


@pytest.mark.parametrize("paired", [by_nobody, by_a_player, left])
def test_a_table_without_an_owner_shows_the_owners_qr_code_on_the_tv_page(
    chromium: Any, tmp_path: Path, paired: Callable[[Pub], None]
) -> None:
    with opened(tmp_path, addresses=ADDRESSES, name=TABLE_NAME) as pub, served(pub) as address:
        paired(pub)
        fed = FedPage(chromium, address, "/tv")
        resize(fed, SCREEN)
        assert decoded(fed) == [ADDRESSES.wifi, owner_url(ADDRESSES.page, pub.pairing.owner_code())]


def test_with_damaged_pairings_the_tv_page_shows_no_owners_qr_code(
    chromium: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MemoryTokens, "load", lambda _: None)
    with opened(tmp_path, addresses=ADDRESSES, name=TABLE_NAME) as pub, served(pub) as address:
        fed = FedPage(chromium, address, "/tv")
        resize(fed, SCREEN)
        assert decoded(fed) == [ADDRESSES.wifi, ADDRESSES.page]


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
