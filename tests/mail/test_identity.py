"""Identity of a mail: what servers change on the way makes no second mail of it, and what its writer changes does."""

from __future__ import annotations

import datetime as dt
import re
from collections import defaultdict
from pathlib import Path

import pytest

from pbem.mail.fetch import content_hash, fingerprint, written_at

CORPUS = sorted(Path(__file__).parent.glob("corpus/*.eml"))
NOON = dt.datetime(2026, 11, 20, 12, tzinfo=dt.UTC)

_ID = re.compile(rb"^message-id:.*\n(?:[ \t].*\n)*", re.MULTILINE | re.IGNORECASE)
_DATE_LINE = re.compile(rb"^date:.*", re.MULTILINE | re.IGNORECASE)


def without_id(path: Path) -> bytes:
    """Return a mail that a mail program wrote, with a Date and without Message-ID."""
    head, end, body = path.read_bytes().replace(b"\r", b"").partition(b"\n\n")
    head = _ID.sub(b"", head + b"\n")
    date = b"" if _DATE_LINE.search(head) else b"Date: Fri, 20 Nov 2026 10:00:00 +0100\n"
    return date + head.rstrip(b"\n") + end + body


def delivered_again(raw: bytes, *, added: bytes = b"") -> bytes:
    """Return a mail as another server would deliver it."""
    trace = b"Return-Path: <ann@example.org>\nReceived: from a\n\tby b; Fri, 20 Nov 2026 10:00:02 +0100\nX-Spam: no\n"
    return (trace + added + raw + b"\n").replace(b"\n", b"\r\n")


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_two_deliveries_of_a_mail_without_id_are_one(path: Path) -> None:
    """A mail of each mail program is known again in another dress, and by its content if servers add Message-IDs."""
    raw = without_id(path)
    stamped = delivered_again(raw, added=b"Message-ID: <1@mx.example.org>\n")

    assert fingerprint(delivered_again(raw)) == fingerprint(raw)
    assert content_hash(stamped) == content_hash(raw) is not None


def test_mails_without_id_are_one_only_if_equal() -> None:
    """No two of the mails are taken for one, unless they are equal in Date and words."""
    written = defaultdict(set)
    for raw in map(without_id, CORPUS):
        head, _, body = raw.partition(b"\n\n")
        written[fingerprint(raw)].add((_DATE_LINE.findall(head)[0], body.rstrip()))

    assert len(written) > 300
    assert max(map(len, written.values())) == 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"10:00:00 +0100", b"10:00:01 +0100"),
        (b"Subject: orders", b"Subject: order"),
        (b"From: ann@", b"From: bob@"),
        (b"In-Reply-To: <1@", b"In-Reply-To: <2@"),
        (b"MOVE 1", b"MOVE 2"),
    ],
)
def test_what_a_writer_changes_makes_another_mail(before: bytes, after: bytes) -> None:
    """Another time, subject, sender, report answered or word is another mail, by its identity and as a copy."""
    raw = (
        b"From: ann@example.org\nDate: Fri, 20 Nov 2026 10:00:00 +0100\nSubject: orders\n"
        b"In-Reply-To: <1@example.org>\n\nMOVE 1\n"
    )
    other = raw.replace(before, after)

    assert raw != other
    assert fingerprint(raw) != fingerprint(other)
    assert content_hash(raw) != content_hash(other)


def test_without_id_and_date_every_byte_counts() -> None:
    """Without both nothing shows whether the same words were written twice."""
    raw = b"From: ann@example.org\n\nMOVE 1\n"

    assert fingerprint(raw) != fingerprint(b"Received: from a\n" + raw)
    assert content_hash(raw) is None


@pytest.mark.parametrize(
    ("date", "written"),
    [
        (b"Fri, 20 Nov 2026 10:00:00 +0100", "2026-11-20 10:00:00+01:00"),
        (b"Fri, 20 Nov 2026 10:00:00 -0000", "2026-11-20 10:00:00+00:00"),
        (b"Fri, 20 Nov 2026 13:00:00 +0000", "None"),
        (b"yesterday", "None"),
        (b"Fri, 99 Nov 2026 10:00:00 +0000", "None"),
        (b"1 " * 100_000, "None"),
        (b"\xff\xfe", "None"),
    ],
)
def test_a_date_is_believed_unless_it_lies_ahead(date: bytes, written: str) -> None:
    """A Date that cannot be read, or is later than the mail's arrival, says nothing of when it was written."""
    assert str(written_at(b"Date: " + date + b"\n\nhi", NOON)) == written
