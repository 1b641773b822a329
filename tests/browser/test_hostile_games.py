"""A third party's game with hostile texts: its pages and replay show them as text, and run nothing."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

import tests.toy
from pbem.app import TEMPLATE_DIR
from pbem.report.renderer import Renderer
from pbem.ruleset import Json, Order, Picture, View
from pbem.site.data import ClubPage, Score, SiteFolder
from pbem.site.publish import replay_page
from pbem.site.replay import Replay, ReplayStep
from tests.browser.test_reports import _facts
from tests.browser.test_site import HOME, campaign_of, opened
from tests.toy.ruleset import Auction

EVIL = (
    "</script><script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 1'>",
    "<!--<script>",
    "]]></svg><svg onload='window.hacked = 1'>",
    "\u2028window.hacked = 1//",
    "'};window.hacked = 1;({'",
    "__proto__",
    "constructor",
    "javascript:window.hacked = 1",
)


class Wild(Auction):
    """The toy game, of which every word that it may choose is hostile; it draws nothing."""

    def turn_summary(self, view: View) -> list[str]:
        """Return the word of the view."""
        return [view["label"]]

    def order_outcomes(self, view: View, orders: Sequence[Order]) -> list[str]:
        """Return the word of the view for each order."""
        return [view["label"] for _ in orders]

    def text_map(self, view: View) -> str:
        """Return the word of the view."""
        return str(view["label"])

    def pictures(self, view: View) -> Sequence[Picture]:
        """Return none, so that the map in text is shown."""
        return ()


def view_of(seat: str, word: str) -> Json:
    """Return a view in which every text is the word."""
    memory = {"scores": {"of": word, "turns": [[1, 3]]}}
    names = {"seat": seat, "label": word, "over": False, "events": [], "awaited": True, "others": [word]}
    return {**names, "purse": 3, "prizes": {word: 1}, "memory": memory}


def reporter_of(game: Wild) -> Renderer:
    """Return a reporter with the templates of the toy game."""
    return Renderer([TEMPLATE_DIR, Path(tests.toy.__file__).parent / "templates"], {game.key: game}, pictures=False)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("word", EVIL)
def test_a_hostile_view_is_text_on_the_page_of_a_seat(browser: Browser, tmp_path: Path, word: str) -> None:
    """A page shows hostile texts of a state as they are, and runs nothing of them."""
    game, seats = Wild(), ("red", "blue")
    facts = dataclasses.replace(_facts({**view_of("red", word)}, seats, first=True), page=True)
    with reporter_of(game) as reporter:
        (tmp_path / "page.html").write_bytes(reporter.report(game, view_of("red", word), facts).page or b"")

    with opened(browser, f"file://{tmp_path}/page.html") as page:
        page.get_by_label("An order", exact=True).fill("BID 1")
        page.get_by_role("button", name="Add", exact=True).click()
        expect(page.locator(".lines code")).to_have_text("BID 1")

        assert " ".join(word.split()) in " ".join(page.locator("main").inner_text().split())
        assert page.locator("main img, main script, main svg").count() == 0
        assert page.evaluate("window.hacked") is None


def test_a_hostile_replay_is_text(browser: Browser, tmp_path: Path) -> None:
    """All texts of a finished game, from labels to press, are shown exactly as they are, and never run."""
    game, folder, seats = Wild(), SiteFolder(tmp_path), ("constructor", "blue")
    campaign = campaign_of(game, seats)
    campaign = dataclasses.replace(campaign, scores=(Score(EVIL[0], 1, 2),), of=EVIL[1])
    club = ClubPage(name=EVIL[0], address="orders@example.org", domain="example.org", url="", campaigns=(campaign,))
    with Renderer(
        [TEMPLATE_DIR, Path(tests.toy.__file__).parent / "templates"], {game.key: game}, pictures=False
    ) as reporter:
        replay = Replay(reporter, game, seats, folder, HOME)
        for number, word in enumerate(EVIL, start=1):
            said = [{"kind": kind, "by": word, "to": [word], "text": word} for kind in ("news", "press")]
            views = {seat: view_of(seat, word) for seat in seats}
            before = {"orders": {"blue": [{"verb": "WHISPER", "to": word, "talk": [word]}]}, "missing": [word]}
            replay.add(
                ReplayStep(
                    number=number, at=dt.datetime(2026, 11, 2, tzinfo=dt.UTC), views=views, before=before, words=said
                )
            )
        proof = {"seal": EVIL[0], "seed": EVIL[1], "head": EVIL[2], "dice": EVIL, "archive": ""}
        folder.write(
            f"{HOME}/index.html", replay_page(reporter, club, campaign, replay, made="", judged=False, **proof)
        )

    with opened(browser, f"file://{tmp_path}/{HOME}/index.html#turn=1&seat={EVIL[1]}") as page:
        for number, word in enumerate(EVIL, start=1):
            expect(page.locator("output")).to_have_text(f"{word} ({number} of {len(EVIL)})")
            expect(page.locator(".stories .said").first).to_have_text(word)
            expect(page.locator("pre.text-map").first).to_have_text(word)
            assert page.locator(".stories img, .stories script, .stories a").count() == 0
            page.get_by_role("button", name="On", exact=True).click()

        assert page.evaluate("window.hacked") is None
        assert page.evaluate("({}).hacked") is None
