"""The steps of the first evening, in order. Each yields findings of the doctor's kind and reports its progress."""

from __future__ import annotations

import contextlib
import queue
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from companion.adapters.reader_setup import ReaderSetup, load_reader
from companion.adapters.tray_observer import PHOTO_QUALITY
from companion.diagnostics.devices import check_lamp, check_sounds
from companion.diagnostics.first_evening.evening import Evening, JudgedThrow, frames_a_second
from companion.diagnostics.health import Finding
from companion.diagnostics.machine import THROTTLED_FROM_C, check_power, throttled
from companion.errors import DeviceError, counted
from hardware.buttons import Press
from hardware.pictures import lights
from hardware.strips.opening import is_simulated
from hardware.track import layout_of
from vision.calibration.lamp_light import MIN_FRAMES, lamp_light
from vision.cameras import Camera, Frame
from vision.cameras.flicker import country, mains_hz
from vision.cameras.limited import LimitedCamera
from vision.cameras.opening import is_simulated_camera
from vision.images.annotating import annotated
from vision.images.loading import jpeg
from vision.networks import shipped_networks
from vision.reading.reader import Read
from vision.reading.reading import FrameBGR, Reading
from vision.watching.watcher import Ill, Settled, Watcher, latest

ReportProgress = Callable[[int, int], None]
"""Reports progress within a step of the first evening: done, of how many."""

FILMED_FRAMES = 150
"""Frames that the frame rate check films, five seconds at 30 a second. More: steadier figures, a longer check."""
MIN_FPS = 15.0
"""Least frames a second of a good camera; fewer are a failed finding. Below it a throw is shown late, as a reading
takes three still frames. Higher: cameras that are fast enough fail; lower: slow ones pass."""
MAX_GAP_S = 0.5
"""Longest time, in seconds, between two frames of a good camera; a longer one fails the finding "frame rate". Higher: a
gap that hides a throw passes; lower: one short stall fails a good camera."""
MAX_READING_S = 0.5
"""Longest median time of a reading, in seconds, that passes. Higher: machines pass on which people wait, as a throw
takes three readings before it is shown; lower: machines that are fast enough fail."""
MAX_ASKED = 0.1
"""Largest share of the guided check's throws, 0 to 1, whose reading may be doubtful; with more the check fails and
advises better light. One is always allowed. Higher: bad light passes; lower: a good table may fail."""
UNSEEN_TIMEOUT_S = 60.0
"""Longest wait for the tray at rest before the first throw, and then for each throw, in seconds of camera time. Without
rest the step fails. Without a throw the person is asked whether they threw, or only invited again if one was judged
since the last such wait. Shorter: asked too early; longer: a miss or a dark tray is noticed late. The question and the
error say "for a minute"."""
COLOUR_S, HOLE_S = 1.0, 0.05
"""Seconds that the LED check shows each test colour on the strip, and each hole when one light walks through all.
Higher: a longer check."""
PRESS_WAIT_S = 20.0
"""Longest wait in seconds for a person to press the button that the check names. After it the finding says that nothing
was heard. Longer: a dead button delays the check. Shorter: slow people fail it."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step: its title, what the person has to do (empty: nothing), its usual time in minutes, and what it runs."""

    title: str
    what: str
    minutes: float
    run: Callable[[Evening, ReportProgress], Iterator[Finding]]


def every_part(evening: Evening, report_progress: ReportProgress) -> Iterator[Finding]:
    """Run the doctor's checks and yield the finding of each. After each `report_progress` gets how many are done."""
    for number, finding in enumerate(evening.checks(evening.settings), 1):
        report_progress(number, max(number, 13))
        yield finding


def frame_rate(evening: Evening, report_progress: ReportProgress) -> Iterator[Finding]:
    """Take FILMED_FRAMES pictures, and yield findings on the frame rate and on bands of a flickering lamp.

    A recording may end with fewer; fewer than two lead to one failed finding. The frames' times are added to
    `evening.frame_times_s`. Raises DeviceError if the camera fails, SetupError if the settings name no known camera.
    """
    camera = evening.open_camera(evening.settings)
    times_s, shown = evening.frame_times_s, list[Frame]()
    try:
        camera.start()
        while len(times_s) < FILMED_FRAMES and (frame := camera.frame()) is not None:
            times_s.append(frame.at_s)
            shown = [*shown, frame][-MIN_FRAMES:]  # the exposure has settled in the last ones
            report_progress(len(times_s), FILMED_FRAMES)
    finally:
        camera.stop()
    simulated = _simulated(evening)
    if len(times_s) < 2:
        says = f"{camera.name} gave fewer than two frames."
        yield Finding("frame rate", False, says, "Name another [camera] source.")
        return
    fps, gap_s = frames_a_second(times_s), max(later - earlier for earlier, later in pairwise(times_s))
    says = f"{fps:.1f} frames a second, longest gap {1000 * gap_s:.0f} ms."
    cure = ""
    if fps < MIN_FPS or gap_s > MAX_GAP_S:
        cure = "Give more light (a dark tray needs long exposures), stop other programs, use a USB 3 port."
    yield Finding("frame rate", not cure, says, cure, simulated)
    hz = mains_hz(evening.settings.camera.mains_hz, country())
    yield replace(check_lamp(lamp_light(shown, hz)), part="lamp bands", simulated=simulated)


