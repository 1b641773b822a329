"""The picture of README, a report as a phone shows it, made again by `python -m tests.browser.screenshot`."""

from __future__ import annotations

import io
from itertools import pairwise
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from tests.browser.conftest import CHROMIUM
from tests.browser.looking import shown
from tests.browser.test_trap_report import played_report

PICTURE = Path(__file__).parents[2] / "docs" / "report.png"
COLOURS = 128
WIDTH, HEIGHT, GAP = 360, 860, 24
SCREENS = 3
EDGE = "#b9c0c6"

_TOPS = """() => [...document.querySelectorAll("h2, h3, p, li, img")]
  .filter((each) => !(each.previousElementSibling || each.parentElement.previousElementSibling)?.matches("h2, h3"))
  .map((each) => Math.floor(each.getBoundingClientRect().top) - 2)"""


def _cuts(page: Page) -> list[int]:
    """Return where screens begin and end, so that no line is cut and no heading stands below all."""
    found, cuts = page.evaluate(_TOPS), [0]
    for _ in range(SCREENS):
        cuts.append(max(top for top in found if top <= cuts[-1] + HEIGHT))
    return cuts


def main() -> None:
    """Draw the beginning of a report in mid-game of The Singularity Trap, screens side by side."""
    report = played_report(10)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        with shown(browser, report.html, report.pictures, WIDTH, "light") as page:
            whole = Image.open(io.BytesIO(page.screenshot(full_page=True))).convert("RGB")
            cuts = _cuts(page)
        browser.close()
    shot = Image.new("RGB", (SCREENS * (WIDTH + GAP) - GAP, HEIGHT), "white")
    for number, (top, end) in enumerate(pairwise(cuts)):
        left = number * (WIDTH + GAP)
        shot.paste(whole.crop((0, top, WIDTH, end)), (left, 0))
        if number:
            shot.paste(EDGE, (left - GAP // 2, 0, left - GAP // 2 + 1, HEIGHT))
    shot.quantize(COLOURS).save(PICTURE, optimize=True)


if __name__ == "__main__":
    main()
