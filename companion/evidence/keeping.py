"""Keeps the package of each throw while the table plays, on a thread of its own that gives way to everything else.

The observer offers each reading, and the table's snapshots tell which of them became a throw. One offer waits at most:
if the thread is behind, a throw has no package, and `health` says how many.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import msgspec

from companion.errors import DeviceError, counted
from companion.evidence.folder import PackageFolder
from companion.evidence.package import COMPRESSED, NEAR_LOSSLESS, Package, ThrowRecord, calibration_bytes
from companion.evidence.taught import TaughtSets
from companion.history.review import matched_values
from companion.table.photos import Photos, digest_of
from companion.table.snapshot import News, Snapshot, Thrown
from vision.calibration.store import calibration_of_bytes
from vision.geometry.floor import Floor
from vision.geometry.rig import Rig, has_keep_zone, place
from vision.images.loading import jpeg
from vision.reading.reading import Box
from vision.watching.watcher import Settled

log = logging.getLogger(__name__)

PAGE_FIRST_S = 0.3
"""Pause in seconds before the evidence thread encodes a tray reading, so that board and pages show the throw first.
Higher: its throw package is written later, and more readings are skipped. Lower: encoding delays the pages."""
MAX_HELD = 6
"""Most camera readings kept in memory, each encoded as a throw package (`Held`); one more drops the oldest. A throw
answered or corrected later gets its package from the kept reading. Higher: more memory. Lower: more such packages are
missing or stay as they were."""


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """An encoded reading: near-lossless and compressed, and the content of its calibration's file."""

    fine: Package
    small: Package
    calibration: bytes | None


