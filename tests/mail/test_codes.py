"""Reply codes are sent in three places, each of which suffices, and cannot be guessed."""

from __future__ import annotations

import re

import pytest

from pbem.mail.headers import message_id, reply_code, tagged_subject, without_codes
from pbem.mail.message import find_reply_codes, parse_message
from pbem.util import plus_address, redact_all

KEY = b"k" * 32
CODE = reply_code(KEY, "trap7", "red", 3)


def found(*fields: str) -> list[str]:
    """Return the codes found in a mail with these header fields."""
    raw = "\r\n".join(["From: ann@example.org", *fields]).encode() + b"\r\n\r\n"
    return find_reply_codes(parse_message(raw), "orders@example.org")


def test_a_code_is_short_and_can_stand_anywhere() -> None:
    """A code has 16 lower-case letters and digits, none that are easily confused."""
    assert re.fullmatch("[a-z2-7]{16}", CODE)


def test_codes_differ_by_key_parts_and_purpose() -> None:
    """Another key, another part, parts cut elsewhere, or use as Message-ID give another code."""
    others = [
        reply_code(b"x" * 32, "trap7", "red", 3),
        reply_code(KEY, "trap7", "red", 4),
        reply_code(KEY, "trap7", "re", "d3"),
        reply_code(KEY, "trap7", "red", "3"),
        message_id(KEY, "example.org", "trap7", "red", 3)[1:17],
    ]

    assert reply_code(KEY, "trap7", "red", 3) == CODE
    assert len({CODE, *others}) == 6


def test_a_message_id() -> None:
    """A Message-ID has its brackets and the domain, and is the same each time."""
    assert re.fullmatch("<[a-z2-7]{26}@example.org>", message_id(KEY, "example.org", "report", 1))
    assert message_id(KEY, "example.org", "report", 1) == message_id(KEY, "example.org", "report", 1)


@pytest.mark.parametrize("name", ["To", "Cc", "Delivered-To", "X-Original-To", "Envelope-To"])
def test_a_code_in_an_address(name: str) -> None:
    """A code is found in any field in which the plus address comes back, in any case."""
    address = plus_address("orders@example.org", CODE)

    assert found(f"{name}: Play by Email <{address}>") == [CODE]
    assert found(f"{name}: {address.upper()}") == [CODE]


@pytest.mark.parametrize("subject", ["Re: {}", "AW: RE: {} turn 3", "{}", "Fwd: x {} y"])
def test_a_code_in_a_subject(subject: str) -> None:
    """A code is found in the subject's tag, wherever mail programs move it."""
    assert found("To: orders@example.org", "Subject: " + subject.format(f"[{CODE}]")) == [CODE]
    assert found("To: orders@example.org", "Subject: " + subject.format(f"[trap7 {CODE}]")) == [CODE]


def test_a_subject_folded_inside_its_tag() -> None:
    """A subject folded between campaign and code is joined again."""
    assert found(f"Subject: Re: [trap7\r\n {CODE}] turn 3") == [CODE]


def test_the_address_goes_before_the_subject() -> None:
    """If address and subject differ both codes are found, the address's first; the same code counts once."""
    other = reply_code(KEY, "trap7", "red", 2)
    address = plus_address("orders@example.org", CODE)

    assert found(f"To: {address}", f"Subject: {tagged_subject('trap7', 'turn 3', other)}") == [CODE, other]
    assert found(f"To: {address}", f"Subject: {tagged_subject('trap7', 'turn 3', CODE)}") == [CODE]


@pytest.mark.parametrize(
    "field",
    [
        f"To: orders+{CODE}@example.net",
        f"To: others+{CODE}@example.org",
        f"To: orders+{CODE}x@example.org",
        "Subject: [trap7 short]",
        "Subject: [characteristical] [trap7]",
        f"Subject: {CODE}",
    ],
)
def test_what_is_no_code(field: str) -> None:
    """Other plus addresses and other tags are no codes."""
    assert found(field) == []


def test_every_code_can_be_masked() -> None:
    """Every code has a digit: without one it would be taken for a word, and shown in logs and press."""
    codes = [reply_code(b"key", number) for number in range(500)]

    assert all(redact_all(f"it is {code}, keep it").startswith("it is ****") for code in codes)


def test_a_subject_without_its_codes() -> None:
    """A quoted subject has codes of neither form; other words in brackets stay."""
    subject = f"Re: {tagged_subject('trap7', f'turn 3 [trap7 {CODE}]', CODE)}"

    assert without_codes(subject).split() == ["Re:", "[trap7]", "turn", "3"]
