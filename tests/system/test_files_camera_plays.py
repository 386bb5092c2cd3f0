"""A folder of photos is a camera: the table sees each photo as a tray at rest, asks where it must, and plays on."""

from __future__ import annotations

from pathlib import Path

import cv2
from running import Running

from vision.cameras.simulated.camera import VirtualCamera


def photographed(folder: Path, count: int) -> None:
    """Photos of seven simulated dice at rest."""
    now = [0.0]
    camera = VirtualCamera(7, lambda: now[0], lambda s: now.__setitem__(0, now[0] + s), seed=11)
    for index in range(count):
        camera.tray.lift()
        camera.tray.throw(strength=0.4)
        for _ in range(60):
            camera.tray.advance(0.1)
        assert cv2.imwrite(str(folder / f"{index}.jpg"), camera.frame().image_bgr)


def test_the_table_plays_on_with_the_photos_of_a_folder(tmp_path: Path) -> None:
    photos = tmp_path / "photos"
    photos.mkdir()
    photographed(photos, 2)
    (photos / "notes.jpg").write_bytes(b"this is no picture")
    with Running(tmp_path / "data", "--camera", f"files:{photos}", "--players", "Ann,Ben") as table:
        table.pair()
        seen = next(now for now in table.news() if now["question"] or now["throws"])
        assert table.ask("/healthz")[1]["parts"]["camera"]["ok"]
        if seen["question"]:
            answer = {"question": seen["question"]["id"], "values": [1, 1, 2, 3, 4, 5, 6]}
            status, _ = table.ask("/api/answers", answer)
            assert status in (200, 409)  # the next photo may have come in between
        assert table.state()["number"] >= 1
