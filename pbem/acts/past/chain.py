"""The chain of a campaign's turns: each hangs on the one before it, by its number, its state and its record.

Every live turn but the last was resolved, its record names the hash of the
record before it, the state that it began with and the one that it led to, and
whom that was reported to. Whatever is done to a campaign keeps this true; this
module looks whether it is.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from pbem.archive.record import file_hash
from pbem.campaign.snapshot import CampaignSnapshot, live
from pbem.ruleset.values import Seat
from pbem.store.models import Report, SeatRow, Turn
from pbem.store.types import Phase


@dataclass(frozen=True, slots=True)
class Break:
    """Where a chain is broken, in words; `last` is the number of the last turn that hangs on it, -1 for none."""

    text: str
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Link:
    """A live turn, as far as its neighbours depend on it; `told` are the seats whose reports opened it."""

    number: int
    state_hash: str
    has_its_state: bool
    resolved: bool
    record: bytes
    told: frozenset[Seat]


def find_break(session: Session, snapshot: CampaignSnapshot) -> Break | None:
    """The first place where the turns of a campaign do not hang together; None if they do."""
    if snapshot.status == Phase.FORMING:
        return None
    links = list(_links(session, snapshot))
    if not links or links[0].number != snapshot.origin:
        return Break("its set-up is missing", -1)
    before = b""
    for link, following in pairwise(links):
        if wrong := _between(before, link, following):
            return Break(wrong, link.number)
        before = link.record
    wrong = _at_the_end(snapshot, links[-1])
    return Break(wrong, links[-1].number) if wrong else None


def _between(before: bytes, link: _Link, following: _Link) -> str:
    """What is wrong between a turn and the one that follows; `before` is the record of the one before both."""
    number, after = link.number, following.number
    if not link.resolved:
        return f"turn {number} was not run, but turn {after} follows it"
    if after != number + 1:
        return f"turn {number + 1} is missing, but there is a turn {after}"
    record = json.loads(link.record)
    if record.get("number") != number or record.get("previous") != (file_hash(before) if before else ""):
        return f"turn {number} was run, but not after what turn {number - 1} is now"
    if record.get("state_before", link.state_hash) != link.state_hash:  # a set-up has none before it
        return f"turn {number} was run from another state than it has"
    if not following.has_its_state or record.get("state_after") != following.state_hash:
        return f"turn {after} has another state than turn {number} led to"
    missing = _reported(record) - following.told
    return f"turn {after} lacks the report of {', '.join(sorted(missing))}" if missing else ""


def _at_the_end(snapshot: CampaignSnapshot, last: _Link) -> str:
    if last.resolved:
        return f"turn {last.number} was run, but no turn follows it"
    if last.number != snapshot.turn:
        return f"it stands at turn {snapshot.turn}, but its last turn is {last.number}"
    return ""


def _reported(record: Mapping[str, Any]) -> set[Seat]:
    paths = (path.removeprefix("reports/") for path in record.get("files", ()) if path.startswith("reports/"))
    return {name.removesuffix(".json") for name in paths if name.endswith(".json")}


def _links(session: Session, snapshot: CampaignSnapshot) -> Iterator[_Link]:
    told = _told(session, snapshot)
    turns = select(Turn.id, Turn.number, Turn.state, Turn.state_hash, Turn.resolved_at, Turn.record)
    for row in session.execute(turns.where(live(snapshot.id)).order_by(Turn.number)):
        yield _Link(
            number=row.number,
            state_hash=row.state_hash,
            has_its_state=row.number == snapshot.origin or file_hash(row.state) == row.state_hash,
            resolved=row.resolved_at is not None,
            record=row.record or b"{}",
            told=frozenset(told[row.id]),
        )


def _told(session: Session, snapshot: CampaignSnapshot) -> Mapping[int, set[Seat]]:
    """The seats whose reports opened each live turn, by its id."""
    reports = select(Report.turn_id, SeatRow.name).join(SeatRow, SeatRow.id == Report.seat_id)
    told: dict[int, set[Seat]] = defaultdict(set)
    for turn_id, seat in session.execute(reports.join(Turn, Turn.id == Report.turn_id).where(live(snapshot.id))):
        told[turn_id].add(seat)
    return told
