"""The site after every turn: ticks keep the folder of the settings up to date."""

from __future__ import annotations

import dataclasses
import re

from pbem.acts.act import do
from pbem.acts.time.extending import Extend
from tests.desk.people import ANN, ask
from tests.toy.home import Desk, text_of


def with_site(desk: Desk, url: str = "") -> Desk:
    """The same house with a site."""
    settings = dataclasses.replace(desk.house.settings, site=desk.home / "public", site_url=url)
    return dataclasses.replace(desk, house=dataclasses.replace(desk.house, settings=settings))


def test_without_a_folder_no_site_is_written(desk: Desk) -> None:
    """As it has always been."""
    desk.begin()
    desk.tick()

    assert not (desk.home / "public").exists()


def test_a_tick_shows_what_was_done(desk: Desk) -> None:
    """A turn that is run, and a deadline that was moved at the command line; when nothing was done, nothing is."""
    desk = with_site(desk)
    desk.begin()
    desk.tick()
    page = desk.home / "public/c/toy1/index.html"
    first, index = page.read_text(), desk.home / "public/index.html"
    do(desk.house, "toy1", Extend("24h"), desk.now)
    desk.tick()
    moved = page.read_text()
    made = index.stat().st_mtime_ns
    desk.tick()
    desk.tick(hours=24 * 9)

    assert "Fri 6 Nov" in first
    assert "Sat 7 Nov" in moved
    assert made != index.stat().st_mtime_ns
    assert "Round 2" in page.read_text()


def test_a_link_is_good_before_its_mail_is_sent(desk: Desk) -> None:
    """FORMAT LINK: the mail has a link and no page, and the page lies on the site, where nothing of it can be read."""
    desk = with_site(desk, "https://club.example.org/pbem/")
    desk.begin()
    desk.tick()
    ask(desk, "FORMAT LINK")
    desk.tick(hours=24 * 7)
    mail = desk.last(ANN)

    link = re.search(r"https://club.example.org/pbem/(p/[0-9a-f]{32}\.html)#([\w-]{43})\n", text_of(mail))
    assert link
    assert [part for part in mail.iter_attachments() if part.get_content_type() == "text/html"] == []
    sealed = (desk.home / "public" / link[1]).read_text()
    assert link[2] not in sealed
    assert "Auction" not in sealed
    html = mail.get_body(("html",))
    assert html is not None
    assert link[0].strip() in html.get_content()


def test_without_a_site_a_link_is_a_file(desk: Desk) -> None:
    """Who asks for links in a house that has no site gets pages with his mail."""
    desk.begin()
    desk.tick()
    ask(desk, "FORMAT LINK")
    desk.tick(hours=24 * 7)

    files = [part.get_filename() for part in desk.last(ANN).iter_attachments()]
    assert "toy1-red.html" in files
