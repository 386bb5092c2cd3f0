"""Reading photos of unknown scale: scales, augmented views, agreement of the networks, and confirmation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.images.loading import picture_in
from vision.networks import Networks, load_networks
from vision.networks.classifier import PHOTO_VIEWS, Classifier, Place, Probabilities, Views
from vision.networks.detector import Detection, Detector
from vision.networks.verifier import Verifier
from vision.reading.reader import Reader, die_size_px
from vision.reading.reading import Doubt, FrameBGR, Reading
from vision.research.training.synthetic.makes import some_make
from vision.research.training.synthetic.no_dice import domino
from vision.research.training.synthetic.painted import painted

IMAGES = Path(__file__).resolve().parents[2] / "fixtures" / "images"
BARE = np.full((240, 320, 3), 120, np.uint8)


def picture_of_dice(count: int, seed: int) -> tuple[FrameBGR, tuple[int, ...]]:
    """Return a picture of dice of one make in a row, and their values. Pips are no rings, which would be doubted."""
    rng = np.random.default_rng(seed)
    picture = np.full((240, 110 * count + 60, 3), rng.uniform(60, 200, 3), np.float32)
    make = replace(some_make(rng), ringed=False)
    dice = [painted(picture, (90 + 110 * at, 120), 44, make, 0.1, rng) for at in range(count)]
    return np.clip(picture, 0, 255).astype(np.uint8), tuple(sorted(value for *_, value in dice))


class OneFace(Detector):
    """Stand-in for the detector: finds the same face at each scale, with these scores of a one and a two."""

    def __init__(self, one: float = 0.5, two: float = 0.5) -> None:
        self.passes, self._scores = 0, np.array([one, two, 0, 0, 0, 0], np.float32)

    def detect(self, picture_bgr: FrameBGR, scale: float) -> list[Detection]:
        self.passes += 1
        return [Detection(160.0, 120.0, 40.0, self._scores)]


class SaysTwo(Classifier):
    """Stand-in for the classifier: gives each face the value two with fixed probabilities.

    Args:
        plain: Probability of a two in the first views; the label `other` has the rest.
        augmented: Its probability in the augmented views.
        one_view: Its probability in one of the augmented views; None for `augmented`.
    """

    def __init__(self, plain: float, augmented: float = 1.0, one_view: float | None = None, other: int = 1) -> None:
        super().__init__()
        self.asked: list[tuple[int, Views]] = []
        self._plain, self._augmented, self._other = plain, augmented, other
        self._one_view = augmented if one_view is None else one_view

    def classify_views(self, picture_bgr: FrameBGR, places: Sequence[Place], views: Views) -> Probabilities:
        self.asked.append((len(places), views))
        said = np.zeros((len(views), len(places), 7))
        said[..., 2] = self._augmented if views is PHOTO_VIEWS.augmented else self._plain
        if views is PHOTO_VIEWS.augmented:
            said[7, :, 2] = self._one_view
        said[..., self._other] = 1 - said[..., 2]
        return said


class Sure(Verifier):
    """Stand-in for the verifier: whatever is there is always dice, or never."""

    def __init__(self, dice: bool = True) -> None:
        super().__init__()
        self._dice = dice

    def are_dice(self, picture_bgr: FrameBGR, places: Sequence[Place]) -> bool:
        return self._dice


def read_by(detector: Detector, classifier: Classifier, expect: int | None = 1, dice: bool = True) -> Reading:
    """Return the reading of a bare picture by stand-ins for the networks."""
    return Reader(Networks(detector, detector, classifier, Sure(dice))).read(BARE, expect)


def test_a_photo_read_without_expected_dice_count_is_doubtful_if_the_dice_verifier_finds_no_dice() -> None:
    assert read_by(OneFace(), SaysTwo(1.0), None).trusted
    assert read_by(OneFace(), SaysTwo(1.0), None, dice=False).doubt == "count"
    assert read_by(OneFace(), SaysTwo(1.0), 1, dice=False).trusted


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_the_photo_reader_reads_3_synthetic_dice_right_given_their_count(seed: int) -> None:
    """Without the count, the reading is right or not trusted."""
    picture, values = picture_of_dice(3, seed)
    reader = Reader(load_networks())
    assert reader.read(picture, 3).values == values
    blind = reader.read(picture)
    assert not blind.trusted or blind.values == values


@pytest.mark.parametrize("seed", [1, 2])
def test_a_turned_or_mirrored_dice_photo_is_read_right_or_in_doubt(seed: int) -> None:
    picture, values = picture_of_dice(3, seed)
    reader = Reader(load_networks())
    for mirrored in (picture, cv2.flip(picture, 1)):
        for turns in range(4):
            reading = reader.read(np.ascontiguousarray(np.rot90(mirrored, turns)), 3)
            assert reading.values == values or not reading.trusted


def test_a_photo_without_dice_yields_no_values_and_a_doubt_about_the_dice_count() -> None:
    reading = Reader(load_networks()).read(BARE)
    assert (reading.values, reading.doubt) == ((), "count")


def test_a_die_face_uncertain_at_every_scale_gets_augmented_views() -> None:
    detector, classifier = OneFace(), SaysTwo(0.45)
    reading = read_by(detector, classifier)
    assert detector.passes > 1, "it looks closer first"
    assert classifier.asked[-1] == (1, PHOTO_VIEWS.augmented)
    assert {views for _, views in classifier.asked[:-1]} == {PHOTO_VIEWS.first, PHOTO_VIEWS.second}
    assert reading.values == (2,)
    assert reading.dice[0].confidence < 1


def test_the_photo_reader_classifies_each_view_of_a_face_once_though_several_passes_detect_it() -> None:
    detector, classifier = OneFace(0.0), SaysTwo(0.45)
    read_by(detector, classifier, None)
    assert detector.passes > 1
    before = [views for _, views in classifier.asked if views is not PHOTO_VIEWS.augmented]
    assert sorted(before) == sorted([PHOTO_VIEWS.first, PHOTO_VIEWS.second])


@pytest.mark.parametrize(
    ("scores", "classifier", "expect", "doubt"),
    [
        pytest.param((0.5, 0.4), SaysTwo(0.995, 0.995, 0.98), 1, None, id="networks disagree, views are sure"),
        pytest.param((0.5, 0.4), SaysTwo(0.995, 0.995, 0.8), 1, Doubt.DISAGREE, id="networks disagree, but one view"),
        pytest.param((0.5, 0.5), SaysTwo(0.985, 0.5), 1, Doubt.UNREAD, id="no view is sure"),
        pytest.param((0.0, 0.6), SaysTwo(0.88, 0.98), 1, None, id="unsure, views are sure"),
        pytest.param((0.0, 0.6), SaysTwo(0.88, 0.6), 1, Doubt.UNREAD, id="unsure, views too"),
        pytest.param((0.0, 0.5), SaysTwo(0.992, 0.992, 0.98, other=0), None, None, id="faint, views are sure"),
        pytest.param((0.0, 0.5), SaysTwo(0.992, 0.992, 0.8, other=0), None, Doubt.UNREAD, id="faint, but one view"),
    ],
)
def test_an_uncertain_die_is_trusted_only_if_the_classifier_is_sure_in_every_augmented_view(
    scores: tuple[float, float], classifier: SaysTwo, expect: int | None, doubt: Doubt | None
) -> None:
    reading = read_by(OneFace(*scores), classifier, expect)
    assert (reading.values, reading.doubt) == ((2,), doubt)


@pytest.mark.parametrize(("faces_apart", "doubt"), [(0.7, Doubt.COUNT), (1.1, None)])
def test_two_die_faces_too_close_together_put_the_dice_count_in_doubt(faces_apart: float, doubt: Doubt | None) -> None:
    """The 5 on a die's side was once taken for a die, with confidence 0.999, in a photo of three threes."""

    class UpperAndSide(OneFace):
        def detect(self, picture_bgr: FrameBGR, scale: float) -> list[Detection]:
            (face,) = super().detect(picture_bgr, scale)
            return [face, replace(face, x=face.x + faces_apart * face.size_px)]

    reading = read_by(UpperAndSide(), SaysTwo(1.0), 2)
    assert (reading.values, reading.doubt) == ((2, 2), doubt)


