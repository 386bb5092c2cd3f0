"""A table that is exported and imported on another machine: every page and every photo is the same there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from companion.backup.export import write_archive
from companion.backup.restore import read_archive
from companion.games.crag.scoring import CATEGORIES
from companion.history.export import PastGames
from companion.history.review import Review
from companion.table.commands import Answer, CorrectThrow, EndSitting, NextGame, PlayLine, StartGame
from companion.table.journal.anchor import RESTORED
from companion.table.photos import Photos
from tests.web.pub import HEADER, JPEG, Pub, observation, opened

SETTINGS = "[table]\nname = 'The Plough'\n"
PAGES = (
    "/api/state",
    "/api/evening",
    "/api/evening.csv",
    "/api/evening/players",
    "/api/evening/dice",
    "/api/evening/dice?set=blue",
    "/api/review",
    "/api/review.zip",
)
OF_A_GAME = ("/api/evening/{}", "/api/evening/{}.jsonl", "/api/evening/{}/luck")


@contextmanager
def table_in(folder: Path) -> Iterator[Pub]:
    past, photos = PastGames(folder), Photos(folder)
    with opened(folder, evening=past, photos=photos, review=Review(folder, past)) as pub:
        yield pub


def evening(pub: Pub) -> None:
    """Play games in two sittings with two sets of dice: photos, a question, a correction, an undo."""
    table, at_s = pub.table, 100.0

    def play(**line: Any) -> None:
        table.submit(PlayLine(number=table.snapshot().number, line=line))

    def thrown(values: list[int], doubt: str | None = None) -> Any:
        nonlocal at_s
        at_s += 7
        table.submit(observation([], at_s=at_s))
        seen = observation(values, doubt=doubt, at_s=at_s + 1)
        picture = msgspec.structs.replace(seen.observation, photo_jpeg=JPEG + f"{at_s}".encode())
        return table.submit(msgspec.structs.replace(seen, observation=picture))

    table.submit(StartGame(header=HEADER, terms={"dice": "blue"}))
    first = thrown([5, 5, 2, 2, 1, 4, 6]).throws[-1].number
    play(do="point", value=5)
    table.submit(CorrectThrow(number=table.snapshot().number, throw=first, values=(5, 5, 5, 2, 1, 4, 6)))
    play(do="stop")
    question = thrown([6, 6, 2, 2, 1, 4, 3], doubt="disagree").question
    table.submit(Answer(question=question.id, values=(6, 6, 6, 2, 1, 4, 3)))
    play(do="point", value=6)
    play(undo=1)
    table.submit(StartGame(header={"transcript": 1, "game": "crag", "players": ["Ann"]}))
    for category in CATEGORIES:
        play(throw=[1, 6, 6])
        play(do="score", category=category)
    table.submit(NextGame(number=table.snapshot().number))
    play(throw=[2, 3, 4])
    table.submit(EndSitting(number=table.snapshot().number))
    table.submit(StartGame(header=HEADER))
    thrown([5, 5, 5, 2, 1, 4, 6])


def told(pub: Pub) -> dict[str, Any]:
    """Return the answers of `PAGES` and all photos; the snapshot without `pulse`, which begins anew at each start."""
    client = pub.host()
    games = [game["id"] for game in client.get("/api/evening").json["games"]]
    earlier = PastGames(pub.folder).games()
    pages = [*PAGES, *(page.format(each["id"]) for each in earlier for page in OF_A_GAME)]
    found = {page: client.get(page) for page in pages}
    assert {answer.status_code for page, answer in found.items() if "luck" not in page} == {200}
    assert len(games) >= 1
    state = {key: value for key, value in found.pop("/api/state").json.items() if key != "pulse"}
    throws = sorted(Photos(pub.folder).numbers())
    photos = {throw: client.get(f"/api/throws/{throw}.jpg").data for throw in throws}
    return {"state": state, "photos": photos, **{page: answer.data for page, answer in found.items()}}


@pytest.fixture(scope="module")
def moved(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], dict[str, Any], Path]:
    """Return what `told` returns for the old table after a restart and for the new one, and the folder of both."""
    place = tmp_path_factory.mktemp("moved")
    (place / "old.toml").write_text(SETTINGS)
    with table_in(place / "old") as pub:
        evening(pub)
        write_archive(place / "old", place / "old.toml", place / "all.zip", version="0", made="today")
    with table_in(place / "old") as pub:
        before = told(pub)
    read_archive(place / "all.zip", place / "new", place / "new.toml", replace=False)
    with table_in(place / "new") as pub:
        return before, told(pub), place


def test_the_fixture_of_the_export_tests_has_3_photos_2_reviewed_throws_and_a_luck_page(
    moved: tuple[dict[str, Any], dict[str, Any], Path],
) -> None:
    """Without these, the comparisons after the restore would compare nothing."""
    before, _, _ = moved
    assert len(before["photos"]) == len(set(before["photos"].values())) == 3
    assert len(json.loads(before["/api/review"])["throws"]) == 2
    assert any(b'"decisions"' in answer for page, answer in before.items() if "luck" in page)
    assert json.loads(before["/api/evening/dice?set=blue"])["throws"] == 2


def test_api_answers_and_photos_are_equal_after_export_and_import(
    moved: tuple[dict[str, Any], dict[str, Any], Path],
) -> None:
    before, after, _ = moved
    assert before.keys() == after.keys()
    differ = [page for page in before if before[page] != after[page]]
    assert differ == []


def test_import_of_an_export_restores_every_data_file_byte_for_byte(
    moved: tuple[dict[str, Any], dict[str, Any], Path],
) -> None:
    """Locks, derived files and the mark of the restore are left out."""
    _, _, place = moved

    def kept(folder: Path) -> dict[str, bytes]:
        files = (path for path in folder.rglob("*") if path.is_file())
        return {
            str(path.relative_to(folder)): path.read_bytes()
            for path in files
            if path.suffix != ".lock" and path.name not in ("games.json.gz", RESTORED)
        }

    assert kept(place / "new") == kept(place / "old")
    assert (place / "new.toml").read_text() == SETTINGS
