"""Teaching a set of dice: what is learnt, kept and forgotten, and what a witness may say of a reading."""

from __future__ import annotations

import errno
import os
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner

from companion.commands.analysis import teach
from companion.errors import DeviceError, Doubt
from companion.evidence import lesson
from companion.evidence import taught as taught_sets
from companion.evidence.lesson import Teacher
from companion.evidence.taught import TAUGHT, TaughtSets
from companion.table.snapshot import News
from tests.evidence.playing import VirtualEvening
from tests.waiting import until
from tests.zips import Parts, rewrite, rewrite_json
from vision.networks import Networks
from vision.networks.detector import Detection
from vision.reading.candidates import Candidate, Selection
from vision.reading.reader import Reader
from vision.reading.reading import Reading
from vision.teaching.examples import examples_of
from vision.teaching.witness import Example, Witness
from vision.watching.watcher import Settled

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "images"


def _loaded(folder: Path) -> TaughtSets:
    taught = TaughtSets(folder)
    taught.load()
    return taught


def _taught(folder: Path, throws: list[Settled], name: str = "clear") -> Teacher:
    return _teach(Teacher(TaughtSets(folder)), throws, name)


def _teach(teacher: Teacher, throws: list[Settled], name: str = "clear") -> Teacher:
    teacher.begin(name)
    for each in throws:
        teacher.offer(each)
        throw = teacher.view()["throw"]
        teacher.label(throw["number"], [die["read"] for die in throw["dice"]])
    teacher.end()
    return teacher


def test_a_taught_dice_set_is_usable_with_four_throws_but_not_with_two(
    tmp_path: Path, settled: list[Settled], networks: Networks
) -> None:
    """Two throws are too few and four are enough; a reloaded set leaves a right reading as it was."""
    teacher = _taught(tmp_path, settled[:2])
    assert teacher.taught.witness("clear") is None
    _taught(tmp_path / "more", settled[:4])
    again = _loaded(tmp_path / "more")
    witness = again.witness("clear")
    assert witness is not None
    assert again.witness("") is None
    plain = settled[4].reading
    reading = Reader(networks, settled[4].rig, lambda: witness).read(settled[4].frame.image_bgr)
    assert reading.values == plain.values
    assert reading.trusted


def test_forgetting_a_taught_dice_set_deletes_its_file(tmp_path: Path, settled: list[Settled]) -> None:
    teacher = _taught(tmp_path, settled[:3])
    assert [each["throws"] for each in teacher.view()["sets"]] == [3]
    teacher.forget("clear")
    assert teacher.view()["sets"] == []
    assert list((tmp_path / TAUGHT).iterdir()) == []


def without_features(parts: Parts) -> Parts:
    """Return the parts of a taught set with zeros for all features."""
    features = parts["features.npy"]
    return {**parts, "features.npy": features[:128].ljust(len(features), b"\0")}  # the header stays


def test_loading_a_dice_set_of_an_older_classifier_recomputes_its_features(
    tmp_path: Path, settled: list[Settled]
) -> None:
    teacher = _taught(tmp_path, settled[:3])
    before = teacher.taught.witness("clear")
    file = next((tmp_path / TAUGHT).iterdir())
    rewrite_json(file, "set.json", classifier="of an older release")
    rewrite(file, without_features)
    again = _loaded(tmp_path)
    after = again.witness("clear")
    assert before is not None
    assert after is not None
    likeness = [
        float((a.features * b.features).sum(1).mean()) for a, b in zip(before.examples, after.examples, strict=True)
    ]
    assert min(likeness) > 0.9


def forged_npy(shape: str) -> bytes:
    """Return a .npy file of 16-bit floats whose header has this text as its shape."""
    header = f"{{'descr': '<f2', 'fortran_order': False, 'shape': {shape}}}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header


HARMED_FEATURES = {
    "zip in zip": b"PK\x05\x06" + bytes(18),
    "huge array": forged_npy(f"({10**15}, 3, 64)"),
    "deep header": forged_npy("-" * 9000 + "1"),
}
"""Contents of a taught set's `features.npy` that are no array of its faces. NumPy has no memory for the last two."""


