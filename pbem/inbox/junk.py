"""Mail with a valid reply code in the folder for junk: told to GMs, or fetched where the settings say so."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlalchemy.orm import Session

from pbem.app import App
from pbem.campaign.notices import GM, post
from pbem.campaign.snapshot import Context, load_campaign
from pbem.errors import CampaignError
from pbem.inbox.codes import find_codes
from pbem.log import event
from pbem.mail.mailbox import JUNK_DAYS
from pbem.mail.maildir import MaildirMailbox
from pbem.mail.message import parse_headers
from pbem.report.small import mail_in_junk
from pbem.text import count_noun
from pbem.util import redact_all

if TYPE_CHECKING:
    from pbem.mail.imap import ImapMailbox


@dataclass(frozen=True, slots=True)
class JunkMail:
    """A mail with a valid code in the folder for junk: whom it is from, and the campaign that gave the code, or ""."""

    sender: str
    subject: str
    campaign: str


def find_ours(session: Session, address: str, heads: Iterable[bytes]) -> list[JunkMail]:
    """Return the mails, given by their heads, that have a code which mail of ours to the order address gave."""
    return list(filter(None, (_read(session, address, head) for head in heads)))


def _read(session: Session, address: str, head: bytes) -> JunkMail | None:
    message = parse_headers(head)
    shown = find_codes(session, replace(message, references=()), address, None).shown
    campaign = next((code.campaign for code in shown if code.campaign), "")
    return JunkMail(message.sender or "?", redact_all(message.subject), campaign) if shown else None


def junk_since(now: dt.datetime) -> dt.datetime:
    """Return the time from which on mail in the folder for junk is looked at."""
    return now - dt.timedelta(days=JUNK_DAYS)


def describe_junk(folder: str, mails: Iterable[JunkMail]) -> str:
    """Return the sentence on mail of ours in the folder for junk; "" if there is none."""
    senders = [mail.sender for mail in mails]
    if not senders:
        return ""
    lie = count_noun(len(senders), "mail with a valid code lies", "mails with a valid code lie")
    return f"{lie} in the folder {folder}, from {', '.join(dict.fromkeys(senders))}"


def fetch_junk(app: App, mailbox: MaildirMailbox | ImapMailbox, now: dt.datetime) -> int:
    """Put mail of ours from the folder for junk into the inbox; return the number.

    Raises:
        MailError: It cannot be read or moved.
    """
    with app.store.reading() as session:
        moved = mailbox.fetch_junk(junk_since(now), lambda head: bool(_read(session, app.settings.address, head)))
    if moved:
        event("junk fetched", mails=moved)
    return moved


def tell_gms(app: App, folder: str, mails: Iterable[JunkMail], now: dt.datetime) -> None:
    """Tell each GM, once a day, of the mail for their campaign in the folder for junk."""
    for name, theirs in _by_campaign(mails):
        with app.store.writing() as session:
            try:
                context = Context(session, app, load_campaign(session, name), now)
            except CampaignError:  # it cannot be read, and others tell of that
                continue
            lines = tuple(f"{mail.sender}: {mail.subject}" for mail in theirs)
            post(context, GM, mail_in_junk(folder=folder, mails=lines), id_=("junk", name, now.date().isoformat()))


def _by_campaign(mails: Iterable[JunkMail]) -> Iterator[tuple[str, list[JunkMail]]]:
    all_ = list(mails)
    for name in dict.fromkeys(mail.campaign for mail in all_ if mail.campaign):
        yield name, [mail for mail in all_ if mail.campaign == name]
