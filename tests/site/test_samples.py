"""Samples of games on the site: boards, mails to read, and a page to try, made of bots' games alone."""

from __future__ import annotations

import dataclasses
import json
import os
import re
from collections.abc import Mapping

import pytest

from pbem.app import TEMPLATE_DIR
from pbem.errors import RulesetError
from pbem.report.pictures import PictureError, check_svg
from pbem.report.renderer import Renderer
from pbem.ruleset import AnyRuleset, Dice, Event, Picture, SeatName, TurnInput, View
from pbem.ruleset.values import Panorama
from pbem.site.pictures import share_picture
from pbem.site.publish import publish
from pbem.site.samples import make_samples
from tests.games import RULESETS
from tests.site.test_club import files, opened, site
from tests.site.test_ticks import with_site
from tests.toy.home import Desk
from tests.toy.ruleset import Auction, Table

SCRIPTED = ("games/toy/turn.html", "index.html", "c/toy1/index.html")
"""Pages with a script: one to try, and those that tell a deadline."""

SAMPLES = ("board.svg", "report.html", "turn.html", "receipt.html", "made.json")


def playing(desk: Desk, game: AnyRuleset) -> Desk:
    """Return the same home with another ruleset in the place of the toy."""
    return dataclasses.replace(desk, app=dataclasses.replace(desk.app, games={"toy": game}))


class Unplayable(Auction):
    """A toy whose turns cannot be resolved."""

    def resolve(self, state: Table, turn: TurnInput, dice: Dice) -> tuple[Table, tuple[Event, ...]]:
        raise RulesetError("the bank is closed")


class Hostile(Auction):
    """A toy whose names and pictures try to be more than text."""

    title = '<script>alert(1)</script> & "Sons"'
    designer = summary = "<img src=x onerror=alert(1)>"

    def public_view(self, views: Mapping[SeatName, View]) -> Panorama:
        """Return pictures that must not be shown, and one that can be."""
        svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">{}</svg>'
        bad = ("<script>alert(1)</script>", '<rect onload="alert(1)"/>', '<image href="https://example.org/x"/>')
        pictures = [Picture("board", "<b>", svg.format(body), 9, 9) for body in (*bad, "<text>fair</text>")]
        return Panorama(tuple(pictures))


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.key)
def test_each_game_has_samples(ruleset: AnyRuleset) -> None:
    """Bots make a report, a page for practice and a receipt of each game, the same ones each time."""
    with Renderer([TEMPLATE_DIR], {ruleset.key: ruleset}, pictures=False) as reporter:
        first, again = (make_samples(reporter, ruleset) for _ in range(2))

    assert first == again
    assert b'"practice":"../../index.html"' in first.page
    assert first.receipt is not None
    assert "order" in str(first.receipt.content.body)
    assert "mailto:" not in str(first.report.content.body)


def test_samples_are_files_of_the_site(desk: Desk) -> None:
    """The rules of a game stay where they were, and its samples lie in a folder beside them; pages link to them."""
    desk.begin()
    root = site(desk)
    club, campaign = (root / "index.html").read_text(), (root / "c/toy1/index.html").read_text()

    assert all((root / "games/toy" / name).is_file() for name in SAMPLES)
    assert 'src="games/toy/board.svg"' in club
    assert 'src="../../games/toy/board.svg"' in campaign
    for name in ("toy.html", "toy/report.html", "toy/turn.html", "toy/receipt.html"):
        assert f'href="games/{name}"' in club
        assert f'href="../../games/{name}"' in campaign
    assert 'href="../../guide.html"' in campaign


def test_samples_have_nothing_of_a_campaign(desk: Desk) -> None:
    """Samples are the same, byte for byte, whatever is played."""
    desk.begin(rounds="2")
    first = site(desk)
    before = {name: raw for name, raw in files(first).items() if name.startswith("games/")}
    desk.tick()
    desk.reply(desk.last(), "BID 7")
    desk.tick(hours=24 * 7)
    publish(desk.app, desk.home / "other", desk.now)

    assert before == {name: raw for name, raw in files(desk.home / "other").items() if name.startswith("games/")}


def test_samples_are_made_once(desk: Desk) -> None:
    """What is there is not made again, and what was lost, half written or of another version is."""
    desk.begin()
    root = site(desk)
    board, marker = root / "games/toy/board.svg", root / "games/toy/made.json"
    board.write_text("kept as it is")
    site(desk)
    kept = board.read_text()
    for spoiled in ("", "[]", '{"made": 1}', "[" * 100_000, json.dumps(json.loads(marker.read_text()) | {"made": "0"})):
        board.write_text("of before")
        marker.write_text(spoiled)
        site(desk)
        assert board.read_text().startswith("<svg")

    assert kept == "kept as it is"


def test_a_game_without_samples_is_told_and_shown(desk: Desk) -> None:
    """Where a sample game fails, a sentence says so, the other pages are written, and ticks do not try again."""
    desk = playing(with_site(desk), Unplayable())
    desk.begin()
    done = publish(desk.app, desk.home / "public", desk.now)
    desk.tick()
    page = desk.home / "public/index.html"
    page.write_text("as it is")
    desk.tick()

    assert done.problems == ("game toy: its samples cannot be made (the bank is closed)",)
    assert not (desk.home / "public/games/toy").exists()
    assert page.read_text() == "as it is"


