"""Mail that comes back: noted, shown and told to the GM, and never a reason for anything else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import select, update

from pbem.actions.status import Undelivered
from pbem.admin.health import home_status
from pbem.cli.status import status_lines
from pbem.scheduler.tick import run_campaign_now
from pbem.store.models import Campaign, InboxMessage, JournalEntry, OrderSheet, OutgoingMail, Person, Seat
from pbem.store.types import OutgoingState
from tests.mail.reports import exchange, gmail, postfix
from tests.mail.worded_reports import WORDED, complaint, read_receipt, vacation
from tests.toy.home import Desk, open_desk, text_of

GM = "gm@example.org"
FORGED = "ORDERS toy1 red\nBID 9\nEND"


@pytest.fixture(autouse=True)
def _campaign(desk: Desk) -> None:
    desk.start()


def arrive(desk: Desk, raw: bytes) -> None:
    """Put a mail into the inbox as it is, then tick."""
    inbox = desk.home / "post" / "inbox"
    inbox.mkdir(parents=True, exist_ok=True)
    (inbox / "report.eml").write_bytes(raw)
    desk.answer()


def note(desk: Desk) -> str:
    """Return the note on the newest message."""
    with desk.app.store.reading() as session:
        return session.scalars(select(InboxMessage.note).order_by(InboxMessage.id.desc())).first() or ""


def undelivered(desk: Desk) -> list[Undelivered]:
    """Return the mails that the status of the campaign lists as not delivered."""
    (campaign,) = home_status(desk.app).campaigns
    return list(campaign.undelivered)


def journal(desk: Desk) -> list[str]:
    """Return the entries about bounces in the campaign's journal."""
    with desk.app.store.reading() as session:
        return [
            text for text in session.scalars(select(JournalEntry.text).order_by(JournalEntry.id)) if "came back" in text
        ]


def last_id(desk: Desk, to: str = "ann@example.org") -> str:
    """Return the Message-ID of the newest mail to an address."""
    return str(desk.last(to)["Message-ID"])


@pytest.mark.parametrize("write", [postfix, exchange, gmail])
def test_a_bounce_is_listed_with_its_reason(desk: Desk, write: Callable[[str], bytes]) -> None:
    """A report's mail that comes back counts as not delivered, for the reason the other side gives."""
    arrive(desk, write(last_id(desk)))

    (mail,) = undelivered(desk)
    assert (mail.recipient, mail.state, mail.attempts) == ("ann@example.org", "bounced", 1)
    assert "550 5.1.1" in mail.reply or "550-5.1.1" in mail.reply
    shown = [line for line in status_lines(home_status(desk.app)) if "not delivered" in line]
    assert shown == [f"  not delivered to ann@example.org, bounced after 1 try: {mail.reply}"]


@pytest.mark.parametrize("write", WORDED)
def test_a_bounce_in_words(desk: Desk, write: Callable[[str, str], bytes]) -> None:
    """A mail that comes back with words alone counts as not delivered, and is not answered."""
    arrive(desk, write(last_id(desk), "ann@example.org"))

    (mail,) = undelivered(desk)
    assert mail.recipient == "ann@example.org"
    assert mail.reply.startswith("550 5.1.1 no such user")
    assert f"told {GM}" in note(desk)


@pytest.mark.parametrize("write", [vacation, read_receipt, complaint])
def test_a_machine_that_has_the_mail(desk: Desk, write: Callable[[str, str], bytes]) -> None:
    """A mail that an answering machine quotes was delivered; the machine is not answered."""
    before = len(desk.mails())
    arrive(desk, write(last_id(desk), "ann@example.org"))

    assert undelivered(desk) == []
    assert {mail["To"] for mail in desk.mails()[before:]} <= {GM}


def test_the_gm_hears_of_a_bounce(desk: Desk) -> None:
    """The GM is told whose mail it was, which, and why; the code in its subject stays with the player."""
    report = desk.last()
    arrive(desk, postfix(str(report["Message-ID"])))

    told = desk.last(GM)
    text = " ".join(text_of(told).split())
    assert told["Subject"] == "[toy1] mail to red came back"
    assert "Not delivered to ann@example.org It is the address of red." in text
    assert "550 5.1.1 <ann@example.org>: Recipient address rejected: User unknown" in text
    assert f'its subject was "{str(report["Subject"]).partition("] ")[2].rpartition(" [")[0]}"' in text
    assert str(report["Reply-To"]).partition("+")[2].partition("@")[0] not in text


def test_the_gm_hears_of_an_unreachable_player_once_a_turn(desk: Desk) -> None:
    """Two mails to one address that come back in a turn bring the GM one mail; each is in journal and status."""
    welcome, report = (str(mail["Message-ID"]) for mail in desk.mails("ann@example.org")[-2:])
    for id_ in (welcome, report):
        arrive(desk, postfix(id_))

    assert [mail["Subject"] for mail in desk.mails(GM) if "came back" in mail["Subject"]] == [
        "[toy1] mail to red came back"
    ]
    assert (len(journal(desk)), len(undelivered(desk))) == (2, 2)
    assert note(desk).endswith(f"{GM} has been told of this address in this turn")

    run_campaign_now(desk.app, "toy1", desk.now)
    desk.tick()
    arrive(desk, postfix(last_id(desk)))
    assert len([mail for mail in desk.mails(GM) if "came back" in mail["Subject"]]) == 2


def test_the_journal_and_the_note_say_what_happened(desk: Desk) -> None:
    """The journal has a line about a bounce, and the message a note."""
    arrive(desk, postfix(last_id(desk)))

    (line,) = journal(desk)
    assert line.endswith(
        "to ann@example.org came back: 550 5.1.1 <ann@example.org>: Recipient address rejected: User unknown"
    )
    assert note(desk).startswith("delivery report: failed, 550 5.1.1")
    assert note(desk).endswith("told gm@example.org")


