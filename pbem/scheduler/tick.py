"""Steps of the scheduled work: a tick does them all in turn, workers campaign by campaign.

Each step commits on its own, may be repeated and can be killed anywhere; the next
one continues from there. One tick runs at a time in a home, and none while workers
are running.
"""

from __future__ import annotations

import datetime as dt
import fcntl
import signal
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from threading import Event, Thread
from types import FrameType
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from pbem import util
from pbem.admin.health import record_poll, require_active, stuck_mail
from pbem.admin.processed import empty_processed, load_unmoved, look_around, record_unmoved
from pbem.app import App
from pbem.campaign.archive_sync import archive_pending, repair_archive
from pbem.campaign.damaged_rows import each_by_itself, mail_at_rest, set_aside
from pbem.campaign.deadlines import BY_GM, DueTurn
from pbem.campaign.snapshot import load_campaign, require_running
from pbem.errors import MailError, PbemError, RulesetError, StoreError, describe_error
from pbem.log import event
from pbem.mail.fetch import fetch_messages, open_mailbox, open_waiter
from pbem.mail.maildir import MaildirMailbox
from pbem.mail.outbox import is_due
from pbem.mail.retention import redact_old_mail
from pbem.mail.transport import open_transport
from pbem.scheduler.work import OpenWork, TickResult, TickTime, find_due, log_problems
from pbem.scheduler.worker_status import serving
from pbem.store.models import InboxMessage
from pbem.store.types import MessageState
from pbem.text import count_noun
from pbem.util import Progress, ShutdownRequested, isolated, no_progress, redact_secrets

if TYPE_CHECKING:
    from pbem.mail.imap import ImapMailbox

MOST_NAMED = 3
"""Things in the mailbox that are no mail, named in one sentence."""

STOPPING = (signal.SIGTERM, signal.SIGINT)
"""Signals that ask a process to end."""


def fetch_mail(app: App, now: dt.datetime, done: TickResult) -> None:
    """Store all mail that waits, and move it away if possible. Raises MailError when the mailbox cannot be read."""
    with app.store.reading() as session:
        unmoved = load_unmoved(session)
    with closing(open_mailbox(app.settings)) as mailbox:
        received_by = app.settings.received_by
        done.polled = fetch_messages(app.store, mailbox, now, unmoved, received_by=received_by)
        if app.settings.fetch_junk and _fetch_junk(app, mailbox, now):
            done.polled += fetch_messages(app.store, mailbox, now, mailbox.unmoved_mail(), received_by=received_by)
        notices = (
            _describe_unreadable(mailbox.list_foreign()),
            record_unmoved(app, mailbox.unmoved_mail(), now),
            empty_processed(app, mailbox, now),
            *look_around(app, mailbox, now),
        )
        done.problems += filter(None, notices)


def _fetch_junk(app: App, mailbox: ImapMailbox | MaildirMailbox, now: dt.datetime) -> int:
    """Put players' mail from the folder for junk into the inbox; return the number.

    A failure is logged: what stays there is told once a day.
    """
    from pbem.inbox.junk import fetch_junk

    try:
        return fetch_junk(app, mailbox, now)
    except MailError as error:
        event("junk not fetched", level="warning", reason=str(error))
        return 0


def try_to_fetch_mail(app: App, now: dt.datetime, done: TickResult) -> bool:
    """Fetch mail, and return True if the mailbox could be read; else add a problem."""
    try:
        fetch_mail(app, now, done)
    except PbemError as error:
        done.problems.append(f"{error}; turns wait for it, even past their deadlines")
        return False
    return True


def _describe_unreadable(things: Sequence[str]) -> str:
    """Return a sentence on what is in the mailbox and is no mail; "" if there is nothing."""
    if not things:
        return ""
    count = count_noun(len(things), "thing in the inbox is", "things in the inbox are")
    left = "were" if len(things) > 1 else "was"
    more = ", and others" if len(things) > MOST_NAMED else ""
    return f"{count} no mail that can be read and {left} left alone: {', '.join(things[:MOST_NAMED])}{more}"


def answer_mail(
    app: App,
    now: dt.datetime,
    done: TickResult,
    *,
    most: int | None = None,
    progress: Progress = no_progress,
) -> None:
    """Process all new messages; after `most` bytes the others wait."""
    with app.store.reading() as session:
        if session.scalar(select(InboxMessage.id).where(InboxMessage.state == MessageState.NEW).limit(1)) is None:
            return
    from pbem.inbox.process import process_messages

    try:
        done.processed = process_messages(app, now, most=most, progress=progress)
    except PbemError:
        raise
    except Exception as error:  # noqa: BLE001 - raised again, unless rows are at fault
        done.problems += set_aside(app, now, error)
        done.processed = process_messages(app, now, most=most, progress=progress)


