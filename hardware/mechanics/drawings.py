"""Drawings of the steps that have no solid: the level shifter's legs, the camera's flat cable, the way phones join."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

SHIFTER_LEGS = {
    1: "GND (switches 1 on)", 2: "data from the Pi", 3: "to 330 ohm, then DIN", 4: "+5 V (off)", 5: "GND",
    6: "free", 7: "GND", 8: "free", 9: "GND", 10: "+5 V (off)", 11: "free", 12: "GND", 13: "+5 V (off)", 14: "+5 V",
}  # fmt: skip
"""Leg of a 74AHCT125 (14 legs) -> what it is joined to. Inputs that hang in the air make the chip hot and noisy."""
_INK, _PALE, _GOLD, _BLUE, _GREEN = "#2b2118", "#faf7f0", "#d3a04d", "#4678aa", "#3c965a"


def shifter() -> str:
    """The level shifter from above, each leg with what it is joined to."""
    body = [
        f'<rect x="300" y="50" width="160" height="290" rx="6" fill="{_INK}"/>',
        f'<path d="M365 50a15 15 0 0 0 30 0" fill="{_PALE}"/>',
        _words(380, 185, "74AHCT125", size=14, colour=_PALE),
        _words(380, 205, "from above", size=12, colour=_PALE),
        _words(380, 30, "the notch is up, leg 1 left of it", size=14),
        _words(380, 372, "100 nF between legs 14 and 7, close to the chip", size=14),
    ]
    for leg, to in SHIFTER_LEGS.items():
        left = leg <= 7
        y = 70 + 40 * ((leg - 1) if left else 14 - leg)
        x = 280 if left else 460
        anchor, at, inside = ("end", 270, 318) if left else ("start", 490, 442)
        used = _GREEN if leg in (2, 3) else _GOLD
        body += [
            f'<rect x="{x}" y="{y - 7}" width="20" height="14" fill="{used}"/>',
            _words(inside, y + 5, str(leg), size=14, colour=_PALE),
            _words(at, y + 5, to, anchor, 15),
        ]
    return _svg(760, 390, "Legs of the level shifter", body)


def ribbon() -> str:
    """The camera's flat cable on each Pi: how wide its ends are, and where their contacts face."""
    rows = (
        ("Pi 3 or 4: cable of 15 to 15 contacts", "16 mm", "16 mm", "contacts away from the latch"),
        ("Pi 5: cable of 22 to 15 contacts", "11.5 mm", "16 mm", "contacts away from the latch"),
        ("Zero 2 W: cable of 22 to 15 contacts", "11.5 mm", "16 mm", "contacts down, to the board"),
    )
    body = []
    for row, (title, pi, camera, contacts) in enumerate(rows):
        y = 60 + 110 * row
        narrow = 16 if pi == "11.5 mm" else 22
        body += [
            _words(380, y - 26, title, size=16),
            f'<rect x="40" y="{y - 14}" width="120" height="56" rx="5" fill="{_GREEN}"/>',
            _words(100, y + 18, "Pi", colour=_PALE),
            (
                f'<path d="M160 {y + 14 - narrow}h70l60 {narrow - 22}h290v44h-290l-60 {narrow - 22}h-70z" '
                f'fill="#fff" stroke="{_INK}"/>'
            ),
            f'<rect x="160" y="{y + 14 - narrow}" width="12" height="{2 * narrow}" fill="{_GOLD}"/>',
            f'<rect x="568" y="{y - 8}" width="12" height="44" fill="{_GOLD}"/>',
            f'<rect x="580" y="{y - 14}" width="140" height="56" rx="5" fill="{_BLUE}"/>',
            _words(650, y + 18, "camera", colour=_PALE),
            _words(195, y + 19, pi, size=12),
            _words(540, y + 19, camera, size=12),
            _words(380, y + 19, contacts, size=13),
        ]
    body.append(_words(380, 370, "At the camera: contacts face its circuit board, away from the latch.", size=14))
    return _svg(760, 390, "The camera's flat cable", body)


def imager() -> str:
    """The answers that Raspberry Pi Imager wants for a table's card."""
    answers = (
        ("Device", "your Pi"),
        ("Operating system", "Raspberry Pi OS Lite (64-bit)"),
        ("Hostname", "pegpip"),
        ("User and password", "yours: for ssh"),
        ("Wi-Fi", "name, password and country"),
        ("Remote access", "SSH on, with the password"),
    )
    body = [
        f'<rect x="130" y="20" width="500" height="270" rx="10" fill="#fff" stroke="{_INK}"/>',
        f'<rect x="130" y="20" width="500" height="36" rx="10" fill="{_INK}"/>',
        _words(380, 44, "Raspberry Pi Imager", size=15, colour=_PALE),
    ]
    for row, (question, answer) in enumerate(answers):
        y = 86 + 36 * row
        body += [
            _words(300, y, question, "end", 15),
            f'<rect x="320" y="{y - 19}" width="290" height="28" rx="4" fill="{_PALE}" stroke="{_GOLD}"/>',
            _words(332, y, answer, "start", 15),
        ]
    return _svg(760, 310, "Answers for Raspberry Pi Imager", body)


def phones() -> str:
    """The three screens between a phone and the table's page."""
    screens = (
        ("1. Scan the first code", ["joins the table's Wi-Fi", "name: Peg and Pip NN", "password: four words"]),
        (
            '2. "No Internet access"',
            ["a phone may ask:", "answer Stay connected,", "mobile data off if it", "still leaves"],
        ),
        ("3. Scan the second code", ["or type", "http://10.42.0.1:8000", "in the browser,", "http:// too"]),
    )
    body = []
    for number, (title, lines) in enumerate(screens):
        x = 30 + 245 * number
        body += [
            f'<rect x="{x + 5}" y="50" width="200" height="290" rx="18" fill="{_INK}"/>',
            f'<rect x="{x + 13}" y="68" width="184" height="254" rx="4" fill="#fff"/>',
            _words(x + 105, 34, title, size=15),
            *(_words(x + 105, 150 + 24 * row, line, size=13) for row, line in enumerate(lines)),
        ]
    return _svg(760, 360, "From a phone to the table", body)


def drawings() -> dict[str, str]:
    """Name of each SVG file in docs/img -> its text."""
    return {"step-imager": imager(), "step-shifter": shifter(), "step-cable": ribbon(), "step-phones": phones()}


def _words(x: float, y: float, text: str, anchor: str = "middle", size: int = 17, colour: str = _INK) -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size}" fill="{colour}">{escape(text)}</text>'


def _svg(width: int, height: int, title: str, body: Iterable[str]) -> str:
    lines: Sequence[str] = list(body)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="sans-serif"><title>{escape(title)}</title><rect width="{width}" height="{height}" '
        f'fill="{_PALE}"/>\n' + "\n".join(lines) + "\n</svg>\n"
    )
