"""The words on a seat's page in the mail of its report: a link, or the name of the attached file."""

from __future__ import annotations

import dataclasses
from email.message import EmailMessage

import pytest

from pbem.actions.base import run_action
from pbem.actions.rerun import RerunTurn
from pbem.actions.rerun_plan import RerunChanges
from tests.inbox.people import ANN, ask, reports
from tests.toy.home import Desk, text_of

URL = "https://club.example.org/"


@pytest.fixture(autouse=True)
def _campaign(desk: Desk) -> None:
    desk.start()


def html_of(mail: EmailMessage) -> str:
    """Return the HTML of a mail."""
    body = mail.get_body(("html",))
    assert body is not None
    return str(body.get_content())


def linked(desk: Desk, form: str = "LINK") -> EmailMessage:
    """Return a report with a link to its page, of a home with a site."""
    settings = dataclasses.replace(desk.app.settings, site=desk.home / "site", site_url=URL)
    desk = dataclasses.replace(desk, app=dataclasses.replace(desk.app, settings=settings))
    assert "bring a link to a page from now on" in ask(desk, f"FORMAT {form}")
    desk.tick(hours=24 * 7)
    return reports(desk, ANN)[-1]


def test_the_link_stands_below_how_to_send_orders(desk: Desk) -> None:
    """In the text the address has a paragraph of its own; in HTML it is a link in the note below the button."""
    mail = linked(desk)

    assert "\n\nTO SEND ORDERS: reply with one order a line at the top.\n\nThe page of this turn: https://" in text_of(
        mail
    )
    assert f'Or reply with one order a line. <a class="a" href="{URL}' in html_of(mail)
    assert "<!--page-->" not in html_of(mail)
    assert text_of(mail).startswith("Round 2\n")


def test_a_page_is_linked_where_there_is_a_site(desk: Desk) -> None:
    """FORMAT PAGE brings no file then, which spam filters dislike, and the answer says so."""
    assert f"The page of this turn: {URL}" in text_of(linked(desk, "PAGE"))


def test_the_file_is_named_where_the_link_would_stand(desk: Desk) -> None:
    """A page that is attached is named in both forms, also when the report is sent again."""
    ask(desk, "FORMAT PAGE")
    desk.tick(hours=24 * 7)
    ask(desk, "RESEND")
    for mail in reports(desk, ANN)[-2:]:
        assert "at the top.\n\nThe page is attached: toy1-red.html.\n\n" in text_of(mail)
        assert "Or reply with one order a line. The page is attached: toy1-red.html.</p>" in html_of(mail)


def test_without_a_page_nothing_is_said_of_one(desk: Desk) -> None:
    """Neither form speaks of a page."""
    assert "page" not in text_of(reports(desk, ANN)[-1])


def test_the_link_of_a_corrected_report_is_below_the_button_too(desk: Desk) -> None:
    """The difference stands above it."""
    ask(desk, "FORMAT PAGE")
    desk.tick(hours=24 * 7)
    changes = RerunChanges(sheets={"red": [(1, "BID 2")]})
    run_action(desk.app, "toy1", RerunTurn(changes), desk.now)
    desk.tick()

    html = html_of(reports(desk, ANN)[-1])
    assert html.index("What is different") < html.index(">Write orders<") < html.index("The page is attached")
