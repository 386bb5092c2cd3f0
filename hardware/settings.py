"""Settings of the board's parts: plain frozen values with the defaults of a table without any wiring."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class TrackSettings:
    """Which LED lights which hole.

    A preset needs nothing else. A layout of one's own is written lane by lane in the order in which a peg travels:
    `"0-121"`, backwards `"121-0"`, with gaps `"0-60,66-126"`. The first `start_leds` of a lane are its start pocket,
    the last `finish_leds` its finish pocket; between them every hole has `leds_per_hole`.

    Attributes:
        preset: Name of a ready-made layout, or empty for one's own.
        leds: LEDs of the whole strip, lit or not.
        lanes: One text per lane; one lane is shared by all pegs.
        holes: Holes of a lane between its pockets.
        status: LEDs of a separate segment that shows whose turn it is, in the same notation; may be empty.
        row_holes: Holes to a row, for `serpentine` and the drawings.
        serpentine: True: the track goes there and back as the strip does. False: every row is read from the left,
            though the strip goes there and back.
        pitch_mm: Distance of two LEDs.
    """

    preset: str = "strip122"
    leds: int = 122
    lanes: tuple[str, ...] = ()
    holes: int = 120
    leds_per_hole: int = 1
    start_leds: int = 1
    finish_leds: int = 1
    status: str = ""
    row_holes: int = 30
    serpentine: bool = True
    pitch_mm: float = 1000 / 144


@dataclass(frozen=True, slots=True)
class PowerSettings:
    """How bright the strip may be.

    Attributes:
        brightness: 0 to 1, of the light (not of its look).
        gamma: Exponent from how bright a colour looks to how long the LED is on.
        balance_rgb: What makes the strip's white look white; the default is a usual WS2812B's.
        limit_ma: Current the supply and the wires can give to the strip.
        channel_ma: Current of one colour of one LED at full.
        idle_ma: Current of one dark LED.
    """

    brightness: float = 1.0
    gamma: float = 2.6
    balance_rgb: tuple[float, float, float] = (1.0, 0.69, 0.94)
    limit_ma: float = 2000.0
    channel_ma: float = 20.0
    idle_ma: float = 0.6


@dataclass(frozen=True, slots=True)
class StripSettings:
    """How the strip is wired.

    Attributes:
        pin: BCM number of the data pin for `ws281x`: 18 or 12 (PWM), 21 (PCM), 10 (SPI).
        order: Order in which the LEDs take their colours, a permutation of `RGB`.
        spi_bus: Bus of `/dev/spidevBUS.DEVICE`.
        spi_device: Device of the same.
        spi_bits: SPI bits for one LED bit: 3 (2.4 MHz) or 4 (3.2 MHz).
        pio_path: The device that the overlay `ws2812-pio` makes.
        wled_port: UDP port of the WLED controller.
    """

    pin: int = 18
    order: str = "GRB"
    spi_bus: int = 0
    spi_device: int = 0
    spi_bits: int = 3
    pio_path: str = "/dev/leds0"
    wled_port: int = 4048


def _default_pins() -> dict[str, int]:
    return {"bank": 17, "undo": 27, "next": 22}


def _default_keys() -> dict[str, str]:
    return {"b": "bank", "u": "undo", "n": "next"}


@dataclass(frozen=True, slots=True)
class ButtonSettings:
    """The buttons.

    Attributes:
        pins: Name of a button -> BCM number of its pin; the button joins the pin to ground.
        keys: Key in the terminal -> name of a button; the capital letter is a long press.
        settle_s: A level counts when it has held this long.
        long_s: A button held this long is a long press.
    """

    pins: dict[str, int] = field(default_factory=_default_pins)
    keys: dict[str, str] = field(default_factory=_default_keys)
    settle_s: float = 0.02
    long_s: float = 1.0
