"""Tests of mails that arrive twice by different ways, and of different mails with the same name."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from pbem.app import open_app
from pbem.inbox.process import process_messages
from pbem.mail.fetch import fetch_messages, fingerprint
from pbem.scheduler.tick import tick
from pbem.store.models import OrderSheet
from pbem.store.session import Store
from tests.faults.night import GAMES, NIGHT, letter
from tests.faults.outcome import outcome
from tests.faults.servers import ServerNight
from tests.mail.intake import ListMailbox, incoming, stored
from tests.toy.home import MONDAY, Desk

FIRST = letter(1, "ann", "ORDERS toy1 red\nBID 1\nEND\n")
SECOND = letter(2, "ann", "ORDERS toy1 red\nBID 2\nEND\n")


def by_way_of(server: str, raw: bytes) -> bytes:
    """Return a mail with the trace fields of a server."""
    way = [
        "Return-Path: <ann@example.org>",
        f"Received: from {server}.example.org",
        "\tby mx.example.org",
        "X-Spam: no",
    ]
    return "".join(f"{line}\r\n" for line in way).encode() + raw


def mailbox_of(*mails: tuple[str, bytes], validity: str = "1") -> ListMailbox:
    """Return a mailbox with these mails, by UID and UIDVALIDITY."""
    return ListMailbox([incoming(uid, raw, MONDAY, validity) for uid, raw in mails])


def counting(desk: Desk) -> list[str]:
    """Process the messages; return the orders of the accepted sheets, by version."""
    process_messages(desk.app, desk.now)
    with desk.app.store.reading() as session:
        sheets = session.scalars(select(OrderSheet).order_by(OrderSheet.version))
        return [str(sheet.orders[0]["coins"]) for sheet in sheets]


def test_a_mail_that_comes_by_two_ways(any_store: Store) -> None:
    """A mail delivered by two servers, each with its own trace fields, is one message."""
    inbox = mailbox_of(("1", by_way_of("a", FIRST)), ("2", by_way_of("bb", FIRST)))

    assert fetch_messages(any_store, inbox, MONDAY) == 1
    assert fetch_messages(any_store, mailbox_of(("3", FIRST.replace(b"\r\n", b"\n"))), MONDAY) == 0


def test_a_late_double_does_not_undo_a_correction(desk: Desk) -> None:
    """If the first sheet arrives again after the second one, the second still counts."""
    desk.begin()
    for uid, raw in enumerate([by_way_of("a", FIRST), SECOND, by_way_of("late", FIRST)]):
        fetch_messages(desk.app.store, mailbox_of((str(uid), raw)), desk.now)

    assert counting(desk) == ["1", "2"]


def test_the_same_words_in_another_mail(desk: Desk) -> None:
    """The first orders in a new mail count again."""
    desk.begin()
    again = FIRST.replace(b"<letter1@", b"<letter3@")
    fetch_messages(desk.app.store, mailbox_of(("1", FIRST), ("2", SECOND), ("3", again)), desk.now)

    assert counting(desk) == ["1", "2", "1"]


@pytest.mark.parametrize(
    "other",
    [
        FIRST.replace(b"<letter1@", b"<letter3@"),
        FIRST.replace(b"BID 1", b"BID 2"),
        FIRST.replace(b"Subject: orders", b"Subject: orders, again"),
        FIRST.replace(b"ann@", b"bob@"),
        b"Received: x\r\n" + FIRST.replace(b"Message-ID", b"X-Id"),
    ],
)
def test_what_makes_another_letter(other: bytes) -> None:
    """Another Message-ID, text, subject or sender makes another message; without Message-ID, any byte does."""
    assert fingerprint(other) not in (fingerprint(FIRST), fingerprint(FIRST.replace(b"Message-ID", b"X-Id")))


def test_a_server_that_counts_anew(any_store: Store) -> None:
    """Another mail under a known UID, as after a mailbox was recreated, is a message of its own."""
    fetch_messages(any_store, mailbox_of(("1", FIRST)), MONDAY)

    assert [fetch_messages(any_store, mailbox_of(("1", SECOND)), MONDAY) for _ in range(2)] == [1, 0]
    assert stored(any_store) == [FIRST, SECOND]


def test_a_server_with_other_bytes_each_time(any_store: Store) -> None:
    """A mail with the same UID and Message-ID is known, even if its server encodes it differently."""
    fetch_messages(any_store, mailbox_of(("1", FIRST)), MONDAY)

    assert fetch_messages(any_store, mailbox_of(("1", FIRST.replace(b"BID", b"BI=\r\nD"))), MONDAY) == 0


def test_a_changed_uidvalidity(any_store: Store) -> None:
    """After a change of UIDVALIDITY, old mails are known and new ones are new."""
    fetch_messages(any_store, mailbox_of(("1", FIRST)), MONDAY)

    assert fetch_messages(any_store, mailbox_of(("1", SECOND), ("2", FIRST), validity="2"), MONDAY) == 1
    assert stored(any_store) == [FIRST, SECOND]


def test_mail_that_is_delivered_twice(servers: ServerNight) -> None:
    """Messages that Postfix delivers again, with other header fields on top, change nothing."""
    with servers.fresh() as home:
        for raw in servers.letters:
            servers.mail.deliver(servers.mail.address("orders"), raw, sender=servers.mail.address("ann"))
        servers.mail.settle()
        with open_app(home, GAMES) as app:
            assert tick(app, NIGHT).polled == len(servers.letters)
            assert outcome(app).difference(servers.undisturbed) == ""
