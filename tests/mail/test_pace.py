"""Mail beyond a provider's limit waits for its time, and no other mail does."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from pbem.config import Settings, load_settings, write_default_settings
from pbem.config_values import RateLimit, SendingLimits
from pbem.errors import TemporaryMailError
from pbem.mail.compose import NewMail
from pbem.mail.delivery import BATCH, RateSlots, deliver_due
from pbem.mail.outbox import DeliveryResult, enqueue
from pbem.store.models import OutgoingMail
from pbem.store.session import Store
from pbem.store.types import OutgoingState
from tests.mail.test_outbox import ListCarrier, refusing

NOON = dt.datetime(2026, 11, 20, 12, tzinfo=dt.UTC)
MINUTE, HOUR = dt.timedelta(minutes=1), dt.timedelta(hours=1)
THREE_A_MINUTE = SendingLimits(RateLimit(per_minute=3))


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Return settings with an address alone."""
    write_default_settings(tmp_path / "home", "orders@example.org")
    return load_settings(tmp_path / "home")


def write(
    store: Store, settings: Settings, addresses: Sequence[str], *, kind: str = "", now: dt.datetime = NOON
) -> None:
    """Queue a mail to each address."""
    made = [
        NewMail(to, "turn 3", "Your ships.", f"<{kind}{number}.{now:%H%M}@x>", "orders@example.org", kind=kind)
        for number, to in enumerate(addresses)
    ]
    with store.writing() as session:
        enqueue(session, made, settings, campaign=None, now=now)


def players(count: int, domain: str = "example.org") -> list[str]:
    """Return so many addresses."""
    return [f"p{number:03}@{domain}" for number in range(count)]


def nights(store: Store, pace: SendingLimits, minutes: Sequence[int]) -> list[int]:
    """Return how many mails are sent at each of these minutes after noon."""
    return [deliver_due(store, ListCarrier(), NOON + minute * MINUTE, pace=pace).sent for minute in minutes]


def test_no_more_than_the_limit_goes_out(any_store: Store, settings: Settings) -> None:
    """In each minute three mails are sent, in the order in which they were written; no thread sleeps."""
    write(any_store, settings, players(8))
    carrier = ListCarrier()
    told = [deliver_due(any_store, carrier, NOON + minute * MINUTE, pace=THREE_A_MINUTE) for minute in (0, 0, 1, 2, 3)]

    assert told == [
        DeliveryResult(sent=3, delayed=5),
        DeliveryResult(),
        DeliveryResult(sent=3),
        DeliveryResult(sent=2),
        DeliveryResult(),
    ]
    assert carrier.recipients == players(8)


def test_waiting_is_no_attempt(store: Store, settings: Settings) -> None:
    """Mail held back has a later time, and no further attempt."""
    write(store, settings, players(5))
    deliver_due(store, ListCarrier(), NOON, pace=THREE_A_MINUTE)

    with store.reading() as session:
        rows = session.scalars(select(OutgoingMail).order_by(OutgoingMail.id)).all()
    assert [(row.state, row.attempts, row.not_before) for row in rows[3:]] == [("queued", 0, NOON + MINUTE)] * 2


def test_a_day_has_its_own_limit(store: Store, settings: Settings) -> None:
    """A limit per day counts the mail of the last 24 hours, not that of the same date."""
    write(store, settings, players(5))

    assert nights(store, SendingLimits(RateLimit(per_minute=2, per_day=3)), [0, 1, 2, 60, 24 * 60, 24 * 60 + 1]) == [
        2,
        1,
        0,
        0,
        2,
        0,
    ]


def test_one_domain_does_not_hold_up_others(store: Store, settings: Settings) -> None:
    """A limit for one domain holds back its mail alone, in any case of its name."""
    write(store, settings, [*players(3, "Slow.example"), *players(2)])
    carrier = ListCarrier()
    deliver_due(store, carrier, NOON, pace=SendingLimits(domains={"slow.example": RateLimit(per_hour=1)}))

    assert carrier.recipients == ["p000@Slow.example", *players(2)]


