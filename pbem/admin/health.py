"""Health of a home: its activation after a restore, polls of the inbox, notices and status.

A home that was restored from a backup is inactive: nothing is read, run or sent
there until the operator activates it.

The last poll is stored in the database, which all machines of the home share.
Without it the next poll is taken for the first, and no deadline waits for an outage.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from pbem.actions.status import CampaignStatus, Undelivered, campaign_status, load_undelivered
from pbem.admin.processed import unmoved_notice
from pbem.app import App
from pbem.campaign.damaged_rows import fault_of, keep_fact, noticed, read_fact, readable, unreadable_words
from pbem.campaign.deadlines import OpenTurnStatus, load_open_turns
from pbem.campaign.schedule import MailboxWatch, Outage, after_failure, after_poll
from pbem.campaign.snapshot import add_entry, load_campaign
from pbem.config import INACTIVE
from pbem.errors import CampaignError, ConfigError
from pbem.log import event
from pbem.mail.outbox import GIVE_UP
from pbem.store.migrate import require_unchanged_schema
from pbem.store.models import Campaign, InboxMessage, KeyValue, OutgoingMail
from pbem.store.session import flushed_connection
from pbem.store.types import UNREADABLE, MessageState, OutgoingState
from pbem.text import count_noun, format_time
from pbem.util import isolated

CLOSED = "closed"
"""The name under which this is stored as a `KeyValue`."""


def deactivate_home(session: Session, made: dt.datetime, now: dt.datetime) -> None:
    """Mark a home as inactive that was restored from the backup made at this time."""
    keep_fact(session, CLOSED, {"made": made.isoformat(), "at": now.isoformat()})


def inactive_notice(session: Session) -> str:
    """Return the sentence on an inactive home that says what to do; "" for an active one."""
    kept = select(KeyValue.name).where(KeyValue.name == CLOSED)
    if flushed_connection(session).execute(kept).first() is None:
        return ""
    made = read_fact(session, CLOSED, lambda closed: dt.datetime.fromisoformat(closed["made"]))
    of = "" if made is None else f" (backup of {format_time(made, 'UTC')})"
    return f"this home{of} is inactive: it reads, runs and sends nothing. Activate it: pbem restore --activate"


def require_active(app: App) -> None:
    """Raise ConfigError, saying what to do, if the home is inactive, or its database was migrated meanwhile."""
    with app.store.reading() as session:
        # A process that has run for weeks would go on writing as its old code does.
        require_unchanged_schema(session)
        if said := inactive_notice(session):
            raise ConfigError(said)


def is_closed(app: App) -> bool:
    """Return True if the home does nothing until it is reopened."""
    with app.store.reading() as session:
        return not app.settings.active or bool(inactive_notice(session))


def activate_home(app: App) -> None:
    """Activate a home: from now on its templates, secrets and servers are used."""
    # The file first: after a kill between the two, a tick still refuses the home (decision 37).
    (app.settings.home / INACTIVE).unlink(missing_ok=True)
    with app.store.writing() as session:
        session.execute(delete(KeyValue).where(KeyValue.name == CLOSED))


MAILBOX = "mailbox"
"""The name under which this is stored as a `KeyValue`."""


@dataclass(frozen=True, slots=True)
class LastPoll:
    """The newest poll, good or not: its time, and the id of the newest message when it ended."""

    at: dt.datetime
    newest: int
    watch: MailboxWatch


def record_poll(app: App, now: dt.datetime, *, readable: bool) -> Outage | None:
    """Save a poll, good or not; return the outage for which deadlines wait now."""
    longest = dt.timedelta(hours=app.settings.outage_hours)
    # Not durable: what a power cut takes back is stored again by the next poll.
    with app.store.writing(durable=False) as session:
        # Locked, as all machines on this database record their polls here.
        session.execute(select(KeyValue.name).where(KeyValue.name == MAILBOX).with_for_update())
        last = last_poll(session)
        before = last.watch if last else None
        watch = after_poll(before, now, longest=longest) if readable else after_failure(before, now)
        if watch.outage is not None and (before is None or watch.outage != before.outage):
            _announce_outage(session, watch.outage, now)
        newest = session.scalar(select(func.max(InboxMessage.id))) or 0
        # With the newest message: a deadline counts once all up to it are processed (decision 22).
        keep_fact(session, MAILBOX, _to_json(LastPoll(now, newest, watch)))
    return watch.outage


def last_poll(session: Session) -> LastPoll | None:
    """Return the newest poll, None before the first."""
    return read_fact(session, MAILBOX, _from_json)


def turns_delayed_by_outage(turns: list[OpenTurnStatus], outage: Outage) -> list[OpenTurnStatus]:
    """Return the turns that would be run in an outage or soon after it, and wait until its release."""
    return [turn for turn in turns if turn.closes is not None and outage.since <= turn.closes < outage.release]


def _announce_outage(session: Session, outage: Outage, now: dt.datetime) -> None:
    event("outage over", level="warning", since=outage.since, until=outage.until, deadlines_wait_until=outage.release)
    for turn in turns_delayed_by_outage(_load_readable_turns(session), outage):
        zone = turn.schedule.zone
        said = f"no mail was read from {format_time(outage.since, zone)} to {format_time(outage.until, zone)}"
        waits = f"turn {turn.turn} waits until {format_time(outage.release, zone)}"
        add_entry(session, load_campaign(session, turn.campaign).id, now, actor="pbem", text=f"{said}: {waits}")


def _load_readable_turns(session: Session) -> list[OpenTurnStatus]:
    """Return the open turns, but for those that cannot be read; the tick reports these."""
    try:
        return load_open_turns(session)
    except UNREADABLE:
        turns: list[OpenTurnStatus] = []
        for name in session.scalars(select(Campaign.name).order_by(Campaign.id)).all():
            with suppress(*UNREADABLE, CampaignError):
                turns += load_open_turns(session, name)
        return turns


def _to_json(last: LastPoll) -> dict[str, Any]:
    watch, outage = last.watch, last.watch.outage
    return {
        "at": last.at.isoformat(),
        "newest": last.newest,
        "last_good": watch.last_good.isoformat(),
        "usual": watch.usual.total_seconds() if watch.usual is not None else None,
        "failed": watch.failed,
        "outage": [at.isoformat() for at in dataclasses.astuple(outage)] if outage else None,
    }


def _from_json(data: Any) -> LastPoll:
    time, usual, outage = dt.datetime.fromisoformat, data["usual"], data["outage"]
    watch = MailboxWatch(
        last_good=time(data["last_good"]),
        usual=None if usual is None else dt.timedelta(seconds=usual),
        failed=data["failed"],
        outage=Outage(*map(time, outage)) if outage else None,
    )
    return LastPoll(time(data["at"]), data["newest"], watch)


_DAY = dt.timedelta(days=1)


def home_notices(session: Session) -> tuple[str, ...]:
    """Return a sentence for each thing that is out of order."""
    notices: list[str] = []
    last = last_poll(session)
    watch = last.watch if last else None
    stuck = noticed(notices, "the outbox", lambda: stuck_mail(session), "")
    unanswered = noticed(notices, "the messages", lambda: _unanswered_notice(session), "")
    polls = (_unread_notice(watch), _outage_notice(watch), unmoved_notice(session))
    found = (inactive_notice(session), *polls, stuck, unanswered, *notices)
    return tuple(filter(None, found))


def stuck_mail(session: Session) -> str:
    """Return the sentence on mail that was tried for as long as mail is, but never refused for good; or ""."""
    tried = select(OutgoingMail.created_at, OutgoingMail.not_before, OutgoingMail.reply).order_by(OutgoingMail.id)
    rows = session.execute(tried.where(OutgoingMail.state == OutgoingState.QUEUED, OutgoingMail.attempts > 0)).all()
    stuck = [row for row in rows if row.not_before - row.created_at >= GIVE_UP]
    if not stuck:
        return ""
    mails = count_noun(len(stuck), "mail has", "mails have")
    since = format_time(min(row.created_at for row in stuck), "UTC")
    return f"{mails} been tried for {GIVE_UP.days} days or more, since {since}; last said: {stuck[-1].reply}"


def _unanswered_notice(session: Session) -> str:
    """Return the sentence on messages of the last day of mail that should have had an answer; or ""."""
    newest = session.scalar(select(InboxMessage.received_at).order_by(InboxMessage.id.desc()).limit(1))
    if newest is None:
        return ""
    lately = (InboxMessage.unanswered, InboxMessage.received_at > newest - _DAY)
    number = session.scalar(select(func.count()).where(*lately)) or 0
    messages = count_noun(number, "message was", "messages were")
    until = format_time(newest, "UTC")
    return f"{messages} not answered in the day before {until}. Reasons: pbem inbox" if number else ""


def _unread_notice(watch: MailboxWatch | None) -> str:
    if watch is None or not watch.failed:
        return ""
    return f"the mailbox cannot be read, last done {format_time(watch.last_good, 'UTC')}: deadlines wait for it"


def _outage_notice(watch: MailboxWatch | None) -> str:
    if watch is None or watch.outage is None:
        return ""
    since, until, release = (
        format_time(at, "UTC") for at in (watch.outage.since, watch.outage.until, watch.outage.release)
    )
    return f"no mail was read from {since} to {until}: deadlines of that time, and soon after, wait until {release}"


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeStatus:
    """All campaigns, mail that belongs to none, the number of quarantined messages, and what else is out of order."""

    campaigns: tuple[CampaignStatus, ...]
    undelivered: tuple[Undelivered, ...]
    quarantined: int
    notices: tuple[str, ...]


def home_status(app: App, campaign: str | None = None, now: dt.datetime | None = None) -> HomeStatus:
    """Return the status of all campaigns, or of one, at the clock's time unless another is given.

    Raises:
        CampaignError: If there is no such campaign.
    """
    now = now or dt.datetime.now(dt.UTC)
    if campaign is not None:
        with readable(app, campaign), app.store.reading() as session:
            here = campaign_status(session, app, load_campaign(session, campaign), now)
            return HomeStatus(
                campaigns=(here,),
                undelivered=(),
                quarantined=_count_quarantined(session),
                notices=home_notices(session),
            )
    notices: list[str] = []
    with app.store.reading() as session:
        names = session.scalars(select(Campaign.name).order_by(Campaign.id)).all()
        found = tuple(filter(None, (_status_or_notice(session, app, name, now, notices) for name in names)))
        stuck: tuple[Undelivered, ...] = noticed(notices, "the outbox", lambda: load_undelivered(session, None), ())
        quarantined = _count_quarantined(session)
        notices = [*home_notices(session), *notices]
    return HomeStatus(campaigns=found, undelivered=stuck, quarantined=quarantined, notices=tuple(notices))


def _status_or_notice(
    session: Session, app: App, name: str, now: dt.datetime, notices: list[str]
) -> CampaignStatus | None:
    with isolated() as faults:
        return campaign_status(session, app, load_campaign(session, name), now)
    notices += [unreadable_words(name, fault, fault_of(session, name)) for fault in faults]
    return None


def _count_quarantined(session: Session) -> int:
    return session.scalar(select(func.count()).where(InboxMessage.state == MessageState.QUARANTINED)) or 0
