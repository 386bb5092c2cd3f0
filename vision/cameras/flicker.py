"""Lamps on the mains flicker at twice its frequency: which frequency holds here, and which exposures average it out."""

from __future__ import annotations

import os
import re
from pathlib import Path

SIXTY_HZ = (
    "AG AI AS AW BM BR BS BZ CA CO CR CU DO EC FM GT GU GY HN HT KN KR KY LR MH MP MS MX NI PA PE PH PR PW SA SR SV TC"
    " TT TW US VE VG VI"
)
"""Countries (ISO 3166) whose mains has 60 Hz; the others have 50. Japan has both: set `mains_hz` in its west."""
REGULATORY_DOMAIN = Path("/sys/module/cfg80211/parameters/ieee80211_regdom")
"""The Wi-Fi country that Raspberry Pi OS was told."""
CAMERA_FRAME_S = 1 / 30
"""Longest exposure that still gives 30 frames a second."""


def country(told: Path = REGULATORY_DOMAIN, cmdline: Path = Path("/proc/cmdline")) -> str:
    """The two letters of the machine's country, from its Wi-Fi or else its language; "" when neither tells it."""
    for file, pattern in ((cmdline, r"cfg80211\.ieee80211_regdom=([A-Z]{2})"), (told, r"^([A-Z]{2})$")):
        try:
            found = re.search(pattern, file.read_text(encoding="ascii", errors="replace"), re.MULTILINE)
        except OSError:
            continue
        if found:
            return found[1]
    language = re.match(r"[a-z]+_([A-Z]{2})", os.environ.get("LC_ALL") or os.environ.get("LANG") or "")
    return language[1] if language else ""


def mains_hz(setting: int, where: str) -> int:
    """Frequency of the mains: the setting, or that of the country (two letters) where the setting is 0."""
    return setting or (60 if where in SIXTY_HZ.split() else 50)


def flicker_period_us(hz: int) -> int:
    """Time from one maximum of a lamp's light to the next, in whole microseconds, for a mains of `hz`."""
    return 1_000_000 // (2 * hz)


def steady_exposure(
    exposure_us: float, gain: float, gain_limits: tuple[float, float], period_us: int
) -> tuple[int, float]:
    """The exposure and gain of the same brightness that average a lamp's flicker out.

    The exposure becomes a whole number of flicker periods, at most a thirtieth of a second. Where the scene is too
    bright for one period at the lowest gain it stays as it is, and bands remain (`has_whole_periods`).

    Args:
        exposure_us: Exposure time in microseconds.
        gain: All gains together.
        gain_limits: Lowest and highest analogue gain of the sensor.
        period_us: Flicker period in microseconds.

    Returns:
        Exposure in microseconds and analogue gain; darker than asked where the highest gain is not enough.
    """
    lowest, highest = gain_limits
    total = exposure_us * gain
    if total / lowest < period_us:
        return round(total / lowest) if gain > lowest else round(exposure_us), lowest
    most = int(CAMERA_FRAME_S * 1e6 // period_us)
    periods = min(max(int(exposure_us // period_us), 1), most)
    while periods < most and total / (periods * period_us) > highest:
        periods += 1
    return periods * period_us, min(max(total / (periods * period_us), lowest), highest)


def has_whole_periods(exposure_s: float, hz: int) -> bool:
    """Whether an exposure in seconds is a whole number of flicker periods, within 2 %, for a mains of `hz`."""
    periods = exposure_s * 2 * hz
    return round(periods) >= 1 and abs(periods - round(periods)) < 0.02