def throws(evening: Evening, report_progress: ReportProgress) -> Iterator[Finding]:
    """Let the person throw and judge each reading, and yield findings on the throws and on the time of a reading.

    `report_progress` gets the number of throws made and of those wanted. The step ends in one of these ways:

    - All throws are made, the person has enough, or a recording that stands in for the camera ends.
    - Ctrl-C, which sets `evening.stopped`.
    - The camera fails, or the tray is not seen at rest before the first throw. This yields a failed finding of its own.

    Raises CompanionError if the camera can't be set up.
    """
    camera = evening.open_camera(evening.settings)
    setup = load_reader(evening.settings.camera.source, camera, evening.settings.data.folder, shipped_networks())
    try:
        _judge_throws(evening, camera, setup, report_progress)
    except KeyboardInterrupt:
        evening.stopped = True
    except DeviceError as ill:
        yield Finding.ill("throws", ill)
    yield from _throw_findings(evening)


def _throws_left(evening: Evening) -> bool:
    """Return whether more throws are wanted: the person has not ended them, and the wanted number is not reached."""
    return not evening.person.enough_throws and len(evening.throws) + evening.missed < evening.throws_wanted


def _judge_throws(evening: Evening, camera: Camera, setup: ReaderSetup, report_progress: ReportProgress) -> None:
    """Let the person judge each throw, until all are made, the person ends the throws, or a recording ends.

    Judged throws are appended to `evening.throws`, unless the person says that it was no throw. Dice that lie in the
    tray before the first throw, or stay there after one, do not count. If no throw is seen for UNSEEN_TIMEOUT_S, the
    person may count one as missed. This is not asked if a throw was judged since the last such wait.

    `report_progress` gets the throws made and wanted. Raises DeviceError if the camera fails, or if the tray is not
    seen at rest before the first throw, as in the dark.
    """
    limited = LimitedCamera(camera, UNSEEN_TIMEOUT_S)
    watcher = Watcher(limited, _timed(setup.reader.read, evening.readings_s, evening.clock), setup.rig)
    last: Settled | None = None
    while _throws_left(evening):
        judged = len(evening.throws)
        if last is not None:
            _invite(evening, camera)
        limited.restart()
        for settled in _each_rest(watcher):
            first, new = last is None, latest(settled, last, held=setup.rig is None) is settled
            last = replace(settled, reading=replace(settled.reading, doubt=None))  # a doubt that goes is no throw
            if not first:
                if not new or not settled.thrown:
                    continue
                _add_judged(evening, settled, camera)
                report_progress(len(evening.throws) + evening.missed, evening.throws_wanted)
                evening.note_temperature()
                if not _throws_left(evening):
                    return
            _invite(evening, camera)
            limited.restart()
        if limited.ended:
            return
        if last is None:
            cure = "Switch the lamp on, keep hands out of the picture, and hold the check again."
            raise DeviceError("The tray was not seen at rest for a minute.", cure)
        seen = len(evening.throws) > judged
        if not seen and evening.person.agrees("Nothing was seen for a minute; q ends the throws. Did you throw?"):
            evening.missed += 1
            report_progress(len(evening.throws) + evening.missed, evening.throws_wanted)


def _each_rest(watcher: Watcher) -> Iterator[Settled]:
    """Watch the tray until the frames end, and yield each reading at rest. Raises DeviceError if the camera fails."""
    for event in watcher.events():
        if isinstance(event, Ill):
            raise event.error
        if isinstance(event, Settled):
            yield event


def _invite(evening: Evening, camera: Camera) -> None:
    """Ask the person for the next throw."""
    evening.person.throws(len(evening.throws) + evening.missed + 1, evening.throws_wanted, camera)


def _add_judged(evening: Evening, settled: Settled, camera: Camera) -> None:
    """Ask the person which dice lay in the tray, and append the judged throw to `evening.throws`.

    A throw that was read wrong or in doubt keeps its picture, with the reading drawn on it. No throw is appended if the
    person says that nothing was thrown, or ends the throws. `evening.tray_jpeg` always gets the picture.
    """
    read = tuple(sorted(one.die.value for one in settled.thrown if one.die.value is not None))
    doubt = None if settled.reading.doubt is None else settled.reading.doubt.value
    lay = evening.person.judges(read, doubt, camera)
    picture = jpeg(annotated(settled.frame.image_bgr, settled.reading), PHOTO_QUALITY)
    evening.tray_jpeg = picture
    if lay is not None:
        throw = JudgedThrow(read, lay, doubt)
        evening.throws.append(throw if throw.outcome == "right" else JudgedThrow(read, lay, doubt, picture))


