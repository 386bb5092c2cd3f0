"""`make load` on a smaller pub, without its times: all see every change, and one guest cannot stop the others."""

from __future__ import annotations

import pytest

from tests.web.load import SHORT, loaded


@pytest.mark.slow
def test_web_server_under_load_sends_every_change_within_its_delay_and_memory_limits() -> None:
    told = loaded(SHORT)
    assert told["missed"] == [], told
