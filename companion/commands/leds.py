"""`pegpip leds`: light the board step by step; draw its layout, its wiring and its scenes."""

from __future__ import annotations

import math
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from companion.commands import CONFIG, FILE, Number
from companion.errors import SetupError, counted, explained
from companion.settings import load as config
from hardware.strips.opening import is_simulated, known_kinds, open_strip, resolved
from hardware.strips.ws2812 import SPEED_HZ

if TYPE_CHECKING:
    from hardware.pictures.gallery import Scene
    from hardware.strips import FrameRGB
    from hardware.track import Layout

MOVING_HZ = 12.5
"""Frames a second of an animated scene. More: smoother motion, larger files."""
WIDTH_PX = 960
"""Least width in pixels of the PNG picture that `pegpip leds scenes` draws of a scene on the lit board. A board with
many LEDs side by side gets a wider one (PITCH_PX). More: larger files."""
MOVING_WIDTH_PX = 560
"""Least width of an animated scene, in pixels; a long strip gets a wider one. More: larger files."""
NUMBERED_WIDTH_PX = 1600
"""Width in pixels of a picture of the numbered track. Less: the numbers can't be read; more: a larger file."""
PITCH_PX, MOVING_PITCH_PX = 13.0, 8.0
"""Wanted distance of two neighbouring LEDs in a still picture and in an animated one, in pixels: a wide board gets a
wider picture, up to MAX_WIDTH_PX. More: larger files."""
ANY_PI = "Raspberry Pi"
"""Pi model to draw the wiring for on a machine that is no Pi, such as a PC: then for any Pi up to the 4."""

_layout = click.option("--layout", metavar="L", help="Ready-made layout; the settings' one when left out.")
_strip = click.option("--strip", metavar="S", help=f"One of {', '.join(known_kinds())}.")


@click.group()
def command() -> None:
    """Light the board step by step; draw its layout, its wiring and its scenes."""


@command.command()
@click.option("--out", required=True, type=FILE, metavar="DIR", help="Where the pictures go.")
@click.option("--layout", "only_layout", metavar="L", help="This layout alone.")
@click.option("--stills", "stills_only", is_flag=True, help="No moving pictures.")
def scenes(out: Path, only_layout: str | None, stills_only: bool) -> None:
    """Draw every scene on each ready-made layout, or with --layout on that layout alone.

    Each scene becomes a PNG and, without --stills, also an animated WebP. Both are named LAYOUT-SCENE and lie in the
    folder of --out, which is created if needed. An unknown layout is refused.
    """
    from hardware.pictures.gallery import SCENES
    from hardware.pictures.glow import save_moving, save_still, scenery, wide_enough
    from hardware.track import PRESETS, preset

    layouts = [preset(only_layout)] if only_layout else [preset(name) for name in PRESETS]
    _folder(out)
    with click.progressbar(length=len(layouts) * len(SCENES), label="scenes") as bar:
        for layout in layouts:
            still = scenery(layout, wide_enough(layout, WIDTH_PX, PITCH_PX))
            moving = scenery(layout, wide_enough(layout, MOVING_WIDTH_PX, MOVING_PITCH_PX))
            for scene in SCENES:
                file = out / f"{layout.name}-{scene.name}.png"
                save_still(file, still.lit(_frame(scene, layout, scene.still_s)))
                if not stills_only:
                    times_s = [frame / MOVING_HZ for frame in range(round(scene.lasts_s * MOVING_HZ))]
                    pictures = [moving.lit(_frame(scene, layout, time_s)) for time_s in times_s]
                    save_moving(file.with_suffix(".webp"), pictures, round(1000 / MOVING_HZ))
                bar.update(1)
    click.echo(f"{counted(len(layouts) * len(SCENES), 'scene')} drawn in {out}.")


