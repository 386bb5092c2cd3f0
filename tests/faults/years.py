"""A data folder with years of play in it: as many entries as are asked for, one game after the other, played out."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import msgspec

from companion.games.game import Throw
from companion.games.notation import header_of, line_of
from companion.games.transcript import Transcript
from companion.session.journal.chain import Row, linked
from companion.session.journal.database import write_anew
from companion.session.journal.mirror import Mirror

HEADERS: tuple[dict[str, Any], ...] = (
    {"transcript": 1, "game": "crib_dice", "players": ["Ann", "Ben"]},
    {"transcript": 1, "game": "crag", "players": ["Ann", "Ben"]},
    {"transcript": 1, "game": "crapola", "players": ["Ann", "Ben"]},
)


def played_out(header: dict[str, Any], chance: random.Random) -> list[dict[str, Any]]:
    """The lines of a game played at random to its end."""
    transcript, lines = Transcript.begin(header_of(header)), list[dict[str, Any]]()
    while not transcript.state.over:
        options, sizes = transcript.state.options(), transcript.state.throw_sizes
        if sizes and (not options or chance.random() < 0.5):
            action: Any = Throw(tuple(chance.randint(1, 6) for _ in range(sizes[0])))
        else:
            action = chance.choice(options)
        transcript = transcript.then(action)
        lines.append(line_of(action))
    return lines


def seen(dice: list[int] | None, throw: int) -> dict[str, Any]:
    """What an entry says of the reading; every fiftieth throw was asked about."""
    if dice is None:
        return {"source": "camera"}
    boxes = [{"box_xywh": [90 * at, 200, 64, 64], "read": value, "confidence": 0.99, "kept": False}
             for at, value in enumerate(dice, start=1)]  # fmt: skip
    doubt = None if throw % 50 else "disagree"
    source = "answered" if doubt else "camera"
    return {"source": source, "photo": True, "seen": {"doubt": doubt, "dice": boxes}}


def fill(folder: Path, entries: int, *, one_sitting: bool = True, seed: int = 1) -> int:
    """Write a journal of at least that many entries; returns how many games it has."""
    chance = random.Random(seed)
    templates = [(header, played_out(header, chance)) for header in HEADERS for _ in range(6)]
    templates = [template for template in templates if len(template[1]) < 2000]
    rows: list[Row] = []
    games = throw = 0
    before = bytes(16)

    def add(kind: str, body: dict[str, Any], thrown: int | None = None) -> None:
        nonlocal before
        number = len(rows) + 1
        rows.append(linked(before, number, kind, msgspec.json.encode(body), 1_600_000_000.0 + 20 * number, thrown))
        before = bytes.fromhex(rows[-1].link)

    while len(rows) < entries:
        header, lines = chance.choice(templates)
        number = len(rows) + 1
        sitting = 1 if one_sitting else number
        add("game", {"header": header, "sitting": sitting, "horizon": sitting, "colours": {}})
        games += 1
        for line in lines:
            thrown = line.get("throw")
            throw += thrown is not None
            add("line", {"line": line, **seen(thrown, throw)}, throw if thrown is not None else None)
    folder.mkdir(parents=True, exist_ok=True)
    Mirror(folder).write_anew(rows)
    write_anew(folder / "journal.sqlite3", rows)
    return games
