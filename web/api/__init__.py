"""The API's routes, a module for each subject. Its function `routes(...)` makes the group from the parts it needs."""

# Offered as `api.state`, `api.play`, ...
from web.api import advice, calibrate, evening, games, house, pair, photos, play, review, state, tray, voice  # noqa: F401