@pytest.mark.parametrize("harm", ["cut", "newer", *HARMED_FEATURES])
def test_a_damaged_taught_dice_set_is_reported_and_intact_ones_still_load(
    tmp_path: Path, settled: list[Settled], harm: str
) -> None:
    _taught(tmp_path, settled[:1])
    _taught(tmp_path, settled[:1], "marbled")
    file = sorted((tmp_path / TAUGHT).iterdir())[0]
    if harm == "cut":
        file.write_bytes(file.read_bytes()[:500])
    elif harm in HARMED_FEATURES:
        rewrite(file, lambda parts: {**parts, "features.npy": HARMED_FEATURES[harm]})
    else:
        rewrite_json(file, "set.json", format=99)
    taught = _loaded(tmp_path)
    assert len(taught.sets()) == 1
    well, says = taught.health()
    assert not well
    assert "damaged" in says or "Update pegpip" in says


def test_teaching_a_dice_set_of_newer_format_is_refused_and_keeps_its_file(
    tmp_path: Path, settled: list[Settled]
) -> None:
    _taught(tmp_path, settled[:1])
    file = next((tmp_path / TAUGHT).iterdir())
    rewrite_json(file, "set.json", format=99, faces="told in another way")
    before = file.read_bytes()
    taught = _loaded(tmp_path)
    with pytest.raises(DeviceError, match="Update pegpip"):
        _teach(Teacher(taught), settled[1:2])
    assert file.read_bytes() == before
    taught.forget("clear")
    assert taught.health()[0]


def test_teaching_a_dice_set_whose_file_cannot_be_read_keeps_that_file(
    tmp_path: Path, settled: list[Settled], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong owner or an ill disk is no damage: the examples are still there."""

    def refuse(*_: object) -> None:
        raise OSError(errno.EACCES, os.strerror(errno.EACCES))

    _taught(tmp_path, settled[:3])
    file = next((tmp_path / TAUGHT).iterdir())
    before = file.read_bytes()
    with monkeypatch.context() as unreadable:
        unreadable.setattr(Path, "open", refuse)
        taught = _loaded(tmp_path)
    well, says = taught.health()
    assert not well
    assert os.strerror(errno.EACCES) in says
    assert "damaged" not in says
    with pytest.raises(DeviceError, match="can't be read"):
        _teach(Teacher(taught), settled[3:4])
    assert file.read_bytes() == before


@pytest.mark.parametrize("cure", ["teach", "forget"])
def test_a_damaged_taught_dice_set_is_healthy_once_retaught_or_forgotten(
    tmp_path: Path, settled: list[Settled], cure: str
) -> None:
    _taught(tmp_path, settled[:1])
    next((tmp_path / TAUGHT).iterdir()).write_bytes(b"damaged")
    taught = _loaded(tmp_path)
    assert not taught.health()[0]
    if cure == "teach":
        _teach(Teacher(taught), settled[1:2])
    else:
        taught.forget("clear")
    assert taught.health() == (True, "1 set of dice taught" if cure == "teach" else "0 sets of dice taught")


def test_teaching_the_reader_a_dice_set_raises_device_error_on_a_full_disk(
    tmp_path: Path, settled: list[Settled], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(taught_sets, "write_file", full)
    with pytest.raises(DeviceError, match="No space left"):
        _taught(tmp_path, settled[:1])


def test_the_teach_command_accepts_comma_separated_dice_values_even_after_its_idle_time_has_passed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After five minutes without a throw it ended with a traceback."""
    monkeypatch.setattr(lesson, "IDLE_S", 1e-9)
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "1.jpg").write_bytes((FIXTURES / "dim.jpg").read_bytes())
    words = ["--camera", f"files:{tmp_path / 'photos'}", "--data", str(tmp_path), "--throws", "1"]
    done = CliRunner().invoke(teach.command, words, input="5,3,1,5\n", standalone_mode=False)
    assert done.return_value == 0, done
    assert [each["throws"] for each in _loaded(tmp_path).sets()] == [1]


