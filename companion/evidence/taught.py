"""The sets of dice that a table was taught: `taught/*.zip` in the data folder holds labelled faces, a file a set.

A file keeps each face's picture and what one classifier made of it. After an update with another classifier that is
computed again from the pictures. The format is in docs/reference/throw-packages.md.
"""

from __future__ import annotations

import hashlib
import io
import logging
import threading
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from companion.errors import DeviceError, PictureError, counted
from companion.evidence.package import MAX_UNPACKED_BYTES
from companion.table.atomic import write_file
from vision.calibration.store import DAMAGE
from vision.geometry.rig import Rig
from vision.networks.classifier import Classifier
from vision.reading.reading import FrameBGR, Reading
from vision.teaching.examples import example_of, examples_of
from vision.teaching.witness import EXAMPLE_VIEWS, LABELS, Example, Witness

log = logging.getLogger(__name__)

TAUGHT = "taught"
"""Name of the folder of taught sets of dice in a data folder."""
FORMAT = 1
"""Version number of the file format of taught sets of dice, written into each; one with a larger number is refused.
Raise it when the format changes: older programs then refuse the file instead of misreading it."""
MAX_EXAMPLES = 600
"""Most labelled faces of a taught set of dice; one more drops the oldest. Higher: a larger file and slower comparisons.
600 are about 5 MB. Lower: the set knows fewer views of its dice."""
MAX_HEADER_BYTES = 256
"""Longest header of a .npy file of a taught set, in bytes; NumPy writes 118. Higher: parsing a forged one may take all
memory. Lower: arrays with long shapes are refused as damaged."""


class NotReadable(DeviceError):
    """A set's file is of a newer format, or the disk refuses it. It must not be overwritten: it may be intact."""


class SetRecord(msgspec.Struct, frozen=True):
    """The faces in the file of a taught set: number of the throw and label of each, and hash of their classifier."""

    name: str
    classifier: str
    faces: tuple[tuple[int, Annotated[int, msgspec.Meta(ge=0, lt=LABELS)]], ...]
    format: int = FORMAT


