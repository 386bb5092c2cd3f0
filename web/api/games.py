"""`/api/games` and `/api/seats`: the games that can be chosen, who sits down for the next one, and starting it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import flask
import msgspec

from companion.table.commands import StartGame
from companion.table.read_only import AnyTable
from companion.table.snapshot import Snapshot
from companion.table.terms import Terms
from web.names import problem_of
from web.pairing.phones import NAME_LENGTH, Pairing
from web.pairing.roles import ANYONE, PLAYERS
from web.pairing.tokens import Seat
from web.requests import OF_A_COMMAND, phone, refuse_unless_own_game, start_game
from web.responses import refusal
from web.routes import Json, NothingBody, Routes, ref

HEADER: Json = {
    "type": "object",
    "required": ["transcript", "game", "players"],
    "properties": {
        "number": {"type": "integer", "minimum": 0},
        "transcript": {"const": 1},
        "players": {
            "type": "array",
            "items": {"type": "string", "minLength": 1, "maxLength": 24},
            "minItems": 1,
            "uniqueItems": True,
        },
        "rules": {"type": "object", "additionalProperties": {"type": ["boolean", "integer"]}},
        "first": {"type": "string"},
        "roll_off": {"type": "boolean"},
        "terms": ref("Terms"),
        "colours": {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0, "maximum": 9}},
    },
    "additionalProperties": False,
}
"""JSON schema of the body of `POST /api/games`: the transcript's header, with `terms` and `colours`. It only describes:
the table checks a header itself. `number` is that of the snapshot that the sender saw: a stale start is refused.
`routes` adds the property `game`, whose values are the games on offer."""

Form = Mapping[str, Any]
"""Description of a game for the set-up form, made by `companion.games.engine.rulebook.form_of`."""


class SeatBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/seats`: the player's name, and the colour of its peg as an index into the palette, 0 to 9."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=NAME_LENGTH)]
    colour: Annotated[int, msgspec.Meta(ge=0, le=9)]


def routes(games: Sequence[Form], table: AnyTable, pairing: Pairing) -> Routes:
    """Make the group of routes for the games that can be chosen and the seats in the next game.

    Anyone may list games and seats. Players start a game, and take or leave a seat, each for their own phone. Once a
    running game has a throw, only the owner and the phone that started that game may start another; 403 for others.

    Args:
        games: Descriptions of the games that can be chosen.
        table: Starts the game.
        pairing: The paired phones: which one started the game, and which ones have a seat.
    """
    properties = {"game": {"enum": [game["game"] for game in games]}, **HEADER["properties"]}
    made = Routes("games", Terms, SeatBody, schemas={"Header": {**HEADER, "properties": properties}})
    _add_seat_routes(made, pairing)

    listed = {"games": [card(game) for game in games]}
    made.get("/api/games", "The games, their house rules and presets", roles=ANYONE)(lambda: listed)
    start: Json = {"schema": ref("Snapshot"), "refused": OF_A_COMMAND, "named": "Header", "roles": PLAYERS}

    @made.post("/api/games", "Start a game", dict[str, Any], **start)
    def begin(header: dict[str, Any]) -> Snapshot | flask.Response:
        players, terms, colours = header.get("players"), header.pop("terms", {}), header.pop("colours", {})
        number = header.pop("number", None)
        if number is not None and type(number) is not int:
            return refusal(400, "malformed", f"`number` = {number!a} is no snapshot's number. Send one, or none.")
        dice = terms.get("dice") if isinstance(terms, dict) else None
        named = [*(players if isinstance(players, list) else ()), dice]
        wrong = problem_of(name for name in named if isinstance(name, str))
        if wrong is not None:
            return refusal(422, "name", wrong)
        refuse_unless_own_game(table, pairing)
        return start_game(table, pairing, StartGame(header=header, number=number, terms=terms, colours=colours))

    return made


def _add_seat_routes(made: Routes, pairing: Pairing) -> None:
    """Add to `made` the routes that list, take and leave seats in the next game.

    A seat is a player's name and peg colour. Anyone may list the seats. Only players take or leave one, each for their
    own phone. A taken name or colour is refused with 409, a name that is not allowed with 422.
    """

    @made.get("/api/seats", "Who sits down for the next game", roles=ANYONE)
    def seats() -> Json:
        return {"seats": [phone.seat for phone in pairing.seats()]}

    @made.post("/api/seats", "Sit down for the next game", SeatBody, roles=PLAYERS, refused=(409, 422))
    def sit(sent: SeatBody) -> Json | flask.Response:
        seat, asking = Seat(sent.name.strip(), sent.colour), phone(pairing)
        wrong = problem_of([seat.name]) if seat.name else "A seat needs a name. Write yours."
        if wrong is not None:
            return refusal(422, "name", wrong)
        if asking is None or not pairing.sit(asking.id, seat):
            return refusal(409, "seat_taken", "Someone here has that name or that peg. Choose another.")
        return {"seat": seat}

    @made.post("/api/seats/leave", "Stand up", NothingBody, roles=PLAYERS)
    def stand_up(_: NothingBody) -> Json:
        asking = phone(pairing)
        if asking is not None:
            pairing.sit(asking.id, None)
        return {"seat": None}


def card(form: Form) -> Form:
    """Return a game's description with its long texts replaced by `pitch`, the first sentence of its rules."""
    pitch = " ".join(form["in_words"].split("\n\n")[0].split()).partition(". ")[0].removesuffix(".") + "."
    left_out = ("in_words", "doubtful", "why", "glossary")
    return {key: value for key, value in form.items() if key not in left_out} | {"pitch": pitch}