def mask_tokens(app: App, now: dt.datetime, done: TickResult) -> None:
    """Mask tokens in messages and mails that are no longer needed."""
    mail_at_rest(app, lambda: redact_old_mail(app.store, now), done.problems, now)


def run_due(
    app: App, moment: TickTime, done: TickResult, *, campaign: str | None = None, progress: Progress = no_progress
) -> None:
    """Remind, run the turns that are due and send digests, in all campaigns or in one. Call it after `answer_mail`."""
    each_by_itself(app, lambda name: _run_campaign(app, moment, done, name, progress), done.problems, campaign)


def _run_campaign(app: App, moment: TickTime, done: TickResult, campaign: str | None, progress: Progress) -> None:
    work = OpenWork.load(app, moment.at, campaign)
    if any(True for _ in find_due(app, moment, work)):
        from pbem.scheduler.turns import run_campaign

        run_campaign(app, moment, done, work, progress)


def sync_archive(app: App, now: dt.datetime, done: TickResult) -> None:
    """Bring the archive up to date with the database and repair it; then the site."""
    each_by_itself(app, lambda name: _sync_campaign(app, now, done, name), done.problems)
    publish_site(app, now, done)


def _sync_campaign(app: App, now: dt.datetime, done: TickResult, campaign: str | None) -> None:
    archived, problems = archive_pending(app, now, campaign)
    done.archived += archived
    done.problems += [*problems, *repair_archive(app, campaign)]


def publish_site(app: App, now: dt.datetime, done: TickResult) -> None:
    """Bring the site up to date with the database, if the settings name its folder and anything has changed."""
    if app.settings.site is None:
        return
    from pbem.site.publish import publish_changes

    try:
        done.problems += publish_changes(app, now)
    except StoreError:
        raise
    except (PbemError, RulesetError, OSError) as error:
        done.problems.append(f"the site cannot be written: {describe_error(error)}")


def show_dashboard(app: App, now: dt.datetime, done: TickResult) -> None:
    """Write the dashboard, if the settings name its file; a fault in it stops nothing else."""
    if app.settings.dashboard is None:
        return
    from pbem.admin.dashboard import write_dashboard

    with isolated() as faults:
        write_dashboard(app, app.settings.dashboard, now)
    done.problems += [f"the dashboard was not written: {describe_error(fault)}" for fault in faults]


def send_mail(app: App, now: dt.datetime, done: TickResult, *, progress: Progress = no_progress) -> None:
    mail_at_rest(app, lambda: _deliver(app, now, done, progress), done.problems, now)


def _deliver(app: App, now: dt.datetime, done: TickResult, progress: Progress) -> None:
    settings = app.settings
    with app.store.reading() as session:
        total = session.scalar(select(func.count()).where(is_due(now))) or 0
    try:
        with closing(open_transport(settings)) as carrier:
            if total:  # even an empty delivery takes SQLite's write lock, and most ticks have nothing to send
                from pbem.mail.delivery import deliver_due

                done.sent = deliver_due(
                    app.store,
                    carrier,
                    now,
                    pace=settings.pace,
                    connections=settings.connections,
                    on_sent=_sent_counter(progress, total),
                )
    except PbemError as error:
        done.problems.append(f"mail cannot be sent now: {error}")
    if done.sent.trouble:
        done.problems.append(f"mail cannot be sent now: {done.sent.trouble}")
        with app.store.reading() as session:
            done.problems += filter(None, [stuck_mail(session)])


def _sent_counter(progress: Progress, total: int) -> Callable[[], None]:
    sent = 0

    def count() -> None:
        nonlocal sent
        sent += 1
        progress("sending", sent, total)

    return count


LOCK = "tick.lock"

MOST_BYTES = 64_000_000
"""Bytes of messages processed by a tick; the next one processes the others. A mail with a sheet often has 5,000."""


def tick(app: App, now: dt.datetime, *, live: bool = False, progress: Progress = no_progress) -> TickResult:
    """Do all that is due now.

    Args:
        app: The application.
        now: The time as of which it is done.
        live: `now` is the clock's, so that deadlines also wait after an outage.
        progress: Told how far each step is.

    Raises:
        ConfigError: the home was restored and not activated since.
    """
    with _exclusive_tick(app, now) as done:
        if done.busy:
            return done
        # First, so that sheets sent in time are read before a deadline counts.
        readable = try_to_fetch_mail(app, now, done)
        outage = record_poll(app, now, readable=readable) if live else None
        # Bounded: what is answered goes out before the rest of a flood of mail is read.
        answer_mail(app, now, done, most=MOST_BYTES, progress=progress)
        mask_tokens(app, now, done)
        moment = TickTime(now, readable, outage, done.processed.read_until)
        run_due(app, moment, done, progress=progress)
        sync_archive(app, now, done)
        send_mail(app, now, done, progress=progress)
        show_dashboard(app, now, done)
    return done