def test_a_die_face_classified_with_high_confidence_is_not_classified_again() -> None:
    classifier = SaysTwo(0.99, other=3)
    reading = read_by(OneFace(0.0), classifier)
    assert (reading.values, reading.doubt) == ((2,), None)
    assert classifier.asked == [(1, PHOTO_VIEWS.first)]


class Counted(Detector):
    """The shipped detector, which counts its calls in `asked`."""

    asked = 0

    def detect(self, picture_bgr: FrameBGR, scale: float) -> list[Detection]:
        self.asked += 1
        return super().detect(picture_bgr, scale)


@pytest.fixture
def counted() -> tuple[Reader, Counted]:
    detector = Counted()
    return Reader(replace(load_networks(), detector=detector)), detector


def test_rereading_an_unchanged_dice_photo_skips_the_full_detector(counted: tuple[Reader, Counted]) -> None:
    (reader, detector), (picture, values) = counted, picture_of_dice(3, 2)
    first = reader.read(picture)
    assert (first.values, first.trusted) == (values, True)
    detector.asked = 0
    again = reader.read(picture, previous=first)
    assert (again.values, again.trusted) == (values, True)
    assert detector.asked == 0


def test_a_photo_of_other_dice_than_the_last_reading_is_read_afresh(counted: tuple[Reader, Counted]) -> None:
    (reader, _), (picture, values), (other, other_values) = counted, picture_of_dice(3, 2), picture_of_dice(3, 3)
    assert values != other_values
    assert reader.read(other, previous=reader.read(picture)) == reader.read(other)


