"""Links of mails that open a written mail: sent as they are, they do what they say."""

from __future__ import annotations

import html
import re
from email.message import EmailMessage
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from tests.inbox.people import ANN, BOB, EVE, ask, form, words
from tests.toy.home import Desk, prepared, text_of


@pytest.fixture
@prepared
def begun(desk: Desk) -> Desk:
    """Return a home in which Ann was reminded, and may be away or ask for more time."""
    desk.start()
    desk.tick(hours=100)
    return desk


def tap(desk: Desk, mail: EmailMessage, label: str, sender: str = ANN) -> str:
    """Send the mail that a link opens; return the answer."""
    body = mail.get_body(("html",))
    assert body is not None
    (link,) = re.findall(rf'href="(mailto:[^"]*)"[^>]*>{label}</a>', body.get_content())
    url = urlsplit(html.unescape(link))
    written = parse_qs(url.query)
    desk.post(written["body"][0], sender=sender, to=unquote(url.path), subject=written["subject"][0])
    desk.answer()
    return words(desk.last(sender))


def test_a_reminder_is_answered_by_one_tap(begun: Desk) -> None:
    """Nothing to order is a sheet without orders, and the other links ask for time."""
    mail = begun.last(ANN)

    assert text_of(mail).startswith("No orders from you yet\n")
    assert "more time" in tap(begun, mail, "Ask for more time")
    assert "You are absent from 2026-11-06 to 2026-11-19." in tap(begun, mail, "I am away")
    assert "no orders" in tap(begun, mail, "Nothing to order").lower()


def test_an_invitation_is_accepted_by_one_tap(desk: Desk) -> None:
    """The button of the question to a newcomer brings the seat."""
    form(desk, "red", signup="on", open_seats=1)
    ask(desk, "JOIN toy1", EVE)

    assert "toy1" in tap(desk, desk.last(EVE), "Yes, I want to play", EVE)
    assert any("you play" in mail["Subject"] for mail in desk.mails(EVE))


def test_help_and_rules_are_one_tap_away(begun: Desk) -> None:
    """The footer of every mail to a player brings the guide and the rulebook."""
    mail = begun.last(BOB)

    assert tap(begun, mail, "HELP", BOB).startswith("How to play by mail")
    assert tap(begun, mail, "RULES", BOB).startswith("The rulebook")
