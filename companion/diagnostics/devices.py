"""The doctor's checks of what is connected: camera with light, focus and calibration, strip, buttons, loudspeaker."""

from __future__ import annotations

import platform
from collections.abc import Callable

import cv2
import numpy as np

from companion.adapters.buttons import can_shut_down, shutdown_problems
from companion.adapters.reader_setup import calibration_status
from companion.diagnostics.health import Finding
from companion.errors import DeviceError, SetupError
from companion.settings.load import Settings
from hardware.machine import model
from hardware.settings import ButtonSettings
from hardware.sounds import TRIAL, aplay, sound
from hardware.strips import Strip
from hardware.strips.opening import AUTO, automatic, is_simulated, open_strip
from hardware.strips.pio import kernel_problem
from hardware.track import layout_of
from hardware.wiring import wiring_problems
from vision.calibration.lamp_light import MIN_FRAMES, LampLight, lamp_light
from vision.cameras import Camera, Frame, SensorCamera
from vision.cameras.flicker import country, mains_hz
from vision.cameras.opening import is_simulated_camera, open_camera
from vision.reading.reading import FrameBGR

MAX_WARM_UP_FRAMES = 150
"""Most frames to wait for a steady exposure, about five seconds; then the camera is judged all the same. More: the
doctor takes longer under a lamp that never settles."""
MIN_BRIGHTNESS, MAX_BRIGHTNESS = 35.0, 225.0
"""Least and largest mean grey, 0 to 255, of a well-lit picture; outside them the doctor says that the tray is too dark
or too bright. Wider apart: poor light passes; nearer together: good light fails."""
BURNT_GREY, MAX_BURNT_PERCENT = 250, 20.0
"""Grey, 0 to 255, from which a pixel is overexposed, and the largest share of such pixels in a well-lit picture, in
percent. With a larger share the doctor says that the tray is too bright."""
MIN_SHARPNESS = 12.0
"""Least variance of the Laplacian (Pech-Pacheco and others, 2000), in squared grey levels, of a picture that is in
focus. Higher: sharp pictures of an empty tray fail, too; lower: blurred pictures pass."""


def check_camera(settings: Settings, open_: Callable[[str], Camera] | None = None) -> tuple[Finding, ...]:
    """Open the settings' camera, take pictures, and return findings on camera, light, focus and the lamp's flicker.

    `open_` builds the camera from [camera] source. A camera that can't be opened or gives no picture gets one failed
    finding; a simulated camera has no finding on the lamp.
    """
    source = settings.camera.source
    try:
        camera = open_camera(source, mains_hz=settings.camera.mains_hz) if open_ is None else open_(source)
    except SetupError as wrong:
        return (Finding("camera", False, str(wrong), "Correct [camera] source."),)
    simulated = is_simulated_camera(source)
    try:
        camera.start()
        frames = [camera.frame()] if simulated else settled_frames(camera)
    except DeviceError as ill:
        return (Finding.ill("camera", ill),)
    finally:
        camera.stop()
    if frames[-1] is None:
        return (Finding("camera", False, f"{camera.name} gives no picture.", "Name a source that has one."),)
    height, width = frames[-1].image_bgr.shape[:2]
    note = " It is simulated." if simulated else ""
    field = f" {camera.field}." if isinstance(camera, SensorCamera) and camera.field else ""
    says = f"{camera.name} gives pictures of {width} x {height}.{field}{note}"
    finding = Finding("camera", True, says, "", simulated)
    shown = [frame for frame in frames if frame is not None]
    hz = mains_hz(settings.camera.mains_hz, country())
    lamp = () if simulated else (check_lamp(lamp_light(shown, hz)),)
    return (finding, *picture_checks(frames[-1].image_bgr, simulated=simulated), *lamp)


def settled_frames(camera: Camera) -> list[Frame | None]:
    """Take pictures until a started camera's exposure is steady; return the last of these, then MIN_FRAMES more.

    At most MAX_WARM_UP_FRAMES are taken until it is steady; only one if the camera does not report its exposure. After
    the end of a recording, pictures are None. Raises DeviceError if the camera fails.
    """
    for _ in range(MAX_WARM_UP_FRAMES):
        frame = camera.frame()
        if frame is None or frame.exposure is None or frame.exposure.held:
            break
    return [frame, *(camera.frame() for _ in range(MIN_FRAMES))]


def check_lamp(lamp: LampLight) -> Finding:
    """Return the finding on the lamp; it fails if bands run over the tray, or the exposure would let them show."""
    advice = lamp.advice()
    return Finding("lamp", not advice, str(lamp), " ".join(one.says for one in advice))


def picture_checks(image_bgr: FrameBGR, *, simulated: bool = False) -> tuple[Finding, Finding]:
    """Return findings on the brightness (`light`) and the sharpness (`focus`) of a picture, (h, w, 3) uint8.

    - `light` fails if the mean brightness is too low or too high, or if too many pixels are burnt out.
    - `focus` fails if the variance of the Laplacian is below MIN_SHARPNESS.

    `simulated` is only copied to the findings.
    """
    grey = cv2.cvtColor(image_bgr, cv2.COLOR_BGR2GRAY)
    mean = float(grey.mean())
    sharpness = float(cv2.Laplacian(grey, cv2.CV_64F).var())
    burnt = 100 * float(np.mean(grey >= BURNT_GREY))
    says = f"Mean brightness {mean:.0f} of 255, {burnt:.1f} % burnt out."
    cure = ""
    if mean < MIN_BRIGHTNESS:
        cure = "Too dark: light the tray from left and right with diffuse bars."
    elif mean > MAX_BRIGHTNESS or burnt > MAX_BURNT_PERCENT:
        cure = "Too bright: dim the light, or move the lamp out of the mirror angle."
    light = Finding("light", not cure, says, cure, simulated)
    sharp = sharpness >= MIN_SHARPNESS
    cure = "" if sharp else "Put a die in the tray; turn the lens, or set its focus, till it is sharp."
    return light, Finding("focus", sharp, f"Sharpness {sharpness:.0f} (needs {MIN_SHARPNESS:g}).", cure, simulated)


