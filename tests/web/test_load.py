"""`make load` on a smaller pub, without its times: all see every change, and one guest cannot stop the others."""

from __future__ import annotations

import pytest

from tests.web.load import SHORT, loaded


@pytest.mark.slow
def test_web_server_keeps_its_load_limits_while_a_guest_blocks_connections() -> None:
    told = loaded(SHORT)
    assert told["missed"] == [], told
