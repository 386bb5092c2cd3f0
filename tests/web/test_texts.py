"""The catalogue: every language says what English says, with the same arguments; pages ask for nothing it lacks."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import pytest

from companion.errors import Doubt
from companion.games.registry import GAMES
from companion.table.events import TAKEN_BACK
from companion.table.settings import Language
from tests.games import moments_page
from web import static_files
from web.catalogue import LANGUAGES, chosen, say, texts

WEB = Path(__file__).resolve().parents[2] / "web"
ARGUMENT = re.compile(r"\{(\w+)\}")


@pytest.mark.parametrize("language", [each for each in LANGUAGES if each != "en"])
def test_catalogue_of_each_language_has_every_english_text_and_argument(language: str) -> None:
    own = json.loads((WEB / "texts" / f"{language}.json").read_text(encoding="utf-8"))
    english = texts("en")
    assert set(english) - set(own) == set()
    assert set(own) - set(english) == set()
    for key, text in english.items():
        # A language may leave out a count that its words tell ("one more"), nothing else.
        told = {"count"} if key.endswith(".one") else set()
        assert set(ARGUMENT.findall(text)) - told <= set(ARGUMENT.findall(own[key])) <= set(ARGUMENT.findall(text)), key


def test_language_setting_takes_catalogue_languages_and_the_empty_text() -> None:
    assert set(get_args(Language)) == {"", *LANGUAGES}


def test_every_text_that_the_pages_use_is_in_the_english_catalogue() -> None:
    known = texts("en")
    asked: set[str] = set()
    league = WEB.parent / "companion" / "league" / "templates"
    for path in [*(WEB / "static").rglob("*.js"), *(WEB / "templates").glob("*.html"), *league.glob("*.html")]:
        asked |= set(re.findall(r"""(?<![\w.])t\(\s*["']([a-z_.]+)["']""", path.read_text()))
    assert len(asked) > 100
    missing = {key for key in asked if key not in known and f"{key}.other" not in known and not key.endswith(".")}
    assert missing == set()


def test_every_event_and_notice_code_has_an_english_text() -> None:
    session = WEB.parent / "companion" / "table"
    source = (session / "snapshot.py").read_text()
    notices = set(re.findall(r"`(\w+)` \{", source.split("Notice = Phrase")[1].split("class Question")[0]))
    assert len(notices) > 5
    special = {"illegal_hold", "unclear", "all_of_value"}  # told by their reasons and doubts
    known = {key.split(".")[1] for key in texts("en") if key.startswith("notice.")}
    assert notices - special - known == set()
    events = (
        {code for room in ("engine", *GAMES) for code in moments_page.emitted(room)} | TAKEN_BACK | {"game_started"}
    )
    said = {key.split(".")[1] for key in texts("en") if key.startswith("event.")}
    assert "froze" in events
    assert len(events) > 20
    assert events - said == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_about_the_costliest_loss_of_any_game_do_not_use_the_crib_dice_word_wipe_out(language: str) -> None:
    told = texts(language)
    for key in ("highlight.dearest_loss", "figure.loss"):
        assert told["word.wipe_out"].lower() not in told[key].lower()


def test_the_committed_reference_page_about_moments_equals_the_generated_page() -> None:
    assert moments_page.PAGE.read_text(encoding="utf-8") == moments_page.page(), "run `make moments-page`"


def test_catalogue_has_texts_for_exactly_the_codes_of_the_doubt_enum() -> None:
    said = {key.removeprefix("doubt.") for key in texts("en") if key.startswith("doubt.")}
    assert said == set(Doubt)


def test_english_game_pitches_and_house_rule_texts_equal_those_in_the_game_rules() -> None:
    said = {key: text for key, text in texts("en").items() if key.partition(".")[0] in {"house_rule", "pitch"}}
    wanted = {}
    for game in GAMES.values():
        wanted[f"pitch.{game.name}"] = game.in_words.split("\n")[0].partition(". ")[0].removesuffix(".") + "."
        for switch in game.switches:
            wanted[f"house_rule.{switch.key}"] = switch.title
            wanted[f"house_rule.{switch.key}.means"] = switch.meaning
    assert said == wanted


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_restart_notice_names_the_player_but_asks_for_no_throw_in_any_language(language: str) -> None:
    """A decision may be due: naming the point, keeping dice or choosing a row."""
    restored = say(language, "notice.restored", player="Ann")
    assert "Ann" in restored
    assert not re.search(r"throw|w[iü]rf|heit", restored, re.IGNORECASE)


def test_text_catalogue_chooses_singular_or_plural_by_the_count() -> None:
    assert say("en", "player.lost", count=1) == "lost 1 game"
    assert say("en", "player.lost", count=2) == "lost 2 games"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", ["ask.counted", "hero.too_many_how", "keys.wanted", "learn.decisions"])
def test_a_text_with_one_form_for_all_numbers_puts_no_plural_noun_after_1(language: str, key: str) -> None:
    said = say(language, key, player="Ann", seen=1, wanted=1, sizes=1, count=1)
    assert not re.search(r"\b1 (dice|Würfeln|noppaa|decisions|Entscheidungen|päätöstä)\b", said)


def test_page_language_is_the_chosen_else_the_browsers_else_english() -> None:
    assert chosen("fi", ["de-AT", "en"]) == "fi"
    assert chosen(None, ["zz", "de-AT", "en"]) == "de"
    assert chosen("zz", []) == "en"


def test_each_page_text_file_has_its_scripts_keys_and_the_tv_file_no_settings_keys() -> None:
    for page in static_files.PAGES:
        got = json.loads(static_files.loaded_files()[f"texts/en-{page}.json"].plain)
        source = static_files.loaded_files()[f"page-{page}.js"].plain.decode()
        named = texts("en").keys() & set(re.findall(r"""(?<=["'`])[\w.-]+(?=["'`])""", source))
        assert named - got.keys() == set()
    assert not any(
        key.startswith("settings.") for key in json.loads(static_files.loaded_files()["texts/en-tv.json"].plain)
    )
