"""Optional parts that reach beyond the table. Each is imported only when the settings turn it on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from companion.diagnostics.health import Health
from companion.errors import DeviceError
from companion.history.export import PastGames
from companion.libraries import missing_library
from companion.service.parts import Part, following
from companion.settings.load import Settings
from companion.table.writer import Table


@dataclass(slots=True)
class Beyond:
    """The parts that the settings turn on, and the health check of each."""

    parts: list[Part] = field(default_factory=list)
    checks: dict[str, Health] = field(default_factory=dict)


def opened_beyond(settings: Settings, folder: Path, table: Table, past: PastGames) -> Beyond:
    """Return what the settings turn on. What can't be opened is told by its health check; the table plays on."""
    found = Beyond()
    if settings.league.server:
        _add(found, "league", lambda: _league(settings, folder, table, past))
    return found


def _add(found: Beyond, name: str, open_it: Callable[[], tuple[Part, Health]]) -> None:
    """Add a part under its name; if it can't be opened, add a check that says why."""
    try:
        part, health = open_it()
    except (ImportError, DeviceError) as ill:
        says = missing_library(ill) if isinstance(ill, ImportError) else str(ill)
        if says is None:
            raise
        found.checks[name] = lambda: (False, says)
    else:
        found.parts.append(part)
        found.checks[name] = health


def _league(settings: Settings, folder: Path, table: Table, past: PastGames) -> tuple[Part, Health]:
    """Return the sender of finished games."""
    from companion.league.sender import Sender

    sender = Sender(settings.league.server, folder, past, settings.league.aliases)
    return following("league", table, sender.hear, sender.start, sender.stop, sender.alive), sender.health
