"""Sheets because of which a turn waits for its deadline. What each tick asks, so it imports little."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import exists, select
from sqlalchemy.orm import Session, aliased

from pbem.ruleset.order_types import Finding
from pbem.ruleset.values import SeatName
from pbem.store.models import OrderSheet, Seat

STANDS = OrderSheet.accepted | OrderSheet.wait
"""A condition for sheets that were not withdrawn: they count, or wait for their correction."""


@dataclass(frozen=True, slots=True)
class WaitingSheet:
    """The newest sheet of a seat, because of which the turn waits for its deadline.

    `errors` are its errors, if it waits for a correction; `lines` is the number of lines refused.
    """

    version: int
    errors: tuple[Finding, ...] = ()

    @property
    def lines(self) -> int:
        """The number of lines not accepted; one line may have several errors."""
        return len({error.line for error in self.errors})


def waiting_sheets(session: Session, turn_id: int, seat: SeatName | None = None) -> Mapping[SeatName, WaitingSheet]:
    """Return the newest sheets because of which a turn waits for its deadline, of all seats or of one."""
    newer = aliased(OrderSheet)
    later = (newer.turn_id == OrderSheet.turn_id) & (newer.seat_id == OrderSheet.seat_id)
    found = (
        select(Seat.name, OrderSheet.version, OrderSheet.findings)
        .join(Seat, Seat.id == OrderSheet.seat_id)
        .where(OrderSheet.turn_id == turn_id, OrderSheet.wait)
        .where(~exists().where(later, newer.version > OrderSheet.version, newer.accepted | newer.wait))
    )
    if seat is not None:
        found = found.where(Seat.name == seat)
    return {name: WaitingSheet(version, tuple(_errors_in(rows))) for name, version, rows in session.execute(found)}


def _errors_in(findings: Iterable[Mapping[str, Any]]) -> Iterator[Finding]:
    # By name: rows of earlier versions lack fields that have a default.
    return (Finding(**each) for each in findings if each["severity"] == "error")