def test_a_hostile_game_is_text(desk: Desk) -> None:
    """Titles are escaped, and of the pictures of a game only one that is safe becomes a file."""
    desk = playing(desk, Hostile())
    desk.begin()
    root = site(desk)
    written = files(root)

    assert b"fair" in written["c/toy1/board.svg"]
    assert b"fair" in written["games/toy/board.svg"]
    for name, raw in written.items():
        if not name.endswith(("turn.html", ".ics", ".json")):
            assert b"<script>alert" not in raw, name
            assert b"<img src=x" not in raw, name
    assert b"onload" not in b"".join(written.values())


def test_pages_load_pictures_of_the_site_alone(desk: Desk) -> None:
    """The policy allows pictures as files of the site where a page shows some, and nothing else anywhere."""
    desk.begin()
    root = site(desk)
    policies = {
        name: re.search('Security-Policy" content="([^"]+)"', raw.decode())
        for name, raw in files(root).items()
        if name.endswith(".html")
    }

    assert {name for name, found in policies.items() if found and "img-src data: 'self' file:;" in found[1]} == {
        "index.html",
        "c/toy1/index.html",
    }
    for name, found in policies.items():
        assert found, name
        assert found[1].startswith("default-src 'none'; img-src data:"), name
        assert ("script-src 'none'" in found[1]) == (name not in SCRIPTED), name


def test_a_link_has_a_picture_where_the_web_shows_the_site(desk: Desk) -> None:
    """With an address on the web, pages name title, text and picture of their link, which is painted once."""
    desk.begin()
    home = with_site(desk, "https://club.example.org/pbem/")
    root = desk.home / "public"
    with Renderer([desk.home / "templates", TEMPLATE_DIR], desk.app.games) as painting:
        app = dataclasses.replace(home.app, open_reporter=lambda: painting)
        publish(app, root, desk.now)
        page, picture = (root / "c/toy1/index.html").read_text(), root / "c/toy1/share.png"
        drawn = picture.read_bytes()
        picture.write_bytes(b"as it is")
        publish(app, root, desk.now)

    assert re.search(r'og:image" content="https://club\.example\.org/pbem/c/toy1/share\.png\?[0-9a-f]{12}"', page)
    assert '<meta property="og:title" content="toy1: Toy Auction">' in page
    assert '<meta property="og:url" content="https://club.example.org/pbem/c/toy1/">' in page
    assert 'content="summary_large_image"' in page
    assert drawn.startswith(b"\x89PNG")
    assert picture.read_bytes() == b"as it is"
    publish(desk.app, desk.home / "plain", desk.now)
    assert "og:image" not in (desk.home / "plain/index.html").read_text()


def test_two_publish_at_once(desk: Desk) -> None:
    """A draft of another process is left alone, and no draft stays."""
    desk.begin()
    other = desk.home / f"public/.index.html.{os.getpid() + 1}.draft"
    other.parent.mkdir()
    other.write_text("half a pa")
    root = site(desk)

    assert other.read_text() == "half a pa"
    assert [path.name for path in root.rglob(".*")] == [other.name]


def test_a_share_picture_is_safe_and_holds_a_board() -> None:
    """Whatever its title is, the picture can be painted; the board keeps its proportions."""
    board = Picture("board", "", '<?xml version="1.0"?><svg width="10" height="40"><rect/></svg>', 10, 40)
    picture = share_picture('</text><script>"&' + "a" * 500, "<b>" * 90, board)

    check_svg(picture)
    found = re.search(r'width="(\d+)" height="(\d+)" viewBox="0 0 10 40"', picture.svg)
    assert found
    assert int(found[2]) == pytest.approx(4 * int(found[1]), rel=0.02)


@pytest.mark.parametrize("attribute", ["onload", "onclick", "ONMOUSEOVER"])
def test_a_picture_with_a_handler_is_refused(attribute: str) -> None:
    """A picture that is a page of its own could run what its attributes say."""
    svg = f'<svg xmlns="http://www.w3.org/2000/svg"><rect {attribute}="alert(1)"/></svg>'

    with pytest.raises(PictureError, match="script"):
        check_svg(Picture("board", "", svg, 9, 9))


def test_a_link_shows_the_newest_board_that_all_may_see(desk: Desk) -> None:
    """The picture of a link goes with the public board, late where that is late; else it is that of a sample game."""
    home = opened(with_site(desk, "https://club.example.org/pbem/"))
    home.start(rules={"title": "The Long War"})
    shown: list[str] = []
    with Renderer([desk.home / "templates", TEMPLATE_DIR], home.app.games) as painting:
        home.app = dataclasses.replace(home.app, open_reporter=lambda: painting)
        home.tick(hours=24 * 7)
        for delay in ("0", "1", "off"):
            home.set_rules(spectators=delay)
            publish(home.app, desk.home / "public", home.now)
            page = (desk.home / "public/c/toy1/index.html").read_text()
            shown += re.findall(r'og:image" content="([^"]+)"', page)

    assert '<meta property="og:title" content="The Long War: Toy Auction">' in page
    assert 'send <a href="https://club.example.org/pbem/c/toy1/">' in page
    assert len(set(shown)) == 3
