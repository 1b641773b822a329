"""What waits to be confirmed: each request has a code that was mailed to one address and holds for some days."""

from __future__ import annotations

import datetime as dt
import secrets
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from pbem.mail.headers import reply_code
from pbem.report.answers import RequestKind
from pbem.store.models import Request

DAYS = 14
"""How long a code holds."""

A_DAY = 10
"""How many codes one address may be sent in a day: nobody needs more, and a stranger pays for each."""

UNPROVEN_A_DAY = 3
"""The same because of letters that anybody could have written."""

UNPROVEN = ("none", "fail")
"""The accounts of such letters: what the receiving server says of their senders."""

QUESTIONS = "questions"
"""The account of questions about letters, which anybody can bring about: they use up no other codes."""


ENOUGH_CODES = "So many codes were mailed today that no more are sent before tomorrow. Nothing was done."
"""What is answered where no code can be mailed."""


def put_request(
    session: Session,
    kind: RequestKind | Literal["message"],
    now: dt.datetime,
    *,
    to: str,
    data: Mapping[str, Any],
    by: str = "",
    campaign_id: int | None = None,
    account: str = "",
) -> str | None:
    """Keeps a request that is confirmed by the code returned, to be mailed to `to`.

    None if that address had enough of them today, or `by`, who asks for it, has asked for enough. `account` is
    that of the letter that asks, "" for a GM's act: each is counted by itself, so that nobody uses up another's.
    """
    key = to.lower()
    most = UNPROVEN_A_DAY if account in UNPROVEN else A_DAY
    if asked_today(session, key, by, account, now) >= most:
        return None
    code = reply_code(secrets.token_bytes(32), kind)
    row = Request(
        kind=kind,
        code=code,
        campaign_id=campaign_id,
        data={**data, "to": key, "by": by, "account": account},
        created_at=now,
        done_at=None,
    )
    session.add(row)
    session.flush()
    return code


def find_request(session: Session, code: str, now: dt.datetime) -> Request | None:
    """The request of a code, unless it has been confirmed or is too old."""
    found = session.scalar(select(Request).where(Request.code == code.lower()))
    return found if found is not None and is_open(found, now) else None


def is_open(request: Request, now: dt.datetime) -> bool:
    """Whether a request may still be confirmed."""
    return request.done_at is None and now - request.created_at <= dt.timedelta(days=DAYS)


def known_code(session: Session, codes: Iterable[str]) -> str:
    """The first of these words that is the code of a request, confirmed or not; "" if none is."""
    words = list(codes)
    known = set(session.scalars(select(Request.code).where(Request.code.in_(words)))) if words else set()
    return next((word for word in words if word in known), "")


def settle(session: Session, request: Request, now: dt.datetime) -> bool:
    """Marks a request as confirmed; False if another desk was faster."""
    ours = update(Request).where(Request.id == request.id, Request.done_at.is_(None)).returning(Request.id)
    return session.scalar(ours.values(done_at=now)) is not None


def asked_today(session: Session, to: str, by: str, account: str, now: dt.datetime) -> int:
    """How much an address was asked in the last day, or `by` has caused to be asked, on an account."""
    today = session.scalars(select(Request.data).where(Request.created_at > now - dt.timedelta(days=1)))
    same = (data for data in today if data.get("account", "") == account)
    return sum(data["to"] == to or (bool(by) and data["by"] == by) for data in same)
