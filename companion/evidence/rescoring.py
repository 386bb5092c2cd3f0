"""Reads stored throws again with today's reader, and compares them with what stands and with what the table read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from companion.errors import DeviceError
from companion.evidence.folder import PackageFolder, read_calibration, read_package
from companion.evidence.package import Package
from companion.history.accuracy import CameraThrow, camera_throws, upper_bound
from companion.history.export import PastGames
from companion.table.journal import entries_at
from vision.geometry.rig import Rig, has_keep_zone, place
from vision.networks import Networks
from vision.reading.reader import Reader
from vision.reading.reading import Reading
from vision.watching.agreement import agreed


@dataclass(frozen=True, slots=True, eq=False)
class StoredThrow:
    """A throw that stands in the journal, its package, and the calibration that it was read with, if any."""

    camera_throw: CameraThrow
    package: Package
    rig: Rig | None

    @property
    def at_table(self) -> Reading:
        """Reading of the stored throw at the table, from the record in its package."""
        return self.package.record.reading

    def exact(self, reading: Reading) -> bool:
        """Return whether a reading gives the values that the journal has for this throw, in any order.

        Dice in the keep zone are ignored. On a tray without a keep zone any further dice are allowed, because dice that
        were set aside lie among the thrown ones.
        """
        thrown, _ = place(reading, self.rig)
        read, stands = Counter(each.die.value for each in thrown), Counter(self.camera_throw.values)
        return read == stands or (not has_keep_zone(self.rig) and stands <= read)


@dataclass(frozen=True, slots=True, eq=False)
class Rescored:
    """A stored throw and its reading by today's reader."""

    throw: StoredThrow
    now: Reading

    @property
    def changed(self) -> bool:
        """Whether the new reading has other values than the one at the table, or only one of them is trusted."""
        was = self.throw.at_table
        return self.now.values != was.values or self.now.trusted != was.trusted

    @property
    def caught(self) -> bool:
        """Whether a person's answer caught the wrong reading at the table.

        True if the new reading is trusted but wrong, equals the reading at the table, and the table asked a person
        about that. A table asks even about a trusted reading if no throw can have that many dice: one die may cover
        another.
        """
        wrong = self.now.trusted and not self.throw.exact(self.now)
        return wrong and not self.changed and not self.throw.camera_throw.accepted

    @property
    def differs(self) -> bool:
        """Whether the new reading has changed from the one at the table, or differs from the values in the journal."""
        return self.changed or not self.throw.exact(self.now)

    def record(self) -> dict[str, Any]:
        """Return the throw as JSON, for a line of `pegpip rescore --json`.

        Returns:
            `throw`: the throw's number. `stands`: the journal's values. `source`: who gave them. `was`: the reading
            at the table. `now`: the new reading; both have `values`, `trusted` and `doubt`. `exact`: whether the thrown
            dice in `now` have the journal's values (`StoredThrow.exact`). `changed`: whether `now` differs from `was`
            in values or trust.
        """
        stands, was, now = self.throw.camera_throw, self.throw.at_table, self.now
        return {
            "throw": stands.throw,
            "stands": list(stands.values),
            "source": stands.source,
            "was": {"values": list(was.values), "trusted": was.trusted, "doubt": was.doubt},
            "now": {"values": list(now.values), "trusted": now.trusted, "doubt": now.doubt},
            "exact": self.throw.exact(now),
            "changed": self.changed,
        }


def stored_throws(
    folder: Path, since: str | None = None, dice: str | None = None, refuse: Callable[[str], None] = lambda _why: None
) -> Iterator[StoredThrow]:
    """Yield each throw that the camera read, that was not taken back, and that has a package; oldest first.

    A package is a file with the throw's pictures and how they were read.

    Args:
        folder: Data folder.
        since: Earliest month to include, such as `2026-11`, by the start of the throw's game in UTC; None for all.
        dice: Name of the set of dice to include; None for all.
        refuse: Called with the reason for each skipped package: it is damaged, or does not match the throw's
            journal entry or calibration.

    Raises:
        DeviceError: The journal can't be read.
    """
    files, rigs = PackageFolder(folder, 0).files(), dict[Path, Rig | None]()
    for stands in camera_throws(PastGames(folder), folder):
        file = files.get(stands.throw)
        if file is None or (since is not None and stands.month < since) or dice not in (None, stands.dice):
            continue
        try:
            package = read_package(file)
            entry = next(iter(entries_at(folder, [stands.entry])), None)
            if entry is None or entry.body.get("photo") != package.record.photo:
                reason = f"The throw package {file} does not belong to entry {stands.entry} of the journal."
                raise DeviceError(reason, "Delete it.")
            if file.parent not in rigs:
                rigs[file.parent] = read_calibration(file.parent, package.record.calibration)
            yield StoredThrow(stands, package, rigs[file.parent])
        except DeviceError as refused:
            refuse(str(refused))


def rescored(throws: Iterator[StoredThrow], networks: Networks, refuse: Callable[[str], None]) -> Iterator[Rescored]:
    """Read the pictures of stored throws again with these networks, and yield each throw with its new reading.

    A yielded throw keeps its pictures only if its `Rescored.differs`: the values or the trust changed since the table's
    reading, or the values are not the journal's. So thousands of throws fit in memory. `refuse` is called with the
    reason for each throw that is skipped: a picture is damaged or does not have its calibration's size.
    """
    readers = dict[int, Reader]()
    for throw in throws:
        if id(throw.rig) not in readers:
            readers[id(throw.rig)] = Reader(networks, throw.rig)
        try:
            pictures = throw.package.pictures()
        except DeviceError as damaged:
            refuse(str(damaged))
            continue
        if throw.rig is not None and not all(throw.rig.fits(picture) for picture in pictures):
            number = throw.camera_throw.throw
            refuse(f"The pictures of throw {number} have another size than its calibration: delete them.")
            continue
        expect = throw.package.record.expect
        again = Rescored(throw, agreed([readers[id(throw.rig)].read(picture, expect) for picture in pictures]))
        bare = replace(throw, package=replace(throw.package, jpegs=()))
        yield again if again.differs else replace(again, throw=bare)


def summary(throws: Sequence[Rescored], refused: Sequence[str]) -> dict[str, Any]:
    """Return the counts of a rescoring as JSON.

    - `throws`: all throws; `exact`: new readings that give the journal's values; `trusted`: new ones without a doubt.
    - `caught`: new readings that are trusted and wrong, but equal the table's reading, about which a person was asked.
    - `false_accepts`: all other new readings that are trusted and wrong.
    - `false_accepts_at_most`: 95 % upper bound of their rate, 0 to 1, among trusted readings that are not `caught`.
    - `doubts`: each doubt -> its count.
    - `changed`: new readings that differ from the table's in values or trust.
    - `refused`: the reasons of skipped packages.
    """
    trusted = [each for each in throws if each.now.trusted]
    caught = sum(each.caught for each in trusted)
    wrong = sum(not each.throw.exact(each.now) for each in trusted) - caught
    return {
        "throws": len(throws),
        "exact": sum(each.throw.exact(each.now) for each in throws),
        "trusted": len(trusted),
        "false_accepts": wrong,
        "false_accepts_at_most": round(upper_bound(wrong, len(trusted) - caught), 6),
        "caught": caught,
        "doubts": dict(Counter(str(each.now.doubt) for each in throws if each.now.doubt is not None)),
        "changed": sum(each.changed for each in throws),
        "refused": list(refused),
    }
