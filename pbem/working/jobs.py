"""What a worker does for each kind of job. Each may be done twice, and killed anywhere, as the steps it consists of.

A job knows nothing but its lane: what is to be done stands in the database.
Everything is done as of the newest poll, as a tick does it, until the next; so
what came with it was read before a deadline of its time counts.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping

from sqlalchemy import select
from sqlalchemy.orm import Session

from pbem.actions.ruling import held_for_rulings
from pbem.actions.run_turn import asked_runs
from pbem.admin.health import LastPoll, check_open, last_poll, watch_polls
from pbem.app import House
from pbem.campaign.damaged_rows import UNREADABLE
from pbem.campaign.deadlines import due, open_turns
from pbem.errors import CampaignError
from pbem.housekeeping.reminding import untold
from pbem.inbox.message_queue import ALONE
from pbem.inbox.process import sort_letters
from pbem.mail.outbox import is_due, lane_of
from pbem.steps import Moment, Ticked, answer_mail, file_away, look_after, mask_tokens, send_mail, try_to_fetch_mail
from pbem.store.models import Campaign, InboxMessage, Outgoing
from pbem.store.session import Queue, Work, wake
from pbem.store.types import LetterState

AT_ONCE = "at once"
"""The lane of a poll that is not to wait for its time, since there is new mail."""

MOST_WOKEN = 50
"""Jobs put into the queues in one transaction, so that the first can begin before the last is there."""

JobHandler = Callable[[House, str, dt.datetime, Ticked], None]


def do_job(house: House, work: Work, now: dt.datetime) -> Ticked:
    """Does a job; returns what came of it. Raises ConfigError in a home that was restored and not opened since."""
    check_open(house)
    done = Ticked()
    _JOBS[work.queue](house, work.lane, now, done)
    return done


def _poll(house: House, lane: str, now: dt.datetime, done: Ticked) -> None:
    """Fetches the mail, sorts it, and wakes all for whom there is something to do; unless another has just done so."""
    if lane != AT_ONCE and _was_polled(house, now):
        return
    readable = try_to_fetch_mail(house, now, done)
    # Remembered first: what is sorted is answered as of this poll at once.
    watch_polls(house, now, readable=readable)
    sort_letters(house)
    wake_all(house, now)
    mask_tokens(house, now, done)


def _was_polled(house: House, now: dt.datetime) -> bool:
    """Whether a poll came so lately that two workers must have asked for it."""
    with house.store.reading() as session:
        last = last_poll(session)
    return last is not None and last.at <= now < last.at + dt.timedelta(seconds=house.settings.poll_seconds / 2)


def _look_after(house: House, campaign: str, now: dt.datetime, done: Ticked) -> None:
    """Answers the letters of a campaign; if no other could be one of them, does what is due in it."""
    with house.store.reading() as session:
        last = last_poll(session)
    answer_mail(house, last.at if last else now, done, lane=campaign)
    if campaign == ALONE:
        if done.answered.letters:
            wake_all(house, now)
        return
    with house.store.writing() as session:
        if done.answered.letters and _waits_in(session, ALONE):
            wake(session, Work(Queue.CAMPAIGNS, ALONE))
        ready = last is not None and _is_read(session, campaign, last)
    if ready and last is not None:
        look_after(house, _moment(last), done, campaign=campaign)


def _send(house: House, lane: str, now: dt.datetime, done: Ticked) -> None:
    send_mail(house, now, done, lane=lane)


def _file_away(house: House, _lane: str, now: dt.datetime, done: Ticked) -> None:
    file_away(house, now, done)


_JOBS: Mapping[Queue, JobHandler] = {
    Queue.POLL: _poll,
    Queue.CAMPAIGNS: _look_after,
    Queue.SEND: _send,
    Queue.ARCHIVE: _file_away,
}


def _moment(last: LastPoll) -> Moment:
    return Moment(last.at, readable=not last.watch.failed, outage=last.watch.outage)


def _is_read(session: Session, campaign: str, last: LastPoll) -> bool:
    """Whether all letters that came with the newest poll, and could be for a campaign, have been answered."""
    theirs = InboxMessage.lane.is_(None) | InboxMessage.lane.in_((ALONE, campaign))
    left = select(InboxMessage.id).where(InboxMessage.state == LetterState.NEW, InboxMessage.id <= last.newest, theirs)
    return session.scalar(left.limit(1)) is None


def _waits_in(session: Session, lane: str) -> bool:
    waiting = select(InboxMessage.id).where(InboxMessage.state == LetterState.NEW, InboxMessage.lane == lane)
    return session.scalar(waiting.limit(1)) is not None


def wake_all(house: House, now: dt.datetime) -> None:
    """Puts all that is to be done now into the queues, and so makes good what was lost of them."""
    works = sorted(_all_work(house, now))
    for start in range(0, len(works), MOST_WOKEN):
        with house.store.writing() as session:
            wake(session, *works[start : start + MOST_WOKEN])


def _all_work(house: House, now: dt.datetime) -> set[Work]:
    with house.store.reading() as session:
        last = last_poll(session)
    campaigns = _with_something_due(house, _moment(last)) if last else set()
    with house.store.reading() as session:
        new = (
            select(InboxMessage.lane)
            .where(InboxMessage.state == LetterState.NEW, InboxMessage.lane.is_not(None))
            .distinct()
        )
        campaigns |= set(session.scalars(new))
        providers = session.scalars(select(Outgoing.provider).where(is_due(now)).distinct())
        mail = {Work(Queue.SEND, lane_of(provider, house.settings.pace)) for provider in providers}
    return {Work(Queue.CAMPAIGNS, campaign) for campaign in campaigns} | mail | {Work(Queue.ARCHIVE)}


def _with_something_due(house: House, moment: Moment) -> set[str]:
    """The campaigns in which there may be something to do, whatever letters come."""
    try:
        return set(_due_in(house, moment, None))
    except (*UNREADABLE, CampaignError):
        with house.store.reading() as session:
            names = session.scalars(select(Campaign.name)).all()
        return {name for name in names if _may_be_due(house, moment, name)}


def _may_be_due(house: House, moment: Moment, campaign: str) -> bool:
    """Return whether there may be something to do in a campaign; of one that cannot be read, its job tells."""
    try:
        return any(True for _ in _due_in(house, moment, campaign))
    except (*UNREADABLE, CampaignError):
        return True


def _due_in(house: House, moment: Moment, campaign: str | None) -> Iterator[str]:
    waiting = open_turns(house, campaign)
    found = due(waiting, moment.at, by_deadline=moment.readable, outage=moment.outage)
    yield from (turn.campaign for turn in (*found, *asked_runs(house, moment.at, campaign)))
    with house.store.reading() as session:
        yield from held_for_rulings(session, campaign)
    if moment.readable:
        yield from (turn.campaign for turn in untold(waiting, moment.at))
