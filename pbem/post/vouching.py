"""Finds out whether the mail server adds Authentication-Results (RFC 8601), by mails that a GM's token proves.

Where it adds no Authentication-Results (RFC 8601), a sender can write one in its
name, and nothing in a mail tells the two apart. But a GM does not forge: if a
mail with a GM's token came from outside and has no such field, none counts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from pbem.post.authentication import Verdict, bears_word, sender_verdict
from pbem.post.mime import head_of
from pbem.store.models import Campaign, InboxMessage

MOST_PROVEN = 5
"""Of the mails that a GM's token proves, the newest are looked at."""

_TAKEN_BY = re.compile(
    rb"^received:(?:[^\n]|\n[ \t])*?\bwith[ \t]+(?:UTF8)?E?SMTPS?(A?)\b", re.IGNORECASE | re.MULTILINE
)
"""Protocols by which the nearest server took a mail (RFC 3848); with an A, from a user of its own who had logged in."""


@dataclass(frozen=True, slots=True)
class Proven:
    """A mail of a GM from outside: its letter, and the server's verdict on its sender. `stamped`: it bears a word."""

    letter: int
    sender: str
    received_at: datetime
    stamped: bool
    verdict: Verdict


def newest_proven(session: Session, authserv_id: str) -> Proven | None:
    """Return the newest mail from outside that a GM's token proves, as the server of that name has stamped it."""
    gms = select(func.lower(Campaign.gm))
    # The sender first, as the index has it.
    proven = (InboxMessage.sender.in_(gms), InboxMessage.key >= "gm ", InboxMessage.key < "gm!")
    rows = select(InboxMessage.id, InboxMessage.sender, InboxMessage.received_at, InboxMessage.raw).where(*proven)
    for row in session.execute(
        rows.order_by(InboxMessage.received_at.desc(), InboxMessage.id.desc()).limit(MOST_PROVEN)
    ):
        if is_from_outside(row.raw):
            verdict = sender_verdict(row.raw, authserv_id, row.sender)
            return Proven(row.id, row.sender, row.received_at, bears_word(row.raw, authserv_id), verdict)
    return None


def is_stamping(session: Session, authserv_id: str) -> bool:
    """Return whether the server's word may count: unless a GM's mail shows that it adds none."""
    if authserv_id not in session.info.setdefault(_KNOWN, {}):
        proven = newest_proven(session, authserv_id)
        session.info[_KNOWN][authserv_id] = proven is None or proven.stamped
    return bool(session.info[_KNOWN][authserv_id])


_KNOWN = object()


def is_from_outside(raw: bytes) -> bool:
    """Return whether another server handed a mail over, by what the nearest one says; a user's own has no stamp."""
    taken = _TAKEN_BY.search(head_of(raw))
    return taken is not None and not taken[1]
