"""A folder of photos as camera: each photo counts as a tray at rest, and a doubtful one is asked about."""

from __future__ import annotations

import contextlib
from pathlib import Path

import cv2

from companion.app import build
from companion.settings import load as config
from companion.settings.starting import Starting
from companion.table.writer import Table
from tests.system.running import Running
from vision.cameras.simulated.camera import VirtualCamera
from vision.cameras.simulated.clock import SteppedClock


def photographed(folder: Path, dice: int) -> None:
    """A photo of so many simulated dice at rest."""
    clock = SteppedClock()
    camera = VirtualCamera(dice, clock, clock.sleep, seed=11)
    for die in range(dice):
        camera.tray.move(die, 40.0 + 50 * (die % 4), 60.0 + 60 * (die // 4))
    assert cv2.imwrite(str(folder / "dice.jpg"), camera.frame().image_bgr)


def test_playing_from_photo_files_asks_for_the_values_if_a_die_is_missing(tmp_path: Path) -> None:
    photos = tmp_path / "photos"
    photos.mkdir()
    photographed(photos, 6)
    (photos / "notes.jpg").write_bytes(b"this is no picture")
    with Running(tmp_path / "data", "--camera", f"files:{photos}", "--players", "Ann,Ben") as table:
        table.pair()
        asked = next(now for now in table.news() if now["question"])
        assert table.ask("/healthz")[1]["parts"]["camera"]["ok"]
        assert asked["throws"] == []
        values = [1, 1, 2, 3, 4, 5, 6]
        status, after = table.ask("/api/answers", {"question": asked["question"]["id"], "values": values})
        assert status == 200, after
        assert (after["throws"][-1]["values"], after["number"]) == (values, asked["number"] + 1)


def test_the_first_game_is_set_up_before_the_camera_first_looks_at_the_tray(tmp_path: Path) -> None:
    photographed(tmp_path, 6)
    file = tmp_path / "pegpip.toml"
    file.write_text(f"[camera]\nsource = 'files:{tmp_path}'\n[table]\nplayers = ['Ann', 'Ben']\n")
    settings = config.load(file, {"data": {"dir": str(tmp_path)}, "web": {"port": 0, "host": "127.0.0.1"}})
    app = build(Starting(settings, config.Origin(file)))
    table: Table = app.parts[0].start.__self__  # type: ignore[attr-defined]
    with contextlib.ExitStack() as stack:
        stack.callback(app.door.link.close)
        for part in app.parts:
            if part.name == "observer":
                assert table.snapshot().game == "crib_dice"
                return
            app.supervisor.begin(part)
            stack.callback(part.stop)
    raise AssertionError("the table has no observer")
