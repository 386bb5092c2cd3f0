"""The report of a first evening: typed answers, the page and the zip of its findings, also after Ctrl-C."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from click import UsageError
from click.testing import CliRunner, Result
from rich.console import Console

from companion.commands.doctor import command
from companion.diagnostics.first_evening import holding, steps
from companion.diagnostics.first_evening.evening import JudgedThrow, Values
from companion.diagnostics.first_evening.holding import PAGE, ZIP, Screen, hold, write
from companion.diagnostics.first_evening.page import page
from companion.diagnostics.first_evening.people import Agreeable, TerminalPerson
from companion.diagnostics.first_evening.steps import Step
from companion.diagnostics.health import Finding
from companion.errors import DeviceError
from companion.settings import last_good
from companion.settings.load import Settings
from tests.diagnostics.guided import BROKEN, FilmCamera, QuickCamera, Someone, Table, is_ill, told


def test_after_ctrl_c_the_first_evening_report_has_results_and_the_steps_not_done(table: Table, tmp_path: Path) -> None:
    table.person = Someone(leaves_after=1)
    evening = table.held(throws_wanted=5)
    assert evening.stopped
    assert told(evening, "throws").says.startswith("1 throw: 1 read right")
    assert evening.not_done == ["Throws", "LEDs", "Buttons", "Sound", "Phones", "Temperature and power"]
    page, _ = write(evening, tmp_path / "out", datetime(2026, 11, 24, 20, 15, tzinfo=UTC))
    assert "Stopped early" in page.read_text()
    assert "Not done: Throws, LEDs" in page.read_text()


def test_first_evening_check_stopped_at_its_start_reports_that_nothing_was_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(holding, "hold", lambda evening, _screen: setattr(evening, "stopped", True))
    done = doctor(tmp_path, "--yes", "--throws", "1", "--out", str(tmp_path / "report"))
    assert "Stopped early. Nothing was checked." in done.output
    verdict = (tmp_path / "report" / PAGE).read_text()
    assert "Stopped early" in verdict
    assert "all is well" not in verdict


class Impatient(Screen):
    """A screen on which a person presses Ctrl-C as a step begins or ends, or as a fault is shown."""

    def __init__(self, at: str, step: str) -> None:
        super().__init__(Console(file=StringIO()))
        self._when = at, step

    def begin(self, step: Step) -> None:
        super().begin(step)
        self._leave("begin", step.title)

    def end(self, step: Step) -> None:
        self._leave("end", step.title)
        super().end(step)

    def found(self, finding: Finding) -> None:
        super().found(finding)
        self._leave("found", "" if finding.ok else finding.part)

    def _leave(self, *where: str) -> None:
        if where == self._when:
            raise KeyboardInterrupt


@pytest.mark.parametrize(("at", "step"), [("begin", "LEDs"), ("found", "throws"), ("end", "Throws")])
def test_ctrl_c_between_first_evening_steps_keeps_the_results(table: Table, at: str, step: str) -> None:
    table.person = Someone(skips=("Frame rate",))
    evening = table.evening(open_camera=lambda _settings: FilmCamera([], BROKEN))
    hold(evening, Impatient(at, step))
    assert evening.stopped
    assert is_ill(evening, "throws", "unplugged")
    assert evening.not_done[-4:] == ["Buttons", "Sound", "Phones", "Temperature and power"]
    assert evening.not_done.count("LEDs") == 1


def test_first_evening_report_into_an_unwritable_folder_is_a_device_error(table: Table, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DeviceError, match="--out"):
        write(table.held(), tmp_path / "file" / "out", datetime(2026, 11, 24, tzinfo=UTC))


def test_first_evening_report_page_lists_a_throw_in_which_no_dice_were_read(table: Table) -> None:
    evening = table.held()
    evening.throws.append(JudgedThrow((), (3, 4), "dim", b"a picture"))
    assert "Read no dice; 3 4 lay there. The table asked (dim)." in page(evening, "today", ZIP)


def test_first_evening_with_an_unwritable_report_path_is_refused_at_start(tmp_path: Path) -> None:
    """And not when twenty minutes of it are over."""
    (tmp_path / "file").write_text("")
    done = doctor(tmp_path, "--yes", "--throws", "3", "--out", str(tmp_path / "file" / "report"))
    assert isinstance(done.exception, DeviceError)
    assert "--out" in str(done.exception)
    assert "camera" not in done.output


@pytest.mark.parametrize("words", [("--json",), ("--photos",), ("--bundle", "report.zip")])
def test_doctor_refuses_first_evening_with_json_photos_or_bundle(words: tuple[str, ...], tmp_path: Path) -> None:
    done = doctor(tmp_path, "--yes", "--throws", "1", "--out", str(tmp_path / "report"), *words)
    assert isinstance(done.exception, UsageError)
    assert not (tmp_path / "report").exists()


def test_first_evening_check_report_and_zip_hold_findings_but_no_wifi_password(table: Table, tmp_path: Path) -> None:
    table.settings = {"table": {"name": "<b>Plough</b>"}, "web": {"wifi_password": "six of one"}}
    table.person = Someone(misreads=True)
    page, packed = write(table.held(), tmp_path / "out", datetime(2026, 11, 24, 20, 15, tzinfo=UTC))
    text = page.read_text()
    assert "First evening of &lt;b&gt;Plough" in text
    assert "24 November 2026, 20:15" in text
    assert "Calibrate again (<code>pegpip calibrate</code>)" in text
    assert "http" not in text, "the page needs no other file"
    with zipfile.ZipFile(packed) as archive:
        assert {PAGE, "settings.json", "doctor.jsonl", "first-evening.json", "throws/1.jpg"} <= set(archive.namelist())
        result = json.loads(archive.read("first-evening.json"))
        assert all(b"six of one" not in archive.read(name) for name in archive.namelist())
    assert [throw["lay"] for throw in result["throws"]] == [[6, 6, 6], [6, 6, 6]]
    assert len(result["readings_ms"]) >= 6


@contextmanager
def typing(*lines: str) -> Iterator[TerminalPerson]:
    with CliRunner().isolation(input="".join(f"{line}\n" for line in lines)):
        yield TerminalPerson(nullcontext)


@pytest.mark.parametrize(
    ("typed", "lay", "enough"),
    [
        ([""], (1, 4), False),
        (["6 2 2"], (2, 2, 6), False),
        (["622"], (2, 2, 6), False),
        (["what?", "7", "3"], (3,), False),
        (["x"], None, False),
        (["q"], None, True),
    ],
)
def test_a_typed_first_evening_answer_confirms_corrects_or_skips_a_throw(
    typed: list[str], lay: Values | None, enough: bool
) -> None:
    with typing(*typed) as person:
        assert person.judges((1, 4), "count", FilmCamera([])) == lay
        assert person.enough_throws is enough


def test_first_evening_takes_enter_as_yes_n_as_no_s_as_skip_eof_as_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    """The end of the input counts as Ctrl-C."""
    with typing("", "n", "s", "") as person:
        assert person.agrees("Right?")
        assert not person.agrees("Right?")
        assert not person.begins("LEDs", "Look.")
        assert person.begins("LEDs", "Look.")
        printed: list[str] = []
        monkeypatch.setattr("click.echo", printed.append)
        person.throws(1, 2, FilmCamera([]))
        person.presses("bank")
        assert printed == ["1 of 2: throw.", "Press the button bank."]
        with pytest.raises(KeyboardInterrupt):
            person.agrees("Right?")  # the input has ended, as with Ctrl-C


def test_answering_q_to_did_you_throw_ends_the_first_evening_throws_without_counting_a_throw(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("companion.diagnostics.first_evening.steps.UNSEEN_TIMEOUT_S", 1.0)
    monkeypatch.setattr("companion.diagnostics.first_evening.people.throw_virtual_dice", lambda _camera: None)
    evening = table.evening(throws_wanted=2)
    with typing("q") as evening.person:
        assert list(steps.throws(evening, lambda _done, _of: None)) == []
    assert (evening.missed, evening.throws) == (0, [])


def doctor(tmp_path: Path, *words: str, more: str = "") -> Result:
    file = tmp_path / "pegpip.toml"
    file.write_text(f"[data]\ndir = '{tmp_path}'\n[web]\nhost = '127.0.0.1'\nport = 0\n{more}")
    given = ["--config", str(file), "--first-evening", "--camera", "virtual", *words]
    return CliRunner().invoke(command, given, standalone_mode=False)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.diagnostics.first_evening.evening.open_camera", lambda *_given: QuickCamera())
    monkeypatch.setattr("companion.diagnostics.network.own_addresses", lambda: ("192.0.2.7",))
    monkeypatch.setattr("companion.diagnostics.first_evening.steps.MAX_READING_S", 600.0)  # this machine may be busy


def test_a_first_evening_demonstration_exits_0_and_writes_page_and_zip(quick: None, tmp_path: Path) -> None:
    done = doctor(tmp_path, "--yes", "--throws", "3", "--out", str(tmp_path / "report"))
    assert done.exception is None, done.output
    assert done.return_value == 0, done.output
    assert "✗" not in done.output
    (throws,) = (line for line in done.output.splitlines() if "throws 3 throws" in line)
    assert throws.endswith("0 wrong, 0 not seen.")
    assert {path.name for path in (tmp_path / "report").iterdir()} == {PAGE, ZIP}
    assert "read right" in (tmp_path / "report" / PAGE).read_text()


def test_writing_the_first_evening_report_replaces_a_symlink_but_not_its_target(table: Table, tmp_path: Path) -> None:
    """Root may write it into the folder of the table's user."""
    (tmp_path / "out").mkdir()
    (tmp_path / "others").write_text("theirs")
    (tmp_path / "out" / PAGE).symlink_to(tmp_path / "others")
    page, _ = write(table.held(), tmp_path / "out", datetime(2026, 11, 24, 20, 15, tzinfo=UTC))
    assert (tmp_path / "others").read_text() == "theirs"
    assert "<html" in page.read_text()


