"""The outcome of a night: all that must be the same however often it was disturbed."""

from __future__ import annotations

import email
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from pbem.app import App
from pbem.archive.verify import verify
from pbem.campaign.archive_sync import prove_archive
from pbem.mail.retention import keep_text_only, redact_tokens
from pbem.scheduler.work import TickResult
from pbem.store.models import Campaign, InboxMessage, JournalEntry, OrderSheet, OutgoingMail, Seat, Turn

# Times: a disturbed night ends later, and its mails may say so.
_TIME = re.compile(rb"^(?:Date: |DTSTAMP:|SEQUENCE:).*$|T\d{6}Z|\b\d{2}:\d{2}\b", re.MULTILINE)

# The MIME boundary: it depends on the parts, which may have a randomly drawn token.
_BOUNDARY = re.compile(rb'boundary="[^"]*"')

# The hash of a record, in a report: each record has a salt of its own.
_RECORD = re.compile(rb"\b[0-9a-f]{64}\b")

# In a link that writes a mail it stands behind an encoded plus.
_KEY = re.compile(rb"(?:\b|(?<=%2B))[0-9a-z]{16,}\b")
_NUMBERED = re.compile(r"\bmessage \d+")
_GM = "gm@example.org"

# Kinds of mail with a newly drawn key, which may be part of the Message-ID: no two nights draw the same.
_DRAWN = frozenset({"confirmation", "join", "welcome"})

# Kinds of mail that may show such a key: a notice to the GM has the code of what it offers.
_KEYED = _DRAWN | {"answer", "notice", "stranger"}


@dataclass(frozen=True)
class Outcome:
    """The outcome without times. Every list is sorted, and has duplicates.

    letters: hash, state, note. sheets: campaign, turn, seat, version, whether
    accepted, digest, hash of its message. turns: campaign, number, hash of the
    state, orders and sheets used. seats: campaign, seat, turns missed. mails:
    Message-ID, recipient, state, hash of the bytes. proofs: campaign, turns
    proved, reports proved. Notices, answers to the GM, and mails with a newly
    drawn key have their kind instead of the Message-ID.
    """

    letters: list[Any]
    sheets: list[Any]
    turns: list[Any]
    seats: list[Any]
    acts: list[Any]
    mails: list[Any]
    proofs: list[Any]

    def difference(self, other: Outcome) -> str:
        """Return the surplus and missing entries compared with another outcome; "" if they are the same."""
        said = []
        for field in fields(self):
            here, there = (Counter(getattr(each, field.name)) for each in (self, other))
            if here != there:
                said.append(f"{field.name}: too much {list(here - there)}, too little {list(there - here)}")
        return "; ".join(said)


def outcome(app: App) -> Outcome:
    """Return the outcome in an installation's database and archive; raise ReplayError if an archive is not proved."""
    with app.store.reading() as session:
        return Outcome(
            letters=sorted(map(_letter, session.execute(_LETTERS))),
            sheets=_rows(session, _SHEETS),
            turns=sorted(map(_turn, session.execute(_TURNS))),
            seats=_rows(session, _SEATS),
            acts=sorted((name, _untimed(text.encode())) for name, text in session.execute(_ACTS)),
            mails=sorted(map(_mail, session.scalars(select(OutgoingMail)))),
            proofs=[_proof(app, name) for name in session.scalars(select(Campaign.name).order_by(Campaign.name))],
        )


_LETTERS = select(InboxMessage.sha256, InboxMessage.state, InboxMessage.note)
_SHEETS = (
    select(
        Campaign.name,
        Turn.number,
        Seat.name,
        OrderSheet.version,
        OrderSheet.accepted,
        OrderSheet.digest,
        InboxMessage.sha256,
    )
    .join(Turn, Turn.id == OrderSheet.turn_id)
    .join(Campaign, Campaign.id == Turn.campaign_id)
    .join(Seat, Seat.id == OrderSheet.seat_id)
    .join(InboxMessage, InboxMessage.id == OrderSheet.inbox_id)
)
_TURNS = select(Campaign.name, Turn.number, Turn.state_hash, Turn.record, Turn.reminded_at).join(
    Campaign, Campaign.id == Turn.campaign_id
)
_SEATS = select(Campaign.name, Seat.name, Seat.nmr_in_a_row, Seat.nmr_total).join(
    Campaign, Campaign.id == Seat.campaign_id
)