def check_calibration(settings: Settings) -> Finding:
    """Return the finding whether a calibration for the settings' camera is stored; a simulated one needs none."""
    source = settings.camera.source
    ok, says = calibration_status(settings.data.folder, source)
    cure = "" if ok else "pegpip calibrate --sheet sheet.pdf, print it, lay it into the tray, pegpip calibrate."
    return Finding("calibration", ok, says, cure, simulated=is_simulated_camera(source))


def check_strip(settings: Settings, open_: Callable[..., Strip] = open_strip) -> Finding:
    """Open, start and stop the settings' LED strip, lighting nothing; return a finding that says whether it works.

    Wrong settings, a device that fails and a kernel too old for it give a failed finding, not an error. `open_` builds
    the strip.
    """
    wired = settings.strip
    problems = wiring_problems(wired.kind, wired, None, model())
    if problems:
        return Finding("strip", False, " ".join(problems), "Correct [strip].")
    try:
        strip = open_(wired.kind, layout_of(wired.layout, settings.track).leds, wired)
    except SetupError as wrong:
        return Finding("strip", False, str(wrong), "Correct [strip].")
    try:
        strip.start()
    except DeviceError as ill:
        return Finding.ill("strip", ill)
    finally:
        strip.stop()
    dark = kernel_problem(platform.release()) if strip.name == "pio" else None
    if dark is not None:
        return Finding.ill("strip", dark)
    why = f" Chosen for {automatic(model())[1]}" if wired.kind == AUTO else ""
    simulated = is_simulated(strip.name)
    note = " It is simulated: the board is drawn." if simulated else " `pegpip leds test` lights it."
    return Finding("strip", True, f"{strip.name} strip of {strip.leds} LEDs opens.{note}{why}", "", simulated)


def check_buttons(settings: Settings, machine: str | None = None) -> Finding:
    """Return the finding on the buttons: good if they are wired correctly, their pins open and shutdown is allowed.

    - Any kind: bad if `shutdown_problems` finds a fault, such as a command whose program is not installed.
    - `gpio`: also bad if `wiring_problems` finds a fault of strip or buttons, or a pin can't be opened. Bad, too, if
      the shutdown command is `systemctl` and this user may not power off. The pins are closed again.
    - `keys` and `none`: no pin is opened, and the finding is marked as simulated.
    - Another kind: bad.

    `machine` is the machine's model; None for that of this machine.
    """
    wired, known = settings.buttons, model() if machine is None else machine
    on_pins = wired.kind == "gpio"
    problems = wiring_problems(settings.strip.kind, settings.strip, wired, known) if on_pins else []
    problems += shutdown_problems(wired)
    if problems:
        return Finding("buttons", False, " ".join(problems), "Correct [strip] and [buttons].")
    if not on_pins:
        kinds = {"keys": "Keys of the terminal stand in for buttons.", "none": "No buttons are set up."}
        if wired.kind not in kinds:
            return Finding("buttons", False, f"There are no buttons {wired.kind!r}.", "Use none, keys or gpio.")
        return Finding("buttons", True, kinds[wired.kind], "", simulated=True)
    found = _pins_open(wired)
    if found.ok and wired.shutdown_command[:1] == ("systemctl",):
        return shutdown_refusal() or found
    return found


def shutdown_refusal(ask: Callable[[], str] = can_shut_down) -> Finding | None:
    """Return None if systemd's logind lets this user switch the machine off; otherwise a failed finding.

    `ask` returns logind's answer, or why there is none. An answer that ends in `"yes"`, with the quotes, permits it.
    """
    said = ask()
    if said.endswith('"yes"'):
        return None
    cure = "Run the doctor as the table's user (`sudo -u pegpip`); `sudo apt install polkitd`; `sudo ./install.sh`."
    return Finding("buttons", False, f"The shutdown button may not switch this machine off: {said}.", cure)


def check_sounds(play: Callable[[bytes], str | None] = aplay) -> Finding:
    """Play a short sound effect and return a finding: whether it was played.

    `play` plays the bytes of a WAV file. It returns None, or what went wrong and the cure, with `. ` between.
    """
    wrong = play(sound(TRIAL))
    if wrong is None:
        return Finding("sounds", True, "An effect was played: you should have heard it.")
    what, _, cure = wrong.partition(". ")
    return Finding("sounds", False, f"{what}.", cure)


def _pins_open(wired: ButtonSettings) -> Finding:
    """Open and close the buttons' GPIO pins, and return a finding that says whether it worked."""
    from hardware.buttons.gpio import GpioButtons

    buttons = GpioButtons(wired)
    try:
        buttons.start(lambda _press: None)
    except DeviceError as ill:
        return Finding.ill("buttons", ill)
    finally:
        buttons.stop()
    pins = ", ".join(f"{name} on GPIO{pin}" for name, pin in wired.pins.items())
    return Finding("buttons", True, f"{pins}.")
