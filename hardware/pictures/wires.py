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
"""BCM number of a pin -> its number on the Pi's 40-pin header. The Pi fixes these numbers: with a wrong one the diagram
draws a wire to the wrong pin."""
_GROUND_PIN, _STRIP_GROUND_PIN, _SHUTDOWN_GROUND_PIN = 39, 6, 9
"""Numbers, on the 40-pin header, of the ground pins to which the wires of buttons, strip and shutdown button are drawn.
That button has its own, because it may be added later. With a pin that is no ground the diagram would be wrong."""
_GROUND_PLACE_PX = (410.0, 215.0)
"""(x, y), in pixels from the upper left, of the point where all ground wires meet. There it is clear of two boxes: the
level shifter's ends at y = 180, the supply's begins at 252. A smaller y moves it towards the first, a larger one
towards the second."""
_ROW_STEP_PX = 26
"""Distance between two rows of the header's pins in the drawing, in pixels. With more, pins leave the drawn header."""
_EVEN_EXIT_PX, _ODD_EXIT_PX = 10, 15
"""How far below its pin a wire leaves the header, in pixels, for even and odd pins. Were they equal, the wires of two
pins beside each other would lie on one another."""
_PIN_RADIUS_PX = 7
"""Radius of a pin in the drawing, in pixels. From 10 on, pins touch the wires of the pins above; much smaller pins have
no room for their numbers."""
_FIRST_LANE_PX, _LANE_STEP_PX = 246, 14
"""x of the first vertical part of a button's wire, and the distance to the next, in pixels. Larger: in the boxes."""
_FIRST_BUTTON_PX, _BUTTON_STEP_PX = 390, 56
"""y of the first button, and the distance to the next, in pixels. A larger first y moves buttons out of the drawing; a
larger distance makes the drawing taller."""
_BUTTONS_GROUND_PX = 800
"""x of the wire that joins the buttons' grounds, in pixels. Larger: it leaves the drawing."""
_RED, _BLACK, _GREEN, _BUTTON = "#e5533d", "#8d8276", "#4cb187", "#56b4e9"
"""Colours of the wires: 5 V, ground, data, buttons."""

Point = tuple[float, float]
"""(x, y) in pixels of the drawing, x to the right and y down."""


def wiring_diagram(
    kind: str, strip: StripSettings, buttons: Mapping[str, int], limit_ma: float, machine: str = ""
) -> str:
    """Return the wiring diagram as SVG text: the Pi's header, level shifter, strip, supply and buttons, with wires.

    A strip without pins, such as WLED, is only mentioned in words. `kind` is the strip's as in the settings, `strip`
    its wiring. `buttons` has the BCM number of each button's pin. `limit_ma` is the current limit in mA, from which the
    sizes of supply and fuses follow. `machine` is the model of the Pi. If it is empty, pins are those of a Pi up to the
    4, and `auto` has none.
    """
    body = [_header()]
    # The upper button's wire runs outermost, so that no two of them cross.
    lane = _FIRST_LANE_PX + _LANE_STEP_PX * (len(buttons) + ("shutdown" in buttons))
    first: int | None = None
    for number, (name, bcm) in enumerate(sorted(buttons.items(), key=lambda item: HEADER_PINS[item[1]])):
        lane -= _LANE_STEP_PX
        body += _button(number, name, bcm, lane, dotted=first is not None)
        if name == "shutdown":
            lane -= _LANE_STEP_PX
        elif first is None:
            first = number
    if first is not None:
        body += _ground_of_buttons(first, len(buttons))
    pin = next(iter(strip_pins(kind, strip, machine)), None)
    if pin is not None:
        body += _strip_elements(pin, limit_ma)
    else:
        word = kind.partition(":")[0]
        body.append(_words(330, 120, f"A {word} strip takes no pin of the Pi."))
    height = max(640, 440 + _BUTTON_STEP_PX * len(buttons))
    body.append(_words(26, height - 30, "Pin 1 (square) is at the end of the memory card.", size=11))
    body.append(_words(26, height - 12, "Even numbers are along the edge of the board.", size=11))
    body.append(_words(860, height - 12, "A dot joins wires. Wires that only cross are not joined.", "end", 11))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 {height}" width="900" height="{height}" '
        f'font-family="sans-serif" font-size="14"><title>Wiring: strip {escape(kind)}</title>'
        f'<rect width="900" height="{height}" fill="#17110c"/>{"".join(body)}</svg>\n'
    )


