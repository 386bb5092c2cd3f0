"""`pegpip calibrate`: measures camera, tray and die from a printed sheet in the tray."""

from __future__ import annotations

import json
import time
from dataclasses import astuple, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from companion.commands import CONFIG, FILE, Number
from companion.errors import DeviceError, PictureError, SetupError
from companion.settings import load as config
from companion.table.atomic import write_file
from vision.cameras.opening import FORMS

if TYPE_CHECKING:
    from vision.calibration.procedure import Calibrated, Calibrating, Show
    from vision.calibration.solving import Plan, SheetView
    from vision.cameras import Camera
    from vision.reading.reading import Floats, FrameBGR

PREVIEW_EVERY_S = 1.0
"""Least seconds between two pictures written to the file of --preview. Shorter: newer pictures, more writing."""
DIE_WAIT_S = 20.0
"""Longest wait, in seconds, for the single die whose edge `pegpip calibrate` measures; after it 16 mm is assumed.
Longer: without a die, calibration ends later. Shorter: a person may be too slow to lay one."""


@click.command()
@click.option("--sheet", "sheet_file", type=FILE, metavar="FILE", help="Write the sheet, a .pdf.")
@click.option(
    "--paper", type=click.Choice(["a4", "letter"]), default="a4", show_default=True, help="Paper of the sheet."
)
@click.option(
    "--tray", default="320x240", show_default=True, metavar="WxH", help="Floor of the tray in mm, with the keep zone."
)
@click.option("--keep", type=Number(0, 1000), default=80.0, show_default=True, help="Width of the keep zone, mm.")
@click.option(
    "--bar",
    type=Number(50, 200),
    default=100.0,
    show_default=True,
    help="Measured length of the sheet's 100 mm bar, mm.",
)
@click.option(
    "--lens", type=Number(10, 150), help="Horizontal field of view in degrees; known for a Pi's camera. [default: 62.2]"
)
@click.option("--height", type=Number(100, 3000), help="Height of the lens over the floor in mm, in place of --lens.")
@click.option("--die", type=Number(8, 30), help="Edge of a die in mm; measured by default.")
@click.option(
    "--corners", nargs=4, metavar="X,Y X,Y X,Y X,Y", help="The tray's corners in pixels, instead of the sheet."
)
@click.option(
    "--preview", type=FILE, metavar="FILE", help="Write the newest picture with the detected marks there (.jpg)."
)
@click.option("--camera", help=f"One of {', '.join(FORMS)}.")
@click.option("--data", metavar="DIR", help="Data folder to store the calibration in.")
@CONFIG
@click.option(
    "--wait-s", type=Number(1, 3600), default=120.0, show_default=True, help="Longest wait for each step, in seconds."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object; instructions go to standard error.")
def command(
    sheet_file: Path | None,
    paper: str,
    settings_file: Path | None,
    as_json: bool,
    wait_s: float,
    die: float | None,
    **given: Any,
) -> int:
    """Measure where the camera hangs, where it sees the tray and keep zone, and the size of a die, for `pegpip play`.

    The result replaces the last one in the data folder. A table uses it from its next start on.

    First run `pegpip calibrate --sheet sheet.pdf` and print the sheet at 100 %. Then run `pegpip calibrate` and follow
    the instructions.
    """
    from companion.adapters.reader_setup import save_calibration
    from vision.calibration.solving import DEFAULT_LENS_DEG, Plan

    tray_mm = _tray(given["tray"], given["keep"])
    lens_deg = given["lens"] or DEFAULT_LENS_DEG
    plan = Plan(tray_mm, given["keep"], lens_deg, given["height"], given["bar"], die or 16.0)
    if sheet_file is not None:
        return _write_sheet(sheet_file, paper, plan, as_json=as_json)
    floor_to_px = _floor_to_px(given["corners"], plan) if given["corners"] else None
    over = {"camera": {"source": given["camera"]}, "data": {"dir": given["data"]}}
    settings = config.load(settings_file, {s: v for s, v in over.items() if None not in v.values()})
    try:
        show = _preview(given["preview"], plan)
        lens_told = given["lens"] is not None
        done = _calibrated(settings, plan, floor_to_px, show, wait_s, paper, measure=die is None, lens_told=lens_told)
        stored = done.stored(settings.camera.source, f"{datetime.now().astimezone():%Y-%m-%d %H:%M}")
        record = _record(done, stored.camera, str(save_calibration(settings.data.folder, stored)))
    except (DeviceError, PictureError) as ill:
        if not as_json:
            raise
        click.echo(json.dumps({"calibrated": False, "error": str(ill)}))
        return 1
    click.echo(json.dumps(record) if as_json else in_words(record))
    return 0


def in_words(record: dict[str, Any]) -> str:
    """Return a calibration record (see `_record`) as lines of text for people.

    The lines name the camera, picture size, die size, the lens's pose and field of view, what to improve, and the file.
    """
    (x, y, height), (wide_px, high_px) = record["camera_mm"], record["size_wh"]
    lens = f"{record['lens']['degrees']:g} degrees across{'' if record['lens']['measured'] else ' (not measured)'}"
    lines = [
        f"Calibrated: {record['camera']}, {wide_px} x {high_px}; dice of {record['die_mm']:g} mm.",
        f"The lens hangs {height:.0f} mm over ({x:.0f}, {y:.0f}), tilted by {record['tilt_deg']:.1f} degrees; {lens}.",
        *(f"To better: {advice['says']}" for advice in record["advice"]),
        f"Kept in {record['file']}. The table uses it from its next start on.",
    ]
    return "\n".join(lines)


def _calibrated(
    settings: config.Settings,
    plan: Plan,
    floor_to_px: Floats | None,
    show: Show,
    wait_s: float,
    paper: str,
    *,
    measure: bool,
    lens_told: bool,
) -> Calibrated:
    """Open the camera, guide a person through its calibration (sheet, empty tray, then die), and close it.

    Args:
        settings: Section [camera] names the camera.
        plan: What is known of tray, lens and die.
        floor_to_px: Homography of corners that a person marked; None to use the sheet.
        show: Called with each picture searched for the sheet.
        wait_s: Longest wait for each step, in seconds; for the die at most DIE_WAIT_S.
        paper: Paper of a simulated sheet, "a4" or "letter".
        measure: Whether to measure the die; if not, or on failure, the plan's size is used.
        lens_told: Whether the plan's angle of view replaces the camera's own.

    Raises:
        SetupError: There is no such camera.
        DeviceError: The camera fails before the die's step, or the sheet or the empty tray is not seen in time.
            Also raised if the lens's computed height is at most twice the die's edge.
    """
    from vision.calibration.procedure import Calibrating, calibrated
    from vision.cameras import SensorCamera
    from vision.cameras.opening import open_camera

    plan = replace(plan, mains_hz=settings.camera.mains_hz)
    camera = open_camera(settings.camera.source, settings.camera.dice, settings.camera.mains_hz)
    hands = _Hands(camera, plan, paper)
    try:
        camera.start()
        if isinstance(camera, SensorCamera) and camera.field:
            plan = replace(plan, sensor=camera.field.model)
            if not lens_told and camera.field.angle_deg:
                plan = replace(plan, lens_deg=camera.field.angle_deg)
                _say(f"{camera.field}.")
        steps = Calibrating(camera.frame, plan, _say, wait_s, show)
        if floor_to_px is None:
            hands.lay(steps)
            found = steps.focus(steps.sheet(), camera)
            hands.lift()
        else:
            found = steps.by_hand(floor_to_px)
        # Exposure is found anew, on the tray as it is played in: white paper would leave it too dark.
        camera.stop()
        camera.start()
        done = calibrated(found, plan, steps.empty_tray(), steps.lamp)
        if steps.lamp is not None:
            _say(f"Light: {steps.lamp}")
        if measure:
            hands.lay_die()
            done = _measured(Calibrating(camera.frame, plan, _say, min(wait_s, DIE_WAIT_S)), done)
        return done
    finally:
        camera.stop()


def _preview(to: Path | None, plan: Plan) -> Show:
    """Return a callback that saves a frame as the JPEG file `to`, with the found markers and the tray's zones drawn in.

    The callback does nothing if `to` is None, or less than PREVIEW_EVERY_S after a save. It raises PictureError if the
    file can't be written. `plan` gives the zones.
    """
    from vision.calibration.preview import drawn
    from vision.images.loading import save_jpeg

    due_s = 0.0

    def show(frame_bgr: FrameBGR, view: SheetView) -> None:
        nonlocal due_s
        if to is not None and time.monotonic() >= due_s:
            save_jpeg(drawn(frame_bgr, view, plan), to)
            due_s = time.monotonic() + PREVIEW_EVERY_S

    return show


def _measured(steps: Calibrating, done: Calibrated) -> Calibrated:
    """Measure the edge of the only die in the tray, print it in mm, and return `done` with the edge.

    If the edge is near a size in which dice are sold, that size is stored; the measured edge is printed. A failure is
    printed, and `done` is returned unchanged.
    """
    from vision.calibration.procedure import with_die

    try:
        edge_mm = steps.die_mm(done.rig)
    except DeviceError as ill:  # the calibration is whole without a measured die
        _say(str(ill))
        edge_mm = None
    if edge_mm is None:
        _say(f"No single die was seen: {done.rig.die_mm:g} mm is taken.")
        return done
    _say(f"The die measures {edge_mm:g} mm.")
    return with_die(done, edge_mm)


class _Hands:
    """Prints the instructions for a person's hands; with the virtual camera it carries them out itself."""

    def __init__(self, camera: Camera, plan: Plan, paper: str) -> None:
        from vision.cameras.simulated.camera import VirtualCamera

        self._virtual = camera if isinstance(camera, VirtualCamera) else None
        self._plan, self._paper = plan, paper

    def lay(self, steps: Calibrating) -> None:
        """Ask the person to lay the calibration sheet into the tray, without waiting for it.

        With the virtual camera, lay a simulated sheet into its tray instead. At each of four tilts `steps` detects the
        sheet in a frame, to measure the lens. At the end the sheet lies flat.
        """
        from companion.adapters.hands import lay_in
        from vision.calibration.procedure import LAY
        from vision.calibration.sheet import sheet

        if (virtual := self._virtual) is None:
            _say(LAY)
            return
        _say("The virtual camera has no hands: the sheet is laid into its simulated tray.")
        printed = sheet(self._paper, self._plan.tray_mm, self._plan.keep_mm)
        lay_in(virtual, printed, lambda: steps.detect(virtual.frame().image_bgr))

    def lift(self) -> None:
        """Ask the person to take the sheet out of the tray, without waiting; with the virtual camera, also do it."""
        from vision.calibration.procedure import LIFT

        _say(LIFT)
        if self._virtual is not None:
            self._virtual.lift_sheet()

    def lay_die(self) -> None:
        """Ask for one die in the tray, without waiting; with the virtual camera, also move one to the throw zone."""
        from vision.calibration.procedure import ONE_DIE

        _say(ONE_DIE)
        if self._virtual is not None:
            self._virtual.tray.move(0, (self._plan.tray_mm[0] - self._plan.keep_mm) / 2, self._plan.tray_mm[1] / 2)


def _write_sheet(to: Path, paper: str, plan: Plan, *, as_json: bool) -> int:
    """Write the calibration sheet for the tray of `plan` as a PDF file, print how to go on, and return exit status 0.

    With `as_json`, print the file's name as JSON instead. Raises SetupError if `to` is no .pdf or can't be written, or
    if the tray is too small.
    """
    from vision.calibration.markers import MIN_MARKERS
    from vision.calibration.sheet import pdf, sheet

    if to.suffix.lower() != ".pdf":
        raise SetupError([f"--sheet: {str(to)!r} must end in .pdf."])
    printed = sheet(paper, plan.tray_mm, plan.keep_mm)
    if len(printed.corners_mm) < MIN_MARKERS:
        width, height = plan.tray_mm
        raise SetupError([f"--tray {width:g}x{height:g} is too small for the sheet: mark its corners with --corners."])
    try:
        write_file(to, [pdf(printed)])
    except OSError as refused:
        raise SetupError([f"--sheet: {str(to)!r} can't be written ({refused.strerror}): name another place."]) from None
    told = f"{to}: print it at 100 % on {paper.upper()}; the bar on it must measure 100 mm. Then: pegpip calibrate"
    click.echo(json.dumps({"sheet": str(to)}) if as_json else told)
    return 0


def _record(done: Calibrated, camera: str, file: str) -> dict[str, Any]:
    """Return a calibration as the JSON object that `--json` prints.

    `camera` is the camera's source, as the setting `[camera] source` names it. `file` is the path to which the
    calibration was saved.

    Returns:
        `calibrated`: always True; `camera` and `file`: as given; `size_wh`: of the picture, in pixels; `die_mm`: edge
        of the dice; `camera_mm`: x, y and height of the lens over the tray; `tilt_deg`: of the camera from the
        vertical; `lens`: `degrees` (angle of view) and whether `measured`; `lens_position`: focus in dioptres, None for
        a fixed lens; `throw_mm`, `keep_mm`: the zones; `advice`: what to improve, each with `code` and `says`.
    """
    from vision.calibration.solving import lens_over

    rig, found, lens = done.rig, done.found, done.found.lens
    return {
        "calibrated": True,
        "camera": camera,
        "size_wh": list(lens.size_wh),
        "die_mm": rig.die_mm,
        "camera_mm": [round(value, 1) for value in rig.camera_mm],
        "tilt_deg": round(lens_over(found.floor_to_px, lens)[1], 2),
        "lens": {"degrees": round(lens.angle_deg, 1), "measured": lens.measured},
        "lens_position": found.lens_position,
        "throw_mm": astuple(rig.throw),
        "keep_mm": astuple(rig.keep),
        "advice": [{"code": one.code, "says": one.says} for one in found.advice],
        "file": file,
    }


def _say(sentence: str) -> None:
    """Print an instruction on standard error."""
    click.echo(sentence, err=True)


def _tray(text: str, keep_mm: float) -> tuple[float, float]:
    """Return width and height in mm from the text of `--tray`, such as 320x240.

    Raises SetupError for text of another form, or a side that is not 50 to 2000 mm. A keep zone `keep_mm` wide must
    leave 50 mm or more for the throw zone.
    """
    try:
        width, height = (float(part) for part in text.lower().split("x"))
    except ValueError:
        raise SetupError([f"--tray {text!r}: width and height in mm, as in 320x240."]) from None
    if not (50 <= width <= 2000 and 50 <= height <= 2000):
        raise SetupError([f"--tray {text!r}: from 50x50 to 2000x2000 mm."])
    if keep_mm > width - 50:
        raise SetupError([f"--keep {keep_mm:g} leaves no throw zone in a tray {width:g} mm wide."])
    return width, height


def _floor_to_px(texts: tuple[str, ...], plan: Plan) -> Floats:
    """Return the (3, 3) homography from the tray's floor in mm to pixels, from the four texts of `--corners`.

    A text is a corner in pixels, such as 104,86. Raises SetupError in these cases:

    - A text is not two numbers.
    - The corners are not a convex figure in the order upper left, upper right, lower right, lower left.
    - The figure does not fit the tray of `plan`: its longer side looks clearly shorter.
    """
    from vision.calibration.solving import by_corners

    corners = []
    for text in texts:
        try:
            x, y = (float(part) for part in text.split(","))
        except ValueError:
            raise SetupError([f"--corners {text!r}: two numbers of pixels, as in 104,86."]) from None
        corners.append((x, y))
    try:
        return by_corners(corners, plan)
    except ValueError as wrong:
        raise SetupError([f"--corners: {wrong}"]) from None
