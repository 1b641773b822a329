"""Tests of a demo's report, opened in a browser by the path that the demo prints."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from pbem.cli.demo import run_demo
from pbem.games import installed_games
from tests.browser.looking import lost_pictures, new_page


@pytest.mark.parametrize("game", ["harvester", "gm_adjudicated"])
def test_the_report_of_a_demo_shows_its_pictures(browser: Browser, tmp_path: Path, game: str) -> None:
    """The report whose path a demo prints shows all its pictures, those drawn and those that a GM attached."""
    played = run_demo(tmp_path / "demo", installed_games(), game=game, turns=1)
    page = new_page(browser)
    page.goto(played.report.as_uri())

    assert page.locator("img").count()
    assert lost_pictures(page) == []
    page.close()
