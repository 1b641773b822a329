"""Removes tokens from stored mail that has been processed, and all but the text from sent mail.

A token is stored as its hash, and in its reader's mailbox; pictures, HTML and data
of a report are with the report and in the archive. The text stays, since replies
quote it. A message keeps its token until it is processed, so that a quarantined
one can be tried again. A sent mail stays whole as long as it may bounce and be
sent once more another way.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Executable, bindparam, select, update
from sqlalchemy.orm import Session

from pbem.mail.compose import text_only
from pbem.mail.message import parse_message
from pbem.store.models import InboxMessage, OutgoingMail
from pbem.store.session import Store
from pbem.store.types import MessageState, OutgoingState
from pbem.util import MASK, TOKEN_BYTES

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
_REPLACED = (b"content-", b"x-pbem-masked")


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of stored mail: whether one has done its work, as of a `moment`, and what is kept of it then."""

    row: Any
    over: ColumnElement[bool]
    kept: Callable[[bytes], bytes]
    left: Executable


def _kind(row: Any, over: ColumnElement[bool], kept: Callable[[bytes], bytes]) -> _Kind:
    left = select(row.id, row.raw).where(over, row.masked_at.is_(None)).order_by(row.id).limit(AT_ONCE)
    return _Kind(row, over, kept, left.execution_options(yield_per=10))


def redact_old_mail(store: Store, now: datetime) -> int:
    """Masks tokens in letters dealt with, and keeps of mails sent a week ago the text; returns how many changed."""
    with store.reading() as session:
        found = [(kind, *_find_changes(session, kind, now)) for kind in _KINDS]
    for kind, seen, changed in found:
        if seen:
            _store_changes(store, kind, seen, changed, now)
    return sum(len(changed) for _, _, changed in found)


def is_masked(raw: bytes) -> bool:
    """Whether a stored mail is no longer what it was, so that it cannot go out again."""
    end = _END_OF_HEAD.search(raw)
    return _MARK in (raw[: end.start()] if end else raw)


def keep_text_only(raw: bytes) -> bytes:
    """A mail of ours without HTML, pictures, files and tokens, and a mark of that; as it is, if it has none of them."""
    if text_only(raw) == raw:
        return redact_tokens(raw)
    # Its text as it is read, not as it stands: whoever quotes it may have seen the HTML, which is wrapped otherwise.
    return _as_text(_FIELD.sub(_mask_subject, _split_mail(raw)[0]), parse_message(raw).text)


def redact_tokens(raw: bytes) -> bytes:
    """A mail with its tokens masked, and a mark of that; as it is, if it has none.

    Where they are found only once it is decoded, its text alone is kept.
    """
    head, gap, body = _split_mail(raw)
    text = parse_message(raw).text if _ENCODED.search(raw) else ""
    shown = _FIELD.sub(_mask_subject, head)
    if _TOKEN.search(text):
        return _as_text(shown, text)
    hidden = _TOKEN_BYTES.sub(MASK.encode(), body)
    if (shown, hidden) == (head, body):
        return raw
    # Half the gap is a line end of the kind that this mail has.
    return shown.rstrip() + gap[: len(gap) // 2] + _MARK + gap + hidden


def _split_mail(raw: bytes) -> tuple[bytes, bytes, bytes]:
    """The head of a mail, the gap below it, and its body."""
    end = _END_OF_HEAD.search(raw)
    return (raw[: end.start()], end[0], raw[end.end() :]) if end else (raw, b"\r\n\r\n", b"")


def _as_text(head: bytes, text: str) -> bytes:
    fields = [each[0] for each in _FIELD.finditer(head) if not each["name"].lower().startswith(_REPLACED)]
    plain = [b"Content-Type: text/plain; charset=utf-8", b"Content-Transfer-Encoding: 8bit"]
    return b"\r\n".join([b"".join(fields).rstrip(), *plain, _MARK, b"", _TOKEN.sub(MASK, text).encode()])


def _mask_subject(field: re.Match[bytes]) -> bytes:
    """A field; others than the subject have Message-IDs and the like in them, which may look like tokens."""
    return _TOKEN_BYTES.sub(MASK.encode(), field[0]) if field["name"].lower() == b"subject" else field[0]


_KINDS = (
    _kind(InboxMessage, InboxMessage.state == MessageState.PROCESSED, redact_tokens),
    _kind(
        OutgoingMail,
        (OutgoingMail.state == OutgoingState.SENT) & (OutgoingMail.sent_at <= bindparam("moment")),
        keep_text_only,
    ),
)


def _find_changes(session: Session, kind: _Kind, now: datetime) -> tuple[list[int], dict[int, bytes]]:
    """The next mails of a kind that have done their work, and what is to be kept of those that it is not all of."""
    seen, changed = [], {}
    for id_, raw in session.connection().execute(kind.left, {"moment": now - COMES_BACK}):
        seen.append(id_)
        if (now_kept := kind.kept(raw)) != raw:
            changed[id_] = now_kept
    return seen, changed


def _store_changes(store: Store, kind: _Kind, seen: list[int], changed: dict[int, bytes], now: datetime) -> None:
    with store.writing(durable=False) as session:
        # A mail may have come back meanwhile, and wait to go another way.
        still, moment = update(kind.row).where(kind.over), {"moment": now - COMES_BACK}
        left = still.where(kind.row.masked_at.is_(None), kind.row.id.in_(seen))
        session.connection().execute(left.values(masked_at=now), moment)
        for id_, raw in changed.items():
            session.connection().execute(still.where(kind.row.id == id_).values(raw=raw), moment)
