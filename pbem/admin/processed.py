"""The folder Processed: mail that cannot be moved there, and its emptying; and a daily look at the mailbox.

All are remembered in the database, which all machines of the home share. Without
that, mail that stays in the inbox is only read again.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

from sqlalchemy.orm import Session

from pbem.app import App
from pbem.campaign.damaged_rows import keep_fact, read_fact
from pbem.errors import MailError
from pbem.log import event
from pbem.mail.mailbox import PROCESSED, Quota, Unmoved
from pbem.mail.maildir import MaildirMailbox
from pbem.ruleset.serialization import from_json, to_json
from pbem.text import count_noun

if TYPE_CHECKING:
    from pbem.mail.imap import ImapMailbox

_FACT = "processed"
"""The name under which this is stored as a `KeyValue`."""

_DAY = dt.timedelta(days=1)
_NOTHING: dict[str, Any] = {"unmoved": None, "told": None, "emptied": None, "looked": None}

FULL_PERCENT = 90
"""The part of a quota above which there is a warning."""


def load_unmoved(session: Session) -> Unmoved | None:
    """Return the stored mail that stays in the inbox because it could not be moved, None if there is none."""
    kept = _read(session)["unmoved"]
    return None if kept is None else from_json(Unmoved, kept)


def unmoved_notice(session: Session) -> str:
    """Return the sentence on mail that could not be moved; "" if there is none."""
    unmoved = load_unmoved(session)
    return "" if unmoved is None else _notice(unmoved)


def record_unmoved(app: App, unmoved: Unmoved | None, now: dt.datetime) -> str:
    """Remember the mail that a poll could not move; return the sentence on it once a day, else ""."""
    with app.store.reading() as session:
        before = _read(session)
    told = before["told"]
    due = unmoved is not None and (told is None or _is_due_again(told, now))
    kept = None if unmoved is None else to_json(unmoved)
    after = {**before, "unmoved": kept, "told": now.isoformat() if due else told if kept else None}
    if after != before:
        _keep(app, after)
    return _notice(unmoved) if due and unmoved is not None else ""


def empty_processed(app: App, mailbox: ImapMailbox | MaildirMailbox, now: dt.datetime) -> str:
    """Delete mail in Processed that is older than the settings keep it, once a day; return why that failed, or ""."""
    days = app.settings.keep_processed
    if days is None:
        return ""
    with app.store.reading() as session:
        before = _read(session)
    if before["emptied"] is not None and not _is_due_again(before["emptied"], now):
        return ""
    # First, so that a failure is told once a day too.
    _keep(app, {**before, "emptied": now.isoformat()})
    try:
        count = mailbox.empty_processed(now - dt.timedelta(days=days))
    except MailError as error:
        return f"{PROCESSED} is not emptied: {error}"
    if count:
        event("processed emptied", mails=count, days=days)
    return ""


def look_around(app: App, mailbox: ImapMailbox | MaildirMailbox, now: dt.datetime) -> list[str]:
    """Return, once a day, the sentences on a mailbox that is nearly full and on players' mail in its folder for junk.

    GMs are mailed of the latter.
    """
    with app.store.reading() as session:
        before = _read(session)
    if before["looked"] is not None and not _is_due_again(before["looked"], now):
        return []
    if isinstance(mailbox, MaildirMailbox) and not mailbox.junk(now)[0]:
        return []  # nothing to look at, and nothing to remember
    # Imported here, as most ticks do not look.
    from pbem.inbox.junk import describe_junk, find_ours, junk_since, tell_gms

    # First, so that a failure is told once a day too.
    _keep(app, {**before, "looked": now.isoformat()})
    try:
        said = [describe_quota(quota) for quota in mailbox.quotas() if quota.percent >= FULL_PERCENT]
        folder, heads = mailbox.junk(junk_since(now))
    except MailError as error:
        return [f"the mailbox cannot be looked at: {error}"]
    with app.store.reading() as session:
        ours = find_ours(session, app.settings.address, heads)
    tell_gms(app, folder, ours, now)
    return [*said, *filter(None, [describe_junk(folder, ours)])]


def describe_quota(quota: Quota) -> str:
    """Return the sentence on a limit of the mailbox that is nearly reached."""
    return f"{quota} are used in the mailbox: when it is full no mail can come, or be moved"


def _read(session: Session) -> dict[str, Any]:
    return read_fact(session, _FACT, _check) or _NOTHING


def _check(kept: Any) -> dict[str, Any]:
    """Return what is remembered, if all of it can be read."""
    kept = _NOTHING | kept
    for time in filter(None, (kept["told"], kept["emptied"], kept["looked"])):
        dt.datetime.fromisoformat(time)
    if kept["unmoved"] is not None:
        _notice(from_json(Unmoved, kept["unmoved"]))
    return {name: kept[name] for name in _NOTHING}


def _keep(app: App, kept: dict[str, Any]) -> None:
    # Not durable: what a power cut takes back is found again by the next poll.
    with app.store.writing(durable=False) as session:
        keep_fact(session, _FACT, kept)


def _is_due_again(told: str, now: dt.datetime) -> bool:
    """Return True a day after a time; also if that is still to come, as it was told by a clock that was ahead."""
    return not dt.timedelta() <= now - dt.datetime.fromisoformat(told) < _DAY


def _notice(unmoved: Unmoved) -> str:
    mails = count_noun(len(unmoved.sizes), "stored mail stays", "stored mails stay")
    return f"{mails} in the inbox, which cannot be moved to {PROCESSED}: {unmoved.reason}; no turn waits for that"
