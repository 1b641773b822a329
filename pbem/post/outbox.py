"""The outbox: mail is written down in the transaction that gives cause for it, and sent afterwards.

A row is claimed (state "sending") in a commit of its own, then handed to the
carrier, then marked. After a crash between the last two nobody can know
whether the mail went out; it is sent again, the same bytes with the same
Message-ID, once its claim has run out.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from operator import attrgetter
from typing import Any, cast

from sqlalchemy import Table, bindparam, insert, select, update
from sqlalchemy.orm import Session

from pbem.config import Settings
from pbem.errors import CarrierDown, PermanentPostError, TemporaryPostError
from pbem.post.carriers import Carrier
from pbem.post.writing import Mail, compose
from pbem.store import Store
from pbem.store.models import Outgoing

BATCH = 25
CLAIM = timedelta(minutes=15)
"""How long a claimed row is left to the sender that claimed it."""

CLAIM_USED_SECONDS = 300
"""A sender that is this late with its batch gives the rest of it back."""

RETRY_MINUTES = (1, 5, 15, 60, 240)
"""How long to wait after the first, second, … failure; the last holds for all further ones."""

LONGEST_WAIT = timedelta(minutes=max(RETRY_MINUTES))

GIVE_UP = timedelta(days=5)
"""From a mail's creation (RFC 5321, 4.5.4.1)."""

_TABLE = cast(Table, Outgoing.__table__)


@dataclass(frozen=True)
class Sent:
    """What became of the mails that were due. `trouble` is the sentence why sending stopped early, or ""."""

    sent: int = 0
    retried: int = 0
    failed: int = 0
    trouble: str = ""


@dataclass(frozen=True)
class _Claimed:
    id: int
    recipient: str
    raw: bytes
    attempts: int
    reply: str
    created_at: datetime


@dataclass(frozen=True)
class _Outcome:
    """How a claimed row is to be left; the field names are those of the table."""

    row: int
    state: str
    attempts: int
    not_before: datetime
    reply: str
    sent_at: datetime | None = None


def queue(session: Session, mail: Mail, settings: Settings, *, campaign_id: int | None, now: datetime) -> None:
    """Writes a mail into the outbox; it is sent once the session's transaction is committed."""
    queue_many(session, [(mail, campaign_id)], settings, now)


def queue_many(session: Session, mails: Iterable[tuple[Mail, int | None]], settings: Settings, now: datetime) -> None:
    """Writes mails, each with the id of its campaign, into the outbox in the order in which they shall be sent."""
    rows = [_row(mail, campaign_id, settings, now) for mail, campaign_id in mails]
    if rows:
        session.connection().execute(insert(_TABLE), rows)


def _row(mail: Mail, campaign_id: int | None, settings: Settings, now: datetime) -> dict[str, Any]:
    return {
        "campaign_id": campaign_id,
        "recipient": mail.recipient,
        "message_id": mail.message_id,
        "raw": compose(mail, sender=settings.address, sender_name=settings.sender_name, at=now),
        "state": "queued",
        "attempts": 0,
        "not_before": now,
        "created_at": now,
        "reply": "",
    }


def send_due(store: Store, carrier: Carrier, now: datetime, *, on_sent: Callable[[], None] | None = None) -> Sent:
    """Sends all mail that is due; calls `on_sent` after each.

    A mail refused for now is tried again after 1, 5, 15, 60 minutes and then
    every 4 hours, for 5 days. When the carrier takes nothing at all, the rest
    waits for the next call, and nothing is given up. Two senders at once share the work.
    """
    tally = _Tally(on_sent)
    batch = _turn_over(store, [], now)
    while batch:
        outcomes = _deliver(store, carrier, batch, now, tally)
        batch = _turn_over(store, outcomes, now, claim=not tally.trouble)
    return Sent(tally.sent, tally.retried, tally.failed, tally.trouble)


@dataclass
class _Tally:
    on_sent: Callable[[], None] | None
    sent: int = 0
    retried: int = 0
    failed: int = 0
    trouble: str = ""

    def count(self, outcome: _Outcome) -> None:
        if outcome.state == "failed":
            self.failed += 1
        elif outcome.state == "queued":
            self.retried += 1
        else:
            self.sent += 1
            if self.on_sent:
                self.on_sent()


def _turn_over(store: Store, outcomes: Sequence[_Outcome], now: datetime, *, claim: bool = True) -> list[_Claimed]:
    """Marks what became of a batch and claims the next, in one commit."""
    with store.writing() as session:
        if outcomes:
            session.connection().execute(_MARK, [vars(outcome) for outcome in outcomes])
        return _claim(session, now) if claim else []


_MARK = (
    update(_TABLE)
    .where(_TABLE.c.id == bindparam("row"), _TABLE.c.state == "sending")
    .values({name: bindparam(name) for name in ("state", "attempts", "not_before", "reply", "sent_at")})
)


def _claim(session: Session, now: datetime) -> list[_Claimed]:
    # A mail that seems to wait for longer than any does was written down while the clock was ahead.
    when = (_TABLE.c.not_before <= now) | (_TABLE.c.not_before > now + LONGEST_WAIT)
    due = _TABLE.c.state.in_(("queued", "sending")) & when
    some = select(_TABLE.c.id).where(due).order_by(_TABLE.c.id).limit(BATCH).with_for_update(skip_locked=True)
    ids = session.scalars(some).all()
    if not ids:
        return []
    claim = (
        update(_TABLE)
        .where(_TABLE.c.id.in_(ids), due)
        .values(state="sending", not_before=now + CLAIM)
        .returning(*(_TABLE.c[field.name] for field in fields(_Claimed)))
    )
    return sorted((_Claimed(*row) for row in session.connection().execute(claim)), key=attrgetter("id"))


def _deliver(store: Store, carrier: Carrier, batch: list[_Claimed], now: datetime, tally: _Tally) -> list[_Outcome]:
    outcomes: list[_Outcome] = []
    started = time.monotonic()
    try:
        for row in batch:
            if tally.trouble or time.monotonic() - started > CLAIM_USED_SECONDS:
                break
            outcomes.append(_outcome(carrier, row, now, tally))
            tally.count(outcomes[-1])
    except BaseException:
        _turn_over(store, outcomes + _released(batch[len(outcomes) :], now), now, claim=False)
        raise
    return outcomes + _released(batch[len(outcomes) :], now)


def _outcome(carrier: Carrier, row: _Claimed, now: datetime, tally: _Tally) -> _Outcome:
    tries = row.attempts + 1
    try:
        reply = carrier.send(row.recipient, row.raw)
    except PermanentPostError as error:
        return _Outcome(row.id, "failed", tries, now, str(error))
    except TemporaryPostError as error:
        down = isinstance(error, CarrierDown)
        if down:
            tally.trouble = str(error)
        state = "failed" if now - row.created_at >= GIVE_UP and not down else "queued"
        minutes = RETRY_MINUTES[min(tries, len(RETRY_MINUTES)) - 1]
        return _Outcome(row.id, state, tries, now + timedelta(minutes=minutes), str(error))
    return _Outcome(row.id, "sent", tries, now, reply, now)


def _released(rows: Iterable[_Claimed], now: datetime) -> list[_Outcome]:
    return [_Outcome(row.id, "queued", row.attempts, now, row.reply) for row in rows]
