"""Tournaments as pure functions: pairings, byes, matches and their results, standings with tie-breaks."""

from companion.tournaments.draw import Draw as Draw
from companion.tournaments.draw import Form as Form
from companion.tournaments.draw import Result as Result
from companion.tournaments.draw import check as check
from companion.tournaments.matches import Match as Match
from companion.tournaments.matches import matches_of as matches_of
from companion.tournaments.matches import next_pair as next_pair
from companion.tournaments.standings import Placing as Placing
from companion.tournaments.standings import standings as standings
