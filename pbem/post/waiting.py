"""The mail that waits in the outbox: which of it is due, and in what order it goes."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import cast

from sqlalchemy import ColumnElement, Table, case

from pbem.config_values import Pace
from pbem.store.models import Outgoing
from pbem.store.types import UNSENT

OUTBOX = cast(Table, Outgoing.__table__)

LONGEST_WAIT = timedelta(hours=4)
"""No mail is made to wait longer before somebody looks at it again."""

GIVE_UP = timedelta(days=5)
"""How long after it was written a mail is still tried (RFC 5321, 4.5.4.1); longer, if it was tried but a few times."""

PROMPT = ("receipt", "answer", "question", "stranger", "warning")
"""Kinds of mail that go before all others: somebody has just written, and wonders whether it arrived.

Everything else is told to many at once, and would keep such a one waiting for
hours where a provider takes little mail. They cannot crowd reports out: there
is one at most for each letter that came.
"""

IN_ORDER = (case((OUTBOX.c.kind.in_(PROMPT), 0), else_=1), OUTBOX.c.id)
"""The order in which mail goes: answers first, and else as it was written."""


def is_due(now: datetime) -> ColumnElement[bool]:
    """The condition that a mail is to be sent now: it waits, or somebody's claim on it has run out."""
    # A mail that seems to wait for longer than any does was written down while the clock was ahead.
    when = (OUTBOX.c.not_before <= now) | (OUTBOX.c.not_before > now + LONGEST_WAIT)
    return OUTBOX.c.state.in_(UNSENT) & when


def lane_of(provider: str, pace: Pace) -> str:
    """The lane in which mail to a provider goes, one sender at a time: one for each that has a pace of its own.

    All else goes in the lane "". Where all mail together has a pace there is no other.
    """
    return provider if provider in _own_lanes(pace) else ""


def in_lane(lane: str, pace: Pace) -> ColumnElement[bool]:
    """The condition that a mail goes in a lane."""
    return OUTBOX.c.provider == lane if lane else OUTBOX.c.provider.not_in(_own_lanes(pace))


def _own_lanes(pace: Pace) -> Collection[str]:
    return () if pace.overall else pace.domains.keys()


def provider_of(address: str) -> str:
    """The domain of an address, as it stands in `Outgoing.provider`."""
    return address.rpartition("@")[2].lower()
