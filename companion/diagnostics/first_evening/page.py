"""The page of a first evening: one HTML file with everything in it, for the person and for those who help."""

from __future__ import annotations

import base64
import platform
import re
from collections import Counter
from pathlib import Path
from statistics import median

from jinja2 import Environment
from markupsafe import Markup, escape

from companion.diagnostics.first_evening.evening import Evening, frames_a_second
from hardware.machine import model

TEMPLATE = Path(__file__).with_name("page.html")
"""Path of the Jinja template of the first evening's report, one HTML page."""
BARS = 24
"""Number of bars in the histogram of reading times. More: finer bars, each with fewer readings."""
MAX_PHOTOS = 6
"""Largest number of throws that the report page shows with a picture: the first read wrong or with doubt. The zip
beside the page has all of these pictures. More: a larger page."""


def page(evening: Evening, made: str, zip_name: str) -> str:
    """Return the report of a guided check as one HTML page with its pictures inside: findings, throws and charts.

    The page shows the date and time `made`, and names the zip beside it.
    """
    times_s = evening.frame_times_s
    heights, edge_ms = _bars(evening.readings_s)
    environment = Environment(autoescape=True)
    environment.filters["code"] = _code
    environment.filters["base64"] = lambda jpeg: base64.b64encode(jpeg).decode()
    return environment.from_string(TEMPLATE.read_text(encoding="utf-8")).render(
        evening=evening,
        made=made,
        machine=model() or f"{platform.system()} on {platform.machine()} (no Raspberry Pi)",
        ill=evening.ill(),
        well=sum(finding.ok and not finding.simulated for finding in evening.findings),
        simulated=sum(finding.ok and finding.simulated for finding in evening.findings),
        made_throws=len(evening.throws) + evening.missed,
        bars=heights,
        edge_ms=edge_ms,
        fps=f"{frames_a_second(times_s):.0f}" if len(times_s) > 1 else "",
        doubtful=[throw for throw in evening.throws if throw.jpeg][:MAX_PHOTOS],
        zip_name=zip_name,
    )


def _bars(durations_s: list[float]) -> tuple[list[float], int]:
    """Return the histogram of how long readings took, and the time at its right edge in ms: five times the median.

    The BARS heights are relative to the highest (0 to 1). Longer readings count in the last bar. Without readings, or
    at a median of 0, there are no bars, and the time is 0.
    """
    edge_s = 5 * median(durations_s) if durations_s else 0
    if edge_s == 0:
        return [], 0
    counts = Counter(min(BARS - 1, int(duration_s / edge_s * BARS)) for duration_s in durations_s)
    return [counts[bar] / max(counts.values()) for bar in range(BARS)], round(1000 * edge_s)


def _code(text: str) -> Markup:
    """Escape a text for HTML; what is between backticks becomes a <code> element."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))  # noqa: S704 - escaped before
