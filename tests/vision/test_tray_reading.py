"""Reading frames of the calibrated tray: each reading is right or in doubt."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations

import cv2
import numpy as np
import pytest

from companion.bench.vision import virtual_throws
from vision.cameras.simulated.appearance import KINDS, faces_of
from vision.cameras.simulated.camera import VirtualCamera
from vision.cameras.simulated.clock import SteppedClock
from vision.cameras.simulated.rendering import face_up
from vision.geometry.background import EmptyTray, shrunk
from vision.geometry.floor import Floor
from vision.geometry.rig import place
from vision.networks import Networks, load_networks
from vision.networks.detector import LIGHT_MODEL, Detection, Detector
from vision.reading.candidates import COUNT_THRESHOLDS, Candidate, Selection
from vision.reading.reader import Reader
from vision.reading.reading import Doubt, FrameBGR, Reading
from vision.reading.scenes import Tray, TrayFrame
from vision.research.evaluation.conditions import CONDITIONS, picture
from vision.research.evaluation.fault_injection import FaultInjection


def at_rest(seed: int, kept: int = 0) -> tuple[VirtualCamera, tuple[int, ...]]:
    """Return a camera over seven dice at rest, `kept` of them in the keep zone, and their values, sorted."""
    clock = SteppedClock()
    camera = VirtualCamera(7, clock, clock.sleep, seed)
    camera.tray.throw(strength=0.4)
    for _ in range(60):
        poses = camera.tray.advance(0.1)
    for die in range(kept):
        camera.tray.move(die, 280.0, 24.0 + 26 * die)
        poses = camera.tray.advance(0.0)
    return camera, tuple(sorted(face_up(pose.rotation) for pose in poses))


def read(camera: VirtualCamera, expect: int | None = None) -> Reading:
    """Return the reading of the camera's next frame, with its calibration."""
    return Reader(load_networks(), camera.rig()).read(camera.frame().image_bgr, expect)


def test_the_watcher_and_reader_read_three_throws_of_a_simulated_camera_correctly() -> None:
    told = virtual_throws(3, lambda done, of: None, seed=22)
    assert (told["virtual_exact"], told["virtual_wrong_trusted"]) == (3, 0)


@pytest.mark.parametrize("kept", [0, 2, 5])
def test_the_tray_reader_tells_kept_from_thrown_dice_and_locates_thrown_dice_within_3_mm(kept: int) -> None:
    camera, truth = at_rest(30 + kept, kept)
    reading = read(camera, 7)
    thrown, in_keep = place(reading, camera.rig())
    assert (reading.values, reading.doubt) == (truth, None)
    assert (len(thrown), len(in_keep)) == (7 - kept, kept)
    lying, found = camera.tray.dice(), []
    at_mm = np.array([(die["x_mm"], die["y_mm"]) for die in lying])
    for one in (*thrown, *in_keep):
        away_mm = np.linalg.norm(at_mm - (one.x_mm, one.y_mm), axis=1)
        nearest = lying[int(away_mm.argmin())]
        assert nearest["place"] == ("throw" if one in thrown else "keep")
        assert one in in_keep or away_mm.min() < 3.0
        found.append(nearest["id"])
    assert sorted(found) == list(range(7))


def test_the_tray_reader_reads_an_empty_tray_as_empty_without_doubt() -> None:
    reading = read(VirtualCamera(7, seed=4, sleep=lambda _s: None))
    assert (reading.dice, reading.doubt) == ((), None)


@pytest.mark.parametrize("face_xy", [(80.0, 40.0), (40.0, 80.0), (-7.0, 40.0), (40.0, -20.0)])
def test_a_face_centre_outside_the_picture_counts_as_empty_tray(face_xy: tuple[float, float]) -> None:
    """The network may place the centre of a small die that is cut off into the padding; OpenCV then had no pixel."""
    ground = np.full((96, 96, 3), 60, np.uint8)
    tray = EmptyTray.of(ground, 24.0)
    view = shrunk(ground, tray.scale)
    view[10:30, 10:50] = 255  # dice elsewhere
    assert tray.matches(view, face_xy, 12.0)


def test_five_lamp_brightnesses_change_no_die_value_and_cause_at_most_one_doubt() -> None:
    camera, truth = at_rest(50)
    reader, trusted = Reader(load_networks(), camera.rig()), 0
    for lamp in (0.55, 0.7, 0.8, 1.1, 1.2):
        camera.disturb = FaultInjection(lamp=lamp).over
        reading = reader.read(camera.frame().image_bgr, 7)
        assert reading.values == truth
        trusted += reading.trusted
    assert trusted >= 4


