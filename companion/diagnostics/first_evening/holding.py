"""Holds a first evening: step after step with a progress bar, then writes the page and the zip, however it ended."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

import msgspec
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from companion.diagnostics import bundle
from companion.diagnostics.first_evening.evening import Evening
from companion.diagnostics.first_evening.page import page
from companion.diagnostics.first_evening.steps import STEPS, Step
from companion.diagnostics.health import Finding
from companion.errors import CompanionError, DeviceError, explained
from companion.table.atomic import write_file

PAGE, ZIP = "first-evening.html", "first-evening.zip"
"""File names of the two results of the guided check of a new table: the HTML page, and the zip to send to helpers."""


class Screen:
    """Progress bars of the whole evening and of the present step, with findings printed above them.

    `bar` is a context manager that shows both.
    """

    def __init__(self, console: Console) -> None:
        columns = (TextColumn("{task.description:24}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"))
        self.bar = Progress(*columns, TimeElapsedColumn(), console=console, transient=True)
        self._whole = self.bar.add_task("first evening", total=sum(step.minutes for step in STEPS))
        self._step = self.bar.add_task("", total=1, visible=False)

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Context manager: hide the progress bars, so that a question can be asked; show them again at the end."""
        self.bar.stop()
        try:
            yield
        finally:
            self.bar.start()

    def begin(self, step: Step) -> None:
        """Show the title of a step that begins, with an empty bar."""
        self.bar.reset(self._step, description=step.title, total=1, visible=True)

    def report_progress(self, done: int, of: int) -> None:
        """Set the step's progress bar to `done` of `of`."""
        self.bar.update(self._step, completed=done, total=of)

    def end(self, step: Step) -> None:
        """Advance the bar of the whole evening by the minutes of a step that was made or skipped."""
        self.bar.advance(self._whole, step.minutes)

    def found(self, finding: Finding) -> None:
        """Print a finding above the bars."""
        mark, style = ("✗", "red") if not finding.ok else ("○", "yellow") if finding.simulated else ("✓", "green")
        cure = f"\n    -> {finding.cure}" if finding.cure else ""
        line = Text.assemble((mark, style), " ", (finding.part, "bold"), " ", finding.says, cure)
        self.bar.console.print(line, highlight=False)


def hold(evening: Evening, screen: Screen) -> None:
    """Run every step of the guided check of a new table (`pegpip doctor --first-evening`) with a person.

    Findings are stored in `evening` and shown on `screen`. A CompanionError of a step becomes a failed finding. Ctrl-C
    ends the check and keeps the results. `evening.not_done` lists steps skipped, interrupted or not reached.
    """
    with screen.bar:
        for number, step in enumerate(STEPS):
            try:
                _take(step, evening, screen)
            except KeyboardInterrupt:
                evening.stopped = True
            if evening.stopped:
                evening.not_done += [later.title for later in STEPS[number:]]
                return


def _take(step: Step, evening: Evening, screen: Screen) -> None:
    """Run one step of the guided check, unless the person skips it; show its progress and findings on `screen`.

    Only a step that needs a person can be skipped; its title is then added to `evening.not_done`. Before the step, the
    processor's temperature is noted in `evening`. Findings are added to `evening.findings`. A CompanionError of the
    step becomes a failed finding. Ctrl-C raises KeyboardInterrupt.
    """
    screen.begin(step)
    skipped = False
    try:
        skipped = bool(step.what) and not evening.person.begins(step.title, step.what)
        if not skipped:
            evening.note_temperature()
            for finding in step.run(evening, screen.report_progress):
                evening.findings.append(finding)
                screen.found(finding)
    except CompanionError as ill:
        error = ill if isinstance(ill, DeviceError) else DeviceError(str(ill), "Correct the settings.")
        evening.findings.append(Finding.ill(step.title.lower(), error))
        screen.found(evening.findings[-1])
    screen.end(step)
    if skipped:
        evening.not_done.append(step.title)


def write(evening: Evening, folder: Path, now: datetime) -> tuple[Path, Path]:
    """Write the page and the zip of a guided check into a folder, and return their paths: page, zip.

    The zip is a bug report (`bundle.write`) without the games' photos. It also has the page, all results as JSON, and
    the pictures of throws that were read wrong or in doubt. A missing folder is made, older files are replaced. The
    page shows `now`. Raises DeviceError if the disk refuses.
    """
    text = page(evening, f"{now:%d %B %Y, %H:%M}", ZIP).encode()
    result = {
        "findings": [asdict(finding) for finding in evening.findings],
        "throws": [{"read": throw.read, "lay": throw.lay, "doubt": throw.doubt} for throw in evening.throws],
        "missed": evening.missed,
        "readings_ms": [round(1000 * each, 1) for each in evening.readings_s],
        "frame_times_s": [round(each, 4) for each in evening.frame_times_s],
        "hottest_c": evening.hottest_c,
        "not_done": evening.not_done,
    }
    pictures = {f"throws/{number}.jpg": throw.jpeg for number, throw in enumerate(evening.throws, 1) if throw.jpeg}
    more = {PAGE: text, "first-evening.json": msgspec.json.format(msgspec.json.encode(result)), **pictures}
    with _writing(folder):
        write_file(folder / PAGE, (text,))
        bundle.write(folder / ZIP, evening.settings, evening.findings, photos=False, more=more)
    return folder / PAGE, folder / ZIP


def prepare(folder: Path) -> None:
    """Make the folder of the report, and raise DeviceError now rather than after the evening if it can't be written."""
    with _writing(folder), tempfile.TemporaryFile(dir=folder):
        pass


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    """Context manager: make the folder if it is missing; turn an error of the disk into a DeviceError with a cure."""
    with explained(f"The report can't be written to {folder}", "Name another folder with --out DIR."):
        folder.mkdir(parents=True, exist_ok=True)
        yield


def phones_joined() -> int | None:
    """Return how many devices are on this machine's Wi-Fi access point; None without an access point or `iw`."""
    names = [block.split()[0] for block in _iw("dev").split("Interface ")[1:] if "type AP" in block]
    if not names:
        return None
    return sum(
        line.startswith("Station") for name in names for line in _iw("dev", name, "station", "dump").splitlines()
    )


def _iw(*words: str) -> str:
    """Run the program `iw` and return its output; empty if it is missing or takes over 5 seconds."""
    try:
        return subprocess.run(("iw", *words), capture_output=True, text=True, timeout=5, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
