"""Snapshots of every kind of situation that a page may have to show, made from the rules without a running table."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import msgspec

from companion.errors import Doubt
from companion.games.engine.game import Action, Header, State, Throw
from companion.games.engine.notation import header_line, line_of
from companion.games.engine.players import rule_of_thumb
from companion.games.engine.rulebook import Rulebook
from companion.games.engine.transcript import Transcript
from companion.games.engine.views.phrase import Phrase
from companion.games.registry import GAMES
from companion.table.evolve import Record, evolve
from companion.table.journal import Entry
from companion.table.projection import snapshot_of
from companion.table.snapshot import Snapshot
from companion.table.state import TableState
from companion.table.terms import Terms
from companion.table.tray.interpret import Ask
from companion.table.tray.memory import Memory
from companion.table.tray.observation import Die, Observation

NAMES = (
    "Wwwwwwww Wwwwwwww Wwwwww",
    "عبد الرحمن بن عبد العزيز",
    "Łucja Święcińska-Żołądek",
    "Maximiliane-Rosalinde II",
    "Ann",
    "Jean-François Lévêque-Ça",
    "Þórunn Ægisdóttir-Óðinsd",
    "محمد",
    "Bartholomew Featherstone",
    "Ng",
)
"""Names of the greatest length (24 letters), wide, accented and right-to-left ones, and short ones."""
PLAYERS = (1, 2, 3, 5, 6, 9, 10)
PHOTO = b"a photo"
DECIDING_TURN = 0.6  # of the lines of a whole game


def seated(game: Rulebook) -> Iterator[Header]:
    """Yield a header of a game for each number of `PLAYERS` that it can seat, with the longest names."""
    most = game.max_players or max(PLAYERS)
    for count in PLAYERS:
        rules = {"partners": True} if "partners" in {each.key for each in game.switches} and count == most else {}
        if game.min_players <= count <= most:
            yield Header(game.name, NAMES[:count], {**{each.key: each.default for each in game.switches}, **rules})


def among(game: str, players: tuple[str, ...]) -> Header:
    """Return the header of a game between those players with the default house rules."""
    return Header(game, players, {each.key: each.default for each in GAMES[game].switches})


def scenes(header: Header, seed: int = 5) -> dict[str, Snapshot]:
    """Return a snapshot of each kind of situation in one random game, by the name of the situation, in order."""
    actions = played(header, random.Random(seed))
    records = [begun(header)]
    for action in actions:
        records.append(with_line(records[-1], action))
    # The widest of the decisions: the most that is on offer at a time.
    part = records[int(len(records) * DECIDING_TURN) :]
    deciding = max(part, key=lambda each: len(_state(each).options()))
    throwing = next(each for each in part if _state(each).throw_sizes)
    cheers = [each for each in records[2:] if any(e.cheered and e.code != "game_over" for e in _new_events(each))]
    seen = observed((6, 6, 5, 4, 3, 2, 1)[: max(_state(throwing).throw_sizes)])
    asked = Ask(Doubt.DISAGREE, _state(throwing).throw_sizes, seen, Memory())
    found = {
        "idle": TableState(Record(), Memory()),
        "begun": TableState(records[0], Memory()),
        "deciding": TableState(deciding, Memory()),
        "throwing": TableState(throwing, Memory(awake=True), observation=seen),
        "asking": TableState(throwing, Memory(awake=True), seen, (7, asked)),
        "noticed": TableState(throwing, Memory(), notice=Phrase("illegal_hold", {
            "player": NAMES[0], "reason": "pair_needed", "dice": [6], "values": [1, 2, 3]})),
        **({"cheered": TableState(cheers[len(cheers) // 2], Memory())} if cheers else {}),
        "over": TableState(records[-1], Memory()),
    }  # fmt: skip
    shown = {name: snapshot_of(table) for name, table in found.items()}
    for name in ("begun", "deciding", "throwing"):
        shown[f"taught {name}"] = msgspec.structs.replace(shown[name], terms=Terms(lessons=True))
    awaited = {"player": NAMES[0], "count": max(_state(records[0]).throw_sizes), "staying": []}
    shown["house"] = msgspec.structs.replace(shown["begun"], notice=Phrase("house_awaits", awaited))
    return {name: msgspec.structs.replace(snapshot, pulse=at + 1) for at, (name, snapshot) in enumerate(shown.items())}


def played(header: Header, dice: random.Random) -> tuple[Action, ...]:
    """Return the actions of a whole game played by careless bots."""
    transcript = Transcript.begin(header)
    while not transcript.state.standing.over:
        choice = rule_of_thumb(transcript.state)
        transcript = transcript.then(
            Throw(tuple(dice.choices(range(1, 7), k=choice))) if isinstance(choice, int) else choice
        )
    return transcript.actions


def begun(header: Header) -> Record:
    """Return the record of a table on which a game has just begun."""
    body = {"header": header_line(header), "sitting": 1, "horizon": 1, "colours": {}}
    return evolve(Record(), Entry(number=1, kind="game", body=body, wall_s=1_700_000_000.0))


def with_line(record: Record, action: Action) -> Record:
    """Return the record after one more line; a throw has a photo."""
    thrown = isinstance(action, Throw)
    body = {"line": line_of(action), "source": "camera", **({"photo": "1.jpg"} if thrown else {})}
    throw = record.last_throw + 1 if thrown else None
    return evolve(record, Entry(number=record.number + 1, kind="line", body=body, wall_s=1_700_000_000.0, throw=throw))


def observed(values: tuple[int, ...]) -> Observation:
    """Return a doubtful observation of a tray in which dice of these values lie."""
    dice = tuple(
        Die(value, 40.0 + 40 * at, 60.0, 0.9, (120 + 130 * at, 300, 64, 64)) for at, value in enumerate(values)
    )
    return Observation(thrown=dice, kept=(), doubt=Doubt.DISAGREE, photo_jpeg=PHOTO, at_s=1.0, emptied=True)


def _state(record: Record) -> State:
    assert record.game is not None
    return record.game.transcript.state


def _new_events(record: Record) -> list[Any]:
    assert record.game is not None
    return [event for event in record.game.log if event.number == record.number]