def test_mail_held_back_for_its_domain_leaves_room_for_others(store: Store, settings: Settings) -> None:
    """The overall limit is not used up by mail that cannot be sent now."""
    write(store, settings, [*players(5, "slow.example"), *players(4)])

    assert nights(store, SendingLimits(RateLimit(per_minute=4), {"slow.example": RateLimit(per_hour=1)}), [0, 1]) == [
        4,
        1,
    ]


def test_receipts_pass_a_mass_of_reports(store: Store, settings: Settings) -> None:
    """A receipt written while reports wait takes the next free slot."""
    write(store, settings, players(9), kind="report")
    deliver_due(store, ListCarrier(), NOON, pace=THREE_A_MINUTE)
    write(store, settings, ["eve@example.org"], kind="receipt", now=NOON + MINUTE)
    carrier = ListCarrier()
    deliver_due(store, carrier, NOON + MINUTE, pace=THREE_A_MINUTE)

    assert carrier.recipients == ["eve@example.org", *players(9)[3:5]]


def test_what_is_refused_for_now_has_not_gone(store: Store, settings: Settings) -> None:
    """Only accepted mail counts."""
    write(store, settings, players(4))
    later = ListCarrier(refusing(TemporaryMailError("450 later")))

    assert deliver_due(store, later, NOON, pace=THREE_A_MINUTE) == DeliveryResult(deferred=3, delayed=1)
    assert deliver_due(store, ListCarrier(), NOON + MINUTE, pace=THREE_A_MINUTE) == DeliveryResult(sent=3, delayed=1)


def test_what_may_have_gone_counts(store: Store, settings: Settings) -> None:
    """Mail claimed by a sender that died may have been sent, so it counts."""
    write(store, settings, players(4))
    with store.writing() as session:
        first = session.scalars(select(OutgoingMail).order_by(OutgoingMail.id)).first()
        assert first is not None
        first.state, first.not_before = OutgoingState.SENDING, NOON + 15 * MINUTE

    assert deliver_due(store, ListCarrier(), NOON, pace=THREE_A_MINUTE) == DeliveryResult(sent=2, delayed=1)


def test_a_long_queue_is_never_lost(store: Store, settings: Settings) -> None:
    """Mail that must wait for days is examined every four hours, and sent within the limit of each day."""
    write(store, settings, players(2 * BATCH + 1))
    every_four_hours = range(0, 2 * 24 * 60 + 1, 4 * 60)

    sent = nights(store, SendingLimits(RateLimit(per_day=BATCH)), every_four_hours)
    assert [count for count in sent if count] == [BATCH, BATCH, 1]


@given(
    st.lists(st.sampled_from(["a", "b", "c"]), max_size=40),
    st.lists(st.tuples(st.sampled_from(["a", "b"]), st.integers(0, 90)), max_size=20),
)
def test_slots_keep_every_limit(mails: list[str], before: list[tuple[str, int]]) -> None:
    """Mail sent now exceeds no limit, and deferred mail gets no time in the past."""
    pace = SendingLimits(
        RateLimit(per_minute=5, per_hour=20), {"a": RateLimit(per_minute=2), "b": RateLimit(per_hour=6)}
    )
    gone = [(domain, NOON - ago * MINUTE) for domain, ago in before]
    slots = RateSlots(pace, NOON, gone)
    times = [(domain, slots.take(domain)) for domain in mails]

    went = [domain for domain, at in times if at == NOON]
    assert min([NOON, *(at for _, at in times)]) == NOON
    for whose, most, span in [*pace.spans("a"), *pace.spans("b")]:
        used = sum(whose in ("", domain) and at > NOON - span for domain, at in gone)
        assert sum(whose in ("", domain) for domain in went) <= max(0, most - used)
