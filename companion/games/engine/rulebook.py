"""A game's rules as one value: its name, seats and switches, and the function that makes its first turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from companion.errors import RulesError
from companion.games.engine.event import OF_EVERY_GAME, SILENT, Effect
from companion.games.engine.game import Action, Header, State, Switch, Switches, Why
from companion.games.engine.roll_off import Begin, RollOff
from companion.games.engine.tray_policy import KeepZonePolicy, ThrowsOnly
from companion.games.engine.views.board import Track, track_of
from companion.games.engine.views.panels import Panels, plain


def accept(header: Header) -> None:
    """What a game without conditions of its own asks of a header: nothing."""


def no_values_to_win(state: State) -> tuple[tuple[Action | int, float], ...]:
    """What a game without a solved race says of the chance to win. Raises RulesError."""
    raise RulesError(f"The chance to win is not known for {state.header.game!r}.")


def unsolved(_: State) -> bool:
    """What a game says that is not solved for the win: that no state of it is."""
    return False


def first_choice(state: State) -> Action | int:
    """What a player without a rule of thumb does: the first decision there is, else a throw."""
    return next(iter(state.options()), None) or state.throw_sizes[0]


@dataclass(frozen=True, slots=True)
class Rulebook:
    """One game.

    Attributes:
        name: As in a header's `game`.
        title: As people write it.
        min_players: The fewest that can play.
        max_players: The most that can play; None without a limit.
        begin: Makes the state before the first throw of the player in that seat (0 is the first of the header).
        switches: The house rules, in the order of a settings form.
        presets: Names of common sets of house rules: what each sets apart from the defaults.
        tray: What dice in the tray mean in it.
        effects: How its own events are told besides in the log, by their codes.
        track: What the track shows of a state.
        panels: What the page shows of a state beside it.
        in_words: The rules for people, in plain paragraphs.
        why: Which paragraphs of the words explain what the tray says.
        credits: Who the game comes from.
        more: Raises RulesError for what the game itself asks of a header (the rest is asked of every game here).
        expects_total: Whether expected values are final totals, not the points of a turn.
        solved: Whether `values_to_win` are those of a game that all play for the win to its end.
        careless: What somebody does who plays by a rule of thumb: a decision, or how many dice are thrown.
        values_to_win: The chance to win with each option of `State.expected_values`; raises RulesError where it is not
            worked out.
    """

    name: str
    title: str
    min_players: int
    max_players: int | None
    begin: Begin
    switches: tuple[Switch, ...] = ()
    presets: Mapping[str, Switches] = field(default_factory=dict)
    tray: KeepZonePolicy = field(default_factory=ThrowsOnly)
    effects: Mapping[str, Effect] = field(default_factory=dict)
    track: Callable[[State], Track] = track_of
    panels: Callable[[State], Panels] = plain
    in_words: str = ""
    why: Why = field(default_factory=dict)
    credits: str = ""
    more: Callable[[Header], None] = accept
    expects_total: bool = False
    solved: Callable[[State], bool] = unsolved
    careless: Callable[[State], Action | int] = first_choice
    values_to_win: Callable[[State], tuple[tuple[Action | int, float], ...]] = no_values_to_win

    def check(self, header: Header) -> None:
        """Raises RulesError for a header that this game can't play."""
        _check_players(header.players)
        number = len(header.players)
        if number < self.min_players or (self.max_players is not None and number > self.max_players):
            most = " or more" if self.max_players is None else f" to {self.max_players}"
            raise RulesError(f"{self.title} is for {self.min_players}{most} players, not {number}.")
        self.more(header)
        if header.first is not None and header.roll_off:
            raise RulesError("Either `first` names who starts or a roll-off finds it, not both.")
        if header.first is not None and header.first not in header.players:
            raise RulesError(f"`first` names {header.first!r}, who is not one of the players.")

    def effect(self, code: str) -> Effect:
        """How an event of that code is told besides in the log."""
        return self.effects.get(code) or OF_EVERY_GAME.get(code, SILENT)

    def start(self, header: Header) -> State:
        """The state before the first throw: the roll-off's or the game's. Raises RulesError."""
        self.check(header)
        if header.roll_off:
            return RollOff(header, self.begin, tuple(range(len(header.players))))
        return self.begin(header, 0 if header.first is None else header.players.index(header.first))


def form_of(game: Rulebook) -> dict[str, Any]:
    """A game's switches with defaults and meaning, its seats and presets, its words: what pages are made from."""
    return {
        "game": game.name,
        "title": game.title,
        "min_players": game.min_players,
        "max_players": game.max_players,
        "switches": [
            {
                "key": switch.key,
                "type": "bool" if isinstance(switch.default, bool) else "integer",
                "default": switch.default,
                "minimum": switch.minimum,
                "title": switch.title,
                "meaning": switch.meaning,
            }
            for switch in game.switches
        ],
        "presets": {name: dict(switches) for name, switches in game.presets.items()},
        "in_words": game.in_words,
        "why": {heading: list(codes) for heading, codes in game.why.items()},
        "credits": game.credits,
    }


def _check_players(players: tuple[str, ...]) -> None:
    for name in players:
        if not 1 <= len(name) <= 24:
            raise RulesError(f"A player's name has 1 to 24 characters; {name[:24]!r}... has {len(name)}.")
        if any("\ud800" <= sign <= "\udfff" for sign in name):
            raise RulesError(f"The name {name!r} holds half a character: a surrogate without its other half.")
    if len(set(players)) < len(players):
        twice = next(name for name in players if players.count(name) > 1)
        raise RulesError(f"Two players are called {twice!r}; names must differ.")
