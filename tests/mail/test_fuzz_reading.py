"""Mails that no sender would write are parsed all the same, within limits.

Limits are counted in work and memory, not by a clock: the depth of calls, their
number, and the memory kept.
"""

from __future__ import annotations

import re
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pbem.mail.mailbox import MAX_MAIL
from pbem.mail.message import (
    MAX_DEPTH,
    MAX_NOTES,
    MAX_PARTS,
    MAX_RECIPIENTS,
    MAX_REFERENCES,
    MAX_SUBJECT,
    Message,
    parse_message,
)
from pbem.mail.reply_parser import MAX_TEXT
from tests.mail.corpora import mails
from tests.mail.letters import part

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028\u2029\ufeff]")
DEEPEST = 150
"""Calls inside calls that reading may need: some for each of MAX_DEPTH parts inside parts."""

RAWS = [mail.read_bytes() for mail in mails()]
FRAGMENTS = [
    *(
        b"\r\n",
        b"\n\n",
        b"\r",
        b"\x00",
        b"\xff",
        b"\xef\xbb\xbf",
        b"\xff\xfe",
        b"=\r\n",
        b"=3D",
        b"--",
        b"-- \r\n",
        b"> ",
    ),
    *(b"</blockquote>", b"<blockquote>", b"<!--", b"&#0;", b"&#x110000;", b"<pre>", b"<div id=Signature>", b"</div"),
    *(
        b"Content-Type: ",
        b"text/html",
        b"multipart/mixed",
        b"message/rfc822",
        b"; boundary=",
        b"charset=utf-16",
        b"base64",
    ),
    *(
        b"ORDERS trap7 red x\r\n",
        b"END\r\n",
        b"wrote:\r\n",
        b"-----Original Message-----\r\n",
        b"From: a@b.org\r\nTo: b\r\n",
    ),
    *(
        b"-----BEGIN PGP SIGNED MESSAGE-----\r\n",
        b"-----BEGIN PGP MESSAGE-----\r\n",
        b"format=flowed; delsp=yes",
        b"iso-2022-jp",
    ),
]


def check(letter: Message) -> None:
    """Assert all that holds for any message."""
    ids = (letter.sender or "", *letter.recipients, letter.message_id, *letter.references)
    everything = "\n".join([*ids, letter.subject, letter.text, *letter.notes])
    assert everything.encode().decode() == everything
    assert not CONTROL.search(everything)
    assert len(letter.text) <= MAX_TEXT
    assert len(letter.subject) <= MAX_SUBJECT
    assert len(letter.recipients) <= MAX_RECIPIENTS
    assert len(letter.references) <= MAX_REFERENCES
    assert len(set(letter.notes)) == len(letter.notes) <= MAX_NOTES
    assert max(map(len, letter.notes), default=0) < 500


def edits(pieces: st.SearchStrategy[bytes]) -> st.SearchStrategy[list[tuple[float, float, bytes]]]:
    """Return changes to a mail: start and end, as parts of its length, and the bytes to put there."""
    place = st.floats(min_value=0, max_value=1)
    return st.lists(st.tuples(place, place, pieces), min_size=1, max_size=4)


def edited(raw: bytes, changes: list[tuple[float, float, bytes]]) -> bytes:
    """Return a mail with stretches of it replaced; a stretch that ends before it begins is doubled instead."""
    for start, end, piece in changes:
        first, last = int(start * len(raw)), int(end * len(raw))
        raw = raw[:first] + piece + raw[last:]
    return raw[:50_000]


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(RAWS), edits(st.sampled_from(FRAGMENTS) | st.binary(max_size=6)))
def test_a_damaged_mail_is_a_letter(raw: bytes, changes: list[tuple[float, float, bytes]]) -> None:
    """A mail of the corpus, cut, doubled and mixed up at random, is read."""
    check(parse_message(edited(raw, changes)))


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(RAWS), st.sampled_from(RAWS), st.floats(0, 1), st.floats(0, 1))
def test_two_mails_in_one_are_a_letter(one: bytes, other: bytes, end: float, start: float) -> None:
    """The beginning of one mail with the end of another is read."""
    check(parse_message(one[: int(end * len(one))] + other[int(start * len(other)) :]))


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=300) | st.text(max_size=200).map(str.encode))
def test_any_text_in_a_body_is_a_letter(body: bytes) -> None:
    """Any text below a header is read."""
    for field in (
        b"text/plain; format=flowed",
        b"text/html",
        b"text/plain; charset=utf-16",
        b"multipart/mixed; boundary=a",
    ):
        check(parse_message(b"From: ann@example.org\r\nContent-Type: " + field + b"\r\n\r\n" + body))