class TaughtSets:
    """The taught sets of a data folder. Thread-safe; it has a classifier of its own.

    A set is written whole, from memory: only the process that holds the folder's lock may write.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder / TAUGHT
        self._classifier = Classifier()
        self._lock = threading.Lock()
        self._sets: dict[str, Witness] = {}
        self._refused: dict[Path, DeviceError] = {}  # why a file can't be read

    def start(self) -> None:
        """Load every taught set of dice on a new thread: after an update all features may be computed again."""
        threading.Thread(target=self.load, name="taught", daemon=True).start()

    def load(self) -> None:
        """Load every taught set into memory, except files that can't be read or are damaged.

        Such files are logged, and `health` reports them.
        """
        with self._lock:
            self._refused = {}
            for file in sorted(self._folder.glob("*.zip")):
                try:
                    name, examples = self._read(file)
                except DeviceError as refused:
                    self._refused[file] = refused
                    log.warning("%s", refused)
                else:
                    self._sets[name] = Witness(examples)
            self._classifier.network.release()

    def health(self) -> tuple[bool, str]:
        """Return whether every taught set of dice could be read, and a sentence for the page."""
        if refused := [*self._refused.values()]:
            return False, str(refused[0])
        return True, f"{counted(len(self._sets), 'set', 'sets')} of dice taught"

    def sets(self) -> list[dict[str, Any]]:
        """Return a JSON object for every taught set of dice, sorted by name.

        Each has `name`, number of `throws`, `faces` (how many examples show 1, 2, ... 6), and `usable`. Readings are
        compared only with a usable set: its examples come from at least MIN_THROWS throws and have two or more
        different labels.
        """
        return [
            {
                "name": name,
                "throws": len({each.throw for each in witness.examples}),
                "faces": [sum(each.label == value for each in witness.examples) for value in range(1, LABELS)],
                "usable": witness.usable,
            }
            for name, witness in sorted(self._sets.items())
        ]

    def witness(self, name: str) -> Witness | None:
        """Return the taught examples of a set of dice for the reader; None if there are none or too few."""
        found = self._sets.get(name)
        return found if found is not None and found.usable else None

    def knows(self, name: str) -> bool:
        """Return whether a set of dice has any taught example, even if too few to be used."""
        return name in self._sets

    def learn(
        self,
        name: str,
        frame_bgr: FrameBGR,
        reading: Reading,
        values: Sequence[int | None],
        rig: Rig | None,
        throw: int | None = None,
    ) -> None:
        """Add the labelled dice of a throw to a taught set of dice as examples, in memory and on disk.

        An unknown set is created; a damaged file of the set is overwritten. New examples replace earlier ones of the
        same throw. If all `values` are None, the throw's earlier examples are deleted, unless the set has no others.
        Beyond `MAX_EXAMPLES` the oldest are dropped.

        Args:
            name: Name of the set of dice.
            frame_bgr: (h, w, 3) the picture that was read.
            reading: The picture's reading.
            values: True value of each die of the reading; `NO_FACE` for no die, None to leave the die out.
            rig: The calibration; None without one.
            throw: Number of the throw in the journal; None for a throw that only teaches.

        Raises:
            NotReadable: The set's file was unreadable when loaded, or has a newer format; nothing was learnt.
            DeviceError: The set can't be stored; nothing was learnt.
        """
        with self._lock:
            if isinstance(refused := self._refused.get(self._file(name)), NotReadable):
                raise NotReadable(refused.what, refused.cure)
            before = self._sets[name].examples if name in self._sets else ()
            number = min((each.throw for each in before if each.throw < 0), default=0) - 1 if throw is None else throw
            new = examples_of(self._classifier, frame_bgr, reading, values, number, rig)
            self._classifier.network.release()
            self._replace(name, number, new)

    def unlearn(self, name: str, throw: int) -> None:
        """Delete the examples of a throw from a taught set of dice, unless the set has no others.

        An unknown set or throw is no error. Raises DeviceError if the set can't be stored.
        """
        with self._lock:
            self._replace(name, throw, ())

    def _replace(self, name: str, throw: int, new: Sequence[Example]) -> None:
        """Replace a throw's examples in a taught set of dice by `new`, in memory and on disk.

        An unknown set is created. Beyond MAX_EXAMPLES the oldest examples are dropped. If `new` is empty, the throw's
        examples are deleted, unless the set has no others; then they stay. Raises DeviceError if the set can't be
        stored.
        """
        before = self._sets[name].examples if name in self._sets else ()
        others = [each for each in before if each.throw != throw]
        if new or 0 < len(others) < len(before):
            examples = (*others, *new)[-MAX_EXAMPLES:]
            self._write(name, examples)
            self._sets[name] = Witness(examples)
            self._refused.pop(self._file(name), None)

    def forget(self, name: str) -> None:
        """Delete a taught set of dice, if known, from memory and disk. Raises DeviceError if the disk refuses."""
        with self._lock:
            try:
                self._file(name).unlink(missing_ok=True)
            except OSError as refused:
                raise _refused(self._folder, refused) from None
            self._sets.pop(name, None)
            self._refused.pop(self._file(name), None)

    def _file(self, name: str) -> Path:
        """Return the path of a set's file, a hash of the set's name, which may hold any letters."""
        return self._folder / f"{hashlib.blake2b(name.encode(), digest_size=8).hexdigest()}.zip"

    def _write(self, name: str, examples: Sequence[Example]) -> None:
        """Write the examples of a taught set of dice to its zip file, in place of an older one.

        Raises DeviceError if the disk refuses.
        """
        content = io.BytesIO()
        faces = tuple((each.throw, each.label) for each in examples)
        record = SetRecord(name, self._classifier.network.hash, faces)
        with zipfile.ZipFile(content, "w") as archive:
            archive.writestr(zipfile.ZipInfo("set.json"), msgspec.json.encode(record))
            archive.writestr(zipfile.ZipInfo("features.npy"), _npy([each.features for each in examples]))
            archive.writestr(zipfile.ZipInfo("probabilities.npy"), _npy([each.probabilities for each in examples]))
            for at, each in enumerate(examples):
                archive.writestr(zipfile.ZipInfo(f"{at}.jpg"), each.patch_jpeg)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_file(self._file(name), (content.getvalue(),))
        except OSError as refused:
            raise _refused(self._folder, refused) from None

    def _read(self, file: Path) -> tuple[str, tuple[Example, ...]]:
        """Return the name and the examples in a set's file.

        If the file was written with another classifier, the features and probabilities of its examples are computed
        again from their pictures. Raises NotReadable if the file can't be read or is of a newer format; DeviceError if
        it is damaged or too large.
        """
        try:
            with file.open("rb") as opened:
                content = opened.read(MAX_UNPACKED_BYTES)  # a longer file is cut, which counts as damage
        except OSError as refused:
            reason = f"The taught set {file} can't be read ({refused.strerror})."
            raise NotReadable(reason, "Make the file readable, or delete it; then restart the table.") from None
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                if sum(part.file_size for part in archive.infolist()) > MAX_UNPACKED_BYTES:
                    raise ValueError("it is too large")
                text = archive.read("set.json")
                if msgspec.json.decode(text, type=dict[str, Any]).get("format", 0) > FORMAT:
                    raise NotReadable(f"The taught set {file} has a newer format than {FORMAT}.", "Update pegpip.")
                record = msgspec.json.decode(text, type=SetRecord)
                jpegs = [archive.read(f"{at}.jpg") for at in range(len(record.faces))]
                if record.classifier != self._classifier.network.hash:
                    faces = zip(jpegs, record.faces, strict=True)
                    return record.name, tuple(example_of(self._classifier, jpeg, *face) for jpeg, face in faces)
                features = _array(archive.read("features.npy"), (len(jpegs), len(EXAMPLE_VIEWS), None))
                probabilities = _array(archive.read("probabilities.npy"), (len(jpegs), LABELS))
            rows = zip(record.faces, probabilities.astype(np.float64), features, jpegs, strict=True)
            return record.name, tuple(Example(*face, each, views, jpeg) for face, each, views, jpeg in rows)
        except (*DAMAGE, TypeError, PictureError) as damage:
            cure = "Teach that set again, or delete the file."
            raise DeviceError(f"The taught set {file} is damaged ({damage}).", cure) from None


def _npy(rows: Sequence[NDArray[Any]]) -> bytes:
    """Return rows of equal shape as the content of a .npy file of 16-bit floats."""
    content = io.BytesIO()
    np.save(content, np.stack(rows).astype(np.float16))
    return content.getvalue()


def _array(content: bytes, shape: tuple[int | None, ...]) -> NDArray[np.float32]:
    """Return the array of a .npy file (format 1.0) as float32.

    Raises ValueError for other content, or unless the array is finite and has `shape` (None: any length). The memory it
    takes depends on the size of `content`, whatever a forged header says.
    """
    file = io.BytesIO(content)
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError("an array is not of .npy format 1.0")
    has, by_columns, dtype = np.lib.format.read_array_header_1_0(file, max_header_size=MAX_HEADER_BYTES)
    rows = np.frombuffer(content, dtype, offset=file.tell()).reshape(has, order="F" if by_columns else "C")
    found: NDArray[np.float32] = rows.astype(np.float32)
    fits = found.ndim == len(shape) and all(want in (None, has) for want, has in zip(shape, found.shape, strict=True))
    if not fits or not np.isfinite(found).all():
        raise ValueError(f"an array of the shape {found.shape} is not the faces'")
    return found


def _refused(folder: Path, refused: OSError) -> DeviceError:
    reason = f"The taught set can't be kept in {folder} ({refused.strerror})."
    return DeviceError(reason, "Free some space or make the folder writable; the table plays on without it.")
