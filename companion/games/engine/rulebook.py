"""Everything that the project knows of a game, as one value: rules, switches, presentation, odds and texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from companion.errors import RulesError
from companion.games.engine.event import SHARED_EFFECTS, SILENT, Effect
from companion.games.engine.game import Action, Header, Picture, State, Switch, Switches, Why
from companion.games.engine.roll_off import Begin, RollOff
from companion.games.engine.tray_policy import KeepZonePolicy
from companion.games.engine.views.board import Track, track_of
from companion.games.engine.views.panels import Panels, default_panels
from companion.games.engine.views.phrase import Phrase


def no_values_to_win(state: State) -> tuple[tuple[Action | int, float], ...]:
    """Default of `Rulebook.values_to_win`: raise RulesError, because no win probabilities are known."""
    raise RulesError(f"The chance to win is not known for {state.standing.header.game!r}.")


def no_values_by_games(state: State) -> tuple[tuple[Action | int, float], ...]:
    """Default of `Rulebook.values_by_games`: raise RulesError, because every loser loses just one game."""
    raise RulesError(f"Expected games lost are not computed for {state.standing.header.game!r}; choose the goal win.")


def first_option(state: State) -> Action | int:
    """Default of `Rulebook.rule_of_thumb`: return the first legal decision, else the least number of dice to throw."""
    return next(iter(state.options()), None) or state.throw_sizes[0]


@dataclass(frozen=True, slots=True)
class DoubtfulSentence:
    """A sentence of the original rules that can be read in two ways, and how it is read here.

    Attributes:
        original: The sentence of the original.
        here: What is played here.
        why: Why, in a sentence or two.
    """

    original: str
    here: str
    why: str


@dataclass(frozen=True, slots=True)
class Rulebook:
    """Definition of one game.

    Attributes:
        name: Key of the game in the registry and in `Header.game`.
        title: Display name.
        min_players: Least number of players.
        max_players: Greatest number of players; None without a limit.
        begin: Returns the state before the first throw.
        switches: House rules, in the order of a settings form.
        presets: Values that differ from the defaults, by the name of a common set of house rules.
        tray: How the game reads the dice in the tray.
        effects: Effects of the game's own events, by code.
        track: Returns what the track shows of a state.
        panels: Returns what a page shows of a state beside the track.
        facts: Returns phrases about what matters in a position, for puzzles and reviews; their texts have keys
            `fact.CODE`.
        in_words: Rules in English, as plain paragraphs.
        pictures: Rules in pictures, in the order of a turn; each is a row on the help page.
        doubtful: Doubtful sentences of the original rules, in its order.
        why: Codes of tray notices by the heading of the paragraph that explains them.
        credits: Origin of the game, in English.
        charts: Names of the charts of the strategy guide, for the help page; their texts have keys after `chart.`.
        glossary: Keys of the words of the game that the help page explains, after `word.` in the texts.
        check_header: Raises RulesError if a header breaks a condition of this game alone.
        expects_total: Whether expected values are final totals instead of turn points.
        solved: Whether the values for a goal (`win` or `games`) assume that all players play every turn for it.
        rule_of_thumb: Returns a decision, or the number of dice to throw.
        values_to_win: Returns the win probability of each option of `State.expected_values`; raises RulesError where it
            is unknown.
        values_by_games: Returns for each option the expected games that the other side loses less one's own; raises
            RulesError where it is unknown.
        percentile: Returns the share of perfectly played results with fewer points, by header and points; None where it
            is not known.
        mistakes: Temperatures of the levels `careless` and `steady`, in points of an option's value; 0 for no mistakes.
            At twice the temperature, a mistake twice as large is equally likely. docs/lab/levels.md measures them.
    """

    name: str
    title: str
    min_players: int
    max_players: int | None
    begin: Begin
    switches: tuple[Switch, ...] = ()
    presets: Mapping[str, Switches] = field(default_factory=dict)
    tray: KeepZonePolicy = field(default_factory=KeepZonePolicy)
    effects: Mapping[str, Effect] = field(default_factory=dict)
    track: Callable[[State], Track] = track_of
    panels: Callable[[State], Panels] = default_panels
    facts: Callable[[State], tuple[Phrase, ...]] = lambda _: ()
    in_words: str = ""
    pictures: tuple[Picture, ...] = ()
    doubtful: tuple[DoubtfulSentence, ...] = ()
    why: Why = field(default_factory=dict)
    credits: str = ""
    charts: tuple[str, ...] = ()
    glossary: tuple[str, ...] = ()
    check_header: Callable[[Header], None] = lambda _: None
    expects_total: bool = False
    solved: Callable[..., bool] = lambda *_: False
    rule_of_thumb: Callable[[State], Action | int] = first_option
    values_to_win: Callable[[State], tuple[tuple[Action | int, float], ...]] = no_values_to_win
    values_by_games: Callable[[State], tuple[tuple[Action | int, float], ...]] = no_values_by_games
    percentile: Callable[[Header, int], float | None] = lambda *_: None
    mistakes: tuple[float, float] = (2.0, 0.0)

    def check(self, header: Header) -> None:
        """Raise RulesError unless the game can be played with this header.

        The names and number of players must fit, and the game's own `check_header` must pass. `first` must be a player
        and can't be combined with a roll-off.
        """
        _check_players(header.players)
        number = len(header.players)
        if number < self.min_players or (self.max_players is not None and number > self.max_players):
            most = " or more" if self.max_players is None else f" to {self.max_players}"
            raise RulesError(f"{self.title} is for {self.min_players}{most} players, not {number}.")
        self.check_header(header)
        if header.first is not None and header.roll_off:
            raise RulesError("Either `first` names who starts or a roll-off finds it, not both.")
        if header.first is not None and header.first not in header.players:
            raise RulesError(f"`first` names {header.first!r}, who is not one of the players.")

    def effect(self, code: str) -> Effect:
        """Return the effect of an event code; `SILENT` if none is declared."""
        return self.effects.get(code) or SHARED_EFFECTS.get(code, SILENT)

    def start(self, header: Header) -> State:
        """Return a game's first state: of the roll-off if the header asks for one, else of the game itself.

        Raises RulesError if `check` refuses the header.
        """
        self.check(header)
        if header.roll_off:
            return RollOff(header, self.begin, tuple(range(len(header.players))))
        first = 0 if header.first is None else header.players.index(header.first)
        return self.begin(header, first, (), frozenset())


def form_of(game: Rulebook) -> dict[str, Any]:
    """Return a game's description for a settings form and a help page, as JSON values.

    For the form: `game` (its key), `title`, `min_players`, `max_players` (None: no limit), `switches` (the house
    rules, each with its `type`, `bool` or `integer`) and `presets`. For the help page, as in `Rulebook`:
    `in_words`, `pictures`, `doubtful`, `why`, `credits`, `charts` and `glossary`. `pegpip rules --json` prints the
    result.
    """
    return {
        "game": game.name,
        "title": game.title,
        "min_players": game.min_players,
        "max_players": game.max_players,
        "switches": [
            {**asdict(switch), "type": "bool" if isinstance(switch.default, bool) else "integer"}
            for switch in game.switches
        ],
        "presets": {name: dict(switches) for name, switches in game.presets.items()},
        "in_words": game.in_words,
        "pictures": [asdict(picture) for picture in game.pictures],
        "doubtful": [asdict(sentence) for sentence in game.doubtful],
        "why": {heading: list(codes) for heading, codes in game.why.items()},
        "credits": game.credits,
        "charts": list(game.charts),
        "glossary": list(game.glossary),
    }


def _check_players(players: tuple[str, ...]) -> None:
    """Raise RulesError unless all players' names differ, have 1 to 24 characters, and hold no lone surrogate."""
    for name in players:
        if not 1 <= len(name) <= 24:
            raise RulesError(f"A player's name has 1 to 24 characters; {name[:24]!r}... has {len(name)}.")
        if any("\ud800" <= sign <= "\udfff" for sign in name):
            raise RulesError(f"The name {name!r} holds half a character: a surrogate without its other half.")
    if len(set(players)) < len(players):
        twice = next(name for name in players if players.count(name) > 1)
        raise RulesError(f"Two players are called {twice!r}; names must differ.")
