"""Mail is sent as it was written: once, again after a failure, and never changed."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select

from pbem.admin.mail import retry_mail
from pbem.config import Settings, load_settings, write_default_settings
from pbem.errors import ConfigError, PermanentMailError, TemporaryMailError, TransportUnavailable
from pbem.mail.compose import NewMail
from pbem.mail.delivery import BATCH, CLAIM, deliver_due
from pbem.mail.outbox import GIVE_UP, LONGEST_WAIT, DeliveryResult, enqueue, topic_of, withdraw_turn_mail
from pbem.store.models import OutgoingMail
from pbem.store.session import Store
from tests.patience import PATIENCE

NOON = dt.datetime(2026, 11, 20, 12, tzinfo=dt.UTC)
MINUTE = dt.timedelta(minutes=1)


class ListCarrier:
    """Transport that keeps what it is given; `before` may refuse a mail, or do something else first."""

    def __init__(self, before: Callable[[str], None] | None = None) -> None:
        self.sent: list[tuple[str, bytes]] = []
        self.before = before

    def send(self, recipient: str, raw: bytes) -> str:
        if self.before:
            self.before(recipient)
        self.sent.append((recipient, raw))
        return "250 queued"

    def close(self) -> None:
        pass

    @property
    def recipients(self) -> list[str]:
        return [recipient for recipient, _ in self.sent]


def refusing(error: Exception, *recipients: str) -> Callable[[str], None]:
    """Return a function that raises the error for these recipients, or for all."""

    def refuse(recipient: str) -> None:
        if not recipients or recipient in recipients:
            raise error

    return refuse


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Return settings with an address alone."""
    write_default_settings(tmp_path / "home", "orders@example.org")
    return load_settings(tmp_path / "home")


def mail(name: str) -> NewMail:
    """Return a mail to this player."""
    return NewMail(f"{name}@example.org", "turn 3", "Your ships.", f"<{name}@example.org>", "orders@example.org")


@pytest.fixture
def outbox(any_store: Store, settings: Settings) -> Store:
    """Return a store with mail for Ann, Bob and Cyn in its outbox."""
    with any_store.writing() as session:
        enqueue(session, [mail(name) for name in ("ann", "bob", "cyn")], settings, campaign=None, now=NOON)
    return any_store


def rows(store: Store) -> list[OutgoingMail]:
    """Return the outbox."""
    with store.reading() as session:
        return list(session.scalars(select(OutgoingMail).order_by(OutgoingMail.id)))


def test_mail_is_sent_in_the_order_it_was_written(outbox: Store) -> None:
    """All mail that is due is sent, in the order in which it was queued, and counted."""
    carrier, counted = ListCarrier(), []

    assert deliver_due(outbox, carrier, NOON, on_sent=lambda: counted.append(1)) == DeliveryResult(sent=3)
    assert carrier.recipients == ["ann@example.org", "bob@example.org", "cyn@example.org"]
    assert len(counted) == 3
    assert [(row.state, row.reply, row.attempts, row.sent_at) for row in rows(outbox)] == [
        ("sent", "250 queued", 1, NOON)
    ] * 3


def test_mail_is_sent_once(outbox: Store) -> None:
    """Sent mail is not sent again."""
    deliver_due(outbox, ListCarrier(), NOON)

    assert deliver_due(outbox, ListCarrier(), NOON + GIVE_UP) == DeliveryResult()


def test_mail_of_a_transaction_taken_back_is_never_sent(store: Store, settings: Settings) -> None:
    """Mail is queued by the transaction that gives cause for it: if that is rolled back, there is no mail."""

    def fail() -> None:
        with store.writing() as session:
            enqueue(session, [mail("ann")], settings, campaign=None, now=NOON)
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert deliver_due(store, ListCarrier(), NOON) == DeliveryResult()


def test_more_than_a_batch(store: Store, settings: Settings) -> None:
    """More mail than a batch holds is sent whole, in order."""
    names = [f"p{number:03}" for number in range(2 * BATCH + 1)]
    with store.writing() as session:
        enqueue(session, [mail(name) for name in names], settings, campaign=None, now=NOON)
    carrier = ListCarrier()

    assert deliver_due(store, carrier, NOON).sent == len(names)
    assert carrier.recipients == [f"{name}@example.org" for name in names]


