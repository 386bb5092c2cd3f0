"""The list of the doctor's checks, made on a table that does not run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from companion.diagnostics.health import Finding
from companion.diagnostics.machine import check_clock, check_playable, check_power, check_writable, newest_s, throttled
from companion.diagnostics.network import check_hotspot, check_network, check_port
from companion.diagnostics.versions import check_versions
from companion.settings.load import LeftOut, Settings


def checks(settings: Settings, left_out: Sequence[LeftOut] = ()) -> Iterator[Finding]:
    """Run the doctor's checks one after the other, and yield the finding of each.

    `settings` are those that a start of the table would use. `left_out` are those of the settings file that a start
    would ignore; the finding on the settings names them. Devices and sounds are checked only if OpenCV and NumPy are
    installed; sounds and the hotspot only if the settings use them.
    """
    versions, folder = check_versions(settings.camera.source), settings.data.folder
    if "OpenCV missing" not in versions.says and "NumPy missing" not in versions.says:
        from companion.diagnostics import devices

        yield from devices.check_camera(settings)
        yield devices.check_calibration(settings)
        yield devices.check_strip(settings)
        yield devices.check_buttons(settings)
        if settings.sound.effects:
            yield devices.check_sounds()
    unused = " ".join(each.why for each in left_out)
    cure = "Correct them in the settings file." if unused else ""
    yield Finding("settings", not unused, unused or "All settings are used.", cure)
    yield check_writable(folder)
    yield check_playable(folder)
    yield check_clock(datetime.now().astimezone(), newest_s(folder))
    yield check_network()
    if settings.web.hotspot:
        yield check_hotspot(settings.web.hotspot)
    yield check_power(firmware=throttled())
    yield check_port(settings.web.host, settings.web.port)
    yield versions
