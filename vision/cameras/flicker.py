"""Lamps on the mains flicker at twice its frequency: which frequency holds here, and which exposures average it out."""

from __future__ import annotations

import os
import re
from pathlib import Path

SIXTY_HZ = (
    "AG AI AS AW BM BR BS BZ CA CO CR CU DO EC FM GT GU GY HN HT KN KR KY LR MH MP MS MX NI PA PE PH PR PW SA SR SV SX"
    " TC TT TW US VE VG VI"
)
"""Countries (ISO 3166) whose mains counts as 60 Hz; all others count as 50. With the wrong frequency lamps flicker
in the picture. Japan has both: set `mains_hz` in its west."""
REGULATORY_DOMAIN = Path("/sys/module/cfg80211/parameters/ieee80211_regdom")
"""File that holds the Wi-Fi country set in Raspberry Pi OS, as two letters."""
MAX_EXPOSURE_S = 1 / 30
"""Longest exposure, in seconds, chosen against flicker: it still gives 30 frames a second, a longer one fewer."""


def country(wifi: Path = REGULATORY_DOMAIN, cmdline: Path = Path("/proc/cmdline")) -> str:
    """Return the machine's country as two letters (ISO 3166); "" if unknown.

    It is the Wi-Fi country on the kernel's command line, else in the driver's file, else that of LC_ALL or LANG.
    """
    for file, pattern in ((cmdline, r"cfg80211\.ieee80211_regdom=([A-Z]{2})"), (wifi, r"^([A-Z]{2})$")):
        try:
            found = re.search(pattern, file.read_text(encoding="ascii", errors="replace"), re.MULTILINE)
        except OSError:
            continue
        if found:
            return found[1]
    language = re.match(r"[a-z]+_([A-Z]{2})", os.environ.get("LC_ALL") or os.environ.get("LANG") or "")
    return language[1] if language else ""


def mains_hz(setting: int, where: str) -> int:
    """Return the mains frequency in Hz: the setting, or if it is 0 that of the country `where`, 50 if unknown."""
    return setting or (60 if where in SIXTY_HZ.split() else 50)


def steady_exposure(
    exposure_us: float, gain: float, gain_limits: tuple[float, float], period_us: int
) -> tuple[int, float]:
    """Return an exposure in microseconds and an analogue gain that keep the brightness and average out lamp flicker.

    The exposure is rounded down to whole flicker periods, from one up to MAX_EXPOSURE_S. It gets longer where the
    highest gain is not enough. A scene too bright for one period at the lowest gain gets this gain and an exposure
    below one period; flicker bands then remain (`has_whole_periods`).

    Args:
        exposure_us: Present exposure time in microseconds.
        gain: Present product of analogue and digital gain.
        gain_limits: Lowest and highest analogue gain of the sensor. If the highest is not enough at MAX_EXPOSURE_S,
            the picture gets darker.
        period_us: Flicker period in microseconds.
    """
    lowest, highest = gain_limits
    total = exposure_us * gain
    if total / lowest < period_us:
        return round(total / lowest) if gain > lowest else round(exposure_us), lowest
    most = int(MAX_EXPOSURE_S * 1e6 // period_us)
    # A sensor exposes whole rows, so that its exposure is a little shorter than the one set.
    periods = min(max(int(exposure_us / period_us + 0.02), 1), most)
    while periods < most and total / (periods * period_us) > highest:
        periods += 1
    return periods * period_us, min(max(total / (periods * period_us), lowest), highest)


def has_whole_periods(exposure_s: float, hz: int) -> bool:
    """Return whether an exposure is, within 2 %, one or more whole flicker periods of a lamp on mains of `hz` hertz."""
    periods = exposure_s * 2 * hz
    return round(periods) >= 1 and abs(periods - round(periods)) < 0.02
