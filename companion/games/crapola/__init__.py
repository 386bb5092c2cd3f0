"""Crapola: rules, odds, views and texts, combined into one `Rulebook`.

>>> from companion.games.engine.game import Keep, Stop, Throw
>>> from companion.games.engine.notation.header import header_of
>>> from companion.games.engine.transcript import Transcript, corrected
>>> game = Transcript.begin(header_of({"transcript": 1, "game": "crapola", "players": ["Ann", "Ben"]}))
>>> for action in (Throw((1, 1, 1, 2, 3, 4)), Keep((1, 1, 1)), Stop()):
...     game = game.then(action)
>>> game.state.standing.scores, [event.code for event in game.events]
((1000, 0), ['banked'])
>>> corrected(game, 0, Throw((1, 1, 2, 2, 3, 4))).refused[0][1]
Keep(dice=(1, 1, 1))
"""

from __future__ import annotations

from companion.games.crapola.board import EFFECTS, track
from companion.games.crapola.facts import facts
from companion.games.crapola.odds.win import solved, values_to_win
from companion.games.crapola.panels import panels
from companion.games.crapola.rule_of_thumb import choice
from companion.games.crapola.state import begin
from companion.games.crapola.tray import CrapolaTray
from companion.games.crapola.words import CREDITS, DOUBTFUL, IN_WORDS, PICTURES, SWITCHES, WHY
from companion.games.engine.rulebook import Rulebook

GAME = Rulebook(
    name="crapola",
    title="Crapola",
    min_players=2,
    max_players=10,
    begin=begin,
    rule_of_thumb=choice,
    mistakes=(100.0, 30.0),
    solved=solved,
    values_to_win=values_to_win,
    switches=SWITCHES,
    presets={"basic": {}, "quick": {"target": 5000, "entry": 500}},
    tray=CrapolaTray(),
    effects=EFFECTS,
    track=track,
    panels=panels,
    facts=facts,
    in_words=IN_WORDS,
    pictures=PICTURES,
    doubtful=DOUBTFUL,
    why=WHY,
    credits=CREDITS,
    charts=("throw-or-bank",),
    glossary=("hot_dice", "crap_out"),
)
"""Definition of Crapola, see `Rulebook`. `mistakes` is the scale of the noise, in points, that the bot's levels
`careless` and `steady` add to each option's expected points. Larger: costlier mistakes; 0: none. Both numbers also
grade puzzles, and the first scales how much must be at stake, in points, for a puzzle or a rated decision."""
