"""The wiring diagram as SVG, drawn from the settings' pins, so that the two agree."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from hardware.power import cabling
from hardware.settings import StripSettings
from hardware.wiring import strip_pins

HEADER_PINS = {
    2: 3, 3: 5, 4: 7, 14: 8, 15: 10, 17: 11, 18: 12, 27: 13, 22: 15, 23: 16, 24: 18, 10: 19, 9: 21, 25: 22, 11: 23,
    8: 24, 7: 26, 0: 27, 1: 28, 5: 29, 6: 31, 12: 32, 13: 33, 19: 35, 16: 36, 26: 37, 20: 38, 21: 40,
}  # fmt: skip
"""BCM number -> place on the 40-pin header."""
_GROUND_PIN = 39
"""Number, on the 40-pin header, of the ground pin that the buttons' wires are labelled with. Another pin that is no
ground would make the diagram wrong."""
_STRIP_GROUND_PIN = 6
"""Number, on the 40-pin header, of the ground pin to which the strip's ground wire is drawn. Another pin that is no
ground would make the diagram wrong."""
_ROW_STEP_PX = 26
"""Distance between two rows of the header's pins in the drawing, in pixels. With more, pins leave the drawn header."""
_RED, _BLACK, _GREEN, _BUTTON = "#e5533d", "#8d8276", "#4cb187", "#56b4e9"
"""Colours of the wires: 5 V, ground, data, buttons."""


def wiring_diagram(kind: str, strip: StripSettings, buttons: Mapping[str, int], limit_ma: float) -> str:
    """Return the wiring diagram as SVG text: the Pi's header, level shifter, strip, supply and buttons, with wires.

    A strip without pins, such as WLED, is only mentioned in words.

    Args:
        kind: The strip's kind, as in the settings.
        strip: How the strip is wired.
        buttons: BCM number of each button's pin.
        limit_ma: Current limit of the strip in mA, from which supply, fuse and cables follow.
    """
    body = [_header()]
    for number, (name, at) in enumerate(sorted(buttons.items(), key=lambda item: HEADER_PINS[item[1]])):
        body += _button(number, name, at)
    pin = next(iter(strip_pins(kind, strip)), None)
    if pin is not None:
        body += _strip(pin, limit_ma)
    else:
        word = kind.partition(":")[0]
        body.append(_words(330, 120, f"A {word} strip takes no pin of the Pi."))
    height = max(620, 420 + 56 * len(buttons))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 {height}" width="900" height="{height}" '
        f'font-family="sans-serif" font-size="14"><title>Wiring: strip {escape(kind)}</title>'
        f'<rect width="900" height="{height}" fill="#17110c"/>{"".join(body)}</svg>\n'
    )


def _header() -> str:
    """Return SVG elements that draw the Pi's 40-pin header with the name of each pin."""
    by_place = {place: bcm for bcm, place in HEADER_PINS.items()}
    powers = {1: "3V3", 17: "3V3", 2: "5V", 4: "5V"}
    parts = [
        '<rect x="50" y="40" width="120" height="550" rx="8" fill="#20503c"/>',
        _words(110, 28, "Raspberry Pi, 40 pins", "middle"),
    ]
    for place in range(1, 41):
        x, y = _pin_at(place)
        name = powers.get(place) or (str(by_place[place]) if place in by_place else "GND")
        side = ("end", x - 14) if place % 2 else ("start", x + 14)
        parts.append(f'<circle cx="{x}" cy="{y}" r="6" fill="#d3a04d"/>')
        parts.append(_words(side[1], y + 4, name, side[0], 10))
    return "".join(parts)