def _throw_findings(evening: Evening) -> Iterator[Finding]:
    """Yield the findings on the throws in `evening`, if any: how they were read, and how long a reading took."""
    made = len(evening.throws) + evening.missed
    if not made:
        return
    right, asked, wrong = (evening.count(outcome) for outcome in ("right", "asked", "wrong"))
    read = f"{right} read right, {asked} asked about, {wrong} wrong, {evening.missed} not seen"
    says = f"{counted(made, 'throw')}: {read}."
    cures = []
    if wrong:
        cures.append("Calibrate again (`pegpip calibrate`), clean the lens, and send the zip.")
    if evening.missed:
        cures.append("See that the whole tray is in the picture, and look at the frame rate.")
    if asked > max(1, MAX_ASKED * made):
        cures.append("Light the tray from left and right with diffuse bars, and calibrate.")
    yield Finding("throws", not cures, says, " ".join(cures), _simulated(evening))
    if evening.readings_s:
        usual, slowest = median(evening.readings_s), max(evening.readings_s)
        says = f"A reading takes {1000 * usual:.0f} ms (median), the slowest {1000 * slowest:.0f} ms."
        cure = "" if usual <= MAX_READING_S else "Calibrate (it reads less of the picture), or use a Pi 4 or 5."
        yield Finding("reading time", not cure, says, cure)


def leds(evening: Evening, report_progress: ReportProgress) -> Iterator[Finding]:
    """Light every LED in four colours, then hole by hole; ask the person what was seen; yield two findings at the end.

    With a simulated strip nobody is asked, and both are good. If the strip fails meanwhile, one finding says so.
    Raises SetupError if the settings name an unknown strip or layout.
    """
    wired = evening.settings.strip
    layout = layout_of(wired.layout, evening.settings.track)
    strip = evening.open_strip(wired.kind, layout.leds, wired)
    simulated = is_simulated(strip.name)
    try:
        strip.start()
        colours, walk = lights.colours(layout, wired), lights.hole_by_hole(layout, wired)
        done, answers = 0, list[bool]()
        for frames, for_s, question in (
            (colours, COLOUR_S, "Was every LED red, green, blue and white in turn, without flicker?"),
            (walk, HOLE_S, "Did one light walk through every hole, from start to finish?"),
        ):
            for _, frame_rgb in frames:
                strip.show(frame_rgb)
                done += 1
                report_progress(done, len(colours) + len(walk))
                evening.pause(0.0 if simulated else for_s)
            answers.append(simulated or evening.person.agrees(question))
        right, walked = answers
    except DeviceError as ill:
        yield Finding.ill("LEDs", ill)
        return
    finally:
        strip.stop()
    note = " It is simulated: nobody was asked." if simulated else ""
    says = f"{layout.leds} LEDs in red, green, blue and white.{note}"
    cure = "" if right else "`pegpip leds test` tries the other SPI coding; check `order`, level shifter and ground."
    yield Finding("LED colours", right, says, cure, simulated)
    says = f"A light walked through {len(walk)} places of {layout.name}.{note}"
    cure = "An LED that stays dark cuts off all behind it: mend the joint before it. `pegpip leds map` names each hole."
    yield Finding("LED by LED", walked, says, "" if walked else cure, simulated)


def buttons(evening: Evening, report_progress: ReportProgress) -> Iterator[Finding]:
    """Ask the person to press each button on a GPIO pin, and yield a finding for each: whether that button was heard.

    A finding fails if another button is heard, or none within PRESS_WAIT_S. Without buttons on pins one passed finding
    says so. If a pin can't be read, a failed finding ends the check. `report_progress` is called with the number of
    buttons done and their total.
    """
    wired = evening.settings.buttons
    if wired.kind != "gpio":
        yield Finding("button presses", True, f"No buttons on pins (kind {wired.kind!r}).", simulated=True)
        return
    opened = evening.open_buttons(wired.kind, wired)
    pressed: queue.Queue[Press] = queue.Queue()
    try:
        opened.start(pressed.put)
        for number, (button, pin) in enumerate(wired.pins.items(), 1):
            while not pressed.empty():  # a second press of the one before, or a late one, is no answer to this one
                pressed.get()
            evening.person.presses(button)
            heard: str | None = None
            with contextlib.suppress(queue.Empty):
                heard = pressed.get(timeout=PRESS_WAIT_S).button
            says = f"GPIO{pin}: " + ("nothing was heard." if heard is None else f"{heard} was heard.")
            cure = "" if heard == button else f"Check the wires from GPIO{pin} and from ground to this button."
            yield Finding(f"button {button}", not cure, says, cure)
            report_progress(number, len(wired.pins))
    except DeviceError as ill:
        yield Finding.ill("button presses", ill)
    finally:
        opened.stop()


