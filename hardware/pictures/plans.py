"""Plans of a layout as SVG: the path of the strip through the holes, and the drilling template in true size."""

from __future__ import annotations

import math
from collections.abc import Iterator
from html import escape

from hardware.track import Layout

HOLE_MM = 5.0
"""Largest diameter of a hole in the drilling template, in mm: the light of one LED fits through. Where LEDs are closer,
holes are smaller. Larger: less wood between holes; smaller: the wood hides part of the light."""
MARGIN_MM = 12.0
"""Border in mm from the outermost LEDs to the template's frame, which is the panel's edge; the panels among the parts
take it over. Higher: larger drawings and panels; above RULER_MM the frame's lower side is cut off. Lower: the corner
screws meet LEDs."""
CORNER_MM = 5.0
"""Distance of the drilling template's corner screws from both edges of the panel, in mm. More: the screws meet the
first LEDs; less: the panel's corners break."""
SCREW_MM = 3.5
"""Diameter of the holes for the panels' corner screws (M3), in mm. Less: the screws jam; more: the panels shift."""
RULER_MM = 14.0
"""Room below the lowest holes for the ruler, in mm. Above 16 mm the template of `board3x121` does not fit A4 paper
inside printer margins of 8 mm. Smaller: the ruler meets the holes' numbers; below MARGIN_MM the frame is cut off."""
MAP_PX = 1600
"""Width of the wiring map on the screen, in pixels, whatever the length of the strip. More shows it larger."""
_LANE_COLOURS = ("#e69f00", "#56b4e9", "#009e73", "#f0e442", "#d55e00", "#cc79a7")
"""Colours of LEDs on the wiring map, by cribbage lane; the status LEDs are one more. A seventh repeats the first."""


