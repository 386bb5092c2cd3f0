"""Loading settings: the defaults work, and all mistakes are reported at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.errors import SetupError
from companion.settings import load as config


def test_the_default_settings_need_no_hardware() -> None:
    settings = config.Settings()
    assert (settings.camera.source, settings.strip.kind, settings.buttons.kind) == ("virtual", "memory", "none")


def test_all_wrong_settings_are_reported_at_once_and_misspelt_keys_get_a_suggestion(tmp_path: Path) -> None:
    file = tmp_path / "pegpip.toml"
    strip = "brightness = 3\ngamma = 9\nwhite = [1, 1, 2]\nlimit_ma = 5"
    file.write_text(f'[web]\nprot = 80\nstreams = "many"\n[strpi]\nkind = "spi"\n[strip]\n{strip}\n')
    with pytest.raises(SetupError) as told:
        config.load(file, {})
    wrong = ["`prot`; did you mean 'port'?", "`streams`", "[strpi]; did you mean 'strip'?"]
    wrong += [f"[strip] `{key}`" for key in ("brightness", "gamma", "white", "limit_ma")]
    assert [part in problem for part, problem in zip(wrong, told.value.problems, strict=True)] == [True] * 7


def test_command_line_settings_override_the_settings_file(tmp_path: Path) -> None:
    file = tmp_path / "pegpip.toml"
    file.write_text("[web]\nport = 8001\nstreams = 7\n")
    settings = config.load(file, {"web": {"port": 9000}})
    assert (settings.web.port, settings.web.streams) == (9000, 7)


def test_command_line_settings_apply_if_the_file_sets_their_section_to_a_number(tmp_path: Path) -> None:
    file = tmp_path / "pegpip.toml"
    file.write_text("web = 3\n")
    spare = config.validated({"web": {"port": 8001, "streams": 7}})
    settings, left_out = config.load_what_works(config.Origin(file, {"web": {"port": 9000}}), spare)
    assert (settings.web.port, settings.web.streams) == (9000, 7)
    assert [(one.section, one.key) for one in left_out] == [("web", "")]


@pytest.mark.parametrize(
    ("text", "why"),
    [("[web", "not TOML"), ("web = 3\n", r"\[web\] is a section"), ("\x00", "not TOML"), (None, "--config")],
)
def test_a_malformed_or_missing_settings_file_is_a_setup_error(tmp_path: Path, text: str | None, why: str) -> None:
    file = tmp_path / "pegpip.toml"
    if text is not None:
        file.write_text(text)
    with pytest.raises(SetupError, match=why):
        config.load(file, {})


def test_a_settings_file_saved_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    file = tmp_path / "pegpip.toml"
    file.write_text("[web]\nport = 8001\n", encoding="utf-8-sig")
    assert config.load(file, {}).web.port == 8001


@pytest.mark.parametrize(("folder", "cure"), [("x" * 5000, "Shorten it"), ("snug\u202e", "Write it without")])
def test_a_text_setting_that_is_too_long_or_has_a_hidden_character_is_an_error_that_says_the_fix(
    tmp_path: Path, folder: str, cure: str
) -> None:
    file = tmp_path / "pegpip.toml"
    file.write_text(f'[data]\ndir = "{folder}"\n')
    with pytest.raises(SetupError, match=cure):
        config.load(file, {})


def test_a_data_folder_in_an_unknown_users_home_is_a_setup_error() -> None:
    """A shell leaves such a path as it is."""
    with pytest.raises(SetupError, match="home of no known user"):
        _ = config.load(None, {"data": {"dir": "~nobody-by-that-name/pegpip"}}).data.folder


def test_an_error_about_the_wifi_password_setting_omits_the_password(tmp_path: Path) -> None:
    """What is told ends in the log, and the log in bug reports."""
    file = tmp_path / "pegpip.toml"
    file.write_text(f"[web]\nwifi_password = '{'hush' * 20}'\n")
    with pytest.raises(SetupError, match="wifi_password") as told:
        config.load(file, {})
    assert "hush" not in str(told.value)