def run_campaign_now(app: App, name: str, now: dt.datetime, *, progress: Progress = no_progress) -> TickResult:
    """Run a campaign's open turn at its GM's request, after processing the mail; archive and send.

    Raises:
        CampaignError: there is no open turn.
        MailError: the mailbox cannot be read.
        ConfigError: the home was restored and not activated since.
    """
    from pbem.actions.run_turn import always
    from pbem.scheduler.turns import resolve

    with _exclusive_tick(app, now) as done:
        if done.busy:
            return done
        number = _open_number(app, name)  # the turn that the GM means: processing mail may open another
        fetch_mail(app, now, done)
        answer_mail(app, now, done, progress=progress)
        mask_tokens(app, now, done)
        resolve(app, [DueTurn(name, number, BY_GM)], now, done, progress, at_word=always)
        sync_archive(app, now, done)
        send_mail(app, now, done, progress=progress)
        show_dashboard(app, now, done)
    return done


@contextmanager
def _logged_tick(done: TickResult, now: dt.datetime) -> Iterator[None]:
    """Log the beginning and the end of the tick in the block."""
    event("tick began", now=now)
    began = time.monotonic()
    try:
        yield
    except Exception as error:
        event("tick stopped", level="error", fault=error)
        raise
    log_problems(done)
    event(
        "tick ended",
        seconds=round(time.monotonic() - began, 3),
        polled=done.polled,
        **{name: getattr(done.processed, name) for name in ("messages", "sheets", "quarantined", "unanswered", "left")},
        reminded=done.reminded,
        resolved=len(done.resolved),
        archived=done.archived,
        **{name: getattr(done.sent, name) for name in ("sent", "deferred", "failed")},
    )


def _open_number(app: App, name: str) -> int:
    with app.store.reading() as session:
        snapshot = load_campaign(session, name)
    require_running(snapshot)
    return snapshot.turn


@contextmanager
def _exclusive_tick(app: App, now: dt.datetime) -> Iterator[TickResult]:
    """Yield the result of a logged tick with the locks of the home and of its database; busy, if another process ticks.

    Raises:
        ConfigError: the home was restored and not activated since.
    """
    require_active(app)
    done = TickResult()
    # Two homes may share a database of PostgreSQL, so the lock of the home does not suffice.
    with _home_lock(app) as only, app.store.alone() if only else nullcontext(False) as alone:
        done.busy = not alone
        if alone:
            with _logged_tick(done, now):
                yield done
        else:
            event("tick left undone: another is at work")
            yield done


@contextmanager
def _home_lock(app: App) -> Iterator[bool]:
    """Yield True if the lock of the home is held; it ends with the process, however that ends."""
    with (app.settings.home / LOCK).open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def import_steps() -> None:
    """Import what ticks with work need: for a service, before it opens its home, which freezes all that is loaded."""
    from pbem.inbox import process  # noqa: F401 - imported alone
    from pbem.mail import delivery  # noqa: F401 - as above
    from pbem.scheduler import turns  # noqa: F401 - as above


def serve(app: App, *, clock: Callable[[], dt.datetime], stop: Event, told: Callable[[TickResult], None]) -> None:
    """Tick every `poll_seconds` of the settings or when mail comes, and pass on each result, until `stop` is set.

    A tick that is stopped while it processes a message leaves it and all later steps to the next.
    """
    with serving(app):
        _tick_until(app, clock, stop, told)


def _tick_until(app: App, clock: Callable[[], dt.datetime], stop: Event, told: Callable[[TickResult], None]) -> None:
    waiter = open_waiter(app.settings)
    while not stop.is_set():
        try:
            done = tick(app, clock(), live=True)
        except ShutdownRequested:
            event("tick ended early: told to stop")
            return
        except (
            OSError,
            PbemError,
        ) as error:  # such as a locked database or a full disk, which may be over by the next tick
            done = TickResult(problems=[redact_secrets(describe_error(error))])
        told(done)
        if done.processed.left:
            continue  # without a pause: there is more mail to process
        waiter.wait(app.settings.poll_seconds, stop)


@contextmanager
def stopped_by_signals() -> Iterator[Event]:
    """Yield an event that SIGTERM and SIGINT set.

    They interrupt the processing of a message; all else that a tick does is finished.
    """
    stop = Event()
    watched, written = socket.socketpair()
    written.setblocking(False)

    def watch() -> None:
        for number in iter(lambda: watched.recv(1), b""):
            if ord(number) in STOPPING:
                stop.set()

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        util.request_shutdown()

    before = {number: signal.signal(number, interrupt) for number in STOPPING}
    # Handlers run in the main thread, which misses a signal that comes just before it waits for a lock;
    # this file is written to at once.
    file_before = signal.set_wakeup_fd(written.fileno(), warn_on_full_buffer=False)
    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield stop
    finally:
        signal.set_wakeup_fd(file_before)
        util.clear_shutdown()
        for number, handler in before.items():
            signal.signal(number, handler)
        written.close()
        watcher.join()
        watched.close()
