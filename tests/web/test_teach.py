"""Teaching dice over HTTP and in Chromium: for the host only, die by die, and forgotten with one tap."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from companion.evidence.lesson import Teacher
from companion.evidence.taught import TaughtSets
from tests.web.accessibility import SMALL, violations
from tests.web.pub import Pub, opened
from tests.web.test_review import painted
from vision.cameras import Frame
from vision.images.loading import picture_of_bytes
from vision.reading.reading import Die, Reading
from vision.watching.watcher import Settled

READ = [5, 5, 2, 2, 1, 4, 6]
OUT = Path(__file__).resolve().parents[2] / "out" / "web"


def throw() -> Settled:
    """A throw of painted dice: it stands in for a camera's."""
    dice = tuple(Die(value, (int(88 + 124 * at), 290, 64, 64), 0.9) for at, value in enumerate(READ))
    picture = picture_of_bytes(painted(), "painted")
    return Settled(0.0, Frame(np.ascontiguousarray(picture), 0.0), Reading(dice, None), (), (), emptied=True)


@pytest.fixture
def teacher(tmp_path: Path) -> Teacher:
    return Teacher(TaughtSets(tmp_path))


@pytest.fixture
def pub(tmp_path: Path, teacher: Teacher) -> Iterator[Pub]:
    with opened(tmp_path, teach=teacher) as place:
        yield place


def test_teach_api_refuses_an_unpaired_phone_and_begins_no_dice_lesson(pub: Pub, teacher: Teacher) -> None:
    stranger = pub.stranger()
    assert stranger.get("/api/teach").status_code == 401
    assert stranger.post("/api/teach/begin", json={"name": "red"}).status_code == 401
    assert not teacher.lesson()


def test_teach_api_refuses_a_dice_set_name_with_a_bidi_control_character(pub: Pub, teacher: Teacher) -> None:
    refused = pub.host().post("/api/teach/begin", json={"name": "\u202eneat"})
    assert (refused.status_code, teacher.lesson()) == (422, None)


def test_teach_api_stores_a_throw_with_the_face_values_the_owner_gives(pub: Pub, teacher: Teacher) -> None:
    """Too few values or an old throw's number are refused, and the set of dice can be forgotten."""
    host = pub.host()
    assert host.get("/api/teach.jpg").status_code == 404
    host.post("/api/teach/begin", json={"name": "red"})
    teacher.offer(throw())
    told = host.get("/api/teach").json
    assert [die["read"] for die in told["throw"]["dice"]] == READ
    assert host.get("/api/teach.jpg").mimetype == "image/jpeg"
    assert host.post("/api/teach/label", json={"number": 1, "values": [1]}).status_code == 422
    told = host.post("/api/teach/label", json={"number": 1, "values": [6, 5, 2, 2, 1, 4, 0]}).json
    assert told["throw"] is None
    assert told["sets"] == [{"name": "red", "throws": 1, "faces": [1, 2, 0, 1, 1, 1], "usable": False}]
    assert host.post("/api/teach/label", json={"number": 1, "values": READ}).status_code == 422
    assert host.post("/api/teach/forget", json={"name": "red"}).json["sets"] == []
    assert host.post("/api/teach/end", json={}).json["set"] is None


@pytest.mark.browser
def test_teach_page_teaches_and_forgets_a_dice_set_in_chromium(teacher: Teacher, visiting: Any) -> None:
    page = visiting("/teach", paired=True)
    page.fill("#name", "red")
    page.click("#begin button")
    page.wait_for_selector("#end:visible")
    teacher.offer(throw())
    page.wait_for_selector("#dice li >> nth=6")
    page.click("#dice li >> nth=0 >> button")
    page.click("dialog .faces button >> nth=5")
    page.wait_for_selector("#dice .cropped.other")
    for look in ("dark", "light"):
        page.evaluate(f"document.documentElement.dataset.look = '{look}'")
        assert violations(page) == []
        for width, height in ((390, 844), (1280, 720)):
            page.set_viewport_size({"width": width, "height": height})
            page.screenshot(path=OUT / f"teach-{width}x{height}-{look}.png")
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    assert page.evaluate(SMALL) == []
    page.click("#right")
    page.wait_for_selector("#sets li")
    assert teacher.taught.sets()[0]["faces"] == [1, 2, 0, 1, 1, 2]
    page.click("#sets button")
    page.wait_for_selector("#known", state="hidden")
    assert page.errors == []


@pytest.mark.browser
def test_teach_page_closes_the_dialog_about_a_die_when_the_next_throw_lands(teacher: Teacher, visiting: Any) -> None:
    page = visiting("/teach", paired=True)
    page.fill("#name", "red")
    page.click("#begin button")
    page.wait_for_selector("#end:visible")
    teacher.offer(throw())
    first = page.wait_for_selector("#dice li >> nth=0 >> button")
    key = first.get_attribute("data-key")
    first.click()
    page.wait_for_selector("dialog[open]")
    teacher.offer(throw())
    page.wait_for_function(f"() => !document.querySelector('[data-key=\"{key}\"]')")
    page.wait_for_selector("dialog", state="detached")