TYPES = [
    "text/plain",
    "text/html",
    "text/calendar",
    "application/pkcs7-mime",
    "application/ms-tnef",
    "image/png",
    "nonsense",
]
KINDS = ["mixed", "alternative", "related", "signed", "encrypted", "report", "digest", ""]
BODIES = [
    b"",
    b"MOVE S1 N 2",
    b"<p>MOVE S1 N 2</p>",
    b"> quoted",
    b"ORDERS trap7 red x\r\nWAIT\r\nEND",
    b"\xff\xfeM\x00",
    b"=FF=",
]
NAMES = [
    "",
    "Content-Disposition: attachment; filename=orders.txt",
    "Content-Disposition: attachment; filename*=x''%FF%00",
]
CODINGS = ["", "Content-Transfer-Encoding: base64", "Content-Transfer-Encoding: quoted-printable"]


def leaves() -> st.SearchStrategy[bytes]:
    """Return parts without parts inside."""
    return st.builds(
        lambda kind, name, coding, body: part(body, *filter(None, (f"Content-Type: {kind}", name, coding))),
        st.sampled_from(TYPES),
        st.sampled_from(NAMES),
        st.sampled_from(CODINGS),
        st.sampled_from(BODIES),
    )


def branches(inner: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    """Return multiparts, with the same boundary or another, and mails inside mails."""

    def multipart(kind: str, boundary: str, children: list[bytes], *, closed: bool) -> bytes:
        body = b"".join(b"--" + boundary.encode() + b"\r\n" + child + b"\r\n" for child in children)
        end = b"--" + boundary.encode() + b"--" if closed else b""
        return part(body + end, f"Content-Type: multipart/{kind}; boundary={boundary}")

    multiparts = st.builds(
        multipart,
        st.sampled_from(KINDS),
        st.sampled_from(["a", "aa", "b"]),
        st.lists(inner, max_size=4),
        closed=st.booleans(),
    )
    return multiparts | inner.map(lambda raw: part(raw, "Content-Type: message/rfc822"))


@settings(max_examples=200, deadline=None)
@given(st.recursive(leaves(), branches, max_leaves=12))
def test_any_tree_of_parts_is_a_letter(entity: bytes) -> None:
    """Parts of every type inside parts of every kind are read."""
    check(parse_message(b"From: Ann <ann@example.org>\r\nMIME-Version: 1.0\r\n" + entity))


def nested(depth: int, field: bytes) -> bytes:
    """Return parts inside parts; `field` is their Content-Type."""
    return (b"Content-Type: " + field + b"\r\n\r\n--a\r\n") * depth + b"\r\nWAIT"


def filled(head: bytes, piece: bytes, size: int = MAX_MAIL) -> bytes:
    """Return a mail of so many bytes, made of one piece again and again."""
    return head + piece * ((size - len(head)) // len(piece))


HTML = b"Content-Type: text/html\r\n\r\n"
FLOWED = b"Content-Type: text/plain; format=flowed\r\n\r\n"
MIXED = b"Content-Type: multipart/mixed; boundary=a\r\n\r\n"
HOSTILE = {
    "multiparts in multiparts": nested(2_000, b"multipart/mixed; boundary=a"),
    "alternatives in alternatives": nested(2_000, b"multipart/alternative; boundary=a"),
    "signed in signed": nested(2_000, b"multipart/signed; boundary=a"),
    "mails in mails": b"Content-Type: message/rfc822\r\n\r\n" * 20_000 + b"WAIT",
    "empty parts": filled(MIXED, b"--a\r\n"),
    "texts": filled(MIXED, b"--a\r\n\r\nWAIT\r\n"),
    "html parts": filled(MIXED, b"--a\r\nContent-Type: text/html\r\n\r\n<p>WAIT\r\n"),
    "files": filled(MIXED, b"--a\r\nContent-Type: text/plain; name=a.txt\r\n\r\nORDERS a b\r\n"),
    "mails side by side": filled(MIXED, b"--a\r\nContent-Type: message/rfc822\r\n\r\n\r\nWAIT\r\n"),
    "notes": filled(MIXED, b"--a\r\nContent-Type: application/zip; name=a.zip\r\n\r\n\r\n"),
    "fields": filled(b"", b"To: ann@example.org\r\n"),
    "one field": filled(b"Subject: ", b"=?utf-8?q?=41?= "),
    "references": filled(b"", b"References: <a@b> <c@d>\r\n"),
    "parameters": b"Content-Type: text/plain" + b"; a*0*=utf-8''b" * 500,
    "open blockquotes": filled(HTML, b"<blockquote>a"),
    "closed blockquotes": filled(HTML, b"</blockquote>"),
    "open elements": filled(HTML, b"<div><b><td>a"),
    "open styles": filled(HTML, b"<style>a"),
    "marks of signatures": filled(HTML, b"<div id=Signature>a"),
    "attributes": filled(HTML, b"<div " + b"x=y " * 2_000 + b">"),
    "borders": filled(HTML, b"<blockquote style='" + b"border" * 1_000 + b"'>"),
    "lines of html": filled(HTML, b"<br>a"),
    "soft line ends": filled(FLOWED, b"a \n"),
    "armour": filled(b"\r\n", b"-----BEGIN PGP SIGNED MESSAGE-----\n"),
    "armour never closed": filled(b"\r\n-----BEGIN PGP MESSAGE-----\n", b"a\n"),
    "quotations between lines": filled(b"\r\n", b"a\n>\n"),
    "sheets between quotations": filled(b"\r\n", b"ORDERS a b\n>\n"),
    "sheets": filled(b"\r\n", b"ORDERS a b\n; c\n"),
    "signatures": filled(b"\r\n", b"--\n>\n"),
    "attributions": filled(b"\r\n", b"On 1.1.26 a@b.org wrote\nx:\n\n"),
    "long attributions": filled(b"\r\n", b"On 2026 a@b " + b"schrieb " * 60 + b":\n"),
    "lines ending in colons": filled(b"\r\n", b"a 10:00:\n"),
    "forwards": filled(
        b"From: ann@example.org\r\n\r\n",
        b"-- Forwarded message --\nFrom: ann@example.org\nDate: 1\nTo: b\n\na\n",
    ),
    "header blocks": filled(b"\r\n", b"From: a\nx: b\n" * 5 + b"\n"),
    "rules": filled(b"\r\n", b"_____\n\n"),
    "dividers": filled(b"\r\n", b"--- a b c ---\n"),
    "dashes and blanks": filled(b"\r\n", b"---" + b" " * 500 + b"a\n"),
    "lines of telephones": filled(b"\r\n", b"Sent from a\n"),
    "lines to mend": filled(b"\r\n", b'ab " ' * 14 + b"\n"),
    "wide quotation marks": filled(b"Content-Type: text/plain; charset=utf-8\r\n\r\n", "\u201c\n".encode()),
    "two charsets": filled(b"Content-Type: text/plain; charset=utf-8\r\n\r\n", b"\xff\n\xc3\xa4\n"),
    "base64 in pieces": filled(b"Content-Transfer-Encoding: base64\r\n\r\n", b"YQ==\r\n"),
    "base64 of nothing": filled(b"Content-Transfer-Encoding: base64\r\n\r\n", b"=\r\n"),
    "base64 unsaid": filled(b"\r\n", b"QUFB" * 19 + b"\r\n"),
    "quoted-printable unsaid": filled(b"\r\n", b"=41" * 25 + b"=\r\n"),
    "soft breaks with blanks": filled(b"Content-Transfer-Encoding: quoted-printable\r\n\r\n", b"=" + b" " * 500 + b"a"),
    "zeros": filled(b"Content-Type: text/plain; charset=utf-16\r\n\r\n", b"\x00"),
}


@contextmanager
def shallow(depth: int) -> Iterator[None]:
    """Limit calls to so many levels below the current one."""
    before, frame = sys.getrecursionlimit(), sys._getframe()
    while frame.f_back is not None:
        depth, frame = depth + 1, frame.f_back
    sys.setrecursionlimit(depth)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def calls(act: Callable[[], object]) -> int:
    """Return how many functions are called, those of C too: work, counted the same on every machine."""
    count = 0

    def called(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(called)
    try:
        act()
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("raw", [pytest.param(raw, id=name) for name, raw in HOSTILE.items()])
def test_a_hostile_mail_is_a_letter(raw: bytes) -> None:
    """A mail of the greatest size, with deep nesting or many parts, is read without deep recursion."""
    with shallow(DEEPEST):
        letter = parse_message(raw)

    check(letter)


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_work_grows_with_the_mail(name: str) -> None:
    """Twice the mail is little more than twice the work."""
    raw = HOSTILE[name]
    small, large = calls(lambda: parse_message(raw[:20_000])), calls(lambda: parse_message(raw[:40_000]))

    assert large <= 2.5 * small + 20_000


@pytest.mark.parametrize(
    "name", ["texts", "quotations between lines", "open elements", "lines of html", "two charsets"]
)
def test_memory_is_bounded(name: str) -> None:
    """The memory used for parsing is a small multiple of the largest mail, whatever its content."""
    raw = HOSTILE[name][: MAX_MAIL // 10]
    tracemalloc.start()
    parse_message(raw)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < 100 * len(raw)


def test_fifty_megabytes() -> None:
    """Of a mail of fifty megabytes only the beginning is read."""
    raw = b"From: ann@example.org\r\n\r\nWAIT\r\n" + bytes(50_000_000)
    tracemalloc.start()
    letter = parse_message(raw)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert letter.lines == ["WAIT"]
    assert peak < 20 * MAX_MAIL


def test_parts_are_entered_only_so_deep() -> None:
    """Text is found up to MAX_DEPTH levels deep, and a note tells of what lies deeper."""

    def at(depth: int) -> Message:
        return parse_message(b"From: a@b.org\r\n" + b"Content-Type: message/rfc822\r\n\r\n" * depth + b"\r\nWAIT")

    assert at(MAX_DEPTH).text == "WAIT"
    assert (at(MAX_DEPTH + 1).text, len(at(MAX_DEPTH + 1).notes)) == ("", 1)


def test_only_so_many_parts_are_read() -> None:
    """Of thousands of parts MAX_PARTS are read, and a note tells of the rest."""
    letter = parse_message(HOSTILE["texts"])

    assert letter.lines.count("WAIT") == MAX_PARTS
    assert letter.notes == ("The mail has too many parts; not all were read.",)
