"""Draw the README's moving picture: a throw in the virtual tray that reaches the phone and the pub's screen.

`make throw-picture` writes docs/img/throw.webp.
"""

from __future__ import annotations

import io
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from tests.conftest import CHROMIUM
from tests.system.running import Running

OUT = Path(__file__).resolve().parents[2] / "docs" / "img" / "throw.webp"
TRAY_WH, TV_WH, PHONE_WH = (560, 700), (960, 700), (390, 844)
HEIGHT_PX = 420
FRAMES = 26
FRAME_MS = 260


def shot(page: Any) -> Image.Image:
    """Return a screenshot of a page, scaled to HEIGHT_PX."""
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    return picture.resize((round(picture.width * HEIGHT_PX / picture.height), HEIGHT_PX), Image.Resampling.LANCZOS)


def beside(pictures: list[Image.Image], gap_px: int = 8) -> Image.Image:
    """Return a picture of several pictures of the same height side by side."""
    width = sum(picture.width for picture in pictures) + gap_px * (len(pictures) - 1)
    row, left = Image.new("RGB", (width, HEIGHT_PX), (24, 18, 14)), 0
    for picture in pictures:
        row.paste(picture, (left, 0))
        left += picture.width + gap_px
    return row


def main() -> None:
    """Throw once and write the frames as an animated WebP."""
    with tempfile.TemporaryDirectory() as data, sync_playwright() as playwright:
        table = Running(Path(data), "--game", "crib_dice", "--players", "Ann,Ben")
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        pages = []
        for path, (width, height) in (("tray", TRAY_WH), ("", PHONE_WH), ("tv", TV_WH)):
            page = browser.new_page(viewport={"width": width, "height": height})
            page.goto(table.page + path)
            page.get_by_text("Ann").first.wait_for()
            pages.append(page)
        frames = [beside([shot(page) for page in pages])] * 3
        pages[0].get_by_role("button", name="Throw").first.click()
        frames += [beside([shot(page) for page in pages]) for _ in range(FRAMES)]
        browser.close()
        table.stop()
    rest = [*frames[1:], *frames[-1:] * 6]
    frames[0].save(OUT, save_all=True, append_images=rest, duration=FRAME_MS, loop=0, quality=60)


if __name__ == "__main__":
    main()
