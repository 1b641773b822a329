"""Takes tokens out of stored mail that has done its work: a token is kept as its hash, and in its reader's mailbox.

A letter keeps its token until it is dealt with, so that one which was set aside
can be tried again. A mail that was sent keeps it for as long as it may come
back, and go once more another way.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, select, update

from pbem.masking import MASK, TOKEN_BYTES
from pbem.post.reading import read_letter
from pbem.store import Store
from pbem.store.models import Letter, Outgoing
from pbem.store.states import LetterState, MailState

COMES_BACK = timedelta(days=7)
"""For so long after a mail was sent its delivery report is waited for; servers give up after 5 days (RFC 5321)."""

AT_ONCE = 200
"""Mails looked at in a tick, of letters and of sent ones each; the backlog of an older home takes a few."""

_TOKEN = re.compile(rf"\b[0-9a-f]{{{2 * TOKEN_BYTES}}}\b", re.IGNORECASE)
_TOKEN_BYTES = re.compile(_TOKEN.pattern.encode(), re.IGNORECASE)
_END_OF_HEAD = re.compile(rb"\r?\n\r?\n")
_FIELD = re.compile(rb"^(?P<name>[!-9;-~]+):[^\n]*(?:\n[ \t][^\n]*)*\n?", re.MULTILINE)
_ENCODED = re.compile(rb"^content-transfer-encoding:\s*(?:base64|quoted-printable)", re.IGNORECASE | re.MULTILINE)
_MARK = b"X-Pbem-Masked: yes"


def forget_tokens(store: Store, now: datetime) -> int:
    """Masks the tokens in letters dealt with and in mails sent a week ago; returns how many had any."""
    done = Letter.state == LetterState.DONE
    sent = (Outgoing.state == MailState.SENT) & (Outgoing.sent_at <= now - COMES_BACK)
    return _forget(store, Letter, done, now) + _forget(store, Outgoing, sent, now)


def is_masked(raw: bytes) -> bool:
    """Whether a stored mail is no longer what it was, so that it cannot go out again."""
    end = _END_OF_HEAD.search(raw)
    return _MARK in (raw[: end.start()] if end else raw)


def without_tokens(raw: bytes) -> bytes:
    """A mail with its tokens masked, and a mark of that; as it is, if it has none.

    Where they are found only once it is decoded, its text alone is kept.
    """
    end = _END_OF_HEAD.search(raw)
    head, body = (raw[: end.start()], raw[end.end() :]) if end else (raw, b"")
    text = read_letter(raw).text if _ENCODED.search(raw) else ""
    shown = _FIELD.sub(_masked_subject, head)
    if _TOKEN.search(text):
        kept = b"".join(each[0] for each in _FIELD.finditer(shown) if not each["name"].lower().startswith(b"content-"))
        plain = [b"Content-Type: text/plain; charset=utf-8", b"Content-Transfer-Encoding: 8bit"]
        return b"\r\n".join([kept.rstrip(), *plain, _MARK, b"", _TOKEN.sub(MASK, text).encode()])
    hidden = _TOKEN_BYTES.sub(MASK.encode(), body)
    if (shown, hidden) == (head, body):
        return raw
    gap = end[0] if end else b"\r\n\r\n"
    # Half the gap is a line end of the kind that this mail has.
    return shown.rstrip() + gap[: len(gap) // 2] + _MARK + gap + hidden


def _masked_subject(field: re.Match[bytes]) -> bytes:
    """A field; others than the subject have Message-IDs and the like in them, which may look like tokens."""
    return _TOKEN_BYTES.sub(MASK.encode(), field[0]) if field["name"].lower() == b"subject" else field[0]


def _forget(store: Store, kind: Any, over: ColumnElement[bool], now: datetime) -> int:
    left = select(kind.id, kind.raw).where(over, kind.masked_at.is_(None)).order_by(kind.id).limit(AT_ONCE)
    with store.reading() as session:
        rows = session.execute(left).all()
    changed = {id_: masked for id_, raw in rows if (masked := without_tokens(raw)) != raw}
    if rows:
        with store.writing(durable=False) as session:
            # A mail may have come back meanwhile, and wait to go another way.
            still = update(kind).where(over, kind.masked_at.is_(None))
            session.execute(still.where(kind.id.in_([id_ for id_, _ in rows])).values(masked_at=now))
            for id_, masked in changed.items():
                session.execute(update(kind).where(over, kind.id == id_).values(raw=masked))
    return len(changed)