def sounds(evening: Evening, _report_progress: ReportProgress) -> Iterator[Finding]:
    """Play an effect, ask the person whether it was heard, and yield one finding.

    If it can't be played, nobody is asked, and the finding says why. With effects off nothing is played, and the
    finding passes, marked `simulated`.
    """
    if not evening.settings.sound.effects:
        yield Finding("sound", True, "Effects are off ([sound] effects).", simulated=True)
        return
    played = check_sounds(evening.play)
    if not played.ok or evening.person.agrees("Did you hear a short tone?"):
        yield played
        return
    says = "An effect was played, but nobody heard it."
    yield Finding("sound", False, says, "Turn it up: `alsamixer`; check the plug.")


def phones(evening: Evening, _report_progress: ReportProgress) -> Iterator[Finding]:
    """Count the phones on the table's own Wi-Fi, ask if these are all that tried to join, and yield one finding.

    - This machine opens no Wi-Fi now: the finding is good and marked as simulated. Nothing is asked.
    - No phone is on the Wi-Fi: the finding is bad. Nothing is asked.
    - Else: the finding is good if the person says yes, bad if no.
    """
    joined = evening.clients()
    if joined is None:
        says = "This machine opens no Wi-Fi now; phones come through the router."
        yield Finding("phones", True, says, simulated=True)
        return
    says = {0: "No phone is", 1: "1 phone is"}.get(joined, f"{joined} phones are") + " on the table's own Wi-Fi."
    if joined and evening.person.agrees(f"{says} Are these all that tried to join?"):
        yield Finding("phones", True, says)
        return
    cure = "A Pi's own Wi-Fi carries 7 to 10 phones; for more use a router's (docs/appliance.md)."
    yield Finding("phones", False, f"{says} Others could not join." if joined else says, cure)


def heat_and_power(evening: Evening, _report_progress: ReportProgress) -> Iterator[Finding]:
    """Yield two findings: the evening's highest temperature, and the supply's voltage and throttling.

    The temperature is read once more first. The first finding fails from THROTTLED_FROM_C on. The second one fails on
    low voltage, heat or throttling, now or since the boot, and if `vcgencmd` gives no usable answer (`check_power`).
    Without a heat sensor the first passes as simulated; so does the second if `vcgencmd` is missing, too.
    """
    evening.note_temperature()
    if evening.hottest_c is None:
        yield Finding("temperature", True, "This machine has no sensor to ask.", simulated=True)
    else:
        says = f"The processor reached {evening.hottest_c:.0f} °C (it slows down at {THROTTLED_FROM_C:.0f})."
        cool = evening.hottest_c < THROTTLED_FROM_C
        yield Finding("temperature", cool, says, "" if cool else "Fit a heat sink or a fan, and open the case to air.")
    yield replace(check_power(firmware=throttled()), part="power under load")


STEPS = (
    Step("Every part", "Put dice into the tray. Stop a running table (sudo systemctl stop pegpip).", 2, every_part),
    Step("Frame rate", "Keep your hands off the tray: the camera films for five seconds.", 0.5, frame_rate),
    Step("Throws", "Throw, say whether the reading is right, take the dice out, throw again.", 10, throws),
    Step("LEDs", "Look at the strip.", 2, leds),
    Step("Buttons", "Press each button when it is named.", 1, buttons),
    Step("Sound", "Listen.", 0.5, sounds),
    Step("Phones", "Join the table's Wi-Fi with every phone that you have.", 3, phones),
    Step("Temperature and power", "", 0.5, heat_and_power),
)
"""Steps of the guided check of a new table (`pegpip doctor --first-evening`), in the order in which they are made. The
number is a step's usual time in minutes; a larger one gives the step more of the progress bar."""


def _simulated(evening: Evening) -> bool:
    """Return whether the settings' camera is simulated."""
    return is_simulated_camera(evening.settings.camera.source)


def _timed(read: Read, durations_s: list[float], clock: Callable[[], float]) -> Read:
    """Return `read`, wrapped so that each reading appends its duration, in seconds on `clock`, to `durations_s`.

    A reading that raises appends nothing.
    """

    def timed(frame_bgr: FrameBGR, expect: int | None, previous: Reading | None, size_px: float | None) -> Reading:
        begun_s = clock()
        reading = read(frame_bgr, expect, previous, size_px)
        durations_s.append(clock() - begun_s)
        return reading

    return timed
