"""Nothing in a message can add a header to a mail that goes out because of it."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select

from pbem.inbox.context import MessageContext
from pbem.inbox.newcomers import to_stranger
from pbem.inbox.replies import answer, mailer_of
from pbem.inbox.seat_lookup import load_seat
from pbem.mail.message import parse_message
from pbem.report.answers import Receipt
from pbem.store.models import OutgoingMail
from tests.inbox.trusting import ANN
from tests.toy.home import Desk, open_desk

HEADERS = {
    *("From", "To", "Reply-To", "Subject", "Date", "Message-ID", "In-Reply-To", "References", "List-Id"),
    *("List-Unsubscribe", "Precedence", "Auto-Submitted", "X-Auto-Response-Suppress", "X-Pbem-Loop", "MIME-Version"),
    *("Content-Type", "Content-Transfer-Encoding"),
}
BREAKS = st.sampled_from(["\r\n", "\n", "\r", "\x0b", "\x0c", "\x85", "\u2028", "\u2029", "\x00", "\t", " "])
EVIL = st.sampled_from(
    ["Bcc: eve@example.net", "\r\n\r\nORDERS", "[toy1 x]", "ä", "\U0001f600", "=?utf-8?q?=0ABcc:_x?=", '"<>']
)
TEXT = st.lists(st.one_of(BREAKS, EVIL, st.text(max_size=8)), max_size=8).map("".join)

TAKEN = Receipt(
    campaign="toy1",
    seat="red",
    label="round 1",
    version=1,
    digest="",
    accepted=True,
    orders=(),
    findings=(),
    deadline=None,
    zone="UTC",
)


def encoded(text: str) -> str:
    """Return the text as an encoded word, in which it may hold anything."""
    return f"=?utf-8?b?{base64.b64encode(text.encode('utf-8', 'replace')).decode()}?="


def folded(text: str) -> str:
    """Return the text as a header's value, folded so that all of it is parsed."""
    return text.replace("\r", "").replace("\n", "\r\n ")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """Yield a home with a campaign that has begun, used for one message after the other."""
    with open_desk(tmp_path_factory.mktemp("injection") / "home") as desk:
        desk.start()
        yield desk


def answers(desk: Desk, *fields: str) -> list[bytes]:
    """Return the mails written in answer to a message with these header fields; none of them is stored."""
    raw = "\r\n".join([*fields, "", "BID 1", ""]).encode("utf-8", "replace")
    with desk.app.store.writing() as session:
        case = MessageContext(desk.app, session, desk.now, 0, parse_message(raw))
        spot = load_seat(session, 1)
        last = session.scalar(select(func.max(OutgoingMail.id)))
        answer(case, ANN, TAKEN, about=spot, code=spot.code, id_=mailer_of(case, spot).id_of("receipt"), kind="receipt")
        answer(case, ANN, TAKEN, about=spot, code=spot.code)
        to_stranger(case)
        mails = list(session.scalars(select(OutgoingMail.raw).where(OutgoingMail.id > last)))
        session.rollback()
    return mails


def names(mail: bytes) -> list[str]:
    """Return the names of a mail's header fields, with any character that ends a line for anyone taken as one."""
    head = mail.partition(b"\r\n\r\n")[0].replace(b"\r\n ", b" ")
    return [line.partition(":")[0] for line in head.decode("latin-1").splitlines()]


@settings(deadline=None)
@given(subject=TEXT, id_=TEXT, reference=TEXT, name=TEXT, way=st.sampled_from([encoded, folded]))
def test_no_message_adds_a_header(
    running: Desk, subject: str, id_: str, reference: str, name: str, way: Callable[[str], str]
) -> None:
    """Every answer has its fields once and no others, whatever is in the message's subject, ids and sender."""
    mails = answers(
        running,
        f"From: {way(name)} <eve@example.net>",
        f"Subject: {way(subject)}",
        f"Message-ID: <1{folded(id_)}@example.org>",
        f"References: <{folded(reference)}@example.org>",
    )

    assert len(mails) >= 2
    assert [found for mail in mails for found in names(mail) if found not in HEADERS] == []
    assert all(len(set(names(mail))) == len(names(mail)) for mail in mails)


def test_an_added_header_would_be_found() -> None:
    """A header that was added would be found, however its line is ended."""
    assert [names(b"To: a\nBcc: b\r\n\r\nBcc: c"), names("To: a\x85Bcc: b".encode("latin-1"))] == [["To", "Bcc"]] * 2