def wiring_map(layout: Layout) -> str:
    """Return an SVG map of the wiring for screens: every LED as a circle, joined by the strip's path from `data in`.

    Hole 1 and every fifth hole show their number, start and finish pockets S and F. Each LED's index and hole are its
    tooltip. Lanes differ in colour.
    """
    holes, places, radius_mm = _holes_by_led(layout), _moved(layout), 0.42 * _pitch_mm(layout)
    path = " ".join(f"{x:.2f},{y:.2f}" for x, y in places)
    body = [f'<polyline points="{path}" fill="none" stroke="#6b5a4a" stroke-width="0.5"/>']
    for led, (x, y) in enumerate(places):
        lane, text = holes.get(led, (-1, ""))
        colour = _LANE_COLOURS[lane % len(_LANE_COLOURS)] if lane >= 0 else "#3a2b1e"
        body.append(f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{radius_mm:.2f}" fill="{colour}">')
        body.append(f"<title>LED {led}{escape(', ' + text if text else '')}</title></circle>")
        if label := _label(text):
            body.append(_text(x, y + 0.3 * radius_mm, label, 0.9 * radius_mm, "#17110c"))
    x, y = places[0]
    body.append(_text(x, y - radius_mm - 1, "data in", min(4.0, radius_mm), "#f4ead6"))
    width_mm, height_mm = _size_mm(layout)
    ground = f'<rect width="{width_mm:.1f}" height="{height_mm:.1f}" fill="#17110c"/>'
    return _svg(width_mm, height_mm, ground + "".join(body), f"Wiring of {layout.name}", MAP_PX / width_mm, "")


def drilling_template(layout: Layout) -> str:
    """Return the drilling template as SVG in true size: a circle with a cross for each LED in use, and a ruler.

    Its frame is the panel's edge; a cross in each corner is for a screw. It is to be printed at 100 %. Labels are the
    numbers of hole 1 and every fifth hole, and S and F at the start and finish pockets.
    """
    holes, places, radius_mm = _holes_by_led(layout), _moved(layout), min(HOLE_MM / 2, 0.42 * _pitch_mm(layout))
    body = []
    for led, (x, y) in enumerate(places):
        if led in holes:
            body.append(f'<circle cx="{x:.3f}" cy="{y:.3f}" r="{radius_mm:.2f}"/>')
            body.append(f'<path d="M{x - 1:.3f} {y:.3f}h2M{x:.3f} {y - 1:.3f}v2"/>')
            if label := _label(holes[led][1]):
                body.append(_text(x, y + 4.6, label, 1.8, "#000", stroke=False))
    width_mm, height_mm = _size_mm(layout)
    ruler = f'<path d="M{MARGIN_MM} {height_mm - 5:.2f}h50m0 -1.5v3m-50 -3v3"/>'
    holes_mm = f"holes of {round(2 * radius_mm, 1):g} mm, corners {SCREW_MM:g} mm"
    title = f"{layout.name}: {holes_mm}. This line is 50 mm when printed at 100 %."
    note = _text(MARGIN_MM + 54, height_mm - 4, title, 3.0, "#000", anchor="start", stroke=False)
    right, low = (max(place[axis] for place in places) + MARGIN_MM for axis in (0, 1))
    edge = f'<rect x="0.1" y="0.1" width="{right - 0.2:.2f}" height="{low - 0.2:.2f}"/>'
    corners = [_screw(x, y) for x in (CORNER_MM, right - CORNER_MM) for y in (CORNER_MM, low - CORNER_MM)]
    shapes = "".join([edge, *corners, *body])
    lines = f'<g fill="none" stroke="#000" stroke-width="0.15">{shapes}{ruler}{note}</g>'
    return _svg(width_mm, height_mm, lines, f"Drilling template of {layout.name}")


def _screw(x: float, y: float) -> str:
    """Return the SVG path of a screw hole around (x, y), in mm, with a cross in it."""
    radius = SCREW_MM / 2
    arc = f"a{radius} {radius} 0 1 0 {SCREW_MM} 0a{radius} {radius} 0 1 0 -{SCREW_MM} 0"
    return f'<path d="M{x - radius:.3f} {y:.3f}{arc}M{x - 1:.3f} {y:.3f}h2M{x:.3f} {y - 1:.3f}v2"/>'


def walk(layout: Layout) -> list[tuple[str, tuple[int, ...]]]:
    """Return the name and LEDs of each segment of an LED strip layout: lanes in the order of travel, then `status`.

    A lane has the segments `start`, `hole 1`, `hole 2` and so on, and `finish`. With several lanes a name begins with
    its lane, such as `lane 2, hole 1`. Segments without LEDs are left out.
    """
    steps = []
    for lane, name, leds in _segments(layout):
        named = f"lane {lane + 1}, " if 1 < len(layout.lanes) > lane else ""
        steps.append((named + name, leds))
    return steps


def _segments(layout: Layout) -> Iterator[tuple[int, str, tuple[int, ...]]]:
    """Yield lane index, name (`start`, `hole 7`, `finish`) and LEDs of each part of a layout that has LEDs.

    The last part is `status`, if the layout has status LEDs; its lane index is the number of lanes.
    """
    for lane, holes in enumerate(layout.lanes):
        names = ["start", *(f"hole {k}" for k in range(1, len(holes) - 1)), "finish"]
        yield from ((lane, name, leds) for name, leds in zip(names, holes, strict=True) if leds)
    if layout.status:
        yield len(layout.lanes), "status", layout.status


def _holes_by_led(layout: Layout) -> dict[int, tuple[int, str]]:
    """Return (lane, name of the hole) of each LED in use, by the LED's index."""
    return {led: (lane, name) for lane, name, leds in _segments(layout) for led in leds}


def _label(text: str) -> str:
    """Return what is drawn at a hole of that name: S or F at a pocket, 1 or a multiple of 5 at a hole, else ""."""
    if text in ("start", "finish"):
        return text[0].upper()
    number = text.rpartition(" ")[2]
    return number if number.isdigit() and (number == "1" or int(number) % 5 == 0) else ""


def _pitch_mm(layout: Layout) -> float:
    """Return the distance of the first lane's first two LEDs in mm; HOLE_MM for a lane of one LED."""
    first_two = [layout.places_mm[led] for hole in layout.lanes[0] for led in hole][:2]
    return math.dist(*first_two) if len(first_two) == 2 else HOLE_MM


def _moved(layout: Layout) -> list[tuple[float, float]]:
    """Return the LEDs' positions (x, y) in mm, shifted so that the outermost are MARGIN_MM from the left and top."""
    left, top = (min(place[axis] for place in layout.places_mm) for axis in (0, 1))
    return [(x - left + MARGIN_MM, y - top + MARGIN_MM) for x, y in layout.places_mm]


def _size_mm(layout: Layout) -> tuple[float, float]:
    """Return width and height of a drawing of the layout in mm; at least 190 wide, for the note beside the ruler."""
    places = _moved(layout)
    width_mm = max(x for x, _ in places) + MARGIN_MM
    # The note below the ruler needs its room on narrow boards too.
    return max(width_mm, 190.0), max(y for _, y in places) + RULER_MM


def _text(
    x: float, y: float, text: str, size: float, colour: str, anchor: str = "middle", *, stroke: bool = True
) -> str:
    """Return an SVG text element at (x, y) in mm, with letters of `size` mm; `anchor` is SVG's `text-anchor`.

    `text` is escaped. With `stroke` the letters inherit the enclosing element's stroke; otherwise they have none.
    """
    bare = "" if stroke else ' stroke="none"'
    return (
        f'<text x="{x:.2f}" y="{y:.2f}" font-size="{size:.2f}" text-anchor="{anchor}" fill="{colour}"{bare} '
        f'font-family="sans-serif">{escape(text)}</text>'
    )


def _svg(width_mm: float, height_mm: float, body: str, title: str, scale: float = 1.0, unit: str = "mm") -> str:
    """Return an SVG document that shows the elements in `body`, placed in mm on an area of the given size.

    A mm is shown `scale` mm wide with `unit` "mm", and `scale` pixels wide with `unit` "".
    """
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width_mm * scale:.1f}{unit}" '
        f'height="{height_mm * scale:.1f}{unit}" '
        f'viewBox="0 0 {width_mm:.1f} {height_mm:.1f}"><title>{escape(title)}</title>{body}</svg>\n'
    )