@command.command(name="map")
@CONFIG
@_layout
@_strip
@click.option("--out", type=FILE, metavar="FILE", help="Draw it instead: a .svg or a .png.")
@click.option("--step", "step_s", type=Number(0.01, 3600), default=0.3, help="Seconds for a hole.")
def map_(settings_file: Path | None, layout: str | None, strip: str | None, out: Path | None, step_s: float) -> None:
    """Walk the track hole by hole, or draw it.

    Each hole is lit for --step seconds and named in turn, to check the wiring. With --out, a .svg or .png file, nothing
    is lit: the track is drawn there with the holes' numbers. --layout and --strip replace what the settings (--config)
    say.
    """
    from hardware.pictures.lights import hole_by_hole
    from hardware.pictures.plans import wiring_map

    if out is not None and out.suffix.lower() not in (".svg", ".png"):
        raise SetupError([f"--out {str(out)!r} must end in .svg or .png."])
    settings = config.load(settings_file, {})
    chosen = _chosen(settings, layout)
    open_strip(strip or settings.strip.kind, chosen.leds, settings.strip)  # refuses an unknown one
    if out is not None and out.suffix.lower() == ".png":
        from hardware.pictures.glow import save_still, scenery

        _folder(out.parent)
        save_still(out, scenery(chosen, NUMBERED_WIDTH_PX).numbered(chosen))
        click.echo(f"{out} written.")
    elif out is not None:
        _write(out, wiring_map(chosen))
    else:
        _play(settings, strip, chosen, hole_by_hole(chosen, settings.strip), step_s)


@command.command()
@CONFIG
@_layout
@_strip
@click.option("--step", "step_s", type=Number(0.01, 3600), default=1.0, help="Seconds for a colour.")
@click.option("--spi-bits", type=click.Choice(["3", "4"]), help="SPI bits for an LED bit, in place of the settings'.")
def test(settings_file: Path | None, layout: str | None, strip: str | None, step_s: float, spi_bits: str | None) -> int:
    """Light the strip in four colours, then each hole for a moment.

    The colours are red, green, blue and dim white, each for --step seconds. On a terminal you are asked whether
    they were right, unless the strip is simulated. If not, an SPI strip shows them in its other coding: 3 or 4 SPI
    bits for an LED's bit. If that is right, the command says which setting to change. Exit status 1 when the colours
    were never right. --layout, --strip and --spi-bits, the coding to begin with, replace what the settings (--config)
    say.
    """
    from hardware.pictures.lights import hole_by_hole

    settings = config.load(settings_file, {"strip": {"spi_bits": int(spi_bits)}} if spi_bits else {})
    chosen = _chosen(settings, layout)
    right = _with_right_colours(settings, strip, chosen, step_s)
    _play(right or settings, strip, chosen, hole_by_hole(chosen, settings.strip), min(step_s, 0.05))
    return 0 if right is not None else 1


def _with_right_colours(
    settings: config.Settings, strip: str | None, layout: Layout, step_s: float
) -> config.Settings | None:
    """Show the test colours on the strip, and return the settings for which a person confirms them.

    On an SPI strip each SPI coding (`spi_bits`) is tried, first that of the settings. If none is confirmed, print what
    to check and return None. With a simulated strip, or without a terminal, nobody is asked and the settings are
    returned. Raises SetupError for an unknown kind of strip, DeviceError if the strip fails.

    Args:
        settings: The settings to begin with.
        strip: Kind of strip; None for that of the settings.
        layout: Layout of the LEDs to light.
        step_s: Seconds for which each colour is shown.
    """
    from hardware.pictures.lights import colours

    frames = colours(layout, settings.strip)
    kind = resolved(strip or settings.strip.kind)
    codings = sorted(SPEED_HZ, key=lambda bits: bits != settings.strip.spi_bits) if kind == "spi" else [0]
    for bits in codings:
        wired = msgspec.structs.replace(settings.strip, spi_bits=bits or settings.strip.spi_bits)
        tried = msgspec.structs.replace(settings, strip=wired)
        _play(tried, strip, layout, frames, step_s)
        if is_simulated(kind) or not sys.stdin.isatty():
            return tried
        if click.confirm("Was every LED red, green, blue and white in turn, without flicker?", default=True):
            if bits != codings[0]:
                click.echo(f"Set spi_bits = {bits} in [strip].")
            return tried
    click.echo("Check `order` in [strip], the level shifter, and the ground between Pi and strip.")
    return None


