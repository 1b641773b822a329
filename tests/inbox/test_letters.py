"""Messages that are no sheets, and messages that fail."""

from __future__ import annotations

import dataclasses
import string
from collections.abc import Iterable

import pytest
from sqlalchemy import select

from pbem.errors import StoreError
from pbem.inbox.process import process_messages
from pbem.ruleset import ParsedSheet, View
from pbem.store.models import InboxMessage, OrderSheet
from tests.inbox.trusting import version_taken
from tests.toy.home import Desk, text_of
from tests.toy.ruleset import Auction


class Broken(Auction):
    """The toy with a fault in its parser."""

    def parse(self, view: View, lines: Iterable[tuple[int, str]]) -> ParsedSheet:
        raise ZeroDivisionError("the parser tripped")


class Locked(Auction):
    """The toy on a database that fails in the middle of a message."""

    def parse(self, view: View, lines: Iterable[tuple[int, str]]) -> ParsedSheet:
        raise StoreError("the database is locked")


@pytest.fixture(autouse=True)
def _campaign(desk: Desk) -> None:
    desk.start()


def letters(desk: Desk) -> list[InboxMessage]:
    """Return all messages."""
    with desk.app.store.reading() as session:
        return list(session.scalars(select(InboxMessage).order_by(InboxMessage.id)))


@pytest.mark.parametrize(
    ("subject", "text"), [("HELP", ""), ("Re: help", "hi"), ("orders?", "Help please"), ("x", "\n help")]
)
def test_help_brings_the_player_guide(desk: Desk, subject: str, text: str) -> None:
    """HELP as subject or first word is answered with the guide, whose examples are the reader's own."""
    desk.post(text, subject=subject)
    desk.answer()

    guide = text_of(desk.last())
    assert guide.startswith("How to play by mail\n")
    assert "ORDERS toy1 red TOKEN" in guide
    assert "WHISPER <seat>" in guide


def test_help_for_a_stranger_names_no_campaign(desk: Desk) -> None:
    """Anyone may read the guide, but nothing of this home is in it."""
    desk.post("", subject="help", sender="eve@example.net")
    desk.answer()

    guide = text_of(desk.last("eve@example.net"))
    assert guide.startswith("How to play by mail\n")
    assert "toy1" not in guide


def test_a_sheet_with_the_word_help_in_it_is_a_sheet(desk: Desk) -> None:
    """A frame takes precedence over the subject."""
    desk.post("ORDERS toy1 red\nBID 1\nEND", subject="help")
    desk.answer()

    assert version_taken(text_of(desk.last())) == 1


@pytest.mark.parametrize(
    "headers",
    [
        {"Auto-Submitted": "auto-generated"},
        {"Precedence": "bulk"},
        {"Return-Path": "<>"},
        {"X-Pbem-Loop": "orders@example.org"},
    ],
)
def test_automatic_mail_is_never_answered(desk: Desk, headers: dict[str, str]) -> None:
    """Out-of-office notes, bounces and our own mail get no answer."""
    before = len(desk.mails())
    desk.post("ORDERS toy1 red\nBID 1\nEND", headers=headers)
    desk.answer()

    assert [mail["To"] for mail in desk.mails()[before:]] in ([], ["gm@example.org"])
    assert letters(desk)[0].note.startswith("automatic mail: ")


def test_a_known_address_gets_twenty_answers_a_day(desk: Desk) -> None:
    """Two machines cannot talk to each other without end."""
    before = len(desk.mails("ann@example.org"))
    for letter in string.ascii_lowercase[:25]:
        desk.post(f"hello {letter}?")
    desk.tick()

    assert len(desk.mails("ann@example.org")) - before == 20
    assert letters(desk)[-1].note.endswith("ann@example.org has had 20 answers today")


def test_the_same_mail_twice_is_answered_once(desk: Desk) -> None:
    """A mail delivered to two folders is one message."""
    desk.post("ORDERS toy1 red\nBID 1\nEND")
    mail = next((desk.home / "post" / "inbox").glob("*.eml"))
    mail.with_name("copy.eml").write_bytes(mail.read_bytes())

    assert desk.tick().polled == 1


def test_a_message_that_fails_is_quarantined(desk: Desk) -> None:
    """Nothing is taken, the message is kept with a note, the others go on; player and GM are told."""
    desk.post("ORDERS toy1 red\nBID 1\nEND")
    desk.post("", subject="help", sender="bob@example.org")
    broken = dataclasses.replace(desk.app, games={"toy": Broken()})
    desk.app, whole = broken, desk.app
    done = desk.tick()
    desk.app = whole

    assert (done.processed.messages, done.processed.quarantined) == (2, 1)
    assert [letter.state for letter in letters(desk)] == ["quarantined", "processed"]
    assert "ZeroDivisionError: the parser tripped" in letters(desk)[0].note
    assert "Please send your orders once more" in " ".join(text_of(desk.last()).split())
    assert "ZeroDivisionError: the parser tripped" in text_of(desk.last("gm@example.org"))


def test_a_message_is_processed_once(desk: Desk) -> None:
    """A message that was answered is not answered again by the next tick."""
    desk.post("ORDERS toy1 red\nBID 1\nEND")
    desk.answer()

    assert process_messages(desk.app, desk.now).messages == 0
    with desk.app.store.reading() as session:
        assert len(session.scalars(select(OrderSheet.id)).all()) == 1


def test_a_database_that_fails_is_not_the_messages_fault(desk: Desk) -> None:
    """The message stays new and is processed by the next tick."""
    desk.post("ORDERS toy1 red\nBID 1\nEND")
    desk.app, whole = dataclasses.replace(desk.app, games={"toy": Locked()}), desk.app
    with pytest.raises(StoreError):
        desk.tick()
    desk.app = whole

    assert [letter.state for letter in letters(desk)] == ["new"]
    assert desk.tick().processed.sheets == 1


def test_only_sheets_are_counted_as_sheets(desk: Desk) -> None:
    """An empty reply counts as a message processed, and not as a sheet."""
    desk.reply(desk.last(), "")
    done = desk.tick()

    assert (done.processed.messages, done.processed.sheets) == (1, 0)