class PackageKeeper:
    """Writes the packages of the throws that the table enters.

    Args:
        source: Camera in the settings, such as `opencv:0`; packages name its kind alone.
        packages: Folder of the packages.
        photos: Photos of the throws: a reading belongs to the throw that has its photo.
        versions: Returns the hash of each network's file; called on the thread.
        reader: Version of the program.
        give_way: Lowers the priority of the thread that calls it.
        taught: Sets of dice to which corrected and answered throws are added, or None.
        page_first_s: Seconds that a reading waits before it is encoded.
    """

    def __init__(
        self,
        source: str,
        packages: PackageFolder,
        photos: Photos,
        versions: Callable[[], Mapping[str, str]],
        reader: str,
        give_way: Callable[[], None] = lambda: None,
        taught: TaughtSets | None = None,
        page_first_s: float = PAGE_FIRST_S,
    ) -> None:
        self._camera = source.partition(":")[0]  # what follows may be a path with somebody's name
        self._packages, self._photos, self._versions, self._reader = packages, photos, versions, reader
        self._give_way, self._taught, self._page_first_s = give_way, taught, page_first_s
        self._changed = threading.Condition()
        self._offer: tuple[str, Settled] | None = None
        # Throws to write, each with the name of its set of dice, and whether it had other values before.
        self._entered: list[tuple[Thrown, str, bool]] = []
        self._heard: dict[int, Thrown] = {}  # throws of the last snapshot, by number
        self._held: dict[str, Held] = {}  # by hash of the photo; used on the thread alone
        self._calibration: tuple[Rig, bytes] | None = None
        self._skipped, self._kept, self._illness = 0, set[int](), ""
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the thread that writes throw packages, unless it is running."""
        if not self.alive():
            self._stopping.clear()
            self._thread = threading.Thread(target=self._run, name="evidence", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Let the thread write the packages of all throws that are queued (`hear`), and wait for the thread to end.

        Without a running thread nothing is written.
        """
        self._stopping.set()
        with self._changed:
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()

    def alive(self) -> bool:
        """Return whether the thread that writes throw packages runs."""
        return self._thread is not None and self._thread.is_alive()

    def health(self) -> tuple[bool, str]:
        """Return whether throw packages can be written, and a sentence for the page.

        From a disk error until a later write or deletion succeeds, the first value is False and the sentence is the
        error. Otherwise the sentence tells how many throws were kept since the start, and how many readings were
        skipped. With `evidence_percent` 0 it says that nothing is kept.
        """
        if self._illness:
            return False, self._illness
        if not self._packages.cap_bytes:
            return True, "not kept: evidence_percent is 0"
        missed = f"; {counted(self._skipped, 'reading')} came too fast to be kept" if self._skipped else ""
        return True, f"{counted(len(self._kept), 'throw')} kept since the start{missed}"

    def offer(self, settled: Settled, photo_jpeg: bytes) -> None:
        """Queue a reading of the tray to be encoded for a throw package, and return at once.

        Call this before the table gets the reading. A reading without dice is ignored. While an earlier reading waits,
        a new one is skipped, and `health` counts it. The hash of `photo_jpeg` identifies the throw later.
        """
        if not settled.reading.dice:
            return
        with self._changed:
            if self._offer is not None:
                self._skipped += 1
                return
            self._offer = digest_of(photo_jpeg), settled
            self._changed.notify()

    def hear(self, snapshot: Snapshot, _news: News) -> None:
        """Queue each photographed throw that is new or changed since the last snapshot, to write its package.

        The first call queues every photographed throw of the snapshot. The packages are written on the keeper's thread.
        """
        throws = {each.number: each for each in snapshot.throws if each.photo}
        new = [
            (each, snapshot.terms.dice, was is not None and was.values != each.values)
            for number, each in throws.items()
            if (was := self._heard.get(number)) != each
        ]
        self._heard = throws
        if new:
            with self._changed:
                self._entered += new
                self._changed.notify()

    def _run(self) -> None:
        """Encode offered readings, and write a package for each throw whose reading is still held, until `stop`.

        A package is a file with a throw's pictures and how they were read.

        - If a person gave a throw's values, and its set of dice is taught, its dice become examples of that set.
        - If a throw is corrected after its reading was dropped, its examples are deleted.
        - While `cap_bytes` is 0, nothing is encoded or taught, and all packages are deleted.
        - Disk errors are logged.
        """
        self._give_way()
        self._prune()  # the space may have changed since the last run
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._offer or self._entered or self._stopping.is_set())
                if not self._offer and not self._entered:
                    return
            self._stopping.wait(self._page_first_s)
            with self._changed:
                (offer, self._offer), (entered, self._entered) = (self._offer, None), (self._entered, [])
            if not self._packages.cap_bytes:
                self._held.clear()
                self._prune()
            elif offer is not None:
                self._held[offer[0]] = self._encoded(*offer)
                while len(self._held) > MAX_HELD:
                    del self._held[next(iter(self._held))]
            del offer  # would keep its frames in memory until the next one
            for thrown, dice, corrected in entered:
                held = self._held.get(digest_of(self._photos.jpeg(thrown.number) or b""))
                try:
                    if held is not None:
                        self._write(thrown, held)
                        self._learn(thrown, held, dice)
                    elif corrected and self._taught is not None:  # its labels can't be put right
                        self._taught.unlearn(dice, thrown.number)
                except DeviceError as refused:
                    log.warning("%s", refused)

    def _learn(self, thrown: Thrown, held: Held, dice: str) -> None:
        """Add a throw's dice to the examples of the taught set `dice`, if a person gave the throw's values.

        Earlier examples of the throw are replaced. Nothing happens if the camera gave the values, or if the set is not
        taught. `matched_values` assigns the values to the dice that were read in the throw zone.

        - Dice that were not read, ambiguous dice, and dice in the keep zone are left out.
        - A surplus die (`NO_DIE`) is an example of no die. On a tray without a keep zone it is left out, too: a person
          may have set it aside.

        Raises DeviceError if the disk refuses, or the picture is damaged.
        """
        if self._taught is None or thrown.source == "camera" or not self._taught.knows(dice):
            return
        reading, rig = held.fine.record.reading, None
        if held.calibration is not None:
            rig = calibration_of_bytes(held.calibration, "the calibration").rig
        loose = [each.die for each in place(reading, rig)[0] if each.die.value is not None]
        apart = matched_values([die.value or 0 for die in loose], thrown.values)
        values = {die.box_xywh: value for die, value in zip(loose, apart, strict=True) if value or has_keep_zone(rig)}
        labels = [values.get(die.box_xywh) for die in reading.dice]
        self._taught.learn(dice, held.fine.pictures()[-1], reading, labels, rig, thrown.number)

    def _write(self, thrown: Thrown, held: Held) -> None:
        """Write the package of a throw: near-lossless after a correction or a reading in doubt, else compressed.

        The package gets the throw's number. A package that the folder's cap leaves no room for is not kept. An OSError
        is logged, and `health` reports it.
        """
        package = held.fine if thrown.source == "corrected" or held.fine.record.doubt else held.small
        record = msgspec.structs.replace(package.record, throw=thrown.number)
        with self._disk():
            if self._packages.keep(replace(package, record=record), held.calibration):
                self._kept.add(thrown.number)

    def _prune(self) -> None:
        """Delete the oldest packages beyond the cap."""
        with self._disk():
            self._packages.prune()

    @contextlib.contextmanager
    def _disk(self) -> Iterator[None]:
        """Context manager: log an OSError instead of raising it. `health` reports it until a later use succeeds."""
        try:
            yield
            self._illness = ""
        except OSError as refused:
            ill = DeviceError(
                f"Packages of throws can't be kept in {self._packages.path} ({refused.strerror}).",
                "Free some space or make the folder writable; the table plays on without them.",
            )
            self._illness = str(ill)
            log.warning("%s", ill)

    def _encoded(self, photo: str, settled: Settled) -> Held:
        """Encode a reading as a near-lossless and a compressed package, with its calibration's file if there is one.

        A package is a record and JPEG pictures, cropped to the tray if that is calibrated. The near-lossless one has
        every frame of a reading in doubt, else the one frame that was read. The compressed one has only the last. The
        record's throw number is 0 until `_write` sets it. `photo` is the hash of the reading's photo.
        """
        rig, calibration, offset = settled.rig, None, (0, 0)
        frames = [frame.image_bgr for frame in settled.doubted_frames or (settled.frame,)]
        if rig is not None:
            left, top, right, bottom = Floor.of(rig).box
            frames, offset = [frame[top:bottom, left:right] for frame in frames], (left, top)
            if self._calibration is None or self._calibration[0] is not rig:
                self._calibration = rig, calibration_bytes(self._camera, rig)
            calibration = self._calibration[1]

        def moved(box: Box) -> Box:
            return box[0] - offset[0], box[1] - offset[1], box[2], box[3]

        reading = settled.reading
        record = ThrowRecord(
            throw=0,
            photo=photo,
            camera=self._camera,
            calibration=None if calibration is None else digest_of(calibration),
            expect=settled.expected,
            networks=dict(self._versions()),
            reader=self._reader,
            doubt=reading.doubt,
            dice=tuple(replace(die, box_xywh=moved(die.box_xywh)) for die in reading.dice),
            candidates=tuple(replace(each, box_xywh=moved(each.box_xywh)) for each in reading.candidates),
        )
        fine = Package(record, tuple(jpeg(frame, *NEAR_LOSSLESS) for frame in frames))
        return Held(fine, Package(record, (jpeg(frames[-1], *COMPRESSED),)), calibration)
