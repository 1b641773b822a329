"""RESEND FULL, and the codes and links in reports that are sent again."""

from __future__ import annotations

import dataclasses
import re
from email.message import EmailMessage
from urllib.parse import unquote

import pytest

from pbem.actions.base import run_action
from pbem.actions.seats import RemoveSeat
from pbem.actions.start import StartCampaign
from pbem.actions.welcome import renew_codes, resend_report
from pbem.campaign.snapshot import Context, find_seat_view, locked_campaign
from pbem.ruleset import View
from tests.inbox.people import ANN, BOB, EVE, ask, form, reports, token
from tests.toy.home import Desk, prepared, text_of
from tests.toy.ruleset import Auction

REFERENCE = "A prize a round goes to the highest bid."


class Forgetful(Auction):
    """A later version of the toy, which cannot read the views of this one."""

    def turn_summary(self, view: View) -> list[str]:
        return [view["written"]["later"]]


@pytest.fixture(autouse=True)
@prepared
def _begun(desk: Desk) -> None:
    """Start a campaign of red and blue, and run its first turn."""
    form(desk, "red", "blue")
    run_action(desk.app, "toy1", StartCampaign(), desk.now)
    desk.answer()
    desk.reply(desk.last(ANN), "BID 3")
    desk.reply(desk.last(BOB), "BID 1")
    desk.tick(hours=24 * 5)


def html_of(mail: EmailMessage) -> str:
    """Return the HTML of a mail."""
    body = mail.get_body(("html",))
    assert body is not None
    return str(body.get_content())


def codes(mail: EmailMessage) -> set[str]:
    """Return the reply codes anywhere in a mail, links among them."""
    read = f"{mail['Subject']} {mail['Reply-To']} {text_of(mail)} {unquote(html_of(mail))}"
    return set(re.findall(r"\[([a-z2-7]{16})\]|orders\+([a-z2-7]{16})@|ORDERS toy1 red ([a-z2-7]{16})", read))


def test_a_later_report_leaves_out_what_cannot_change(desk: Desk) -> None:
    """The first report has it, the second says how to get it."""
    first, second = reports(desk, ANN)

    assert REFERENCE in text_of(first)
    assert REFERENCE not in text_of(second)
    assert "RESEND FULL" in text_of(second)


@pytest.mark.parametrize("typed", ["RESEND FULL", "resend full", "RESEND round 2 FULL", "RESEND FULL 2"])
def test_a_full_report_has_all(desk: Desk, typed: str) -> None:
    """RESEND FULL brings the newest report, or that of a turn, with all that its seat knows and all that it told."""
    ask(desk, typed)
    short, full = reports(desk, ANN)[1:]

    lines = [line for line in text_of(short).splitlines() if "RESEND FULL" not in line]
    assert REFERENCE in text_of(full)
    assert REFERENCE in html_of(full)
    assert set(lines) <= set(text_of(full).splitlines())
    assert (full["Subject"], codes(full)) == (short["Subject"], codes(short))


def test_an_older_report_comes_in_full(desk: Desk) -> None:
    """A full report of an earlier turn tells what came of the orders before it, and no more than it told then."""
    desk.tick(hours=24 * 7)
    ask(desk, "RESEND round 2 FULL")
    older, again = reports(desk, ANN)[1], reports(desk, ANN)[-1]

    assert "- BID 3\n  You won.\n" in text_of(again)
    assert codes(again) == codes(older)
    assert text_of(again).replace(f"{REFERENCE}\n\n", "").splitlines()[:20] == text_of(older).splitlines()[:20]


def test_a_reply_to_a_full_report_is_a_sheet(desk: Desk) -> None:
    """Its code is that of the seat's report."""
    ask(desk, "RESEND FULL")
    desk.reply(reports(desk, ANN)[-1], "BID 2")
    desk.answer()

    assert text_of(desk.last(ANN)).startswith("Your order is in\n")


def test_a_full_report_goes_to_its_player_alone(desk: Desk) -> None:
    """A sender with a leaked code gets nothing."""
    desk.reply(desk.last(ANN), "RESEND FULL", sender=EVE)
    desk.answer()

    assert desk.mails(EVE) == []


def test_a_view_that_the_game_cannot_read_any_more(desk: Desk) -> None:
    """The report then comes as it was mailed."""
    later = dataclasses.replace(desk, app=dataclasses.replace(desk.app, games={"toy": Forgetful()}))
    ask(later, "RESEND FULL")
    second, again = reports(desk, ANN)[1:]

    assert text_of(again) == text_of(second)


def test_a_removed_seat_gets_its_last_report_in_full(desk: Desk) -> None:
    """A player who is out of the game may still read what they knew."""
    run_action(desk.app, "toy1", RemoveSeat("red"), desk.now)
    desk.answer()
    ask(desk, f"PLAYER toy1 red {token(desk)}\nRESEND FULL\nEND")

    assert REFERENCE in text_of(reports(desk, ANN)[-1])


@pytest.mark.parametrize("full", [True, False])
def test_a_report_sent_again_has_no_old_code(desk: Desk, full: bool) -> None:
    """Once codes were renewed, neither form, links nor addresses have the old one, which is void."""
    (old,) = {next(filter(None, found)) for found in codes(reports(desk, ANN)[-1])}
    with desk.app.store.writing() as session:
        context = Context(session, desk.app, locked_campaign(session, "toy1"), desk.now)
        place = find_seat_view(context.snapshot, "red")
        report = renew_codes(context, place)
        assert report is not None
        resend_report(context, place, report, to=ANN, key="test", full=full)
        code = report.code
    desk.answer()

    mail = desk.last(ANN)
    assert old not in mail.as_string()
    assert {next(filter(None, found)) for found in codes(mail)} == {code}
    assert f"mailto:orders%2B{code}@example.org?" in html_of(mail)


def test_a_deputys_copy_has_no_code_of_the_player(desk: Desk) -> None:
    """Links that write a mail have the deputy's code, too."""
    ask(desk, f"PLAYER toy1 red {token(desk)}\nDEPUTY eve@example.net UNTIL 2026-11-30\nEND")
    (asked,) = desk.mails(EVE)
    desk.reply(asked, "YES", sender=EVE)
    desk.answer()
    copy, (own,) = reports(desk, EVE)[-1], {next(filter(None, found)) for found in codes(reports(desk, ANN)[-1])}

    (code,) = {next(filter(None, found)) for found in codes(copy)}
    assert own not in copy.as_string()
    assert f"ORDERS%20toy1%20red%20{code}" in html_of(copy)
