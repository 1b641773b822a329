"""STATUS, RESEND and HISTORY, by which players look things up by mail."""

from __future__ import annotations

import pytest

from pbem.actions.base import run_action
from pbem.actions.settings import SetHouseRule
from pbem.actions.start import StartCampaign
from pbem.campaign.snapshot import add_entry
from pbem.inbox.queries import LARGE_A_DAY
from tests.inbox.people import ANN, BOB, EVE, ask, form, reports, snapshot, token, words
from tests.inbox.trusting import version_taken
from tests.toy.home import Desk, prepared, text_of


@pytest.fixture(autouse=True)
@prepared
def _begun(desk: Desk) -> None:
    """Start a campaign of red and blue."""
    form(desk, "red", "blue")
    run_action(desk.app, "toy1", StartCampaign(), desk.now)
    desk.answer()


def rule(desk: Desk, **rules: str) -> None:
    """Change house rules."""
    run_action(desk.app, "toy1", SetHouseRule(rules), desk.now)


def test_status_tells_deadline_and_sheet(desk: Desk) -> None:
    """STATUS has a paragraph for each campaign: turn, deadline in its zone, the sheet that counts and its digest."""
    assert "round 1: Orders are due Fri 6 Nov 2026 20:00 Europe/Berlin (19:00 UTC). No sheet" in ask(desk, "STATUS")
    receipt = ask(desk, "ORDERS toy1 red\nBID 3\nWAIT\nEND")

    text = ask(desk, "STATUS")

    digest = text.partition("Your sheet 1 counts (digest ")[2][:12]
    assert digest in receipt
    assert "and the turn waits for its deadline because of it" in text


def test_status_names_campaigns_of_the_asker_alone(desk: Desk) -> None:
    """STATUS tells nothing of campaigns that its sender is not in."""
    form(desk, "blue", "green", name="toy2")

    assert "toy2" not in ask(desk, "STATUS")
    assert "toy2 (Toy Auction), seat blue: not begun yet; 2 of 2 seats are taken." in ask(desk, "STATUS", BOB)


@pytest.mark.parametrize(("late", "told"), [("gm", False), ("players", True)])
def test_status_tells_who_is_late_where_that_is_public(desk: Desk, late: str, told: bool) -> None:
    """The house rule decides whether players are told whose sheets are missing."""
    rule(desk, late_list=late)

    assert ("No sheet yet from red, blue." in ask(desk, "STATUS")) is told


def test_a_report_comes_again(desk: Desk) -> None:
    """RESEND brings the same text, HTML and data under the same subject; the deadline may have moved since."""
    (first,) = reports(desk, ANN)
    ask(desk, "RESEND")

    again = reports(desk, ANN)[-1]
    assert again["Message-ID"] != first["Message-ID"]
    assert again["Subject"] == first["Subject"]
    assert text_of(again) == text_of(first)
    kinds = [part.get_content_type() for part in first.walk()]
    assert [part.get_content_type() for part in again.walk()] == [kind for kind in kinds if kind != "text/calendar"]


def test_a_reply_to_a_report_sent_again_is_a_sheet(desk: Desk) -> None:
    """A report sent again has its reply code, so that Reply is enough."""
    ask(desk, "RESEND")
    desk.reply(reports(desk, ANN)[-1], "BID 3")
    desk.answer()

    assert version_taken(words(desk.last())) == 1


def test_an_older_report_is_found_by_its_turn(desk: Desk) -> None:
    """A report is named as in its subject, or by its number; an unknown one is answered with those there are."""
    desk.tick(hours=24 * 5)
    ask(desk, "RESEND 1")

    assert "round 1, due " in reports(desk, ANN)[-1]["Subject"]
    ask(desk, "RESEND round 1")
    assert len(reports(desk, ANN)) == 4
    assert "one of these lines: RESEND round 1 RESEND round 2" in ask(desk, "RESEND 7")


def test_a_report_goes_to_the_registered_address_alone(desk: Desk) -> None:
    """A sender with a leaked code does not get the report."""
    desk.reply(desk.last(ANN), "RESEND", sender=EVE)
    desk.answer()

    assert len(reports(desk, ANN)) == 2
    assert desk.mails(EVE) == []


def test_reports_are_sent_again_so_often_a_day(desk: Desk) -> None:
    """A loop of a mail program does not fill its user's mailbox with reports."""
    desk.tick(hours=24 * 5)
    frame = f"PLAYER toy1 red {token(desk)}\nRESEND 1\nRESEND 2\nEND"
    for number in range(10):
        desk.post(frame, subject=str(number))
    desk.answer()

    assert "please ask tomorrow" in ask(desk, frame)
    assert len(reports(desk, ANN)) == 2 + LARGE_A_DAY


def test_history_is_the_journal(desk: Desk) -> None:
    """Players read acts with time and actor, but no secret entries; turns have their labels of reports."""
    rule(desk, grace="2h")
    with desk.app.store.writing() as session:
        add_entry(session, snapshot(desk).id, desk.now, actor="gm", text="a secret act", secret=True)
    desk.tick(hours=24 * 5)

    text = ask(desk, "HISTORY")

    assert "gm: started; dice seal" in text
    assert "gm: house rules: grace 2h" in text
    assert 'pbem: "round 1" run (deadline)' in text
    assert "secret" not in text


def test_history_may_be_the_gms_own(desk: Desk) -> None:
    """With the house rule journal=gm players are referred to their GM."""
    rule(desk, journal="gm")

    assert "the journal of toy1 is kept by its GM, gm@example.org, alone." in ask(desk, "HISTORY")
