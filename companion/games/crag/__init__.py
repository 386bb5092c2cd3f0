"""Crag: rules, odds, views and texts, combined into one `Rulebook`.

>>> from companion.games.engine.replay import replayed
>>> lines = b'{"transcript": 1, "game": "crag", "players": ["Ann"]}\\n{"throw": [1, 6, 6]}\\n{"do": "stop"}'
>>> [state.get("dice", state.get("error")) for state in replayed(lines)]
[[], [1, 6, 6], 'illegal_action']
"""

from __future__ import annotations

from companion.games.crag.board import EFFECTS, track
from companion.games.crag.facts import facts
from companion.games.crag.panels import panels
from companion.games.crag.rule_of_thumb import choice
from companion.games.crag.state import begin
from companion.games.crag.tray import CragTray
from companion.games.crag.words import CREDITS, IN_WORDS, PICTURES, SWITCHES, WHY
from companion.games.engine.game import Action, Header, State
from companion.games.engine.rulebook import Rulebook


def values_to_win(state: State) -> tuple[tuple[Action | int, float], ...]:
    """Return what `odds.win.values_to_win` returns: each option with its win probability. Loads NumPy on first use."""
    from companion.games.crag.odds import win

    return win.values_to_win(state)


def percentile(header: Header, points: int) -> float:
    """Return the share of Crag sheets with fewer points if every turn is played for the total. Loads NumPy."""
    from companion.games.crag.odds import win

    return win.share_below(points, bool(header.rules["thirteen_without_double"]))


GAME = Rulebook(
    name="crag",
    title="Crag",
    min_players=1,
    max_players=None,
    begin=begin,
    rule_of_thumb=choice,
    mistakes=(2.5, 1.0),
    values_to_win=values_to_win,
    expects_total=True,
    percentile=percentile,
    switches=SWITCHES,
    presets={"basic": {}, "score_sheet": {"thirteen_without_double": True}},
    tray=CragTray(),
    effects=EFFECTS,
    track=track,
    panels=panels,
    facts=facts,
    in_words=IN_WORDS,
    pictures=PICTURES,
    why=WHY,
    credits=CREDITS,
    charts=("final-totals",),
)
"""Definition of Crag, see `Rulebook`. `mistakes` is the scale of the noise, in points, that the bot's levels `careless`
and `steady` add to each option's expected points. Larger: costlier mistakes; 0: none. Both numbers also grade puzzles,
and the first scales how much must be at stake, in points, for a puzzle or a rated decision."""
