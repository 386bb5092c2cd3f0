"""docs/reference/settings.md matches the declarations of the settings."""

from __future__ import annotations

from tests.settings.reference import PAGE, page


def test_the_settings_reference_page_matches_the_declared_settings() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `make settings-page`"
