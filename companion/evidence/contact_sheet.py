"""The contact sheet of a rescoring: one HTML page of the throws whose reading differs, each with its picture."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from companion.errors import counted, explained
from companion.evidence.rescoring import Rescored
from vision.images.annotating import annotated
from vision.images.loading import save_jpeg

_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Throws read again</title>
<style>body{{font:16px/1.4 system-ui;margin:1rem;background:#17110c;color:#f3ead9}}img{{width:100%}}
main{{display:grid;gap:1rem;grid-template-columns:repeat(auto-fill,minmax(18rem,1fr))}}figure{{margin:0}}</style>
<h1>Throws read again</h1><p>{summary}</p><main>{figures}</main></html>
"""


def write_sheet(folder: Path, throws: Iterable[Rescored], found: Mapping[str, Any]) -> Path:
    """Write `index.html`, a page of the throws whose new reading differs (`Rescored.differs`); return its path.

    A reading differs if its values or its trust are not those of the reading at the table, or its values not the
    journal's. Each such throw's last picture is saved beside the page, with the new reading drawn on it. `folder` is
    made if missing. The page also shows counts from `found`, the result of `rescoring.summary`. Raises DeviceError if
    the folder or the page can't be written, or if a stored picture is damaged; PictureError if a picture can't be
    written.
    """
    with explained(f"The sheet can't be written to {folder}", "Name another."):
        folder.mkdir(parents=True, exist_ok=True)
        figures = [_figure(folder, each) for each in throws if each.differs]
        summary = (
            f"{counted(found['throws'], 'throw')}, {found['exact']} as they stand, {found['trusted']} trusted, "
            f"{found['false_accepts']} wrong while trusted (at most {found['false_accepts_at_most']:.2%}), "
            f"{found['caught']} more with a number of dice about which the table asked, "
            f"{found['changed']} read otherwise than at the table."
        )
        page = folder / "index.html"
        page.write_text(_PAGE.format(summary=summary, figures="".join(figures)), encoding="utf-8")
    return page


def _figure(folder: Path, each: Rescored) -> str:
    """Save a throw's last picture, with the new reading drawn on it, as `NUMBER.jpg`; return its HTML figure.

    The caption gives the journal's values and who gave them, the reading at the table, and the new reading. Raises
    DeviceError if the picture is damaged, PictureError if the file can't be written.
    """
    throw = each.throw.camera_throw.throw
    save_jpeg(annotated(each.throw.package.pictures()[-1], each.now), folder / f"{throw}.jpg")
    words = (
        f"Throw {throw}: stands as {_row(each.throw.camera_throw.values)} ({each.throw.camera_throw.source}); "
        f"at the table {_row(each.throw.at_table.values)}, {each.throw.at_table.doubt or 'trusted'}; "
        f"now {_row(each.now.values)}, {each.now.doubt or 'trusted'}."
    )
    caption = html.escape(words)
    return f'<figure><img src="{throw}.jpg" alt="{caption}"><figcaption>{caption}</figcaption></figure>'


def _row(values: Iterable[int]) -> str:
    return " ".join(map(str, values)) or "no dice"
