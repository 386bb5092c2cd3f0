"""The reader of a camera, with the calibration in the data folder if it was made with that camera."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from companion.diagnostics.health import Health
from companion.errors import DeviceError, explained
from companion.table.atomic import write_file
from vision.calibration.store import FILE_NAME, Stored, bytes_of_calibration, load_calibration
from vision.cameras import Camera, SensorCamera
from vision.cameras.opening import is_simulated_camera
from vision.cameras.simulated.camera import LENS, VirtualCamera
from vision.geometry.rig import Rig
from vision.networks import Networks
from vision.reading.reader import Reader
from vision.teaching.witness import Witness
from vision.watching.watcher import Watcher

NOT_CALIBRATED = "Not calibrated: readings are more doubtful, and there is no keep zone; run `pegpip calibrate`."


@dataclass(frozen=True, slots=True, eq=False)
class ReaderSetup:
    """The reader of a camera.

    Attributes:
        reader: The reader.
        rig: Calibrated geometry of camera and tray; None without a calibration.
        health: Check of the calibration for the page.
    """

    reader: Reader
    rig: Rig | None
    health: Health


class WatchedTray:
    """The watcher of the tray, whose reader is replaced after each calibration.

    Args:
        load: Makes the reader from the stored calibration, if there is one.
        watch: Makes the watcher for a reader.
    """

    def __init__(self, load: Callable[[], ReaderSetup], watch: Callable[[ReaderSetup], Watcher]) -> None:
        self._load = load
        self._setup = load()
        self.watcher = watch(self._setup)

    @property
    def calibrated(self) -> bool:
        """Whether a calibration or the virtual camera gives the tray's geometry, so that dice have places."""
        return self._setup.rig is not None

    def recalibrated(self) -> None:
        """Load the calibration that was just stored, and give the watcher a reader that uses it."""
        self._setup = self._load()
        self.watcher.read_with(self._setup.reader.read, self._setup.rig)

    def health(self) -> tuple[bool, str]:
        """Return whether the calibration, if any, is sound and fits the frames, and a sentence for the page."""
        return self._setup.health()


def load_reader(
    source: str,
    camera: Camera,
    folder: Path,
    networks: Networks,
    witness: Callable[[], Witness | None] = lambda: None,
) -> ReaderSetup:
    """Return the reader of the camera named by the setting `source`, with the calibration in `folder` if it fits.

    - Calibration of this camera: it is used, and a motorised lens is held at its focus, if it has one.
    - No calibration, or one of another camera: none is used, and a motorised lens autofocuses once more.
    - Damaged calibration: none is used, and the lens stays as it is. The result's health check reports the damage.

    Without a calibration the tray's geometry is known only for the virtual camera. `witness` returns the examples of
    the dice in use, or None.
    """
    try:
        stored = load_calibration(folder)
    except DeviceError as damaged:
        health = False, f"{damaged} Until then readings are more doubtful."
    else:
        fitting = stored if stored is not None and fits(stored, source) else None
        if isinstance(camera, SensorCamera):
            camera.focus_at(None if fitting is None else fitting.lens_position)
        if fitting is not None:
            reader = Reader(networks, fitting.rig, witness)
            return ReaderSetup(reader, fitting.rig, lambda: _health(fitting, reader.misfit_wh, camera))
        health = True, _why_uncalibrated(stored, source)
    rig = camera.rig() if isinstance(camera, VirtualCamera) else None
    return ReaderSetup(Reader(networks, rig, witness), rig, lambda: health)


def save_calibration(folder: Path, stored: Stored) -> Path:
    """Store a calibration in the data folder, in place of an older one, and return its path.

    The folder is created if it is missing. Raises DeviceError if that fails, or the file can't be written.
    """
    to = folder / FILE_NAME
    cure = "Make the folder writable, or give another with --data DIR."
    with explained(f"The calibration can't be kept in {folder}", cure):
        folder.mkdir(parents=True, exist_ok=True)
        write_file(to, [bytes_of_calibration(stored)])
    return to


def fits(stored: Stored, source: str) -> bool:
    """Whether a calibration was made with the camera `source`, and with its picture size if that is virtual."""
    return stored.camera == source.strip() and (source.strip() != "virtual" or stored.size_wh == LENS.size_wh)


def calibration_status(folder: Path, source: str) -> tuple[bool, str]:
    """Return whether the camera `source` is calibrated or simulated, and a sentence about its calibration.

    Simulated cameras (`is_simulated_camera`) need no calibration. Even for them, a damaged calibration gives False and
    the error.
    """
    try:
        stored = load_calibration(folder)
    except DeviceError as damaged:
        return False, str(damaged)
    if stored is not None and fits(stored, source):
        return True, _calibrated(stored)
    return is_simulated_camera(source), _why_uncalibrated(stored, source)


def _why_uncalibrated(stored: Stored | None, source: str) -> str:
    """Return a sentence for people: why the camera `source` is read without a stored calibration.

    The virtual camera needs none; otherwise none is stored (`stored` is None), or `stored` belongs to another camera.
    """
    if source.strip() == "virtual":
        return "The virtual camera knows its own tray."
    if stored is None:
        return NOT_CALIBRATED
    return f"Calibrated for the camera {stored.camera!r}, not for {source!r}. {NOT_CALIBRATED}"


def _health(stored: Stored, misfit_wh: tuple[int, int] | None, camera: Camera) -> tuple[bool, str]:
    """Return whether a calibration fits the camera's frames and the camera's sensor, and a sentence that tells people.

    `misfit_wh` is the size in pixels of a frame that the calibration does not fit; None if all have fitted so far. A
    sensor that is unknown, now or in the calibration, counts as fitting.
    """
    again = "Run `pegpip calibrate` again."
    if misfit_wh is None:
        field = camera.field if isinstance(camera, SensorCamera) else None
        if field is not None and stored.sensor not in (None, field.model):
            says = f"The camera's sensor is {field.model!r}, the calibration is for {stored.sensor!r}."
            return False, f"{says} Readings may be wrong. {again}"
        return True, _calibrated(stored)
    seen, meant = (f"{width} x {height}" for width, height in (misfit_wh, stored.size_wh))
    return False, f"The camera gives {seen}, the calibration is for {meant}. Dice are read without it. {again}"


def _calibrated(stored: Stored) -> str:
    """Return a sentence that says when and for what a calibration was made, and what of it could be better."""
    width, height = stored.size_wh
    left = f" Left to better: {', '.join(stored.advice)}." if stored.advice else ""
    return f"Calibrated {stored.made}: {width} x {height}, dice of {stored.rig.die_mm:g} mm.{left}"
