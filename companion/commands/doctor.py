"""`pegpip doctor`: looks at every part and says what is wrong and what to do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from companion.errors import DeviceError
from companion.settings import load as config

if TYPE_CHECKING:
    from companion.diagnostics.doctor import Finding


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object a check.")
@click.option("--bundle", type=click.Path(path_type=Path), metavar="ZIP", help="Write all a bug report needs there.")
@click.option("--photos", is_flag=True, help="With --bundle: the newest photos of throws too.")
@click.option("--config", "file", type=click.Path(path_type=Path), metavar="FILE", help="Settings (TOML).")
def command(file: Path | None, as_json: bool, bundle: Path | None, photos: bool) -> int:
    """Check camera, light, focus, calibration, strip, buttons, disk, journal, clock, network, power, port, versions.

    With --bundle all of it goes to a zip for a bug report, with the settings (no passwords), the last game and the log.
    """
    settings = config.load(file, {})
    found = []
    for check in checks(settings):
        found.append(check)
        click.echo(json.dumps(asdict(check)) if as_json else _line(check))
    ill = sum(not check.ok for check in found)
    if not as_json:
        click.echo("All is well." if not ill else f"{ill} to see to.")
    if bundle is not None:
        _write(bundle, settings, found, photos=photos)
    return 1 if ill else 0


def _write(file: Path, settings: config.Settings, found: list[Finding], *, photos: bool) -> None:
    from companion.diagnostics.bundle import write

    try:
        names = write(file, settings, found, photos=photos)
    except OSError as refused:
        raise DeviceError(f"{file} can't be written ({refused.strerror}).", "Name another file.") from None
    click.echo(f"{file}: {', '.join(names)}. Read it before you send it.", err=True)


def checks(settings: config.Settings) -> Iterator[Finding]:
    """All checks, one by one, as they are made."""
    from companion.diagnostics import doctor
    from companion.diagnostics.hotspot_health import check_hotspot
    from companion.diagnostics.machine_health import newest_s

    versions = doctor.check_versions(settings.camera.source)
    if "OpenCV missing" not in versions.says and "NumPy missing" not in versions.says:
        from companion.diagnostics import doctor_parts

        yield from doctor_parts.check_camera(settings)
        yield doctor_parts.check_calibration(settings)
        yield doctor_parts.check_strip(settings)
        yield doctor_parts.check_buttons(settings)
        if settings.sound.effects:
            yield doctor_parts.check_sounds()
    yield doctor.check_disk(settings.data.folder)
    yield doctor.check_journal(settings.data.folder)
    yield doctor.check_clock(datetime.now().astimezone(), newest_s(settings.data.folder))
    yield doctor.check_network()
    if settings.web.hotspot:
        yield check_hotspot(settings.web.hotspot)
    yield doctor.check_power()
    yield doctor.check_port(settings.web.host, settings.web.port)
    yield versions


def _line(check: Finding) -> str:
    mark = "ill" if not check.ok else "simulated" if check.simulated else "ok"
    cure = f"\n{'':24}-> {check.cure}" if check.cure else ""
    return f"{check.part:12}{mark:12}{check.says}{cure}"