def test_a_mail_refused_for_ever(outbox: Store) -> None:
    """A mail that will never be accepted has failed, and the others are sent."""
    carrier = ListCarrier(refusing(PermanentMailError("550 no such user"), "bob@example.org"))

    assert deliver_due(outbox, carrier, NOON) == DeliveryResult(sent=2, failed=1)
    assert [(row.state, row.reply) for row in rows(outbox)][1] == ("failed", "550 no such user")


def test_a_mail_refused_for_now_is_tried_again(outbox: Store) -> None:
    """A mail refused for now waits 1, 5, 15, 60 minutes and then 4 hours at a time; the others are sent."""
    carrier = ListCarrier(refusing(TemporaryMailError("450 later"), "bob@example.org"))
    assert deliver_due(outbox, carrier, NOON) == DeliveryResult(sent=2, deferred=1)

    waits, now = [], NOON
    for _ in range(6):
        waits.append(rows(outbox)[1].not_before - now)
        assert deliver_due(outbox, carrier, now + waits[-1] - MINUTE / 2) == DeliveryResult()
        now += waits[-1]
        deliver_due(outbox, carrier, now)
    assert [wait // MINUTE for wait in waits] == [1, 5, 15, 60, 240, 240]


def test_a_mail_refused_for_five_days_is_given_up(outbox: Store) -> None:
    """After five days a mail that is still refused for now has failed, but not before five attempts."""
    carrier = ListCarrier(refusing(TemporaryMailError("450 later")))
    tries = [deliver_due(outbox, carrier, NOON + GIVE_UP + days * LONGEST_WAIT) for days in range(5)]

    assert tries == [DeliveryResult(deferred=3)] * 4 + [DeliveryResult(failed=3)]


def test_a_mail_tried_again_by_hand_has_all_its_tries(outbox: Store) -> None:
    """After a retry by the GM, the first temporary refusal does not fail the mail again."""
    carrier = ListCarrier(refusing(TemporaryMailError("450 later")))
    for days in range(5):
        deliver_due(outbox, carrier, NOON + GIVE_UP + days * LONGEST_WAIT)
    later = NOON + GIVE_UP + 6 * LONGEST_WAIT
    again = retry_mail(outbox, later)

    assert len(again) == 3
    assert deliver_due(outbox, carrier, later) == DeliveryResult(deferred=3)


def test_a_carrier_that_is_down_pauses_all_mail(outbox: Store) -> None:
    """If no mail is accepted the rest is not even tried, and waits without penalty for the next call."""
    carrier = ListCarrier(refusing(TransportUnavailable("connection refused"), "bob@example.org"))

    assert deliver_due(outbox, carrier, NOON) == DeliveryResult(sent=1, deferred=1, trouble="connection refused")
    assert [(row.state, row.attempts) for row in rows(outbox)] == [("sent", 1), ("queued", 1), ("queued", 0)]
    assert deliver_due(outbox, ListCarrier(), NOON) == DeliveryResult(sent=1)


def test_a_slip_in_the_settings_gives_all_mail_back(outbox: Store) -> None:
    """If a password cannot be read, its sentence is raised, and all mail is due at once when that is mended."""
    with pytest.raises(ConfigError):
        deliver_due(outbox, ListCarrier(refusing(ConfigError("no password"))), NOON)

    assert deliver_due(outbox, ListCarrier(), NOON) == DeliveryResult(sent=3)


def test_a_crash_between_sending_and_marking(outbox: Store, tmp_path: Path) -> None:
    """A mail sent but not marked is sent again when its claim has expired: the same bytes, the same Message-ID."""
    url = outbox.engine.url.render_as_string(hide_password=False)
    died = subprocess.run([sys.executable, "-m", "tests.mail.crashing", url, tmp_path / "sent", NOON.isoformat()])
    carrier = ListCarrier()

    assert died.returncode == 9
    assert deliver_due(outbox, carrier, NOON) == DeliveryResult()
    assert deliver_due(outbox, carrier, NOON + CLAIM) == DeliveryResult(sent=3)
    (first,) = (tmp_path / "sent" / "new").iterdir()
    assert first.read_bytes() == carrier.sent[0][1].replace(b"\r\n", b"\n")


def test_two_senders_at_once(outbox: Store) -> None:
    """While one sender has claimed mail, another finds none to send; each mail is sent once."""
    second = ListCarrier()
    found: list[DeliveryResult] = []
    first = ListCarrier(lambda _recipient: found.append(deliver_due(outbox, second, NOON)))

    assert deliver_due(outbox, first, NOON) == DeliveryResult(sent=3)
    assert (found, second.sent) == ([DeliveryResult()] * 3, [])


def test_the_mail_itself(outbox: Store) -> None:
    """The mail sent is the one that was composed when it was queued."""
    carrier = ListCarrier()
    deliver_due(outbox, carrier, NOON + MINUTE)

    assert b"Message-ID: <ann@example.org>\r\n" in carrier.sent[0][1]
    assert b"Date: Fri, 20 Nov 2026 12:00:00 +0000\r\n" in carrier.sent[0][1]


def test_answers_go_first(outbox: Store, settings: Settings) -> None:
    """An answer to a player does not wait behind older mail."""
    with outbox.writing() as session:
        enqueue(session, [replace(mail("dee"), kind="receipt")], settings, campaign=None, now=NOON)
    carrier = ListCarrier()
    deliver_due(outbox, carrier, NOON)

    assert carrier.recipients[0] == "dee@example.org"


def test_what_is_noted_of_a_mail(outbox: Store) -> None:
    """The outbox stores the domain to which a mail goes, in lower case."""
    assert {(row.provider, row.form, row.kind, row.topic) for row in rows(outbox)} == {
        ("example.org", "full", "", None)
    }


def test_a_later_mail_takes_the_place_of_an_earlier(any_store: Store, settings: Settings) -> None:
    """A queued notice is not sent once there is a newer one on its topic."""
    for name in ("ann", "bob", "cyn"):
        about = replace(mail(name), topic="reminder trap7 3 " + ("blue" if name == "bob" else "red"))
        with any_store.writing() as session:
            enqueue(session, [about], settings, campaign=None, now=NOON)
    carrier = ListCarrier()
    deliver_due(any_store, carrier, NOON)

    assert carrier.recipients == ["bob@example.org", "cyn@example.org"]
    assert [row.state for row in rows(any_store)] == ["superseded", "sent", "sent"]


def test_what_went_out_is_not_replaced(outbox: Store, settings: Settings) -> None:
    """A sent mail stays sent, whatever is written on its topic later."""
    for name in ("dee", "eve"):
        with outbox.writing() as session:
            enqueue(session, [replace(mail(name), topic="report trap7 3 red")], settings, campaign=None, now=NOON)
        deliver_due(outbox, ListCarrier(), NOON)

    assert {row.state for row in rows(outbox)} == {"sent"}


def test_a_turn_that_is_resolved_takes_its_reminders_back(any_store: Store, settings: Settings) -> None:
    """Reminders of a turn that was run are withdrawn; its report, and the next turn's reminders, are not."""
    to_red = (("reminder", "t_1", 3), ("report", "t_1", 3), ("reminder", "t_1", 33), ("reminder", "tx1", 3))
    topics = [*(topic_of(*about, "red") for about in to_red), topic_of("problem", "t_1", 3, "gm")]
    with any_store.writing() as session:
        for number, topic in enumerate(topics):
            enqueue(session, [replace(mail(f"p{number}"), topic=topic)], settings, campaign=None, now=NOON)
        withdraw_turn_mail(session, "t_1", 3, ["blue", "red"])

    assert [row.state for row in rows(any_store)] == ["superseded", "queued", "queued", "queued", "superseded"]


def test_several_connections_share_the_work(any_store: Store, settings: Settings) -> None:
    """With three connections, three threads send at the same time, and each mail is sent once."""
    names = [f"p{number:03}" for number in range(4 * BATCH)]
    with any_store.writing() as session:
        enqueue(session, [mail(name) for name in names], settings, campaign=None, now=NOON)
    meeting = threading.Barrier(3)
    threads: set[int] = set()

    def meet(_recipient: str) -> None:
        if threading.get_ident() not in threads:
            threads.add(threading.get_ident())
            meeting.wait(timeout=PATIENCE)

    carrier = ListCarrier(meet)
    assert deliver_due(any_store, carrier, NOON, connections=3) == DeliveryResult(sent=len(names))
    assert sorted(carrier.recipients) == [f"{name}@example.org" for name in names]
    assert len(threads) == 3


def test_several_connections_stop_together(outbox: Store) -> None:
    """An error in the settings that one thread meets is raised, and all mail is due when it is mended."""
    with pytest.raises(ConfigError):
        deliver_due(outbox, ListCarrier(refusing(ConfigError("no password"))), NOON, connections=3)

    assert deliver_due(outbox, ListCarrier(), NOON, connections=3) == DeliveryResult(sent=3)
