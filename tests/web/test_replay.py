"""Instant replay: the last seconds of the camera, kept only for throws that deserve it, shown on the pub's screen."""

from __future__ import annotations

import io
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from companion.adapters.clips import CLIP_S, FRAMES_PER_S, MAX_CLIPS, WIDTH_PX, Clips
from companion.table.commands import StartGame
from tests.web.phones import live, newest
from tests.web.pub import HEADER, Pub, StandInClips, observation, opened, play, served
from vision.cameras import Frame

CRAG = {"throw": [1, 6, 6]}
SCORED = {"do": "score", "category": "crag"}
AFTER_MS, CLIP_MS = 2500, 7500
"""Milliseconds after which the TV shows a replay, and hides it; longer than its `AFTER_MS` and `CLIP_MS`."""


def filmed(clips: Clips, seconds: float, rate: int = 30, from_s: float = 0.0, height: int = 96) -> float:
    """Show the clips' recorder a bright moving bar for some seconds of camera time; return the time at their end."""
    for at in range(int(seconds * rate)):
        picture = np.zeros((height, 128, 3), np.uint8)
        picture[:, at % 128 :][:, :20] = 255
        clips.see(Frame(picture, from_s + at / rate))
    return from_s + seconds


@pytest.fixture
def crag(pub: Pub) -> Pub:
    """Return a pub on whose table a game of Crag has begun, with an empty tray."""
    pub.table.submit(StartGame(header={**HEADER, "game": "crag"}))
    pub.table.submit(observation([], at_s=90.0))
    return pub


@pytest.fixture
def clips(crag: Pub) -> Clips:
    """Return a recorder that hears of the game of `crag`."""
    made = Clips()
    crag.table.subscribe(made.hear)
    return made


@pytest.mark.parametrize(("height", "height_px"), [(96, 300), (72, 225)], ids=["4:3", "16:9"])
def test_the_replay_recorder_saves_a_filmed_crag_throw_as_animated_webp_only_when_it_scores_50(
    crag: Pub, clips: Clips, height: int, height_px: int
) -> None:
    filmed(clips, 5.0, height=height)
    crag.table.submit(observation([1, 6, 6]))
    assert clips.throws() == [], "a throw alone is no reason"
    play(crag, SCORED)
    (throw,) = clips.throws()
    made = clips.webp(throw)
    assert made is not None
    clip = Image.open(io.BytesIO(made))
    assert clip.size == (WIDTH_PX, height_px)
    assert math.isclose(getattr(clip, "n_frames", 1), CLIP_S * FRAMES_PER_S, abs_tol=2)
    assert clips.webp(throw + 1) is None


def test_a_throws_clip_has_the_new_size_of_a_camera_that_came_back(crag: Pub, clips: Clips) -> None:
    filmed(clips, 1.5, from_s=filmed(clips, 2.0), height=72)
    crag.table.submit(observation([1, 6, 6]))
    play(crag, SCORED)
    made = clips.webp(*clips.throws())
    assert made is not None
    assert Image.open(io.BytesIO(made)).size == (WIDTH_PX, 225)


def test_replay_recorder_keeps_no_clip_of_a_throw_entered_by_hand(crag: Pub, clips: Clips) -> None:
    filmed(clips, 5.0)
    play(crag, CRAG, SCORED)
    assert clips.throws() == []


def test_a_switched_off_replay_recorder_keeps_no_clip_of_a_filmed_50_point_throw(crag: Pub) -> None:
    clips = Clips(on=False)
    crag.table.subscribe(clips.hear)
    filmed(clips, 5.0)
    crag.table.submit(observation([1, 6, 6]))
    play(crag, SCORED)
    assert clips.throws() == []


def test_replay_recorder_keeps_only_its_newest_clips_up_to_its_limit(crag: Pub, clips: Clips) -> None:
    at_s, filmed_throws = 100.0, []
    for _ in range(MAX_CLIPS + 1):
        filmed(clips, 2.0, from_s=at_s)
        at_s += 7
        filmed_throws.append(crag.table.submit(observation([1, 6, 6], at_s=at_s)).throws[-1].number)
        play(crag, SCORED)
        crag.table.submit(StartGame(header={**HEADER, "game": "crag"}))
        crag.table.submit(observation([], at_s=at_s + 3))
    assert clips.throws() == filmed_throws[-MAX_CLIPS:]


@pytest.mark.browser
@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_tv_page_plays_a_replay_and_then_hides_it_but_with_reduced_motion_shows_none(
    chromium: Any, tmp_path: Path, motion: str
) -> None:
    with opened(tmp_path, clips=True) as pub, served(pub) as address:
        pub.table.submit(StartGame(header={**HEADER, "game": "crag"}))
        page = chromium.new_page(viewport={"width": 1280, "height": 720}, reduced_motion=motion)
        clips: list[str] = []
        page.on("request", lambda request: clips.append(request.url) if request.url.endswith(".webp") else None)
        page.clock.install()
        live(page, f"{address}/tv")
        play(pub, CRAG, SCORED)
        page.wait_for_selector("#moment:not([hidden])")
        if motion == "reduce":
            page.wait_for_selector("#moment", state="hidden")
            assert not page.is_visible("#again")
        else:
            page.clock.fast_forward(AFTER_MS)
            page.wait_for_selector("#again:not([hidden]) img")
            page.clock.fast_forward(CLIP_MS)
            page.wait_for_selector("#again", state="hidden")
        assert len(clips) == (motion == "no-preference")


@pytest.mark.browser
def test_tv_page_replays_no_throw_that_was_undone_while_its_clip_was_loading(chromium: Any, tmp_path: Path) -> None:
    with opened(tmp_path, clips=True) as pub, served(pub) as address:
        pub.table.submit(StartGame(header={**HEADER, "game": "crag"}))
        page = chromium.new_page(viewport={"width": 1280, "height": 720}, reduced_motion="no-preference")
        clips: list[Any] = []
        page.route("**/api/replays/*.webp", lambda route: clips.append(route))
        live(page, f"{address}/tv")
        play(pub, CRAG, SCORED)
        while not clips:
            page.wait_for_timeout(50)
        play(pub, {"undo": 2})
        newest(page, pub)
        clips[0].fulfill(body=StandInClips().webp(1), content_type="image/webp")
        page.wait_for_function(
            "() => performance.getEntriesByType('resource').some(({ name }) => name.endsWith('webp'))"
        )
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert not page.is_visible("#again")
