"""Real-shaped mails, of many programs and in many languages, are read as their players meant them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pbem.mail.message import parse_message
from tests.mail.corpora import CORPUS, Meant, mails, meant

FEWEST = 150
_ADDRESS = re.compile(rb"^(?:From|To|Cc|Reply-To|Return-Path|Delivered-To):.*@(?!(?:mx\.)?example\.org)", re.MULTILINE)


@pytest.mark.parametrize("mail", [pytest.param(mail, id=mail.stem) for mail in mails()])
def test_a_mail_is_read_as_it_was_meant(mail: Path) -> None:
    """The text is what the player typed, and the notes name all that was left out or changed."""
    letter = parse_message(mail.read_bytes())

    assert Meant(letter.text, letter.notes, letter.sender, letter.machine.reason) == meant(mail)


def test_the_corpus_is_whole() -> None:
    """Every mail has its expectation, every expectation its mail, and there are many."""
    names = {mail.stem for mail in mails()}

    assert {path.stem for path in CORPUS.glob("*.txt")} == names
    assert len(names) >= FEWEST


def test_everybody_in_the_corpus_is_invented() -> None:
    """All mail is from and to invented people at example.org."""
    assert [mail.stem for mail in mails() if _ADDRESS.search(mail.read_bytes())] == []


@pytest.mark.parametrize("ends", [b"\n", b"\r"])
def test_line_ends_make_no_difference(ends: bytes) -> None:
    """A mail reads the same with the line ends of another system, as mail stores rewrite them."""
    raws = [
        raw for mail in mails() if b"\r\r" not in (raw := mail.read_bytes()) and raw.count(b"\n") == raw.count(b"\r")
    ]

    assert len(raws) >= FEWEST
    assert [raw for raw in raws if parse_message(raw.replace(b"\r\n", ends)) != parse_message(raw)] == []