@pytest.mark.parametrize("lamp", [0.05, 0.0])
def test_the_tray_reader_does_not_trust_a_picture_taken_in_the_dark(lamp: float) -> None:
    """In the dark six of the seven dice, or none, are found; trusted, such a reading would bank the turn."""
    camera, _ = at_rest(50)
    assert read(camera).trusted, "in the light"
    camera.disturb = FaultInjection(lamp=lamp).over
    assert not read(camera).trusted


def test_the_tray_reader_trusts_no_wrong_values_in_a_half_dark_tray() -> None:
    """A lamp has failed; the dice on the dark side were not all found."""
    camera, truth = at_rest(51)
    assert read(camera).trusted
    shade = np.repeat([0.05, 0.25], 640)[None, :, None]
    camera.disturb = lambda picture, _now_s: (picture * shade).astype(np.uint8)
    reading = read(camera)
    assert reading.values == truth or not reading.trusted


def knocked(picture_bgr: FrameBGR, x_px: float, y_px: float, degrees: float) -> FrameBGR:
    """Return the picture of a tray that was shifted by (x_px, y_px) and rotated by `degrees`."""
    height, width = picture_bgr.shape[:2]
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1.0)
    matrix[:, 2] += x_px, y_px
    return cv2.warpAffine(picture_bgr, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE)


@pytest.mark.parametrize(("x_px", "y_px", "degrees"), [(6, -4, 0.0), (-9, 9, 0.0), (4, 0, 1.5)])
def test_a_shifted_tray_is_read_right_and_a_pipless_object_in_it_doubted(
    x_px: float, y_px: float, degrees: float
) -> None:
    camera, truth = at_rest(54)
    rig = camera.rig()
    picture = knocked(camera.frame().image_bgr, x_px, y_px, degrees)
    reading = Reader(load_networks(), rig).read(picture, 7)
    assert (reading.values, reading.doubt) == (truth, None)
    x, y, w, h = reading.dice[0].box_xywh
    picture[y : y + h, x : x + w] = (228, 234, 236)  # a thing that shows no pips
    assert not Reader(load_networks(), rig).read(picture).trusted


def test_a_patch_of_sunlight_beside_dice_makes_a_correct_reading_doubtful() -> None:
    camera, truth = at_rest(54)
    picture = camera.frame().image_bgr.copy()
    picture[300:520, 700:900] = np.clip(2.6 * picture[300:520, 700:900], 0, 255)
    reading = Reader(load_networks(), camera.rig()).read(picture)
    assert (reading.values, reading.doubt) == (truth, Doubt.OBJECT)


@pytest.mark.parametrize("x_px", [-7, -2, 2, 5])
def test_a_face_printed_on_a_slightly_shifted_tray_is_no_die(x_px: int) -> None:
    camera = VirtualCamera(7, seed=4, sleep=lambda _s: None)
    face = cv2.resize(faces_of(KINDS[0], np.random.default_rng(1)).bgr[4], (60, 60), interpolation=cv2.INTER_AREA)
    empty_bgr, picture = camera.rig().empty_bgr.copy(), camera.frame().image_bgr.copy()
    empty_bgr[400:460, 400:460] = picture[400:460, 400:460] = face
    reading = Reader(load_networks(), replace(camera.rig(), empty_bgr=empty_bgr)).read(knocked(picture, x_px, 0, 0.0))
    assert (reading.dice, reading.doubt) == ((), None)


def test_the_tray_reader_does_not_trust_a_picture_with_a_hand_in_it() -> None:
    camera, _ = at_rest(51)
    assert read(camera, 7).trusted, "without the hand"
    camera.disturb = FaultInjection(hand_until_s=1e9).over
    assert not read(camera, 7).trusted


def test_dice_equal_to_the_last_trusted_reading_need_no_second_detector_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    camera, truth = at_rest(32)
    networks, closer = load_networks(), list[float]()
    reader, picture, detect = Reader(networks, camera.rig()), camera.frame().image_bgr, networks.detector.detect

    def noting(frame_bgr: FrameBGR, scale: float) -> list[Detection]:
        closer.append(scale)
        return detect(frame_bgr, scale)

    monkeypatch.setattr(networks.detector, "detect", noting)
    monkeypatch.setattr(TrayFrame, "needs_another_pass", lambda *_: True)
    first = reader.read(picture)
    assert (first.values, first.trusted, len(closer)) == (truth, True, 1)
    assert (reader.read(picture, previous=first).trusted, len(closer)) == (True, 1)
    other = replace(first, dice=first.dice[1:])
    assert (reader.read(picture, previous=other).trusted, len(closer)) == (True, 2)
    doubted = replace(first, doubt=Doubt.UNREAD)
    assert (reader.read(picture, previous=doubted).trusted, len(closer)) == (True, 3)


