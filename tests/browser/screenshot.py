"""The picture of README, made again by `python -m tests.browser.screenshot`."""

from __future__ import annotations

import dataclasses
import io
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from pbem.report.facts import PressSection
from pbem.report.renderer import Renderer
from pbem.testing.play import standard_game
from pbem_rules.singularity_trap import RULESET
from tests.browser.clicking import choose, put_line
from tests.browser.conftest import CHROMIUM
from tests.browser.test_reports import TEMPLATES, _facts

PICTURE = Path(__file__).parents[2] / "docs" / "seat-page.png"
COLOURS = 128


def main() -> None:
    """Draw a turn of The Singularity Trap, with orders in the sheet and one being written."""
    game = standard_game(RULESET)
    views = [view for view in game.views() if view["awaited"] and len(view["ships"]) > 1]
    view = views[len(views) // 2]
    facts = dataclasses.replace(
        _facts(view, game.seats, first=True), zone="Europe/Berlin", words=PressSection(), closes=None, page=True
    )
    with Renderer([TEMPLATES], {RULESET.key: RULESET}) as reporter:
        page = reporter.report(RULESET, view, facts).page or b""
    ships = [ship["id"] for ship in view["ships"]]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        window = browser.new_page(viewport={"width": 1100, "height": 720}, reduced_motion="reduce")
        window.set_content(page.decode())
        put_line(window, f"MOVE {ships[0]} N NE")
        for word in ("MOVE", ships[1], "SLIP"):
            choose(window, word)
        window.evaluate("document.querySelector('.board').scrollIntoView()")
        shot = window.screenshot()
        browser.close()
    Image.open(io.BytesIO(shot)).convert("RGB").quantize(COLOURS).save(PICTURE, optimize=True)


if __name__ == "__main__":
    main()
