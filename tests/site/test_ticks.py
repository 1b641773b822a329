"""The site after every turn: ticks keep the folder of the settings up to date."""

from __future__ import annotations

import dataclasses
import re

from sqlalchemy import select

from pbem.actions.base import run_action
from pbem.actions.deadlines import ExtendDeadline, HoldCampaign
from pbem.actions.seats import GiveSeat
from pbem.site.publish import publish
from pbem.store.models import SealedPage
from tests.inbox.people import ANN, ask
from tests.toy.home import Desk, text_of


def with_site(desk: Desk, url: str = "") -> Desk:
    """Return the same home with a site."""
    settings = dataclasses.replace(desk.app.settings, site=desk.home / "public", site_url=url)
    return dataclasses.replace(desk, app=dataclasses.replace(desk.app, settings=settings))


def test_without_a_folder_no_site_is_written(desk: Desk) -> None:
    """Without a folder in the settings no site is written."""
    desk.start()

    assert not (desk.home / "public").exists()


def test_a_tick_shows_what_was_done(desk: Desk) -> None:
    """A tick publishes a turn that was run or a deadline that was moved, and otherwise writes nothing."""
    desk = with_site(desk)
    desk.start()
    page = desk.home / "public/c/toy1/index.html"
    first, index = page.read_text(), desk.home / "public/index.html"
    run_action(desk.app, "toy1", ExtendDeadline("24h"), desk.now)
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
    """With FORMAT LINK the mail has a link and no page, and the page is on the site, encrypted."""
    desk = with_site(desk, "https://club.example.org/pbem/")
    desk.start()
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


def sealed_pages(desk: Desk, site: str = "public") -> list[str]:
    """Return the names of the sealed pages in the folder of a site."""
    return sorted(path.name for path in (desk.home / site / "p").iterdir())


def linked(desk: Desk) -> Desk:
    """Return a home with a site that has the sealed page of red's report."""
    desk = with_site(desk, "https://club.example.org/pbem/")
    desk.start()
    ask(desk, "FORMAT LINK")
    desk.tick(hours=24 * 7)
    return desk


def test_sealed_pages_are_withdrawn_when_a_seat_changes_hands(desk: Desk) -> None:
    """The former player's pages go; the new player's come, also into a folder that had those of before."""
    desk = linked(desk)
    publish(desk.app, desk.home / "copy", desk.now)
    before, copied = sealed_pages(desk), sealed_pages(desk, "copy")
    run_action(desk.app, "toy1", GiveSeat("red", "cyd@example.org"), desk.now)
    desk.tick()
    publish(desk.app, desk.home / "copy", desk.now)

    after = sealed_pages(desk)
    assert len(before) == len(after) == 1
    assert copied == before
    assert after != before
    assert sealed_pages(desk, "copy") == after


def test_sealed_pages_stay_ninety_days(desk: Desk) -> None:
    """A page that was put on the site longer ago is removed, and its content is dropped from the database."""
    desk = linked(desk)
    [page] = sealed_pages(desk)
    run_action(desk.app, "toy1", HoldCampaign(), desk.now)
    desk.tick(hours=24 * 90 - 1)
    kept = sealed_pages(desk)
    (desk.home / "public/p" / page).unlink()  # as if killed between the file and its row
    desk.tick(hours=2)

    assert kept == [page]
    assert sealed_pages(desk) == []
    with desk.app.store.reading() as session:
        assert session.execute(select(SealedPage.content, SealedPage.withdrawn_at)).all() == [(b"", desk.now)]


def test_without_a_site_a_link_is_a_file(desk: Desk) -> None:
    """A player who asks for links in a home without a site gets pages as files."""
    desk.start()
    ask(desk, "FORMAT LINK")
    desk.tick(hours=24 * 7)

    files = [part.get_filename() for part in desk.last(ANN).iter_attachments()]
    assert "toy1-red.html" in files
