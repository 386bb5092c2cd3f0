"""Crib Dice: rules, odds, views and texts, combined into one `Rulebook`.

>>> from companion.games.advice.odds import options
>>> from companion.games.engine.replay import transcript_of
>>> header = b'{"transcript": 1, "game": "crib_dice", "players": ["Ann", "Ben"]}'
>>> game = transcript_of(header + b'\\n{"throw": [5, 5, 2, 2, 1, 4, 6]}\\n{"do": "point", "value": 5}')
>>> game.state.standing.player, game.state.standing.turn_points, game.state.throw_sizes
('Ann', 2, (5,))
>>> GAME.track(game.state).pegs
(Peg(banked=0, provisional=2), Peg(banked=0, provisional=0))
>>> [option["line"] for option in options(game.state)]
[{'throw': 5}, {'do': 'stop'}]
>>> round(game.state.safe_chance, 4)
0.8683
"""

from __future__ import annotations

from companion.games.crib_dice.board import EFFECTS, track
from companion.games.crib_dice.facts import facts
from companion.games.crib_dice.odds.win import solved, values_by_games, values_to_win
from companion.games.crib_dice.panels import panels
from companion.games.crib_dice.rule_of_thumb import choice
from companion.games.crib_dice.state import begin, check_sides
from companion.games.crib_dice.tray import CribDiceTray
from companion.games.crib_dice.words import CREDITS, DOUBTFUL, IN_WORDS, PICTURES, SWITCHES, WHY
from companion.games.engine.rulebook import Rulebook

GAME = Rulebook(
    name="crib_dice",
    title="Crib Dice",
    min_players=2,
    max_players=6,
    begin=begin,
    rule_of_thumb=choice,
    mistakes=(5.0, 0.0),
    solved=solved,
    check_header=check_sides,
    values_to_win=values_to_win,
    values_by_games=values_by_games,
    switches=SWITCHES,
    presets={
        "basic": {},
        "advanced": dict.fromkeys(("piddle_points", "bomb", "double_fuchle", "skunk", "bumping"), True),
    },
    tray=CribDiceTray(),
    effects=EFFECTS,
    track=track,
    panels=panels,
    facts=facts,
    in_words=IN_WORDS,
    pictures=PICTURES,
    doubtful=DOUBTFUL,
    why=WHY,
    credits=CREDITS,
    charts=("win-by-holes", "stop-by-lead", "stop-before-two-dice", "swap-gain"),
    glossary=("point", "frozen", "wipe_out", "fuchle", "piddle", "rollover", "bomb", "skunk"),
)
"""Definition of Crib Dice, see `Rulebook`. `mistakes` is the scale of the noise, in points, that the bot's levels
`careless` and `steady` add to each option's expected points. Larger: costlier mistakes; 0: none. Both numbers also
grade puzzles, and the first scales how much must be at stake, in points, for a puzzle or a rated decision."""