def test_a_photo_is_read_right_with_the_die_size_of_a_photo_of_fewer_dice(counted: tuple[Reader, Counted]) -> None:
    (reader, _), (more, values) = counted, picture_of_dice(4, 2)
    fewer = more.copy()
    fewer[:, 360:] = more[0, 0]
    before = reader.read(fewer)
    assert len(before.dice) == 3
    assert reader.read(more, size_px=die_size_px(before)).values == values


def test_a_known_die_size_reduces_the_detector_passes_over_a_photo(counted: tuple[Reader, Counted]) -> None:
    reader, detector = counted
    assert not reader.read(BARE).dice
    whole, detector.asked = detector.asked, 0
    assert not reader.read(BARE, size_px=40.0).dice
    assert 0 < detector.asked < whole


def test_a_photo_read_with_a_wrong_die_size_gives_right_values_or_none(counted: tuple[Reader, Counted]) -> None:
    (reader, _), (picture, values) = counted, picture_of_dice(3, 2)
    for size_px in (15.0, 30.0, 60.0, 90.0, 400.0):
        reading = reader.read(picture, size_px=size_px)
        assert reading.values in ((), values), size_px
        assert reading.dice or size_px == 15.0, "only dice of a quite different size may be missed"


def test_a_photo_of_one_large_die_reads_the_same_with_its_die_size_given(counted: tuple[Reader, Counted]) -> None:
    picture, values = picture_of_dice(1, 2)
    near = cv2.resize(picture[60:180, 20:160], None, fx=8, fy=8, interpolation=cv2.INTER_CUBIC)
    first = counted[0].read(near)
    assert (first.values, first.trusted) == (values, True)
    assert counted[0].read(near, size_px=die_size_px(first)) == first


@pytest.mark.parametrize("seed", range(6))
def test_the_reading_of_a_domino_is_not_trusted_if_the_number_of_dice_is_unknown(seed: int) -> None:
    picture, tile = np.full((480, 640, 3), 120, np.uint8), domino(np.random.default_rng(seed))
    opacity = tile[:, :, 3:] / 255
    picture[120:360, 260:380] = picture[120:360, 260:380] * (1 - opacity) + tile[:, :, :3] * opacity
    assert not Reader(load_networks()).read(picture).trusted


@pytest.mark.parametrize("name", ["dark-on-grey", "hard-light", "leather-wood"])
def test_photo_reader_trusts_its_reading_of_a_dice_photo_without_a_given_dice_count(name: str) -> None:
    assert Reader(load_networks()).read(picture_in(IMAGES / f"{name}.jpg")).trusted
