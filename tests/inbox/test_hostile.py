"""Any mail is processed: no message is quarantined, and nothing is taken without proof."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from pbem.inbox import rate_limits
from pbem.inbox.rate_limits import STRANGER_A_DAY
from pbem.store.models import InboxMessage, OrderSheet
from tests.toy.home import Desk

LONG = b"A" * 5_000
HEADS = [
    b"",
    b"From: ann@example.org",
    b"From: ann@example.org\r\nFrom: eve@example.net",
    b"From: \xff\xfe <eve@example.net>",
    b"From: =?utf-8?q?=0Aann?= <ann@example.org>",
    b"From: eve@example.net\r\nSubject: [toy1 aaaaaaaaaaaaaaaa] \x00\x01",
    b"From: eve@example.net\r\nIn-Reply-To: <a\x00b@example.org>\r\nReferences: <\xff@x> <a\x00@b>",
    b"From: eve@example.net\r\nTo: orders+aaaaaaaaaaaaaaaa@example.org",
    b"From: eve@example.net\r\nSubject: =?x-unknown?b?////?= " + LONG,
    b"From: ann@example.org\r\nSubject: Re: [[[[[[ Re: Re: [x] [y]\r\nMessage-ID: <" + LONG + b">",
    b"From: ann@example.org\r\nContent-Type: text/plain; charset=utf-16",
    b"From: ann@example.org\r\nContent-Type: multipart/mixed; boundary=x",
    b"From: \xc3\xa4nn@example.org",
]
BODIES = [
    b"",
    b"\x00\x00\x00",
    b"ORDERS toy1 red\r\nBID 1\r\nEND",
    b"ORDERS toy1\x00 red\r\nBID 1\r\nEND",
    b"ORDERS toy1 \"re d\" 'x' y z\r\nEND",
    b"ORDERS " + LONG + b" red\r\nEND",
    b"ORDERS toy1 red " + LONG + b"\r\nBID \xe2\x82\xac\r\nEND",
    b"orders toy1 red ; comment\r\n" + b"BID 1 \\\r\n" * 50,
    b"ORDERS toy1 red\r\n" + b'\xed\xa0\x80 \xff """ ;;; \\\\\r\n' * 80 + b"END",
    b"ORDERS toy1 red\r\nWHISPER \xf0\x9f\x98\x80 deal\r\nBID 99999999999999999999\r\nEND\r\nEND\r\nORDERS",
]


@pytest.mark.sampled(1)
def test_no_message_makes_processing_fail(shared: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Broken headers, characters of every kind and endless words are answered or left, each by itself."""
    monkeypatch.setattr(rate_limits, "UNPROVEN_SHEETS_A_DAY", 1000)
    inbox = shared.home / "post" / "inbox"
    for head, front in enumerate(HEADS):
        for body, text in enumerate(BODIES):
            (inbox / f"{head:02d}-{body:02d}.eml").write_bytes(front + b"\r\n\r\n" + text)
    done = shared.tick()

    with shared.app.store.reading() as session:
        notes = session.scalars(select(InboxMessage.note).where(InboxMessage.state != "processed")).all()
        takers = set(session.scalars(select(OrderSheet.seat_id)))
    assert list(notes) == []
    assert done.processed.messages == done.polled
    assert len(takers) == 1


@pytest.mark.sampled(1)
def test_a_strangers_messages_save_no_sheets(shared: Desk) -> None:
    """Without proof no row of a sheet is stored, whatever form it has."""
    inbox = shared.home / "post" / "inbox"
    for head, front in enumerate(head for head in HEADS if b"eve@" in head and b"ann@" not in head):
        for body, text in enumerate(BODIES):
            (inbox / f"{head:02d}-{body:02d}.eml").write_bytes(front + b"\r\n\r\n" + text)
    shared.tick()

    with shared.app.store.reading() as session:
        assert session.scalars(select(OrderSheet.id)).all() == []
    assert len(shared.mails("eve@example.net")) == STRANGER_A_DAY
