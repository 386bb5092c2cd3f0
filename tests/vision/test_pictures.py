"""Decoding picture files: every format and orientation; bad files give one sentence with a cure."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from companion.errors import PictureError
from tests.vision.harmed import coded, moving, oriented, png
from vision.images.loading import picture_in, picture_of_bytes, save_jpeg
from vision.networks import load_networks
from vision.reading.reader import Reader

WIDTH, HEIGHT = 48, 32


def scene() -> np.ndarray:
    """Return a picture that looks different in each orientation: left half red, right half blue, top left white."""
    image = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    image[:, : WIDTH // 2] = (0, 0, 220)
    image[:, WIDTH // 2 :] = (220, 0, 0)
    image[: HEIGHT // 2, : WIDTH // 2] = 255
    return image


def told(path: Path) -> str:
    with pytest.raises(PictureError) as refused:
        picture_in(path)
    assert "\n" not in str(refused.value)
    assert ": " in str(refused.value), "what is wrong, then what to do"
    return str(refused.value)


@pytest.mark.parametrize("suffix", [".jpg", ".png", ".webp", ".tiff", ".bmp", ".gif"])
def test_every_picture_file_format_is_decoded_to_bgr(suffix: str) -> None:
    image = picture_of_bytes(coded(scene(), suffix), "a")
    assert (image.shape, image.dtype) == ((HEIGHT, WIDTH, 3), np.dtype(np.uint8))
    assert np.abs(image[24, 8].astype(int) - (0, 0, 220)).max() < 60


ORIENTED: dict[int, Callable[[np.ndarray], np.ndarray]] = {
    1: lambda image: image,
    2: lambda image: image[:, ::-1],
    3: lambda image: image[::-1, ::-1],
    4: lambda image: image[::-1],
    5: lambda image: image.transpose(1, 0, 2),
    6: lambda image: image.transpose(1, 0, 2)[::-1],
    7: lambda image: image.transpose(1, 0, 2)[::-1, ::-1],
    8: lambda image: image.transpose(1, 0, 2)[:, ::-1],
}
"""How a camera that writes that orientation has stored the upright picture (EXIF 2.3, tag 274)."""


@pytest.mark.parametrize("orientation", ORIENTED)
def test_a_photo_stored_rotated_or_mirrored_is_decoded_upright_by_its_orientation_tag(orientation: int) -> None:
    stored = np.ascontiguousarray(ORIENTED[orientation](scene()))
    content = oriented(coded(stored, ".jpg", cv2.IMWRITE_JPEG_QUALITY, 100), orientation)
    assert np.abs(picture_of_bytes(content, "a").astype(int) - scene()).mean() < 8


FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "images"


@pytest.mark.parametrize("name", ["hard-light", "speckled-wooden"])
def test_dice_are_read_the_same_in_all_eight_exif_orientations(name: str) -> None:
    upright = picture_in(FIXTURES / f"{name}.jpg")
    reader, readings = Reader(load_networks()), []
    for orientation, stored in ORIENTED.items():
        jpeg = coded(np.ascontiguousarray(stored(upright)), ".jpg", cv2.IMWRITE_JPEG_QUALITY, 100)
        readings.append(reader.read(picture_of_bytes(oriented(jpeg, orientation), "a")).values)
    assert len(readings[0]) > 1
    assert readings == [readings[0]] * len(ORIENTED)


def test_a_grey_picture_file_is_decoded_to_three_equal_channels() -> None:
    image = picture_of_bytes(coded(scene()[:, :, 0], ".png"), "a")
    assert image.shape == (HEIGHT, WIDTH, 3)
    assert (image == image[:, :, :1]).all()


@pytest.mark.parametrize("suffix", [".png", ".tiff"])
def test_a_16_bit_png_or_tiff_is_decoded_to_8_bits(suffix: str) -> None:
    image = picture_of_bytes(coded(scene().astype(np.uint16) * 257, suffix), "a")
    assert np.abs(image.astype(int) - scene()).max() <= 1


def test_a_png_with_an_alpha_channel_is_decoded_without_alpha() -> None:
    image = picture_of_bytes(coded(np.dstack([scene(), np.full((HEIGHT, WIDTH), 128, np.uint8)]), ".png"), "a")
    assert np.abs(image.astype(int) - scene()).max() <= 1


def test_an_animated_picture_file_is_decoded_to_its_first_picture() -> None:
    frames = [np.full((HEIGHT, WIDTH, 3), level, np.uint8) for level in (255, 0, 0)]
    assert picture_of_bytes(moving(frames, "WEBP"), "a").mean() > 200


@pytest.mark.parametrize("suffix", [".jpg", ".png", ".webp"])
def test_a_truncated_picture_file_is_reported_as_cut_off(suffix: str, tmp_path: Path) -> None:
    content = coded(scene(), suffix)
    (tmp_path / "a").write_bytes(content[: 3 * len(content) // 4])
    assert "cut off" in told(tmp_path / "a")


def test_a_picture_of_one_pixel_is_decoded() -> None:
    assert picture_of_bytes(coded(scene()[:1, :1], ".png"), "a").shape == (1, 1, 3)


def test_a_png_whose_header_claims_a_huge_picture_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png(100_000, 100_000, b""))
    assert "100000 x 100000" in told(tmp_path / "a.png")


def test_a_tiff_with_huge_tiles_is_refused(tmp_path: Path) -> None:
    tags = [
        (256, 4, 1, 100), (257, 4, 1, 100), (258, 3, 1, 8), (259, 3, 1, 5), (262, 3, 1, 1), (277, 3, 1, 1),
        (322, 4, 1, 50_000), (323, 4, 1, 50_000), (324, 4, 1, 8), (325, 4, 1, 100),
    ]  # fmt: skip
    entries = b"".join(struct.pack("<HHII", *tag) for tag in tags)
    (tmp_path / "a.tif").write_bytes(b"II*\0" + struct.pack("<IH", 8, len(tags)) + entries + bytes(4))
    assert "too large" in told(tmp_path / "a.tif")


def test_picture_loading_gives_each_kind_of_unusable_path_its_own_reason(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("a five and a six")
    (tmp_path / "empty.jpg").touch()
    assert "save it as" in told(tmp_path / "notes.txt")
    assert "no picture" in told(tmp_path / "empty.jpg")
    assert "folder" in told(tmp_path)
    assert "check its name" in told(tmp_path / "missing.jpg")
    assert "no file" in told(Path(os.devnull))
    assert "can't be read" in told(Path("a\0b"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_picture_file_without_read_permission_is_refused_with_a_cure(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(coded(scene(), ".png"))
    (tmp_path / "a.png").chmod(0)
    assert "allow it" in told(tmp_path / "a.png")


@settings(max_examples=300, deadline=None)
@given(
    suffix=st.sampled_from([".jpg", ".png", ".webp", ".tiff", ".bmp", ".gif"]),
    length=st.floats(0, 1),
    flips=st.lists(st.tuples(st.floats(0, 0.999), st.integers(0, 255)), max_size=6),
)
@example(suffix=".jpg", length=1.0, flips=[])
def test_a_damaged_picture_file_is_decoded_or_raises_a_picture_error(
    suffix: str, length: float, flips: list[tuple[float, int]]
) -> None:
    content = bytearray(coded(scene(), suffix))
    for where, byte in flips:
        content[int(where * len(content))] = byte
    try:
        image = picture_of_bytes(bytes(content[: int(length * len(content)) + 1]), "a")
    except PictureError:
        assert flips or length < 1, "a whole file is decoded"
        return
    assert image.ndim == 3
    assert image.shape[2] == 3


def test_a_picture_saved_as_a_jpeg_is_read_back_nearly_unchanged(tmp_path: Path) -> None:
    save_jpeg(scene(), tmp_path / "a.jpg")
    assert np.abs(picture_in(tmp_path / "a.jpg").astype(int) - scene()).mean() < 4


def test_saving_a_picture_to_an_unwritable_path_raises_a_picture_error(tmp_path: Path) -> None:
    with pytest.raises(PictureError, match="can't be written"):
        save_jpeg(scene(), tmp_path / "none" / "a.jpg")
