"""Measures the reader of the calibrated tray on rendered pictures, by condition: `make rendered`.

Only pictures that were misread or doubted are stored, with the reading drawn over them.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cv2

from vision.images.annotating import annotated
from vision.networks import Networks, load_networks
from vision.reading.reader import Reader
from vision.reading.reading import FrameBGR
from vision.research.evaluation.conditions import CONDITIONS, picture

MAX_STORED = 12
"""Most pictures of failed readings that are stored for one condition. Wrong readings that were trusted are stored
beyond it, too. Higher: more pictures to look through, more files."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one picture was read.

    Attributes:
        condition: Index of its condition.
        seed: Its seed.
        true: The true values, sorted.
        read: The values that were read, sorted.
        doubt: The reading's doubt; None if it is trusted.
        read_ms: Time of the reading, in milliseconds.
    """

    condition: int
    seed: int
    true: tuple[int, ...]
    read: tuple[int, ...]
    doubt: str | None
    read_ms: float

    @property
    def exact(self) -> bool:
        """Whether all values were read right."""
        return self.true == self.read

    @property
    def failed(self) -> bool:
        """Whether the picture was misread or doubted."""
        return not self.exact or self.doubt is not None

    @property
    def wrong_while_trusted(self) -> bool:
        """Whether a trusted reading has wrong values (a false accept)."""
        return self.doubt is None and not self.exact


def outcome(job: tuple[int, int, Path | None]) -> Outcome:
    """Render one picture of dice in the tray, read it, and return how it was read.

    `job` is the index into CONDITIONS, the seed, and a folder or None. A picture that was misread or doubted is stored
    in the folder, with the reading drawn over it. At most MAX_STORED are stored for a condition, but every wrong
    reading that was trusted is.
    """
    condition, seed, folder = job
    shown = picture(CONDITIONS[condition], seed)
    reader = Reader(_networks(), shown.rig)
    began = time.perf_counter()
    reading = reader.read(shown.image_bgr)
    took_ms = (time.perf_counter() - began) * 1000
    result = Outcome(condition, seed, shown.values, reading.values, reading.doubt, took_ms)
    if folder is not None and result.failed:
        _keep(result, annotated(shown.image_bgr, reading), folder)
    return result


@cache
def _networks() -> Networks:
    """Load the networks once per process and return them."""
    return load_networks()


def _keep(result: Outcome, drawn_bgr: FrameBGR, folder: Path) -> None:
    """Store the picture of a failure in a folder, up to `MAX_STORED` per condition; false accepts always."""
    about = CONDITIONS[result.condition].name.replace(", ", "-").replace(" ", "_")
    if result.wrong_while_trusted or len(list(folder.glob(f"{about}-*.jpg"))) < MAX_STORED:
        sort = "WRONG" if result.wrong_while_trusted else "doubted" if result.exact else "misread"
        cv2.imwrite(str(folder / f"{about}-{result.seed}-{sort}.jpg"), drawn_bgr, [cv2.IMWRITE_JPEG_QUALITY, 85])


def measured(each: int, first: int, folder: Path | None, workers: int) -> Iterator[Outcome]:
    """Render and read `each` pictures of every condition, from seed `first` on; yield each outcome when it is ready.

    With a folder, pictures that were misread or doubted are stored in it, as `outcome` says. `workers` is the number of
    processes.
    """
    jobs = [(condition, first + n, folder) for n in range(each) for condition in range(len(CONDITIONS))]
    with multiprocessing.get_context("spawn").Pool(workers, cv2.setNumThreads, (1,)) as pool:
        yield from pool.imap_unordered(outcome, jobs, chunksize=4)


def table(outcomes: list[Outcome]) -> str:
    """Return a text table of the outcomes by condition and in all, then a line for each failed picture.

    Columns: pictures, exact, trusted, wrong while trusted, and median time in ms.
    """
    rows = [f"{'':20}{'pictures':>9}{'exact':>9}{'trusted':>9}{'wrong while trusted':>21}{'ms':>8}"]
    groups = [(c.name, [o for o in outcomes if o.condition == i]) for i, c in enumerate(CONDITIONS)]
    for name, group in [*groups, ("all", outcomes)]:
        if group:
            exact = sum(o.exact for o in group) / len(group)
            trusted = sum(o.doubt is None for o in group) / len(group)
            wrong = sum(o.wrong_while_trusted for o in group)
            median = sorted(o.read_ms for o in group)[len(group) // 2]
            rows.append(f"{name:20}{len(group):9}{exact:9.1%}{trusted:9.1%}{wrong:21}{median:8.0f}")
    rows.append("\nfailed (condition, seed: true, read, doubt)")
    rows += [
        f"{'!' if o.wrong_while_trusted else ' '} {CONDITIONS[o.condition].name}, {o.seed}: "
        f"{_row(o.true)}, {_row(o.read)}, {o.doubt}"
        for o in sorted(outcomes, key=lambda o: (o.condition, o.seed))
        if o.failed
    ]
    return "\n".join(rows)


def _row(values: tuple[int, ...]) -> str:
    """Return the values as a string of digits; `none` if there are none."""
    return "".join(str(value) for value in values) or "none"


def main() -> int:
    """Render pictures, read them and print a table by condition; return 1 if a wrong reading was trusted, else 0."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=170, help="pictures of each of the twelve conditions")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--failures", type=Path, help="a folder for annotated pictures of what failed")
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    if args.failures is not None:
        args.failures.mkdir(parents=True, exist_ok=True)
    outcomes: list[Outcome] = []
    for one in measured(args.each, args.first, args.failures, args.workers):
        outcomes.append(one)
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{len(outcomes)} of {args.each * len(CONDITIONS)} ")
    sys.stdout.write(table(outcomes) + "\n")
    return int(any(one.wrong_while_trusted for one in outcomes))


if __name__ == "__main__":
    sys.exit(main())
