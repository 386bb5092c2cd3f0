"""Write docs/strategy and the charts of the help page from the stored tables: `make guide`.

A game's module here yields the figures of each page by name; the text with its placeholders is in `pages/`.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from string import Template

from companion.games.registry import GAMES

ROOT = Path(__file__).parents[4]
"""Root folder of the repository."""
TEXTS, PAGES, CHARTS = Path(__file__).parent / "pages", ROOT / "docs/strategy", ROOT / "web/static/help/strategy"
"""Folders of the guide's page templates, of the pages made from them, and of the charts."""
ORIGIN = "Made by `make guide` from the stored tables. [How they are computed](../method/odds.md)."
"""Text after the heading of each page of the strategy guide: how the page was made."""


def main(pages: Path = PAGES, charts: Path = CHARTS) -> None:
    """Write every page of the strategy guide to the folder `pages`, and every chart to the folder `charts`.

    Folders are made, files overwritten, and names of pages printed. A page is its template with the figures filled in.
    """
    pages.mkdir(parents=True, exist_ok=True)
    charts.mkdir(parents=True, exist_ok=True)
    for game in GAMES:
        for name, figures in importlib.import_module(f"companion.games.solving.guide.{game}").pages(charts):
            text = Template((TEXTS / f"{name}.md").read_text(encoding="utf-8")).substitute(figures, origin=ORIGIN)
            (pages / f"{name}.md").write_text(text, encoding="utf-8")
            sys.stdout.write(f"{name}\n")


if __name__ == "__main__":
    main()
