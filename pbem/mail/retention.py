"""Redact tokens in stored mail that has been processed, and keep only the text of sent mail.

A token is stored as its hash, and in its reader's mailbox; pictures, HTML and data
of a report are with the report and in the archive. The text stays, since replies
quote it. A message keeps its token until it is processed, so that a quarantined
one can be tried again. A sent mail stays whole as long as it may bounce and be
sent once more another way.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, bindparam, select, update
from sqlalchemy.orm import Session

from pbem.mail.compose import text_only
from pbem.mail.mailbox import split_mail
from pbem.store.models import InboxMessage, OutgoingMail
from pbem.store.session import Store
from pbem.store.types import MessageState, OutgoingState
from pbem.util import MASK, TOKEN_BYTES

COMES_BACK = timedelta(days=7)
"""How long a mail may still bounce after it was sent; servers give up after 5 days (RFC 5321)."""

AT_ONCE = 200
"""Messages, and sent mails, examined in one tick; the backlog of an older home takes several."""

_TOKEN = re.compile(rf"\b[0-9a-f]{{{2 * TOKEN_BYTES}}}\b", re.IGNORECASE)
_TOKEN_BYTES = re.compile(_TOKEN.pattern.encode(), re.IGNORECASE)
_FIELD = re.compile(rb"^(?P<name>[!-9;-~]+):[^\n]*(?:\n[ \t][^\n]*)*\n?", re.MULTILINE)
_ENCODED = re.compile(rb"^content-transfer-encoding:\s*(?:base64|quoted-printable)", re.IGNORECASE | re.MULTILINE)
_MARK = b"X-Pbem-Masked: yes"
_REPLACED = (b"content-", b"x-pbem-masked")


class _Kind(NamedTuple):
    """Kind of stored mail: the condition that it may be redacted as of a `moment`, and the redaction."""

    row: Any
    over: ColumnElement[bool]
    kept: Callable[[bytes], bytes]


def redact_old_mail(store: Store, now: datetime) -> int:
    """Mask tokens in processed messages, and keep only the text of mail sent a week ago; return how many changed."""
    with store.reading() as session:
        found = [(kind, *_find_changes(session, kind, now)) for kind in _KINDS]
    for kind, seen, changed in found:
        if seen:
            _store_changes(store, kind, seen, changed, now)
    return sum(len(changed) for _, _, changed in found)


def is_masked(raw: bytes) -> bool:
    """Return True if a stored mail has been redacted, so that it cannot be sent again."""
    return _MARK in split_mail(raw)[0]


def keep_text_only(raw: bytes) -> bytes:
    """Return a mail of ours without HTML, pictures, files and tokens, marked as redacted; unchanged if it has none."""
    if text_only(raw) == raw:
        return redact_tokens(raw)
    # The text as parsed, not as sent: a reply may quote the HTML, which is wrapped otherwise.
    return _as_text(_FIELD.sub(_mask_subject, split_mail(raw)[0]), _parse_text(raw))


def _parse_text(raw: bytes) -> str:
    # Imported here, as most ticks find nothing to redact.
    from pbem.mail.message import parse_message

    return parse_message(raw).text


def redact_tokens(raw: bytes) -> bytes:
    """Return a mail with its tokens masked, marked as redacted; unchanged if it has none.

    Where they show only once it is decoded, its text alone is kept.
    """
    head, gap, body = split_mail(raw)
    text = _parse_text(raw) if _ENCODED.search(raw) else ""
    shown = _FIELD.sub(_mask_subject, head)
    if _TOKEN.search(text):
        return _as_text(shown, text)
    hidden = _TOKEN_BYTES.sub(MASK.encode(), body)
    if (shown, hidden) == (head, body):
        return raw
    # Half the gap is one line end, LF or CRLF as in this mail.
    return shown.rstrip() + gap[: len(gap) // 2] + _MARK + gap + hidden


def _as_text(head: bytes, text: str) -> bytes:
    fields = [each[0] for each in _FIELD.finditer(head) if not each["name"].lower().startswith(_REPLACED)]
    plain = [b"Content-Type: text/plain; charset=utf-8", b"Content-Transfer-Encoding: 8bit"]
    return b"\r\n".join([b"".join(fields).rstrip(), *plain, _MARK, b"", _TOKEN.sub(MASK, text).encode()])


def _mask_subject(field: re.Match[bytes]) -> bytes:
    """Return a field with tokens masked if it is the subject; Message-IDs and the like may look like tokens."""
    return _TOKEN_BYTES.sub(MASK.encode(), field[0]) if field["name"].lower() == b"subject" else field[0]


_KINDS = (
    _Kind(InboxMessage, InboxMessage.state == MessageState.PROCESSED, redact_tokens),
    _Kind(
        OutgoingMail,
        (OutgoingMail.state == OutgoingState.SENT) & (OutgoingMail.sent_at <= bindparam("moment")),
        keep_text_only,
    ),
)


def _find_changes(session: Session, kind: _Kind, now: datetime) -> tuple[list[int], dict[int, bytes]]:
    """Return the ids of the next mails of a kind to redact, and the new bytes of those that change."""
    seen, changed = [], {}
    left = select(kind.row.id, kind.row.raw).where(kind.over, kind.row.masked_at.is_(None)).order_by(kind.row.id)
    left = left.limit(AT_ONCE).execution_options(yield_per=10)
    for id_, raw in session.connection().execute(left, {"moment": now - COMES_BACK}):
        seen.append(id_)
        if (now_kept := kind.kept(raw)) != raw:
            changed[id_] = now_kept
    return seen, changed


def _store_changes(store: Store, kind: _Kind, seen: list[int], changed: dict[int, bytes], now: datetime) -> None:
    with store.writing(durable=False) as session:  # if a power cut undoes it, the next tick repeats it
        # A mail may have bounced meanwhile, and be queued to go another way.
        still, moment = update(kind.row).where(kind.over), {"moment": now - COMES_BACK}
        left = still.where(kind.row.masked_at.is_(None), kind.row.id.in_(seen))
        session.connection().execute(left.values(masked_at=now), moment)
        for id_, raw in changed.items():
            session.connection().execute(still.where(kind.row.id == id_).values(raw=raw), moment)
