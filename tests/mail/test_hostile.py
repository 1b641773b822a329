"""No mail, however broken or hostile, raises an error or takes long."""

from __future__ import annotations

import re
import signal
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.mail.mailbox import MAX_MAIL
from pbem.mail.message import parse_message

CPU_SECONDS = 5
"""Far above what any of these takes, far below what a quadratic reader would."""

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
BREAKS = [
    b"\r\n",
    b"\n",
    b"\r",
    b"\r\n\r\n",
    b"\x00",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\xe2\x80\xa8",
    b"-- \n",
    b"On x wrote:\n",
    b"In-Reply-To: <a\x00@b>\r\n",
    b"Content-Disposition: attachment; filename*=utf-8''%00.txt\r\n",
]
WORDS = rb"""
    From:a@b From: To: Subject: Content-Type: Content-Transfer-Encoding: Content-Disposition:attachment
    multipart/mixed;boundary=x multipart/alternative;boundary="x" text/plain text/html message/rfc822 ;charset= ;name*
    ;name*0*= ;filename=a.txt utf-7 utf-16 iso-2022-jp idna base64 quoted-printable ;format=flowed --x --x-- ?=
    =?utf-8?b? =?x?q?=FF?= <a@b> (c) " <blockquote> </ <!-- &# 99999999999; &#xd800; ORDERS END > +2AA- = a
""".split()
FRAGMENTS = st.sampled_from(BREAKS + WORDS)


@settings(max_examples=300, deadline=None)
@given(st.lists(FRAGMENTS | st.binary(max_size=8), max_size=60).map(b"".join))
def test_any_bytes_are_a_letter(raw: bytes) -> None:
    """Any bytes are read, and the result can be stored as text."""
    read = parse_message(raw)
    ids = [read.sender or "", *read.recipients, read.message_id, *read.references]
    everything = "\n".join([*ids, read.subject, read.text, *read.notes])

    assert everything.encode().decode() == everything
    assert not CONTROL.search(everything)


def bombs() -> Iterator[tuple[str, bytes]]:
    """Return mails of the greatest size that is read, each of which attacks one part of the parser."""

    def filled(head: bytes, piece: bytes, tail: bytes = b"") -> bytes:
        return head + piece * ((MAX_MAIL - len(head) - len(tail)) // len(piece)) + tail

    html = b"Content-Type: text/html\r\n\r\n"
    multi = b"Content-Type: multipart/mixed; boundary=x\r\n\r\n"
    yield "from quotes", filled(b"From: ", b'"')
    yield "from words", filled(b"From: ", b"a ", b"<a@b.org>\r\n\r\n")
    yield "from comments", b"From: " + b"(" * 4000 + b")" * 4000 + b"<a@b.org>\r\n\r\n"
    yield "from local part", b"From: " + b"a." * 4000 + b"@" + b"b." * 50 + b"\r\n\r\n"
    yield "to addresses", filled(b"", b"To: " + b"a@b," * 2000 + b"\r\n")
    yield "fields", filled(b"", b"A: b\r\n")
    yield "folds", filled(b"A: b", b"\r\n ")
    yield "continuations", b"Content-Type: text/plain" + b"; name*0*=utf-8''%FF" * 400 + b"\r\n\r\n"
    yield "parameters", b"Content-Type: text/plain" + b';a="\\' * 2000 + b"\r\n\r\n"
    yield "encoded words", b"Subject: " + b"=?utf-8?b?" * 800 + b"\r\n\r\n"
    yield "boundaries", filled(multi, b"--x\r\n")
    yield "almost boundaries", filled(multi, b"--x--x ")
    nested = (b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (depth, depth) for depth in range(90))
    yield "parts in parts", filled(b"".join(nested) + b"\r\n", b"a\n")
    yield "one long line", filled(b"\r\n", b"x")
    yield "short lines", filled(b"\r\n", b"\n")
    yield "quotes", filled(b"\r\n", b">\n")
    yield "attributions", filled(b"\r\n", b"On a schrieb b schrieb c schrieb d\n")
    yield "header blocks", filled(b"\r\n", b"From: a\n")
    yield "sheets", filled(b"\r\n", b"ORDERS a b\n--\n")
    yield "blanks", filled(b"\r\nORDERS", b" ")
    yield "soft ends", filled(b"Content-Type: text/plain; format=flowed\r\n\r\n", b"a \n")
    yield "quoted-printable", filled(b"Content-Transfer-Encoding: quoted-printable\r\n\r\n", b"=\r\n=")
    yield "base64", filled(b"Content-Transfer-Encoding: base64\r\n\r\n", b"A=\r\n")
    yield "comments", filled(html, b"<!--")
    yield "tags", filled(html, b"<a ")
    yield "tag names", filled(html, b"<", b"").replace(b"<<", b"<a")
    yield "long tag", filled(html + b"<", b"a")
    yield "attributes", filled(html, b'<a x="')
    yield "blockquotes", filled(html, b"<blockquote>")
    yield "references", filled(html, b"&#9")
    yield "numbers", filled(html + b"&#", b"9")
    yield "blank html", filled(html, b" \n")


@contextmanager
def bounded(seconds: float) -> Iterator[None]:
    """Fail if the block uses so much processor time of its own; waiting does not count."""

    def too_long(_signal: int, _frame: object) -> None:
        pytest.fail(f"more than {seconds} seconds of processor time")

    before = signal.signal(signal.SIGVTALRM, too_long)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("raw", [pytest.param(raw, id=name) for name, raw in bombs()])
def test_a_megabyte_made_to_be_slow(raw: bytes) -> None:
    """A mail of the greatest size, filled with the worst input for some part of the parser, is read quickly."""
    with bounded(CPU_SECONDS):
        parse_message(raw)


def test_a_mail_made_to_be_big_stays_small() -> None:
    """A megabyte of the shortest parts does not become many megabytes."""
    raw = b"Content-Type: multipart/mixed; boundary=x\r\n\r\n" + b"--x\r\n\r\na\r\n" * (MAX_MAIL // 12)
    tracemalloc.start()
    parse_message(raw)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < 10 * MAX_MAIL