def test_the_first_evening_check_prints_an_invalid_setting_as_a_failed_check(quick: None, tmp_path: Path) -> None:
    last_good.keep(tmp_path, Settings())
    done = doctor(tmp_path, "--yes", "--throws", "1", more="streams = 'many'\n")
    assert "✗ settings [web] `streams` = 'many'" in " ".join(done.output.split())


def test_ctrl_c_in_the_first_evening_check_exits_130_and_writes_the_zip(
    quick: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def leave(*_given: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Agreeable, "judges", leave)
    done = doctor(tmp_path, "--yes", "--throws", "3")
    assert done.return_value == 130
    assert (tmp_path / "first-evening" / ZIP).exists()


@pytest.mark.browser
def test_the_first_evening_report_fits_phone_and_pc_and_loads_nothing_from_the_web(
    table: Table, tmp_path: Path, chromium: Any
) -> None:
    table.person = Someone(misreads=True)
    page, _ = write(table.held(), tmp_path / "out", datetime(2026, 11, 24, 20, 15, tzinfo=UTC))
    for width, height in ((390, 844), (1280, 720)):
        shown = chromium.new_page(viewport={"width": width, "height": height})
        asked: list[str] = []
        shown.on("request", lambda request, asked=asked: asked.append(request.url))
        shown.goto(page.as_uri())
        assert shown.evaluate("document.documentElement.scrollWidth") == width
        assert shown.locator(".verdict").inner_text().startswith("1 thing to see to")
        assert shown.locator(".squares i.wrong").count() == 2
        assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
        shown.close()