def test_a_tray_reading_with_fewer_dice_than_expected_doubts_the_count() -> None:
    camera, _ = at_rest(52)
    camera.tray.lift([0])
    assert read(camera, 7).doubt == "count"


def test_a_die_with_a_painted_over_pip_is_read_right_or_in_doubt() -> None:
    camera, truth = at_rest(53)
    picture = camera.frame().image_bgr.copy()
    reading = Reader(load_networks(), camera.rig()).read(picture, 7)
    assert (reading.values, reading.trusted) == (truth, True)
    x, y, w, h = max(reading.dice, key=lambda die: die.value or 0).box_xywh
    pip, face = picture[y + 27 * h // 64, x + w // 8], picture[y + h // 4, x + w // 3].tolist()
    assert pip.max() < 60 < min(face)
    cv2.circle(picture, (x + w // 8, y + 27 * h // 64), w // 8, face, -1)
    again = Reader(load_networks(), camera.rig()).read(picture, 7)
    assert again.values == truth or not again.trusted


@pytest.mark.parametrize("seed", [31, 8])
def test_close_dice_in_the_keep_zone_are_mostly_read_right_else_doubted(seed: int) -> None:
    camera = VirtualCamera(7, clock=(clock := SteppedClock()), sleep=clock.sleep, seed=seed)
    reader, rng = Reader(load_networks(), camera.rig()), np.random.default_rng(seed)
    right = 0
    for _ in range(4):
        for die in rng.permutation(7):
            row, column = divmod(int(rng.integers(12)), 3)
            camera.tray.move(int(die), 253.0 + 24 * column, 13.0 + 24 * row)  # or the nearest place that is free
        reading = reader.read(camera.frame().image_bgr)
        true = tuple(sorted(face_up(pose.rotation) for pose in camera.tray.advance(0.0)))
        assert reading.values == true or not reading.trusted
        right += reading.values == true
    assert right >= 3


@pytest.mark.parametrize("seed", [45, 51])
def test_two_dark_dice_detected_as_one_are_read_right_or_in_doubt(seed: int) -> None:
    """One detection between both dice explains all foreground except the pips of one die."""
    crowd = picture(CONDITIONS[1], seed, crowded=True)
    networks, face_px = load_networks(), Floor.of(crowd.rig).face_px
    assert Reader(networks, crowd.rig).read(crowd.image_bgr).trusted

    class Between(Detector):
        def detect(self, picture_bgr: FrameBGR, scale: float) -> list[Detection]:
            found = [one for one in super().detect(picture_bgr, scale) if one.score > COUNT_THRESHOLDS[0]]
            one, other = min(combinations(found, 2), key=lambda pair: math.dist(pair[0].place, pair[1].place))
            assert math.hypot(one.x - other.x, one.y - other.y) < 1.3 * face_px
            middle = replace(one, x=(one.x + other.x) / 2, y=(one.y + other.y) / 2)
            return [middle, *(die for die in found if die not in {one, other})]

    light = Between(LIGHT_MODEL, with_values=False)
    blinded = Networks(light, networks.detector, networks.classifier, networks.verifier)
    reading = Reader(blinded, crowd.rig).read(crowd.image_bgr)
    assert reading.values == crowd.values or not reading.trusted


def test_tray_reader_needs_the_excess_foreground_check_to_split_touching_dice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The light detector finds a black 1 and a black 2 that touch, on dark wood, as a single 2."""
    shown = picture(CONDITIONS[11], 1400138)
    reader = Reader(load_networks(), shown.rig)
    reading = reader.read(shown.image_bgr)
    assert (reading.values, reading.doubt) == (shown.values, None)
    monkeypatch.setattr(TrayFrame, "has_excess_foreground", lambda *_: False)
    assert len(reader.read(shown.image_bgr).dice) == len(shown.dice) - 1


@pytest.mark.parametrize(
    ("no_face", "expect", "doubt"), [(0.999, None, None), (0.66, None, Doubt.COUNT), (0.66, 7, None)]
)
def test_a_tray_reading_without_an_expected_dice_count_is_doubted_if_a_rejected_candidate_may_be_a_die(
    no_face: float, expect: int | None, doubt: Doubt | None
) -> None:
    """A dark die out of focus on a pale tray may leave no foreground, as a shadow does."""
    camera = VirtualCamera(7, seed=4, sleep=lambda _s: None)
    frame = TrayFrame(load_networks(), Tray(camera.rig()), camera.frame().image_bgr, expect)
    face = Detection(200.0, 150.0, 28.0, np.full(6, 0.81, np.float32))
    rejected = Candidate(face, np.array([no_face, *[(1 - no_face) / 6] * 6]))
    assert frame.doubt(Selection((), (rejected,))) == doubt