def test_a_bounce_is_told_once(desk: Desk) -> None:
    """A second report on the same mail changes nothing."""
    id_ = last_id(desk)
    arrive(desk, postfix(id_))
    arrive(desk, gmail(id_))

    assert (len(desk.mails(GM)), len(journal(desk)), len(undelivered(desk))) == (1, 1, 1)
    assert undelivered(desk)[0].reply.startswith("550 5.1.1 <ann@example.org>")
    assert note(desk).endswith("known before")


@pytest.mark.parametrize("action", ["delayed", "delivered"])
def test_other_reports_are_only_noted(desk: Desk, action: str) -> None:
    """A delayed or delivered mail does not count as bounced."""
    arrive(desk, postfix(last_id(desk), action=action, status="4.4.1" if action == "delayed" else "2.0.0"))

    assert (undelivered(desk), desk.mails(GM), journal(desk)) == ([], [], [])
    assert note(desk).startswith(f"delivery report: {action}, ")
    assert note(desk).endswith("to ann@example.org")


@pytest.mark.parametrize("forged", ["<mtqbm5dlhvoe6q7b2kznxw3yha@example.org>", "<letter0@example.org>", ""])
def test_a_report_on_no_mail_of_ours_is_only_noted(desk: Desk, forged: str) -> None:
    """Without a mail's Message-ID it cannot be made to bounce, whatever address is named."""
    before = len(desk.mails())
    arrive(desk, postfix(forged))

    assert (undelivered(desk), len(desk.mails()), journal(desk)) == ([], before, [])
    assert note(desk).endswith("of no mail of ours")


def test_a_mail_cannot_be_reported_as_bounced_before_it_was_sent(desk: Desk, tmp_path: Path) -> None:
    """A forgery tried out at another home does not disclose the Message-ID of the warning against it."""
    with open_desk(tmp_path / "own") as own:
        own.begin()
        with own.app.store.writing() as session:  # a home that is no copy has another key
            session.execute(update(Campaign).values(mail_key=bytes(32)))
        own.tick()
        own.post(FORGED, sender="eve@example.net")
        own.tick()
        tried_out = last_id(own)

    desk.post(FORGED, sender="eve@example.net")
    arrive(desk, postfix(tried_out))

    assert "rejected: a mail for your seat" in desk.last()["Subject"]
    assert note(desk).endswith("of no mail of ours")


def test_a_delivery_report_is_never_answered(desk: Desk) -> None:
    """Neither the system that wrote a delivery report nor the player is answered, whatever its text says."""
    before = len(desk.mails())
    arrive(desk, postfix(last_id(desk)))

    assert [mail["To"] for mail in desk.mails()[before:]] == [GM]
    with desk.app.store.reading() as session:
        assert session.scalars(select(OrderSheet)).all() == []


def test_a_bounce_takes_nothing_from_a_player(desk: Desk) -> None:
    """The seat and its sheet stay after a bounce, and later mail goes out."""
    report = desk.last()
    arrive(desk, postfix(str(report["Message-ID"])))
    desk.reply(report, "BID 3")
    desk.answer()

    (campaign,) = home_status(desk.app).campaigns
    assert (campaign.seats[0].playing, campaign.seats[0].sheet_version) == (True, 1)
    assert text_of(desk.last()).startswith("Your order is in\n")
    assert len(undelivered(desk)) == 1


def test_a_notice_to_the_gm_may_bounce_too(desk: Desk) -> None:
    """A mail to the GM that comes back is listed, and causes no other mail."""
    arrive(desk, postfix(last_id(desk)))
    before = len(desk.mails())
    arrive(desk, postfix(last_id(desk, GM), GM))

    assert len(desk.mails()) == before
    assert [mail.recipient for mail in undelivered(desk)] == ["ann@example.org", GM]
    assert len(journal(desk)) == 2
    assert note(desk).endswith("nobody told: the GM's own mail came back")


def test_an_answer_to_a_stranger_may_bounce(desk: Desk) -> None:
    """A bounce of no campaign is listed beside the campaigns, and no GM is told."""
    desk.post("hello", sender="eve@example.net")
    desk.answer()
    arrive(desk, postfix(last_id(desk, "eve@example.net"), "eve@example.net"))

    (mail,) = home_status(desk.app).undelivered
    assert (mail.recipient, mail.state) == ("eve@example.net", "bounced")
    assert desk.mails(GM) == []


def test_a_bounced_mail_is_not_sent_again(desk: Desk) -> None:
    """A mail that seemed not to have gone out, and comes back, needs no other try."""
    with desk.app.store.writing() as session:
        mail = session.scalars(select(OutgoingMail).where(OutgoingMail.message_id == last_id(desk))).one()
        mail.state = OutgoingState.QUEUED
    before = len(desk.mails("ann@example.org"))
    arrive(desk, postfix(last_id(desk)))

    assert len(desk.mails("ann@example.org")) == before


def test_a_mail_to_an_address_of_two_seats(desk: Desk) -> None:
    """A bounce from a player of two seats names both, in whatever case the address is written."""
    with desk.app.store.writing() as session:
        red, blue = session.scalars(select(Seat).order_by(Seat.id))
        blue.person = red.person
        session.get_one(Person, red.person_id).address = "Ann@example.org"
    arrive(desk, postfix(last_id(desk)))

    assert desk.last(GM)["Subject"] == "[toy1] mail to red and blue came back"
