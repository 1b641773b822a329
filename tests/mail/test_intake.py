"""Every mail is stored once, before it is moved out of the mailbox."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import select

from pbem.errors import TemporaryMailError
from pbem.mail.fetch import fetch_messages
from pbem.mail.mailbox import RawMessage, Unmoved
from pbem.store.models import InboxMessage
from pbem.store.session import Store
from tests.mail.intake import HOUR, NOON, ListMailbox, incoming, stored


def test_new_mail_is_stored_in_order(any_store: Store) -> None:
    """All mail of all batches is stored as messages, in order, and done."""
    mailbox = ListMailbox([incoming("1", b"a"), incoming("2", b"b")], [], [incoming("3", b"c")])

    assert fetch_messages(any_store, mailbox, NOON) == 3
    assert stored(any_store) == [b"a", b"b", b"c"]
    assert mailbox.waiting == []


def test_a_letter_begins_as_new(store: Store) -> None:
    """A stored message is new, and knows its mailbox and time."""
    fetch_messages(store, ListMailbox([incoming("1", b"a")]), NOON)

    with store.reading() as session:
        letter = session.scalars(select(InboxMessage)).one()
    assert (letter.state, letter.note, letter.received_at, letter.uid) == ("new", "", NOON - HOUR, "1")


def test_mail_that_cannot_be_moved_is_stored_once(any_store: Store) -> None:
    """Mail that stays in the mailbox is stored, which is no failure, and is not stored again when it is moved."""
    mailbox = ListMailbox([incoming("1", b"a"), incoming("2", b"b")], failing=True)
    assert fetch_messages(any_store, mailbox, NOON) == 2
    mailbox.failing = False

    assert fetch_messages(any_store, mailbox, NOON) == 0
    assert stored(any_store) == [b"a", b"b"]


def test_the_same_bytes_elsewhere_are_the_same_letter(any_store: Store) -> None:
    """A mail that is in the mailbox twice, or under new UIDs after the server lost them, is stored once."""
    twice = ListMailbox([incoming("1", b"a"), incoming("2", b"a")])
    renumbered = ListMailbox([incoming("7", b"a", validity="2"), incoming("8", b"b", validity="2")])

    assert fetch_messages(any_store, twice, NOON) == 1
    assert fetch_messages(any_store, renumbered, NOON) == 1
    assert stored(any_store) == [b"a", b"b"]


def test_what_was_stored_before_a_failure_is_kept(store: Store) -> None:
    """If a later batch cannot be read, the messages of earlier ones are kept."""

    class Breaking(ListMailbox):
        def batches(self, unmoved: Unmoved | None = None) -> Iterator[list[RawMessage]]:
            yield from super().batches()
            raise TemporaryMailError("the connection broke")

    with pytest.raises(TemporaryMailError):
        fetch_messages(store, Breaking([incoming("1", b"a")]), NOON)

    assert stored(store) == [b"a"]


def test_no_letter_comes_from_the_future(store: Store) -> None:
    """A mail server whose clock is ahead gives no message a time after now."""
    fetch_messages(store, ListMailbox([incoming("1", b"a", at=NOON + HOUR)]), NOON)

    with store.reading() as session:
        assert session.scalars(select(InboxMessage.received_at)).one() == NOON
