"""Story of a finished game: each move names the photo of its own dice, or none."""

from __future__ import annotations

from companion.history.story import story_with_photos
from companion.table.snapshot import Thrown
from tests.games.playing import STOP, keep, throw, told


def test_a_luck_story_move_shows_the_latest_throws_photo_if_it_has_one() -> None:
    """The second player's first throw was entered by hand and has no photo."""
    lines = [throw(1, 2, 2, 3, 4, 6), keep(1), throw(2, 2, 3, 3, 4), throw(1, 1, 1, 2, 3, 4), keep(1, 1, 1), STOP]
    game = told("crapola", *lines, throw(2, 2, 3, 3, 4, 6), rules={"target": 1000, "entry": 0, "spend": False})
    throws = {
        at: Thrown(number=number, player="", values=(), source="camera", photo=at != 3)
        for at, number in {0: 7, 2: 8, 3: 1, 6: 9}.items()
    }
    story = story_with_photos(game, [throws.get(at) for at in range(7)])
    assert [move["photo"] for move in story["moves"]] == [7, 7, 8, None, None, None, 9]
