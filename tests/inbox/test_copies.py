"""A mail that comes twice is done once, and sheets count in the order in which they were written."""

from __future__ import annotations

import pytest
from sqlalchemy import select, update

from pbem.admin.mail import retry_message
from pbem.inbox.process import process_messages
from pbem.mail.fetch import fetch_messages, open_mailbox
from pbem.store.models import InboxMessage, OrderSheet
from pbem.store.types import MessageState
from tests.toy.home import Desk, text_of

ANN = "ann@example.org"
TEN, ELEVEN = "Mon, 02 Nov 2026 08:10:00 +0000", "Mon, 02 Nov 2026 08:40:00 +0000"


@pytest.fixture(autouse=True)
def _campaign(desk: Desk) -> None:
    desk.start()


def put(desk: Desk, name: str, text: str, *, added: str = "", date: str = TEN, sender: str = ANN) -> None:
    """Put a mail of nmh, which writes no Message-ID, into the inbox, with a header that its server has added."""
    to = desk.last(ANN)["Reply-To"] if sender == ANN else "orders@example.org"
    head = f"{added}From: {sender}\nTo: {to}\nSubject: orders\n" + (f"Date: {date}\n" if date else "")
    inbox = desk.home / "post" / "inbox"
    inbox.mkdir(parents=True, exist_ok=True)
    (inbox / f"{name}.eml").write_text(f"{head}\n{text}\n")


def notes(desk: Desk) -> list[str]:
    """Return what became of all messages, oldest first."""
    with desk.app.store.reading() as session:
        return list(session.scalars(select(InboxMessage.note).order_by(InboxMessage.id)))


def bids(desk: Desk) -> list[int]:
    """Return the bids of all sheets, oldest version first."""
    with desk.app.store.reading() as session:
        return [
            orders[0]["coins"] for orders in session.scalars(select(OrderSheet.orders).order_by(OrderSheet.version))
        ]


def test_a_mail_without_id_that_comes_twice_is_one(desk: Desk) -> None:
    """Two deliveries of one mail in other dress bring one message, one sheet and one receipt."""
    put(desk, "1", "BID 1", added="Received: from a by b\n")
    desk.answer()
    count = len(desk.mails(ANN))
    put(desk, "2", "BID 1", added="Received: from c by d\nX-Spam: no\n")
    desk.tick(hours=1)

    assert len(notes(desk)) == 1
    assert (bids(desk), len(desk.mails(ANN))) == ([1], count)


@pytest.mark.parametrize("together", [True, False])
def test_a_copy_with_another_id_is_noted(desk: Desk, *, together: bool) -> None:
    """Of two copies to which servers have given Message-IDs of their own, one is done, in one poll or in two."""
    put(desk, "1", "BID 1", added="Message-ID: <1@a.example.org>\n")
    if not together:
        desk.answer()
    put(desk, "2", "BID 1", added="Message-ID: <2@b.example.org>\n")
    desk.answer()

    assert notes(desk)[1] == "a second copy of message 1: nothing was done"
    assert bids(desk) == [1]


def test_press_that_comes_twice_is_sent_once(desk: Desk) -> None:
    """A copy of press is not sent again; the same words at another time are."""
    for number, date in enumerate((TEN, TEN, ELEVEN)):
        put(desk, str(number), "PRESS TO blue\nhello", added=f"Message-ID: <{number}@a.example.org>\n", date=date)
    desk.answer()

    assert sum("hello" in text_of(mail) for mail in desk.mails("bob@example.org")) == 2


@pytest.mark.parametrize("date", [TEN, ""])
def test_the_same_words_again_are_two_mails(desk: Desk, date: str) -> None:
    """The same words with another Date, or with no Date and other bytes, were written twice and are both done."""
    put(desk, "1", "BID 1", added="Message-ID: <1@a.example.org>\n", date=date)
    put(desk, "2", "BID 1", added="Message-ID: <2@a.example.org>\n", date=date and ELEVEN)
    desk.answer()

    assert bids(desk) == [1, 1]


