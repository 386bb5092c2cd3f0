"""A pub with every part that a table can have, so that it has every route."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from companion.evidence.lesson import Teacher
from companion.evidence.taught import TaughtSets
from tests.web.pub import JPEG, USUAL, Pub, opened


class StandInCalibration:
    """Fake of `web.api.calibrate.Calibration` whose camera has no picture yet."""

    def look(self) -> dict[str, Any]:
        return {"picture_wh": None, "markers": [], "zones": [], "advice": [], "says": "nothing yet"}

    def picture_jpeg(self) -> bytes:
        return JPEG

    def sheet_pdf(self, paper: str) -> bytes:
        return b"%PDF"

    def take_sheet(self, plan: Any, lens_mm: Any) -> dict[str, Any]:
        return self.look()

    def take_empty(self) -> dict[str, Any]:
        return self.look()

    def take_die(self) -> dict[str, Any]:
        return self.look()

    def lay_sheet(self, lie: bool) -> dict[str, Any]:
        return self.look()


class IdleHouse:
    """Fake bot that never plays: it only accepts `hold`."""

    def hold(self, seconds: float) -> None:
        return None


@contextmanager
def everything(folder: Path, **more: Any) -> Iterator[Pub]:
    """Yield a pub on a data folder with every group of routes; `more` replaces parts by name."""
    fakes = {"house": IdleHouse(), "calibrate": StandInCalibration(), "teach": Teacher(TaughtSets(folder))}
    with opened(folder, **{**dict.fromkeys(USUAL, True), **fakes, **more}) as pub:
        yield pub
