"""A stand-in for the C part of rpi_ws281x 5.0.0, with its crash: `fini` of what was never initialised.

Environment: `PI_WS2811_INIT` is what `ws2811_init` returns (0 when left out). `rendered` holds the words of each frame.
"""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass, field

WS2811_STRIP_RGB, WS2811_STRIP_GRB = 0x00100800, 0x00081000
TEXTS = {-3: "Hardware revision is not supported", -5: "mmap() failed", -11: "Selected GPIO not possible"}

rendered: list[list[int]] = []
alive: list[Leds] = []


@dataclass
class Channel:
    leds: list[int] = field(default_factory=list)


@dataclass(eq=False)
class Leds:
    channels: tuple[Channel, Channel] = field(default_factory=lambda: (Channel(), Channel()))
    device: bool = False


def new_ws2811_t() -> Leds:
    leds = Leds()
    alive.append(leds)
    return leds


def delete_ws2811_t(leds: Leds) -> None:
    alive.remove(leds)


def ws2811_channel_get(leds: Leds, number: int) -> Channel:
    return leds.channels[number]


def ws2811_channel_t_count_set(channel: Channel, count: int) -> None:
    channel.leds = [0] * count


def _ignore(_of: object, _value: object) -> None: ...


ws2811_channel_t_gpionum_set = ws2811_channel_t_invert_set = ws2811_channel_t_brightness_set = _ignore
ws2811_channel_t_gamma_set = ws2811_channel_t_strip_type_set = _ignore
ws2811_t_freq_set = ws2811_t_dmanum_set = _ignore


def ws2811_init(leds: Leds) -> int:
    code = int(os.environ.get("PI_WS2811_INIT", "0"))
    leds.device = code == 0
    return code


def ws2811_get_return_t_str(code: int) -> str:
    return TEXTS[code]


def ws2811_led_set(channel: Channel, number: int, word: int) -> None:
    channel.leds[number] = word


def ws2811_render(leds: Leds) -> int:
    rendered.append(list(leds.channels[0].leds))
    return 0


def ws2811_fini(leds: Leds) -> None:
    if not leds.device:
        os.kill(os.getpid(), signal.SIGSEGV)  # ws2811.c reads ws2811->device->pcm without looking
    leds.device = False
