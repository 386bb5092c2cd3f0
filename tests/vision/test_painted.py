"""Painted dice to learn from: labels say what was drawn; crops are of what they are said to be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vision.networks.classifier import Classifier
from vision.training.crops import example
from vision.training.datasets import Photo
from vision.training.makes import some_make
from vision.training.painted import painted
from vision.training.painted_set import painted_set


def test_a_plain_painted_die_is_read_as_its_label_says() -> None:
    rng = np.random.default_rng(2)
    black = np.zeros(3, np.float32)
    ivory = np.full(3, 225, np.float32)
    colours = {"body": ivory, "marbling": ivory, "pip": black, "one": black}
    plain = replace(some_make(rng), **colours, spacing=0.26, radius=0.09, one_larger=1.0, corner=0.1)
    plain = replace(plain, drilled=0.0, grain=0.0, clear=0.0, worn=0.0, glitter=0.0, gloss=0.0, ringed=False)
    classifier, right, shown = Classifier(), 0, set()
    for _ in range(40):
        picture = np.full((160, 160, 3), 90, np.float32)
        x, y, size, value = painted(picture, (80, 80), 60, plain, 0.1, rng)
        right += classifier.values(np.clip(picture, 0, 255).astype(np.uint8), [(x, y, size)]).argmax() == value
        shown.add(value)
    assert right >= 36  # a lamp mirrored in the face may hide a pip
    assert shown == {1, 2, 3, 4, 5, 6}


def test_painted_pictures_are_the_same_for_the_same_seed() -> None:
    once, again = painted_set(2, [], 7), painted_set(2, [], 7)
    for one, other in zip(once, again, strict=True):
        assert np.array_equal(one.bgr, other.bgr)
        assert np.array_equal(one.dice, other.dice)
    assert sum(len(photo.dice) for photo in once) > 0


def test_crops_show_a_value_or_no_face() -> None:
    rng = np.random.default_rng(3)
    bare = Photo(np.full((90, 120, 3), 60, np.uint8), np.empty((0, 4), np.float32))
    sets = [painted_set(3, [], 1), [bare]]
    crops = [example(sets, np.array([0.9, 0.1]), rng) for _ in range(60)]
    assert {crop.shape for crop, _ in crops} == {(48, 48, 3)}
    values = [value for _, value in crops]
    assert set(values) <= set(range(7))
    assert 2 <= values.count(0) <= 40


def test_of_the_dice_that_may_be_shown_the_hard_ones_are_shown_most() -> None:
    rng = np.random.default_rng(4)
    bgr = np.full((90, 120, 3), 60, np.uint8)
    dice = np.array([(30, 40, 24, 3), (80, 40, 24, 5), (100, 70, 10, 6)], np.float32)
    photo = Photo(bgr, dice, hard=np.array([0.1, 1.0, 1.0], np.float32))
    values = [value for _, value in (example([[photo]], np.ones(1), rng) for _ in range(200)) if value]
    assert values.count(5) > 2 * values.count(3) > 0
    assert 6 not in values, "its label is a guess: it is too small"
