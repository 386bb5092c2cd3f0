"""Settings over HTTP: refusals with the reason, and electrical limits behind the PIN."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.settings.file import SettingsFile, declared
from companion.settings.load import Settings
from tests.web.pub import PIN, Pub, opened, settings_file
from web.catalogue import texts


@pytest.fixture
def table(tmp_path: Path) -> Iterator[tuple[Any, Pub, SettingsFile]]:
    file = settings_file(tmp_path)
    with opened(tmp_path, settings=file) as pub:
        yield pub.host(), pub, file


def sent(phone: Any, key: str, value: object, **more: str) -> tuple[int, str]:
    answer = phone.post("/api/settings", json={"section": "strip", "key": key, "value": value, **more})
    return answer.status_code, answer.json.get("error", "")


def test_settings_api_needs_the_pin_to_raise_but_not_lower_the_led_current(table: Any) -> None:
    phone, _, file = table
    assert sent(phone, "limit_ma", 1000) == (200, "")
    assert sent(phone, "limit_ma", 60000) == (422, "pin_needed")
    assert sent(phone, "limit_ma", 3000, pin="000000") == (401, "wrong_pin")
    assert file.running.strip.limit_ma == 1000
    assert sent(phone, "limit_ma", 3000, pin=PIN) == (200, "")
    assert file.running.strip.limit_ma == 3000


@pytest.mark.parametrize("key", ["channel_ma", "idle_ma", "limit_ma"])
def test_settings_api_refuses_zeros_that_disable_the_led_current_limit(table: Any, key: str) -> None:
    phone, _, file = table
    assert sent(phone, key, 0, pin=PIN) == (422, "settings")
    assert file.running == Settings()


def test_settings_api_answers_429_even_to_the_right_pin_after_20_wrong_pins(table: Any) -> None:
    phone, _, file = table
    answers = [sent(phone, "limit_ma", 60000, pin=f"{guess:06d}")[0] for guess in range(20)]
    assert answers[-1] == 429
    assert sent(phone, "limit_ma", 60000, pin=PIN)[0] == 429
    assert file.running == Settings()


def test_every_setting_has_a_label_in_the_english_texts() -> None:
    assert [one for one in declared() if not texts("en").get(f"settings.{one.section}.{one.key}")] == []
