"""`make load` on a smaller pub, without its times: all see every change, and one guest cannot stop the others."""

from __future__ import annotations

import pytest

from tests.web.load import SHORT, loaded


@pytest.mark.slow
def test_web_server_under_load_loses_no_change_and_bounds_memory_growth() -> None:
    told = loaded(SHORT)
    assert told["missed"] == [], told
