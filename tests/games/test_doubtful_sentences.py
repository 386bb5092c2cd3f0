"""The doubtful sentences that the page shows are those of docs/reference/rules.md."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.games.registry import GAMES

RULES = Path(__file__).resolve().parents[2] / "docs" / "reference" / "rules.md"


@pytest.mark.parametrize("game", [name for name, book in GAMES.items() if book.doubtful])
def test_rules_md_lists_the_same_ambiguous_sentences_of_the_original_rules_as_the_code(game: str) -> None:
    book = GAMES[game]
    after = RULES.read_text(encoding="utf-8").split(f"### Doubtful sentences of {book.title}\n")[1]
    rows = [line.strip("| ").split(" | ") for line in after.split("\n#")[0].splitlines() if line.startswith('| "')]
    assert rows == [[f'"{each.original}"', each.here, each.why] for each in book.doubtful]
