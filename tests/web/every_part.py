"""A pub with every part that a table can have, so that it has every route."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from companion.bots.adviser import Advisor
from companion.evidence.lesson import Teacher
from companion.evidence.taught import TaughtSets
from companion.history.export import PastGames
from companion.history.review import Review
from companion.settings.file import SettingsFile
from companion.settings.load import Origin, Settings
from tests.web.pub import JPEG, Mute, Pub, StandInClips, opened


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
    file = SettingsFile(Origin(folder / "pegpip.toml"), Settings(), lambda settings: [], lambda settings: None)
    parts: dict[str, Any] = {
        "evening": PastGames(folder),
        "review": Review(folder),
        "advice": Advisor(lambda: pub.table.state()),
        "house": IdleHouse(),
        "voice": Mute(),
        "clips": StandInClips(),
        "calibrate": StandInCalibration(),
        "teach": Teacher(TaughtSets(folder)),
        "settings": file,
    }
    with opened(folder, **{**parts, **more}) as pub:
        yield pub