_ACTS = select(Campaign.name, JournalEntry.text).join(Campaign, Campaign.id == JournalEntry.campaign_id)


def _untimed(told: bytes) -> bytes:
    return _TIME.sub(b"", told)


def _rows(session: Session, query: Any) -> list[Any]:
    return sorted(tuple(row) for row in session.execute(query))


def _letter(row: Any) -> tuple[str, str, str]:
    # PostgreSQL skips the numbers of messages whose commit was killed.
    return row.sha256, row.state, _NUMBERED.sub("message", row.note)


def _turn(row: Any) -> tuple[str, int, str, str, bool]:
    record = json.loads(row.record or b"{}")
    used = {name: record.get(name) for name in ("orders", "missing", "sheets", "state_after", "events")}
    return row.name, row.number, row.state_hash, json.dumps(used, sort_keys=True), row.reminded_at is not None


def _mail(mail: OutgoingMail) -> tuple[str, str, str, str]:
    # A notice is named after its entry in the journal, and an answer to the GM after the message: PostgreSQL skips the
    # number of one that was rolled back.
    counted = mail.kind in _DRAWN | {"notice"} or (mail.kind == "answer" and mail.recipient == _GM)
    name = mail.kind if counted else mail.message_id
    raw = mail.raw.replace(mail.message_id.encode(), name.encode())
    raw = _RECORD.sub(b"record", _decoded(raw))
    raw = _KEY.sub(b"key", raw) if mail.kind in _KEYED else raw
    return name, mail.recipient, mail.state, _digest(_untimed(raw))


def _decoded(raw: bytes) -> bytes:
    """Return the header of a mail, and its decoded contents."""
    contents = [part.get_payload(decode=True) for part in email.message_from_bytes(raw).walk()]
    return b"\n".join(
        [_BOUNDARY.sub(b"", raw.partition(b"\r\n\r\n")[0]), *(each for each in contents if isinstance(each, bytes))]
    )


def _proof(app: App, name: str) -> tuple[str, int, int]:
    proof = prove_archive(app, name)
    verify(app.settings.archive, name, games=app.games)
    return proof.campaign, proof.turns, proof.reports


def _digest(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


def idle(done: TickResult) -> bool:
    """Return True if a tick found nothing to do."""
    nothing = (done.busy, done.polled, done.processed.messages, done.reminded, done.archived, done.sent.sent)
    return not any(nothing) and not done.resolved


def astray(app: App, delivered: Iterable[tuple[str, bytes]]) -> list[str]:
    """Return errors of the mails that were sent, in sentences: lost, altered, or sent to the wrong recipient.

    A superseded mail must not arrive. `delivered` are recipients and their mails,
    which may have additional header fields on top, as servers put them.
    """
    with app.store.reading() as session:
        mails = select(OutgoingMail.recipient, OutgoingMail.message_id, OutgoingMail.raw)
        rows = session.execute(mails.where(OutgoingMail.state != "superseded")).all()
    came: Counter[str] = Counter()
    wrong = []
    for recipient, raw in delivered:
        forms = _forms(raw)
        own = [
            row.message_id
            for row in rows
            if row.recipient == recipient and any(form.endswith(row.raw) for form in forms)
        ]
        came.update(own)
        if len(own) != 1:
            wrong.append(f"{recipient} got what is not for him, or not as it was written: {raw[:200]!r}")
    return wrong + [f"{row.message_id} to {row.recipient} never came" for row in rows if not came[row.message_id]]


@lru_cache(maxsize=512)
def _forms(raw: bytes) -> tuple[bytes, ...]:
    """Return the forms in which a delivered mail may be stored: unchanged, with its token masked, or its text alone.

    Cached, since the same mails arrive after each kill.
    """
    came = _line_ends(raw)
    return came, redact_tokens(came), keep_text_only(came)


def _line_ends(raw: bytes) -> bytes:
    return raw.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