def test_a_copy_after_a_day_is_a_mail(desk: Desk) -> None:
    """A copy that comes after a day is done, as any mail."""
    put(desk, "1", "BID 1", added="Message-ID: <1@a.example.org>\n")
    desk.answer()
    put(desk, "2", "BID 1", added="Message-ID: <2@a.example.org>\n")
    desk.tick(hours=25)

    assert bids(desk) == [1, 1]


def test_a_copy_of_a_mail_that_failed_is_done(desk: Desk) -> None:
    """A message that was quarantined did nothing, so its copy counts; tried again, it is the copy."""
    put(desk, "1", "BID 1", added="Message-ID: <1@a.example.org>\n")
    fetch_messages(desk.app.store, open_mailbox(desk.app.settings), desk.now)
    with desk.app.store.writing() as session:
        session.execute(update(InboxMessage).values(state=MessageState.QUARANTINED))
    put(desk, "2", "BID 1", added="Message-ID: <2@a.example.org>\n")
    desk.answer()
    retry_message(desk.app.store, 1)
    desk.answer()

    assert bids(desk) == [1]
    assert notes(desk)[0] == "a second copy of message 2: nothing was done"


def test_what_a_program_sent_is_no_original(desk: Desk) -> None:
    """A copy that a server marked as automatic got no answer, so the other one is done."""
    put(desk, "1", "BID 1", added="Message-ID: <1@a.example.org>\nAuto-Submitted: auto-forwarded\n")
    desk.answer()
    put(desk, "2", "BID 1", added="Message-ID: <2@a.example.org>\n")
    desk.answer()

    assert bids(desk) == [1]


def test_of_two_sheets_of_one_poll_the_later_written_counts(desk: Desk) -> None:
    """The sheet that was written last is read last, though it was delivered first."""
    put(desk, "1", "BID 2", date=ELEVEN)
    put(desk, "2", "BID 1", date=TEN)
    desk.answer()

    assert bids(desk) == [1, 2]


def test_mails_of_two_senders_stay_in_the_order_of_delivery(desk: Desk) -> None:
    """A Date orders only the mails of the same sender, so nobody gets before others by it."""
    put(desk, "1", "hi", date=ELEVEN, sender="eve@example.org")
    put(desk, "2", "hi", date=TEN, sender="zoe@example.org")
    desk.answer()

    with desk.app.store.reading() as session:
        answered = session.scalars(select(InboxMessage.sender).order_by(InboxMessage.id)).all()
    assert answered == ["eve@example.org", "zoe@example.org"]
    readers = [mail["To"] for mail in desk.mails() if mail["To"] in answered]
    assert readers == answered


@pytest.mark.parametrize("answer", ["YES", ""])
def test_an_older_sheet_after_a_newer_one_is_asked_about(desk: Desk, answer: str) -> None:
    """A sheet that was written before the one that counts and comes after it changes nothing without a YES."""
    put(desk, "1", "BID 2", date=ELEVEN)
    desk.answer()
    put(desk, "2", "BID 1", date=TEN)
    desk.answer()
    asked = desk.last(ANN)
    if answer:
        desk.reply(asked, answer)
        desk.answer()

    assert "Which of your sheets counts?" in text_of(asked)
    assert "was written Mon 2 Nov, 09:10 CET, before your sheet of Mon 2 Nov, 09:40 CET" in " ".join(
        text_of(asked).split()
    )
    assert bids(desk) == ([2, 1] if answer else [2])


def test_a_sheet_dated_ahead_of_its_arrival_holds_up_no_other(desk: Desk) -> None:
    """A clock that is wrong by years makes no later sheet an older one."""
    put(desk, "1", "BID 2", date="Mon, 02 Nov 2037 08:10:00 +0000")
    desk.answer()
    put(desk, "2", "BID 1", date=TEN)
    desk.answer()

    assert bids(desk)[-1] == 1


def test_a_copy_is_found_by_two_processes_at_once(desk: Desk) -> None:
    """A message that another process has closed meanwhile is neither done again nor taken for a copy."""
    put(desk, "1", "BID 1", added="Message-ID: <1@a.example.org>\n")
    fetch_messages(desk.app.store, open_mailbox(desk.app.settings), desk.now)
    process_messages(desk.app, desk.now)
    process_messages(desk.app, desk.now)

    assert bids(desk) == [1]
    assert notes(desk)[0].startswith("sheet 1 of red")
