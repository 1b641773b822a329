"""When a mail came is what the receiving server wrote, and nothing that its sender can write."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.mail.authentication import authentication_verdict, count_words
from pbem.mail.fetch import fetch_messages
from pbem.mail.received import received_fields, suggested_server, taken_at
from pbem.store.models import InboxMessage
from pbem.store.session import Store
from tests.mail.intake import HOUR, NOON, ListMailbox, incoming
from tests.mail.letters import mail

MX = "mx.example.org"
ANN = "ann@example.org"
OWN = f"Received: from out.example.net (out.example.net [192.0.2.1])\r\n\tby {MX} (Postfix) with ESMTPS id 4F2"
"""The field of the receiving server, without its date."""
LATE = "Received: from out.example.net by mx.example.org with ESMTP id 1; Thu, 19 Nov 2026 08:00:00 +0000"
"""A field that a sender has written in the name of that server: it claims an earlier time."""
TAKEN = dt.datetime(2026, 11, 20, 9, 30, tzinfo=dt.UTC)


def at(*fields: str, server: str = MX) -> dt.datetime | None:
    """Return when a mail with these fields was taken."""
    return taken_at(mail("BID 3", *fields), server)


DATES = {
    "plain": "Fri, 20 Nov 2026 09:30:00 +0000",
    "with a comment": "Fri, 20 Nov 2026 09:30:00 +0000 (UTC)",
    "in another zone": "Fri, 20 Nov 2026 10:30:00 +0100 (CET)",
    "with comments in comments": "Fri, 20 Nov 2026 (a (b) ; c) 01:30:00 -0800 (PST)",
    "folded": "\r\n\tFri, 20 Nov 2026\r\n 09:30:00 +0000\r\n\t(UTC)",
    "without a day of the week": "20 Nov 2026 09:30:00 GMT",
}


@pytest.mark.parametrize("date", DATES.values(), ids=DATES)
def test_the_date_of_the_server_is_read(date: str) -> None:
    """The date behind the last semicolon counts, folded or not, whatever comments stand in it."""
    assert at(f"{OWN}; {date}") == TAKEN


FIELDS = {
    "Gmail": "from out.example.net (out.example.net. [192.0.2.1]) by {} with ESMTPS id x (version=TLS1_3;bits=256);",
    "Exim": "from [192.0.2.1] (helo=out.example.net)\r\n\tby {} with esmtps  (TLS1.3) (Exim 4.98)\r\n\tid 1;",
    "qmail": "from unknown (HELO out.example.net) (192.0.2.1)\r\n  by {} with SMTP;",
    "OpenSMTPD": "from out.example.net (out [192.0.2.1])\r\n\tby {} (OpenSMTPD) with ESMTPS id 7 (a:b);",
    "a name in capitals, with its dot": "from out.example.net by MX.Example.ORG. with ESMTP; ignored: {};",
}


@pytest.mark.parametrize("field", FIELDS.values(), ids=FIELDS)
def test_fields_of_real_servers(field: str) -> None:
    """Each server's form of the field is read."""
    assert at(f"Received: {field.format(MX)} {DATES['plain']}") == TAKEN


def test_a_field_that_came_with_the_mail_does_not_count() -> None:
    """Of several fields of one server the topmost counts; what a sender writes in its name stands below."""
    assert at(f"{OWN}; {DATES['plain']}", LATE) == TAKEN
    assert at(f"{OWN}; no date", LATE) is None
    assert at(OWN, LATE) is None


FORGERS = {
    "a name that is a word of the field": "by",
    "a name with the server's": f"by {MX}",
    "a comment that does not end": "(",
    "a comment that does not begin": ")",
    "quotes that do not end": '"',
    "the end of the field": ";",
}


@pytest.mark.parametrize("name", FORGERS.values(), ids=FORGERS)
def test_the_name_that_a_client_gives_itself(name: str) -> None:
    """Whatever a client calls itself in its greeting, it gains no earlier time by a field of its own below."""
    taken = at(f"Received: from {name} (out [192.0.2.1]) by {MX} with ESMTP; {DATES['plain']}", LATE)

    assert taken in (TAKEN, None)