def _strip(pin: int, limit_ma: float) -> list[str]:
    """Return SVG elements that draw level shifter, strip, supply and fuse, and their wires.

    Args:
        pin: BCM number of the data pin.
        limit_ma: Current limit of the strip in mA.
    """
    place = HEADER_PINS[pin]
    cables = cabling(limit_ma)
    supply = f"Supply 5 V, {cables.supply_a:g} A"
    fuse = f"{cables.fuse_a:g} A" if cables.feeds == 1 else f"{cables.feeds} x {cables.fuse_a:g} A"
    return [
        _box(330, 90, 150, 90, "74AHCT125", "leg 2: in, leg 3: out", "leg 14: +5 V", "legs 1, 7, 5, 9, 12: GND"),
        _box(640, 90, 220, 90, "LED strip", "WS2812B, 5 V", "DIN at its first LED", "1000 uF across + and -"),
        _box(330, 240, 200, 90, supply, f"strip limited to {limit_ma:g} mA"),
        _wire(_pin_at(place), (330, 120), _GREEN, f"GPIO{pin} (pin {place}): data", 205),
        _wire((480, 120), (640, 120), _GREEN, "330 ohm: data"),
        _box(575, 242, 80, 40, "Fuse", fuse),
        _wire((530, 262), (575, 262), _RED, "+5 V"),
        _wire((655, 262), (690, 180), _RED, "+5 V"),
        _wire((375, 240), (375, 180), _BLACK, "GND"),
        _wire((450, 180), (690, 215), _RED, "+5 V, after the fuse", 690),
        _wire((530, 310), (790, 180), _BLACK, "GND"),
        _wire(_pin_at(_STRIP_GROUND_PIN), (330, 310), _BLACK, f"GND (pin {_STRIP_GROUND_PIN})", 228),
    ]


def _button(number: int, name: str, bcm: int) -> list[str]:
    """Return SVG elements that draw a button and its two wires, to its pin and to ground.

    Args:
        number: Index of the button from the top, from 0.
        name: Name of the button.
        bcm: BCM number of the button's pin.
    """
    y = 390 + 56 * number
    place = HEADER_PINS[bcm]
    lane = 246 + 14 * number
    return [
        _wire(_pin_at(place), (500, y), _BUTTON, f"GPIO{bcm} (pin {place})", lane),
        _box(500, y - 20, 140, 40, name),
        _wire((640, y), (800, y), _BLACK, f"GND (pin {_GROUND_PIN})"),
    ]


def _pin_at(place: int) -> tuple[float, float]:
    """Return the position (x, y), in pixels of the drawing, of a pin by its number on the 40-pin header."""
    return (95 if place % 2 else 125, 56 + _ROW_STEP_PX * ((place - 1) // 2) + 8)


def _wire(a: tuple[float, float], b: tuple[float, float], colour: str, text: str, lane: float | None = None) -> str:
    """Return SVG elements that draw a wire of horizontal and vertical parts, with a label.

    Args:
        a: Start (x, y) of the wire, in pixels.
        b: End (x, y) of the wire, in pixels.
        colour: Colour of the wire, in CSS.
        text: The label.
        lane: x of the vertical part of a wire that leaves the header between two rows of pins; None for other wires.
    """
    (ax, ay), (bx, by) = a, b
    turn = bx if lane is None else lane
    # Left pins are reached through the gap between two rows of the header.
    path = f"M{ax} {ay}v13H{turn}V{by}H{bx}" if lane is not None else f"M{ax} {ay}H{turn}V{by}H{bx}"
    if lane is not None:
        label, anchor = (bx - 6, by - 6), "end"
    elif ay == by:
        label, anchor = ((ax + bx) / 2, by - 6), "middle"
    else:
        label, anchor = (turn - 5, (ay + by) / 2), "end"
    drawn = f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2.5"/>'
    # A dark rim, so that a wire behind the words does not cross them out.
    return drawn + f'<g stroke="#17110c" stroke-width="5" paint-order="stroke">{_words(*label, text, anchor, 11)}</g>'


def _box(x: float, y: float, width: float, height: float, *lines: str) -> str:
    """Return SVG elements that draw a box with centred lines of text, the first one larger.

    (x, y) is the box's upper left corner; all measures are in pixels.
    """
    first = y + height / 2 + 5 - 9 * (len(lines) - 1)
    middle = x + width / 2
    texts = [_words(middle, first + 18 * k, line, "middle", 11 if k else 14) for k, line in enumerate(lines)]
    frame = f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="8" fill="#241a12" stroke="#d3a04d"/>'
    return frame + "".join(texts)


def _words(x: float, y: float, text: str, anchor: str = "start", size: int = 14) -> str:
    """Return an SVG text element at (x, y) in pixels; `anchor` is SVG's `text-anchor`, `size` the font size."""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size}" fill="#f4ead6">{escape(text)}</text>'