def _header() -> str:
    """Return SVG elements that draw the Pi's 40-pin header with number and name of each pin; pin 1 is square."""
    by_place = {place: bcm for bcm, place in HEADER_PINS.items()}
    powers = {1: "3V3", 17: "3V3", 2: "5V", 4: "5V"}
    parts = [
        '<rect x="26" y="40" width="168" height="550" rx="8" fill="#20503c"/>',
        _words(110, 28, "Raspberry Pi, 40 pins", "middle"),
    ]
    for place in range(1, 41):
        x, y = _pin_at(place)
        name = powers.get(place) or (f"GPIO{by_place[place]}" if place in by_place else "GND")
        side = ("end", x - 13) if place % 2 else ("start", x + 13)
        radius = _PIN_RADIUS_PX
        size = f'width="{2 * radius}" height="{2 * radius}" rx="{1 if place == 1 else radius}"'
        parts.append(f'<rect x="{x - radius}" y="{y - radius}" {size} fill="#d3a04d"/>')
        parts.append(_words(x, y + 3, str(place), "middle", 9, "#17110c"))
        parts.append(_words(side[1], y + 4, name, side[0], 10))
    return "".join(parts)


def _strip_elements(pin: int, limit_ma: float) -> list[str]:
    """Return the SVG elements of the LED strip's wiring: level shifter, strip, supply, fuse and wires.

    The data line starts at BCM `pin`. Supply and fuse are sized for `limit_ma` mA.
    """
    cables = cabling(limit_ma)
    supply = f"Supply 5 V, {cables.supply_a:g} A"
    fuse = f"{cables.fuse_a:g} A" if cables.feeds == 1 else f"{cables.feeds} x {cables.fuse_a:g} A"
    x, y = ground = _GROUND_PLACE_PX
    return [
        _box(
            *(330, 74, 150, 106, "74AHCT125", "leg 2: in, leg 3: out", "legs 4, 10, 13, 14: +5 V"),
            *("legs 1, 5, 7, 9, 12: GND", "100 nF from 14 to 7"),
        ),
        _box(640, 74, 220, 106, "LED strip", "WS2812B, 5 V", "DIN at its first LED", "1000 uF from + to -, there"),
        _box(318, 252, 160, 74, supply, f"strip limited to {limit_ma:g} mA"),
        _box(530, 252, 106, 74, "Terminal", "block, 2 poles"),
        _lead(HEADER_PINS[pin], (330, 120), _GREEN, f"GPIO{pin} (pin {HEADER_PINS[pin]}): data", 215),
        _wire((480, 120), (640, 120), _GREEN, "330 ohm, then DIN"),
        _box(680, 252, 80, 40, "Fuse", fuse),
        _wire((478, 272), (530, 272), _RED, "+5 V"),
        _wire((478, 306), (530, 306), _BLACK, "GND"),
        _wire((636, 272), (680, 272), _RED, "+5 V"),
        _wire((760, 272), (780, 180), _RED),
        _path("M450 180v13H780V215H780", _RED),
        _label((644, 206), "+5 V, after the fuse"),
        _dot(780, 193, _RED),
        _wire(ground, (x, 180), _BLACK),
        _wire(ground, (840, 180), _BLACK),
        _wire((583, 252), (583, 234), _BLACK),
        _wire((583, 234), ground, _BLACK),
        _dot(x, y, _BLACK),
        _label((578, 230), "GND: all meet at one point"),
        _lead(_STRIP_GROUND_PIN, ground, _BLACK, f"GND (pin {_STRIP_GROUND_PIN})", 230),
    ]


def _button(number: int, name: str, bcm: int, lane: float, *, dotted: bool) -> list[str]:
    """Return SVG elements that draw a button and its two wires, to its pin and to ground.

    The button named `shutdown` has a ground pin of its own. All others share a ground wire; a `dotted` button gets a
    dot on that wire. `number` is the button's index from the top, `bcm` its pin's BCM number. `lane` is the x position,
    in pixels, of the vertical part of the wire to the pin. The ground wire of `shutdown` runs left of it.
    """
    y, pin = _FIRST_BUTTON_PX + _BUTTON_STEP_PX * number, HEADER_PINS[bcm]
    box, data = _box(500, y - 20, 140, 40, name), f"GPIO{bcm} (pin {pin})"
    if name == "shutdown":
        says = f"GND (pin {_SHUTDOWN_GROUND_PIN})"
        ground = _lead(_SHUTDOWN_GROUND_PIN, (500, y + 13), _BLACK, says, lane - _LANE_STEP_PX)
        return [_lead(pin, (500, y - 7), _BUTTON, data, lane), ground, box]
    return [
        _lead(pin, (500, y), _BUTTON, data, lane),
        box,
        _wire((640, y), (_BUTTONS_GROUND_PX, y), _BLACK, "GND"),
        *([_dot(_BUTTONS_GROUND_PX, y, _BLACK)] if dotted else []),
    ]