def test_correcting_a_throw_in_a_game_adds_it_to_an_existing_taught_dice_set_but_creates_no_set(
    tmp_path: Path, settled: list[Settled], networks: Networks
) -> None:
    with VirtualEvening(tmp_path, networks, seed=5) as evening:
        evening.throw()
        assert evening.kept(1)
        evening.correct(1, (1, 1, 1, 1, 1, 1, 1))
        evening.throw()
        assert evening.kept(2)
        assert evening.taught.sets() == []
        evening.taught.learn("", settled[0].frame.image_bgr, settled[0].reading, [None] * 6 + [1], settled[0].rig)
        values = evening.table.snapshot().throws[-1].values
        evening.correct(2, (*values[:-1], 1 + values[-1] % 6))
        assert until(lambda: evening.taught.sets()[0]["throws"] == 2)


def test_correcting_a_throw_after_its_reading_left_memory_removes_it_from_the_taught_dice(
    tmp_path: Path, settled: list[Settled], networks: Networks, monkeypatch: pytest.MonkeyPatch
) -> None:
    with VirtualEvening(tmp_path, networks, seed=5) as evening:
        evening.taught.learn("", settled[0].frame.image_bgr, settled[0].reading, [None] * 6 + [1], settled[0].rig)
        evening.throw()
        assert evening.kept(1)
        evening.correct(1, (1, 1, 1, 1, 1, 1, 1))
        assert until(lambda: evening.taught.sets()[0]["throws"] == 2)
        monkeypatch.setattr("companion.evidence.keeping.MAX_HELD", 0)
        evening.keeper.offer(settled[0], b"")
        evening.correct(1, (2, 2, 2, 2, 2, 2, 2))
        assert until(lambda: evening.taught.sets()[0]["throws"] == 1)


def test_correcting_a_throw_to_unknown_dice_removes_it_from_the_taught_set(
    tmp_path: Path, settled: list[Settled]
) -> None:
    taught, throw = _taught(tmp_path, settled[:2]).taught, settled[2]
    picture, reading, rig = throw.frame.image_bgr, throw.reading, throw.rig
    taught.learn("clear", picture, reading, [die.value for die in reading.dice], rig, 7)
    assert taught.sets()[0]["throws"] == 3
    taught.learn("clear", picture, reading, [None] * len(reading.dice), rig, 7)
    assert taught.sets()[0]["throws"] == _loaded(tmp_path).sets()[0]["throws"] == 2


def test_a_die_with_an_unread_face_gives_no_training_example(settled: list[Settled], networks: Networks) -> None:
    """The reader rejected a die's face, and reports the die without a value; a person labels the others, or all."""
    reading, frame_bgr = settled[0].reading, settled[0].frame.image_bgr
    unread = reading.dice[0]
    dice = (replace(unread, value=None, confidence=0.0), *reading.dice[1:])
    candidates = [each for each in reading.candidates if each.accepted]
    rejected = tuple(replace(each, accepted=each.box_xywh != unread.box_xywh) for each in candidates)
    labels = [die.value for die in dice[1:]]
    reading = Reading(dice, Doubt.UNREAD, rejected)
    for label in (None, 6):
        made = examples_of(networks.classifier, frame_bgr, reading, [label, *labels], 1, settled[0].rig)
        assert [each.label for each in made] == labels


@pytest.mark.parametrize("keep_zone", [True, False])
def test_teaching_labels_a_die_outside_the_throw_as_no_face_only_if_the_tray_has_a_keep_zone(
    tmp_path: Path, settled: list[Settled], networks: Networks, monkeypatch: pytest.MonkeyPatch, keep_zone: bool
) -> None:
    taught: list[Any] = []
    with VirtualEvening(tmp_path, networks, seed=5) as evening:
        evening.throw()
        photo = evening.photos.jpeg(1)
        assert photo is not None
        monkeypatch.setattr(evening.taught, "knows", lambda _name: True)
        monkeypatch.setattr(evening.taught, "learn", lambda *told: taught.append(told[3]))
        evening.keeper.offer(settled[0] if keep_zone else replace(settled[0], rig=None), photo)
        read = [die.value or 0 for die in settled[0].reading.dice]
        thrown = tuple(value for value in read if value != read[0])
        snapshot = evening.table.snapshot()
        throw = msgspec.structs.replace(snapshot.throws[0], values=thrown, source="answered")
        evening.keeper.hear(msgspec.structs.replace(snapshot, throws=(throw,)), News())
        assert until(lambda: taught)
    aside = 0 if keep_zone else None
    assert taught == [[aside if value == read[0] else value for value in read]]


