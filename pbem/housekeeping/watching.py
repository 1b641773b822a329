"""Remembers the polls of a house, and tells campaigns of outages in their journals.

What is remembered lies in the database, which machines that work together have
in common. Without it the next poll is taken for the first: deadlines then wait
for nothing.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from pbem.app import House
from pbem.campaign.damaged_rows import UNREADABLE, keep_fact, read_fact
from pbem.campaign.deadlines import Waiting, load_waiting
from pbem.campaign.history import note
from pbem.campaign.schedule import Outage, Watch, after_failure, after_poll
from pbem.campaign.snapshot import load_campaign
from pbem.errors import CampaignError
from pbem.log import tell
from pbem.store.models import Campaign, Fact, InboxMessage
from pbem.text import when

MAILBOX = "mailbox"
"""The name of the fact that is kept."""


@dataclass(frozen=True, slots=True)
class LastPoll:
    """What is known of the newest poll, good or not: its time, and the newest letter that there was when it ended."""

    at: dt.datetime
    newest: int
    watch: Watch


def watch_polls(house: House, now: dt.datetime, *, readable: bool) -> Outage | None:
    """Remembers a poll, good or not; returns the outage for which deadlines wait now."""
    longest = dt.timedelta(hours=house.settings.outage_hours)
    # What a power cut takes back is remembered again by the next poll.
    with house.store.writing(durable=False) as session:
        session.execute(select(Fact.name).where(Fact.name == MAILBOX).with_for_update())
        before = read_watch(session)
        watch = after_poll(before, now, longest=longest) if readable else after_failure(before, now)
        if watch.outage is not None and (before is None or watch.outage != before.outage):
            _announce(session, watch.outage, now)
        newest = session.scalar(select(func.max(InboxMessage.id))) or 0
        keep_fact(session, MAILBOX, _written(LastPoll(now, newest, watch)))
    return watch.outage


def read_watch(session: Session) -> Watch | None:
    """What is remembered of the polls, if anything."""
    last = last_poll(session)
    return None if last is None else last.watch


def last_poll(session: Session) -> LastPoll | None:
    """The newest poll, if there was any."""
    kept = read_fact(session, MAILBOX)
    return None if kept is None else _read(kept)


def waiting_for(turns: list[Waiting], outage: Outage) -> list[Waiting]:
    """The turns that would be run in an outage or soon after it, and wait until its release."""
    return [turn for turn in turns if turn.closes is not None and outage.since <= turn.closes < outage.release]


def _announce(session: Session, outage: Outage, now: dt.datetime) -> None:
    tell("outage over", level="warning", since=outage.since, until=outage.until, deadlines_wait_until=outage.release)
    for turn in waiting_for(_readable(session), outage):
        zone = turn.schedule.zone
        said = f"no mail was read from {when(outage.since, zone)} to {when(outage.until, zone)}"
        waits = f"turn {turn.turn} waits until {when(outage.release, zone)}"
        note(session, load_campaign(session, turn.campaign).id, now, actor="pbem", text=f"{said}: {waits}")


def _readable(session: Session) -> list[Waiting]:
    """The open turns, but for those that cannot be read; the tick tells of these."""
    try:
        return load_waiting(session)
    except UNREADABLE:
        turns: list[Waiting] = []
        for name in session.scalars(select(Campaign.name).order_by(Campaign.id)).all():
            with suppress(*UNREADABLE, CampaignError):
                turns += load_waiting(session, name)
        return turns


def _written(last: LastPoll) -> dict[str, Any]:
    watch, outage = last.watch, last.watch.outage
    return {
        "at": last.at.isoformat(),
        "newest": last.newest,
        "last_good": watch.last_good.isoformat(),
        "usual": watch.usual.total_seconds() if watch.usual is not None else None,
        "failed": watch.failed,
        "outage": [at.isoformat() for at in dataclasses.astuple(outage)] if outage else None,
    }


def _read(data: Any) -> LastPoll:
    time, usual, outage = dt.datetime.fromisoformat, data["usual"], data["outage"]
    watch = Watch(
        last_good=time(data["last_good"]),
        usual=None if usual is None else dt.timedelta(seconds=usual),
        failed=data["failed"],
        outage=Outage(*map(time, outage)) if outage else None,
    )
    return LastPoll(time(data["at"]), data["newest"], watch)
