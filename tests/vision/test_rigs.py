"""Photos by fixed cameras become cases: which photos count, the empty tray, and the estimated geometry."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.research.evaluation.rigs import Case, cases, main

DIE_MM = 16
ESTIMATE = {"face_px": [20, 18], "die_mm": DIE_MM, "height_mm": 400, "floor_px": [10, 10, 110, 90]}
PHOTOS: tuple[tuple[str, int, str, list[int], list[str]], ...] = (
    ("a.png", 10, "evening", [5, 2], []),
    ("b.png", 20, "evening", [1], []),
    ("c.png", 40, "evening", [6, 6], []),
    ("left.png", 200, "evening", [3], ["hand"]),
    ("other.png", 250, "morning", [4], []),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write five grey photos by one camera, each of another level: three to check, one with a hand, one to tune."""
    (tmp_path / "pub").mkdir()
    rows = []
    for name, level, session, values, tags in PHOTOS:
        cv2.imwrite(str(tmp_path / "pub" / name), np.full((100, 120, 3), level, np.uint8))
        rows.append(json.dumps({"image": name, "session": session, "values": values, "tags": tags}))
    (tmp_path / "pub" / "labels.jsonl").write_text("\n".join(rows))
    (tmp_path / "splits.json").write_text(json.dumps({"pub": {"check": ["evening"], "tune": ["morning"]}}))
    (tmp_path / "rigs.json").write_text(json.dumps([{"name": "the pub", "set": "pub", **ESTIMATE}]))
    return tmp_path


def cases_in(folder: Path, split: str = "check", height: float = 1.0) -> list[Case]:
    return list(cases(folder / "rigs.json", folder, split, height))


def test_an_evaluation_cases_empty_tray_is_the_median_of_the_other_photos(folder: Path) -> None:
    found = cases_in(folder)
    assert [(case.name, case.truth) for case in found] == [("a.png", (2, 5)), ("b.png", (1,)), ("c.png", (6, 6))]
    assert [int(case.frame_bgr[0, 0, 0]) for case in found] == [10, 20, 40]
    assert [int(case.rig.empty_bgr[0, 0, 0]) for case in found] == [30, 25, 15]


def test_a_photo_gives_no_evaluation_case_if_it_is_its_cameras_only_photo_in_the_data_split(folder: Path) -> None:
    assert cases_in(folder, "tune") == []
    assert [case.name for case in cases_in(folder, "all")] == ["a.png", "b.png", "c.png", "other.png"]


@pytest.mark.parametrize("factor", [1.0, 1.1])
def test_evaluating_at_a_multiple_of_the_camera_height_divides_px_per_mm_by_it(folder: Path, factor: float) -> None:
    rig = cases_in(folder, height=factor)[0].rig
    height_mm = rig.camera_mm[2]
    nearer = height_mm / (height_mm - DIE_MM)
    across, down = np.diag(rig.floor_to_px)[:2] * DIE_MM * nearer
    assert height_mm == pytest.approx(400 * factor)
    assert (across * factor, down * factor) == pytest.approx((20, 18), rel=0.005)
    assert rig.floor_to_px @ (rig.throw.x_mm, rig.throw.y_mm, 1) == pytest.approx((10, 10, 1))


def test_the_camera_rig_measuring_program_exits_2_for_a_folder_without_photos(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["rigs", str(tmp_path)])
    with pytest.raises(SystemExit, match="2"):
        main()
    assert "has no photo with a calibration" in capsys.readouterr().err