def _ground_of_buttons(first: int, buttons: int) -> list[str]:
    """Return SVG elements of the ground wire that all buttons but the shutdown button share, with the wire's label.

    The wire runs from its header pin up past the lower buttons to the button with index `first`, the topmost that
    shares it. `_button` draws the connections from the buttons to the wire. `buttons` is the number of all buttons, the
    shutdown button included.
    """
    x, y = _pin_at(_GROUND_PIN)
    low = max(y + _ODD_EXIT_PX, _FIRST_BUTTON_PX + _BUTTON_STEP_PX * (buttons - 1) + 40)
    lane = _FIRST_LANE_PX + _LANE_STEP_PX * (buttons + 1)
    path = f"M{x} {y + _PIN_RADIUS_PX}v{_ODD_EXIT_PX - _PIN_RADIUS_PX}H{lane}V{low}"
    path += f"H{_BUTTONS_GROUND_PX}V{_FIRST_BUTTON_PX + _BUTTON_STEP_PX * first}"
    return [_path(path, _BLACK), _words(494, low - 6, f"GND (pin {_GROUND_PIN})", "end", 11)]


def _pin_at(place: int) -> tuple[float, float]:
    """Return the position (x, y), in pixels of the drawing, of a pin by its number on the 40-pin header."""
    return (95 if place % 2 else 125, 56 + _ROW_STEP_PX * ((place - 1) // 2) + 8)


def _lead(pin: int, to: Point, colour: str, text: str, lane: float) -> str:
    """Return SVG elements of a labelled wire from pin number `pin` of the header to the point `to`, in pixels.

    The wire leaves the header through the gap below the pin's row. `lane` is the x of the wire's vertical part.
    """
    (x, y), (to_x, to_y) = _pin_at(pin), to
    down = (_ODD_EXIT_PX if pin % 2 else _EVEN_EXIT_PX) - _PIN_RADIUS_PX
    drawn = _path(f"M{x} {y + _PIN_RADIUS_PX}v{down}H{lane}V{to_y}H{to_x}", colour)
    return drawn + _label((to_x - 6, to_y - 6), text)


def _wire(a: Point, b: Point, colour: str, text: str = "") -> str:
    """Return SVG elements of a wire between two points, first across and then up or down, and its label if any."""
    (ax, ay), (bx, by) = a, b
    drawn = _path(f"M{ax} {ay}H{bx}V{by}H{bx}", colour)
    return drawn + _label(((ax + bx) / 2, by - 6), text, "middle") if text else drawn


def _path(path: str, colour: str) -> str:
    """Return the SVG element of a wire along a path, in SVG's notation."""
    return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2.5"/>'


def _label(at: Point, text: str, anchor: str = "end") -> str:
    """Return SVG elements of a wire's label at (x, y) in pixels; `anchor` is SVG's `text-anchor`."""
    # A dark rim, so that a wire behind the words does not cross them out.
    rim = 'stroke="#17110c" stroke-width="5" stroke-linejoin="round" paint-order="stroke"'
    return f"<g {rim}>{_words(*at, text, anchor, 11)}</g>"


def _box(x: float, y: float, width: float, height: float, *lines: str) -> str:
    """Return the SVG of a box with centred lines of text, the first one larger.

    `x` and `y` are its upper left corner; all lengths are in pixels.
    """
    first = y + height / 2 + 5 - 9 * (len(lines) - 1)
    middle = x + width / 2
    texts = [_words(middle, first + 18 * k, line, "middle", 11 if k else 14) for k, line in enumerate(lines)]
    frame = f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="8" fill="#241a12" stroke="#d3a04d"/>'
    return frame + "".join(texts)


def _dot(x: float, y: float, colour: str) -> str:
    """Return the SVG element of a dot at (x, y) in pixels, where wires are joined."""
    return f'<circle cx="{x}" cy="{y}" r="5" fill="{colour}"/>'


def _words(x: float, y: float, text: str, anchor: str = "start", size: int = 14, colour: str = "#f4ead6") -> str:
    """Return an SVG text element at (x, y) in pixels; `anchor` is SVG's `text-anchor`, `size` the font size."""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size}" fill="{colour}">{escape(text)}</text>'
