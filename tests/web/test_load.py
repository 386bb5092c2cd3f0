"""`make load` in short: with patience, but no viewer costs a thread, and a guest who dallies stops no one."""

from __future__ import annotations

import pytest

from tests.web.load import SHORT, loaded


@pytest.mark.slow
def test_a_full_pub_is_served_and_one_guest_cannot_silence_it() -> None:
    told = loaded(SHORT)
    assert told["missed"] == [], told