# The witness alone, on features made by hand: axis 0 for no face, 1 to 6 for the values, 7 for a face unlike all.


def _example(throw: int, label: int) -> Example:
    row = np.zeros((8, 9), np.float32)
    row[:, label], row[:, 8] = 1.0, 0.01 * throw
    unsure = np.full(7, 1 / 7)
    return Example(throw, label, unsure, row / np.linalg.norm(row, axis=1, keepdims=True))


WITNESS = Witness(tuple(_example(throw, label) for throw in range(20) for label in range(7)))


class FixedFeatures:
    """A classifier that gives each place the features of an axis."""

    def __init__(self, *axes: int) -> None:
        self._axes = axes

    def features(self, _bgr: object, places: list[object], views: tuple[object, ...]) -> object:
        return np.stack([np.eye(9, dtype=np.float32)[list(self._axes)]] * len(views), axis=1)


def _candidate(value: int, sure: float, x: float = 100.0) -> Candidate:
    probabilities = np.full(7, (1 - sure) / 6)
    probabilities[value] = sure
    scores = np.full(6, 0.05, np.float32)
    scores[value - 1] = 0.9
    return Candidate(Detection(x, 100.0, 40.0, scores), probabilities)


def _weighed(candidate: Candidate, axis: int, witness: Witness = WITNESS) -> tuple[Selection, bool]:
    picture = np.zeros((200, 200, 3), np.uint8)
    return witness.weigh(Selection((candidate,)), picture, FixedFeatures(axis))  # type: ignore[arg-type]


def test_an_uncertain_die_is_trusted_if_it_resembles_taught_dice_of_the_value_read() -> None:
    assert Selection((_candidate(1, 0.6),)).doubt(1) is Doubt.UNREAD
    selection, contradicted = _weighed(_candidate(1, 0.6), axis=1)
    assert (selection.values, selection.doubt(1), contradicted) == ((1,), None, False)


def test_a_die_read_confidently_as_1_but_looking_like_a_taught_6_stays_1_and_is_marked_contradicted() -> None:
    selection, contradicted = _weighed(_candidate(1, 0.999), axis=6)
    assert (selection.values, contradicted) == ((1,), True)


def test_a_die_face_unlike_all_taught_examples_keeps_its_probabilities() -> None:
    candidate = _candidate(1, 0.6)
    selection, contradicted = _weighed(candidate, axis=7)
    assert (selection.dice, contradicted) == ((candidate,), False)


def test_a_detection_resembling_an_example_labelled_as_not_a_die_stays_doubtful() -> None:
    selection, _ = _weighed(_candidate(1, 0.6), axis=0)
    assert selection.doubt(1) is not None


def test_an_uncertain_die_value_stays_doubtful_if_no_example_of_that_value_was_taught() -> None:
    without_twos = Witness(tuple(each for each in WITNESS.examples if each.label != 2))
    selection, _ = _weighed(_candidate(2, 0.6), 1, without_twos)
    assert selection.doubt(1) is Doubt.UNREAD


def test_few_taught_dice_examples_limit_the_probability_of_a_reading() -> None:
    few = Witness(tuple(each for each in WITNESS.examples if each.throw < 3))
    selection, _ = _weighed(_candidate(1, 0.6), 1, few)
    assert 0.9 < selection.dice[0].probabilities.max() < 1 - 1 / (len(few.examples) + 2) + 0.01


def test_example_dice_with_random_labels_neither_confirm_nor_contradict_a_reading() -> None:
    rng = np.random.default_rng(3)
    mixed = Witness(tuple(replace(each, label=int(rng.integers(1, 7))) for each in WITNESS.examples))
    candidate = _candidate(1, 0.6)
    selection, contradicted = _weighed(candidate, 1, mixed)
    assert not contradicted
    assert selection.doubt(1) is Doubt.UNREAD
