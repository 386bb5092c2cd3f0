"""The review over HTTP and in Chromium: hosts only, die by die, and a zip that training reads."""

from __future__ import annotations

import errno
import io
import json
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.history.review import Review
from companion.table.commands import Answer, CorrectThrow, StartGame
from tests.web.accessibility import SMALL, violations
from tests.web.pub import HEADER, Pub, observation, opened
from vision.research.training.datasets import photo_sets
from web.api.review import SET_NAME
from web.pairing.roles import Role

READ = [5, 5, 2, 2, 1, 4, 6]
OUT = Path(__file__).resolve().parents[2] / "out" / "web"


def painted() -> bytes:
    """Return a JPEG of plain dice where `pub.observation` has its dice, in place of a camera's photo."""
    tray = np.full((960, 1280, 3), (60, 80, 32), np.uint8)
    for at, value in enumerate(READ):
        x = int(120 + 124 * at)
        cv2.rectangle(tray, (x - 32, 290), (x + 32, 354), (225, 240, 247), -1)
        for pip in range(value):
            cv2.circle(tray, (x - 18 + 18 * (pip % 3), 308 + 20 * (pip // 3)), 6, (16, 21, 28), -1)
    return bytes(cv2.imencode(".jpg", tray)[1].tobytes())


class PaintedPhotos:
    """Fake photos: every throw has the painted one."""

    def jpeg(self, throw: int) -> bytes | None:
        return painted()


@pytest.fixture
def pub(tmp_path: Path) -> Iterator[Pub]:
    """Yield a pub with two doubted throws: the first has one corrected die; in the second either 5 could be a 3."""
    with opened(tmp_path, review=True, photos=PaintedPhotos()) as pub:
        doubted(pub, READ, 100.0)
        shown = pub.table.snapshot()
        pub.table.submit(CorrectThrow(number=shown.number, throw=shown.throws[0].number, values=(5, 5, 2, 2, 3, 4, 6)))
        doubted(pub, [5, 3, 2, 2, 1, 4, 6], 95.0)
        yield pub


def doubted(pub: Pub, answer: list[int], at_s: float) -> None:
    pub.table.submit(StartGame(header=HEADER))
    pub.table.submit(observation([]))
    question = pub.table.submit(observation(READ, doubt="disagree", at_s=at_s)).question
    assert question is not None
    pub.table.submit(Answer(question=question.id, values=tuple(answer)))


def test_evidence_api_counts_questioned_accepted_and_corrected_throws_for_hosts_only(pub: Pub) -> None:
    """Two throws were asked. Three were accepted unasked; the last of them turned out to be wrong."""
    for at_s in (110.0, 116.0, 122.0):
        pub.table.submit(StartGame(header=HEADER))
        pub.table.submit(observation([]))
        read = pub.table.submit(observation(READ, at_s=at_s))
        assert (read.question, len(read.throws)) == (None, 1)
    values = (5, 5, 2, 2, 3, 4, 6)
    pub.table.submit(CorrectThrow(number=read.number, throw=read.throws[0].number, values=values))
    found = pub.host().get("/api/evidence").json
    counts = {"throws": 5, "asked": 2, "accepted": 3, "corrected": 1, "bound": pytest.approx(0.8647, abs=0.0001)}
    assert {name: found[name] for name in counts} == counts
    assert found["by"]["month"] == [{"name": "2023-11", **counts}]
    assert pub.paired(Role.PLAYER).get("/api/evidence").status_code == 403
    assert pub.stranger().get("/api/evidence").status_code == 401


def test_review_api_lists_each_die_as_read_and_as_corrected(pub: Pub) -> None:
    later, earlier = pub.host().get("/api/review").json["throws"]
    assert (earlier["source"], earlier["settled"]) == ("corrected", True)
    assert [(die["read"], die["value"]) for die in earlier["dice"] if die["read"] != die["value"]] == [(1, 3)]
    assert (later["source"], later["doubt"], later["settled"]) == ("answered", "disagree", False)


def test_review_api_stores_an_owners_labels_and_refuses_invalid_labels(pub: Pub) -> None:
    host = pub.host()
    throw = host.get("/api/review").json["throws"][0]
    values = [3, 5, 2, 2, 1, 4, 6]
    told = host.post(f"/api/review/{throw['throw']}", json={"values": values}).json["throws"]
    assert told[0]["settled"]
    assert [die["value"] for die in told[0]["dice"]] == values
    for body, status in (({"values": [1]}, 422), ({"values": [7] * 7}, 400), ({}, 400)):
        assert host.post(f"/api/review/{throw['throw']}", json=body).status_code == status
    assert host.post("/api/review/999", json={"values": values}).status_code == 422
    assert host.get("/api/review").json["throws"] == told, "what was refused changed nothing"
    described = host.get("/api/openapi.json").json["paths"]["/api/review/{throw}"]["post"]["responses"]
    assert set(described) == {"200", "400", "401", "403", "404", "413", "415", "422", "503"}


def test_review_api_refuses_labels_with_503_when_the_disk_is_full(pub: Pub, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    host = pub.host()
    before = host.get("/api/review").json["throws"]
    monkeypatch.setattr("companion.history.review.write_file", full)
    answered = host.post(f"/api/review/{before[0]['throw']}", json={"values": [3, 5, 2, 2, 1, 4, 6]})
    assert answered.status_code == 503
    assert "No space left" in answered.json["message"]
    assert host.get("/api/review").json["throws"] == before


def test_review_apis_answer_unreadable_files_with_503_as_openapi_says(pub: Pub, tmp_path: Path) -> None:
    host, names = pub.host(), ("/api/review", "/api/review.zip", "/api/evidence")
    (tmp_path / "review.json").mkdir()
    for refused in (host.get(names[0]), host.get(names[1]), host.post("/api/review/1", json={"values": [5] * 7})):
        assert refused.status_code == 503
        assert "move it away" in refused.json["message"]
    (tmp_path / "journal.jsonl").rename(tmp_path / "journal.away")
    (tmp_path / "journal.jsonl").mkdir()
    refused = host.get(names[2])
    assert (refused.status_code, "journal.jsonl can't be" in refused.json["message"]) == (503, True)
    paths = host.get("/api/openapi.json").json["paths"]
    assert all("503" in paths[name]["get"]["responses"] for name in names)


def test_downloading_a_large_review_zip_on_a_full_disk_answers_503(pub: Pub, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **_named: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("web.api.review.IN_MEMORY_BYTES", 100)
    monkeypatch.setattr("tempfile.TemporaryFile", full)
    answered = pub.host().get("/api/review.zip")
    assert (answered.status_code, "Free some space" in answered.json["message"]) == (503, True)


def test_the_zip_of_the_throw_review_holds_the_labelled_photo_as_a_training_set(pub: Pub, tmp_path: Path) -> None:
    answer = pub.host().get("/api/review.zip")
    assert answer.mimetype == "application/zip"
    assert int(answer.headers["Content-Length"]) == len(answer.data)
    with zipfile.ZipFile(io.BytesIO(answer.data)) as zipped:
        assert sorted(zipped.namelist()) == [f"{SET_NAME}/images/1.jpg", f"{SET_NAME}/labels.jsonl"]
        (label,) = (json.loads(line) for line in zipped.read(f"{SET_NAME}/labels.jsonl").splitlines())
        zipped.extractall(tmp_path / "taken_home")
    assert sorted(box[4] for box in label["boxes"]) == [2, 2, 3, 4, 5, 5, 6]
    (photo,) = photo_sets([tmp_path / "taken_home"])[SET_NAME]
    assert photo.bgr.shape == (960, 1280, 3)
    assert sorted(photo.dice[:, 3]) == [2, 2, 3, 4, 5, 5, 6]


def test_a_box_labelled_as_no_die_is_left_out_of_the_review_zip(pub: Pub) -> None:
    host = pub.host()
    throw = host.get("/api/review").json["throws"][0]["throw"]
    assert host.post(f"/api/review/{throw}", json={"values": [0, 5, 2, 2, 1, 4, 6]}).status_code == 200
    with zipfile.ZipFile(io.BytesIO(host.get("/api/review.zip").data)) as zipped:
        labels = [json.loads(line) for line in zipped.read(f"{SET_NAME}/labels.jsonl").splitlines()]
    assert [len(label["boxes"]) for label in labels] == [6, 7]


@pytest.mark.browser
def test_the_owner_gives_a_doubtful_die_of_a_past_throw_its_value_on_the_review_page(pub: Pub, visiting: Any) -> None:
    page = visiting("/review", paired=True)
    page.wait_for_selector("#reviewed li.panel >> nth=1")
    for look in ("dark", "light"):
        page.evaluate(f"document.documentElement.dataset.look = '{look}'")
        assert violations(page) == []
        for size, (width, height) in {"390x844": (390, 844), "1920x1080": (1920, 1080)}.items():
            page.set_viewport_size({"width": width, "height": height})
            page.screenshot(path=OUT / f"review-{size}-{look}.png")
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    assert page.evaluate(SMALL) == []
    page.select_option("#filter", "open")
    page.wait_for_selector("#reviewed li.panel >> nth=1", state="detached")
    page.click(".cropped.open >> nth=0")
    page.wait_for_selector("dialog[open]")
    assert violations(page) == []
    page.screenshot(path=OUT / "review-dialog.png")
    page.click('dialog button[aria-label="It is a 3"]')
    page.wait_for_selector("dialog", state="detached")
    page.wait_for_selector("#reviewed li", state="detached")
    later, earlier = Review(pub.folder).throws()
    assert (later.settled, earlier.settled) == (True, True)
    assert [die.value for die in later.dice] == [3, 5, 2, 2, 1, 4, 6]
    assert page.problems == []


@pytest.mark.browser
def test_review_page_leaves_a_die_open_until_entered_or_deduced_from_the_other_dice(pub: Pub, visiting: Any) -> None:
    """Four of the seven dice could each be one of four values; what was read of them would be a wrong label."""
    doubted(pub, [5, 3, 2, 4, 1, 4, 6], 90.0)
    page = visiting("/review", paired=True)
    pub.make_owners()
    page.reload()
    for value, still_open in ((3, 3), (5, 2), (2, 0)):
        page.click("#reviewed li:first-child .cropped.open >> nth=0")
        page.click(f'dialog button[aria-label="It is a {value}"]')
        page.wait_for_selector("dialog", state="detached")
        assert page.locator("#reviewed li.panel:first-child .cropped.open").count() == still_open
    newest = Review(pub.folder).throws()[0]
    assert (newest.by_hand, [die.value for die in newest.dice]) == (True, [3, 5, 2, 4, 1, 4, 6])