def test_other_names() -> None:
    """A server of another name is not asked; all servers of a provider can be named together."""
    assert at(LATE, server="mx.example.net") is None
    assert at(LATE, server="") is None
    assert at(LATE, server="*.example.org") == dt.datetime(2026, 11, 19, 8, tzinfo=dt.UTC)
    assert at("Received: from x by mx.example.org.example.net; Thu, 19 Nov 2026 08:00:00 +0000") is None


def test_the_date_of_the_writer_does_not_count() -> None:
    """A mail without the server's field came when the mailbox says; its own Date says nothing."""
    assert at("Date: Thu, 19 Nov 2026 08:00:00 +0000") is None


def test_mail_is_stored_with_the_time_of_the_server(any_store: Store) -> None:
    """A mail that was fetched late counts as it came to the server; a time to come counts as now."""
    early = mail("one", f"{OWN}; {DATES['plain']}", "Message-ID: <1@x>")
    ahead = mail("two", f"{OWN}; Sat, 21 Nov 2026 09:30:00 +0000", "Message-ID: <2@x>")
    without = mail("three", "Message-ID: <3@x>")
    batch = [incoming(str(uid), raw) for uid, raw in enumerate((early, ahead, without))]
    fetch_messages(any_store, ListMailbox(batch), NOON, received_by=MX)

    with any_store.reading() as session:
        times = [row.received_at for row in session.query(InboxMessage).order_by(InboxMessage.id)]
    assert times == [TAKEN, NOON, NOON - HOUR]


STACK = (
    f"Authentication-Results: {MX}; spf=none smtp.mailfrom=example.net",
    f"Authentication-Results: {MX};\r\n\tdkim=none",
    f"Authentication-Results: {MX}; dmarc=fail (p=none) header.from=example.org",
)
"""Fields of three filters beside a mail server."""
FORGED = f"Authentication-Results: {MX}; dmarc=pass header.from=example.org; dkim=pass header.d=example.org"
KEPT = f"Received: from {MX} by {MX} with LMTP id 2; Fri, 20 Nov 2026 09:30:01 +0000"
BORDERS: dict[str, tuple[tuple[str, ...], str]] = {
    "above the server's field": ((*STACK, OWN, FORGED), "fail"),
    "below the field of what keeps the mailboxes": ((KEPT, *STACK, OWN, FORGED), "fail"),
    "below the field of another server of the operator": (("Received: by inner.example.org", *STACK, OWN), "fail"),
    "and a second of a forger below it": ((*STACK[:2], OWN, FORGED), "none"),
    "below a field of the same server": ((OWN, STACK[0], STACK[2], OWN), "none"),
    "without a field of the server": ((STACK[0], FORGED), "none"),
    "below a field that is spoilt": (("Received: from (", STACK[0], FORGED, OWN), "none"),
}


@pytest.mark.parametrize(("fields", "expected"), BORDERS.values(), ids=BORDERS)
def test_fields_of_several_filters(fields: tuple[str, ...], expected: str) -> None:
    """Several fields of one name are read together where no sender can write, else the topmost alone."""
    assert authentication_verdict(mail("x", *fields), MX, ANN, MX) == expected


def test_fields_are_counted() -> None:
    """Without the name of the receiving server the topmost field alone is read, as before."""
    raw = mail("x", *STACK, OWN, FORGED)

    assert count_words(raw, MX, MX) == 3
    assert count_words(raw, MX) == 1
    assert authentication_verdict(raw, MX, ANN) == "none"


def test_the_server_to_name_is_suggested() -> None:
    """It is that which took the mail from outside, not what handed it on, nor what its sender claims."""
    inner = "Received: by 2001:db8::1 with SMTP id 1; Fri, 20 Nov 2026 09:30:02 +0000"

    assert suggested_server(mail("x", inner, KEPT, f"{OWN}; x", "Received: from a by b with ESMTP")) == MX
    assert suggested_server(mail("x", inner)) == ""


PIECES = st.sampled_from([*'();"\\ ,:+', "\r\n ", "from", "by", MX, "with", "ESMTP", "20 Nov 2026", "09:30", "é", "\0"])


@given(st.lists(PIECES, max_size=100).map("".join))
def test_any_field_is_read(field: str) -> None:
    """No content of the field raises an error, or moves a mail before the field of the server."""
    raw = mail("x", f"{OWN}; {DATES['plain']}", f"Received: {field}")

    assert taken_at(raw, MX) == TAKEN
    assert len(list(received_fields(raw))) in (1, 2)
