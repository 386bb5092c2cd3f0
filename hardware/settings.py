"""Settings of the board's parts. The defaults need no wiring."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

Pin = Annotated[int, Meta(ge=0, le=27)]
"""BCM number of a pin on the 40-pin header."""
Fraction = Annotated[float, Meta(gt=0, le=1)]
"""A share, above 0 and at most 1."""
LIVE = {"page": "live"}
"""Mark of a setting that the settings page may change, with effect on the running table at once."""
PIN = {"page": "pin", "stays": True}
"""Mark of an electrical setting: a page changes it at once, after the PIN is typed again. With `lower_without_pin` a
lower value needs no PIN. A return to the last good settings keeps it: an older limit may be too high."""
ORDERS = ("GRB", "RGB", "BRG", "RBG", "GBR", "BGR")
"""Orders in which LEDs take their colours; the page offers them."""
GAMMA = 2.6
"""Default exponent from perceived brightness to an LED's duty cycle. Drawings of LEDs on screens undo it. A larger one
makes dim lights darker on the strip, and brighter in drawings."""
MIN_CHANNEL_MA = 12.0
"""Least value, in mA, of the setting `channel_ma`, the current of one full colour of one LED: that of a WS2812B-V5.
With a smaller one the current limit would let too much current pass; a larger one refuses LEDs that need less."""
MIN_IDLE_MA = 0.6
"""Least value, in mA, of the setting `idle_ma`, the current of one dark LED: that of a WS2812B's chip. With a smaller
one the current limit would let too much current pass; a larger one refuses LEDs that need less."""


class TrackSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Layout of one's own: the LED of each hole.

    A lane is written in the order in which a peg travels: `"0-121"`, backwards `"121-0"`, with gaps `"0-60,66-126"`.
    Its first `start_leds` are the start pocket, its last `finish_leds` the finish pocket. Every hole between them has
    `leds_per_hole`.

    Attributes:
        leds: Number of LEDs of the whole strip, used or not.
        lanes: One text per lane; one lane is shared by all pegs.
        holes: Holes of a lane between its pockets.
        leds_per_hole: LEDs of each hole.
        start_leds: LEDs of the start pocket.
        finish_leds: LEDs of the finish pocket.
        status: LEDs of a segment that shows whose turn it is, in the notation of a lane; empty for none.
        row_holes: Holes in a row, for `serpentine` and the drawings.
        serpentine: True: pegs run back and forth as the strip does. False: pegs run from left to right in every row,
            though the strip runs back and forth.
        pitch_mm: Distance between two LEDs.
    """

    leds: Annotated[int, Meta(ge=1, le=4096)] = 122
    lanes: tuple[str, ...] = ("0-121",)
    holes: Annotated[int, Meta(ge=1, le=1000)] = 120
    leds_per_hole: Annotated[int, Meta(ge=1, le=50)] = 1
    start_leds: Annotated[int, Meta(ge=0, le=1000)] = 1
    finish_leds: Annotated[int, Meta(ge=0, le=1000)] = 1
    status: str = ""
    row_holes: Annotated[int, Meta(ge=1, le=1000)] = 30
    serpentine: bool = True
    pitch_mm: Annotated[float, Meta(gt=0, le=1000)] = 1000 / 144


class PowerSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How bright the strip may be.

    Attributes:
        brightness: Share of full light, 0 to 1, linear in light.
        gamma: Exponent from a colour's perceived brightness to the LED's duty cycle.
        white: Duty cycles of red, green and blue that look white together; the default suits a WS2812B.
        limit_ma: Current that the supply and the wires can give to the strip, in mA.
        channel_ma: Current of one colour of one LED at full, in mA.
        idle_ma: Current of one dark LED, in mA.
    """

    brightness: Annotated[float, Meta(gt=0, le=1, extra=LIVE)] = 0.6
    gamma: Annotated[float, Meta(ge=1, le=4, extra=LIVE)] = GAMMA
    white: tuple[Fraction, Fraction, Fraction] = (1.0, 0.69, 0.94)
    limit_ma: Annotated[int, Meta(ge=100, le=60000, extra={**PIN, "lower_without_pin": True})] = 2000
    channel_ma: Annotated[float, Meta(ge=MIN_CHANNEL_MA, le=100, extra=PIN)] = 20.0
    idle_ma: Annotated[float, Meta(ge=MIN_IDLE_MA, le=5, extra=PIN)] = 0.6


class StripSettings(PowerSettings, frozen=True, forbid_unknown_fields=True):
    """The LEDs: which strip, how it is wired, and how bright it may be.

    Attributes:
        kind: Which strip, as `spi` or `wled:HOST`; `auto` picks one for this machine.
        layout: `strip122`, `board3x121`, `matrix16`, `table300`, or `own` for the one in the section [track].
        night: Whether the board is dimmed for the night.
        pin: BCM number of the data pin for `pio` and `ws281x`.
        order: Order in which the LEDs take their colours, a permutation of `RGB`.
        spi_bus: Bus of `/dev/spidevBUS.DEVICE`.
        spi_device: Device on that bus.
        spi_bits: SPI bits for one LED bit: 3 (2.4 MHz), or 4 (3.2 MHz) for LEDs that flicker or show wrong colours.
        pio_path: The device file of the overlay `ws2812-pio`.
        wled_port: UDP port of the WLED controller.
    """

    kind: Annotated[str, Meta(extra=LIVE)] = "memory"
    layout: Annotated[str, Meta(extra=LIVE)] = "strip122"
    night: Annotated[bool, Meta(extra=LIVE)] = False
    pin: Pin = 18
    order: Annotated[str, Meta(extra={**LIVE, "choices": ORDERS})] = "GRB"
    spi_bus: Annotated[int, Meta(ge=0, le=6)] = 0
    spi_device: Annotated[int, Meta(ge=0, le=2)] = 0
    spi_bits: Annotated[int, Meta(ge=3, le=4)] = 3
    pio_path: str = "/dev/leds0"
    wled_port: Annotated[int, Meta(ge=1, le=65535)] = 4048

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "order", self.order.upper())


class ButtonSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The buttons, and how they are wired; each connects its pin to ground.

    Attributes:
        kind: `none`, `keys` (this terminal) or `gpio`.
        shutdown_command: Command and arguments that the shutdown button runs once it was held for three seconds.
        bank: BCM number of the pin of the button `bank`.
        undo: BCM number of the pin of the button `undo`.
        next: BCM number of the pin of the button `next`.
        shutdown: BCM number of the pin of the shutdown button. Left out: no such button.
        settle_s: Seconds that a level must last to count (debouncing).
        long_s: Seconds after which a held button is a long press.
    """

    kind: str = "none"
    shutdown_command: tuple[str, ...] = ()
    bank: Pin = 17
    undo: Pin = 27
    next: Pin = 22
    shutdown: Pin | None = None
    settle_s: Annotated[float, Meta(gt=0, le=0.5)] = 0.02
    long_s: Annotated[float, Meta(gt=0, le=10)] = 1.0

    @property
    def pins(self) -> dict[str, int]:
        """Return the BCM number of each wired button's pin, by the button's name."""
        wired = {"bank": self.bank, "undo": self.undo, "next": self.next, "shutdown": self.shutdown}
        return {name: pin for name, pin in wired.items() if pin is not None}


class SoundSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of this machine's loudspeaker.

    Attributes:
        effects: Whether short effects are played.
        speech: Whether events are spoken from the start on; the page can switch it as well.
        volume: Volume of effects and speech, 0 to 1.
    """

    effects: Annotated[bool, Meta(extra=LIVE)] = False
    speech: Annotated[bool, Meta(extra=LIVE)] = False
    volume: Annotated[float, Meta(ge=0, le=1, extra=LIVE)] = 0.5