@command.command()
@CONFIG
@_layout
@click.option("--out", required=True, type=FILE, metavar="FILE", help="The .svg to write.")
def design(settings_file: Path | None, layout: str | None, out: Path) -> None:
    """Draw the template for drilling the LEDs' holes, in true size, to the SVG file of --out.

    --layout replaces the layout in the settings (--config).
    """
    from hardware.pictures.plans import drilling_template

    _write(out, drilling_template(_chosen(config.load(settings_file, {}), layout)))


@command.command()
@CONFIG
@_strip
@click.option("--out", required=True, type=FILE, metavar="FILE", help="The .svg to write.")
def wiring(settings_file: Path | None, strip: str | None, out: Path) -> None:
    """Draw the wiring of strip, supply, buttons and Pi to the SVG file of --out.

    Pins and current limit come from the settings (--config). --strip replaces the kind of strip that they name.
    """
    from hardware.machine import is_pi, model
    from hardware.pictures.wires import wiring_diagram

    settings = config.load(settings_file, {})
    machine = model() if is_pi(model()) else ANY_PI
    kind = resolved(strip or settings.strip.kind, machine)
    open_strip(kind, settings.track.leds, settings.strip)  # refuses an unknown one
    _write(out, wiring_diagram(kind, settings.strip, settings.buttons.pins, settings.strip.limit_ma, machine))


def _chosen(settings: config.Settings, name: str | None) -> Layout:
    """Return the LED layout of that name; for None the settings' one. Raises SetupError."""
    from hardware.track import layout_of

    return layout_of(name or settings.strip.layout, settings.track)


def _play(
    settings: config.Settings, kind: str | None, layout: Layout, steps: list[tuple[str, FrameRGB]], step_s: float
) -> None:
    """Show each frame on a strip for `step_s` seconds, and print the frame's name and lit LEDs.

    `kind` is the kind of strip; None means the kind in `settings`. A simulated strip is reported on stderr; with the
    strip `memory` there is no wait. The strip is switched off at the end, also after an error. Raises SetupError for an
    unknown kind, DeviceError if the strip fails.
    """
    import numpy as np

    from hardware.board import REFRESH_S

    strip = open_strip(kind or settings.strip.kind, layout.leds, settings.strip)
    if is_simulated(strip.name):
        click.echo(f"The strip is simulated ({strip.name}): nothing is lit. Name a real one with --strip.", err=True)
        step_s = 0.0 if strip.name == "memory" else step_s
    strip.start()
    try:
        for name, frame_rgb in steps:
            lit = np.flatnonzero(frame_rgb.any(axis=1))
            click.echo(f"{name}: LED {_range(lit.tolist())}")
            times = max(1, math.ceil(step_s / REFRESH_S))  # a WLED controller goes dark without frames
            for _ in range(times):
                strip.show(frame_rgb)
                time.sleep(step_s / times)
    finally:
        strip.stop()


def _range(leds: list[int]) -> str:
    """Return the numbers of LEDs that are lit as text, `4 to 7` or `4`; without any, the reason why none is lit."""
    if not leds:
        return "none, for limit_ma in [strip] is less than dark LEDs draw"
    return str(leds[0]) if len(leds) == 1 else f"{leds[0]} to {leds[-1]}"


def _frame(scene: Scene, layout: Layout, time_s: float) -> FrameRGB:
    """Return the (leds, 3) uint8 frame to send for a scene at a time in seconds, after gamma, with brightness 1.

    The frame is dimmed as a whole if its current would exceed the default of `limit_ma`.
    """
    from hardware.power import Power
    from hardware.scenes import compose
    from hardware.settings import PowerSettings

    return Power(PowerSettings(brightness=1.0)).limited(compose(scene.view, layout, time_s))[0]


def _folder(path: Path) -> None:
    """Create a folder and its parents, unless it exists. Raises DeviceError."""
    with explained(f"{path} can't be made", "Name another folder with --out."):
        path.mkdir(parents=True, exist_ok=True)


def _write(path: Path, text: str) -> None:
    """Write a drawing to an SVG file, creating its folder, and print its name.

    Raises SetupError for a name that does not end in .svg, DeviceError if the file can't be written.
    """
    if path.suffix.lower() != ".svg":
        raise SetupError([f"--out {str(path)!r} must end in .svg."])
    _folder(path.parent)
    with explained(f"{path} can't be written", "Name another with --out."):
        path.write_text(text, encoding="utf-8")
    click.echo(f"{path} written.")
