"""What if: a copy of a campaign in a home of its own, as it stood when a turn was open.

The copy has the dice, reports and sheets of the original, and other addresses:
nobody can be mailed from there by mistake. Of the campaign all is left as it
is; but as other sheets can be tried there against its dice, its journal and the
next reports tell that the copy was made.
"""

from __future__ import annotations

import datetime as dt
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from sqlalchemy import Select, insert, select
from sqlalchemy import Table as SqlTable
from sqlalchemy.orm import Session

from pbem.acts.past.preview import Preview
from pbem.acts.past.radius import differing_lines
from pbem.acts.past.shelving import version_before
from pbem.archive import copy_withdrawn
from pbem.campaign.history import removed_before
from pbem.campaign.journal import note
from pbem.campaign.reporting import report_text
from pbem.campaign.table import Table, live, load_table, locked_table, record_of
from pbem.errors import CampaignError
from pbem.house import House
from pbem.ruleset import Seat
from pbem.store.models import Base, Campaign, GmText, Person, Press, Report, SeatRow, Sheet, Turn

FORKED = "made a copy of the campaign as it stood when turn {number} was open, with its dice, to try what if"
"""What the journal and the next reports say of a copy."""

NOWHERE = "fork.invalid"
"""The domain of all players of a copy; no mail can ever reach it (RFC 2606)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forked:
    """A copy: the turn that is open there, and the versions of the sheets that count for it."""

    campaign: str
    turn: int
    sheets: Mapping[Seat, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """How the reports of a turn run in a copy differ from the real ones; only seats with differences have lines."""

    campaign: str
    turn: int
    differing: Mapping[Seat, tuple[str, ...]]
    same: tuple[Seat, ...]


def check_fork(house: House, name: str, number: int) -> None:
    """Raises CampaignError unless the campaign has a turn of this number to start from."""
    with house.store.reading() as session:
        _check_fork(load_table(session, name), number)


def _check_fork(table: Table, number: int) -> None:
    name = table.name
    if table.status == "forming":
        raise CampaignError(f"campaign {name} has not begun: it has no turn to start from")
    last = table.turn - (table.status == "over")
    if not 1 <= number <= last:
        raise CampaignError(f"{name} has no turn {number} to start from: it can be 1 to {last}")


def copy_templates(house: House, home: Path) -> None:
    """Copies the GM's own templates into the home of a copy, before it is opened. Raises OSError."""
    if house.settings.templates is not None:
        shutil.copytree(house.settings.templates, home / "templates", dirs_exist_ok=True)


def copy_campaign(house: House, fork: House, name: str, number: int, now: dt.datetime) -> Forked:
    """Copies a campaign into another, empty house, with the turn of this number open there. Raises CampaignError."""
    with house.store.writing() as session, fork.store.writing() as target:
        table = locked_table(session, name)
        _check_fork(table, number)
        if target.scalar(select(Campaign.id).limit(1)) is not None:
            raise CampaignError(f"{fork.settings.home} has a campaign already: fork into an empty folder")
        note(session, table.id, now, actor="gm", text=FORKED.format(number=number), turn=table.turn)
        last = record_of(session, table, number - 1)
        _copy(session, target, table, number, now)
    copy_withdrawn(house.settings.archive, fork.settings.archive, last)
    with fork.store.reading() as session:
        sheets = session.execute(
            select(SeatRow.name, Sheet.version)
            .join(Sheet, Sheet.seat_id == SeatRow.id)
            .join(Turn, Turn.id == Sheet.turn_id)
            .where(Turn.number == number, Sheet.accepted)
            .order_by(Sheet.version)
        ).all()
    return Forked(campaign=name, turn=number, sheets={row.name: row.version for row in sheets})


def compare_with_real(house: House, fork: House, made: Preview) -> Compared:
    """Compares a turn run in a copy with what players were really told. Raises CampaignError if it was not run yet."""
    with house.store.reading() as session:
        table = load_table(session, made.campaign)
        if made.turn >= table.turn:
            raise CampaignError(f"turn {made.turn} of {made.campaign} has not been run: there is nothing to compare")
        real = _views(session, table, made.turn + 1)
    ruleset = fork.game(table.game)
    differing = {}
    for report in made.reports:
        old = real.get(report.place.seat, b"{}")
        if old != report.view:
            now = report_text(fork, ruleset, made.opening, report.place, report.view)
            before = report_text(fork, ruleset, made.opening, report.place, old) if old != b"{}" else ""
            differing[report.place.seat] = differing_lines(before, now)
    told = {report.place.seat for report in made.reports}
    differing |= {seat: ("(no report)",) for seat in table.seats if seat in real and seat not in told}
    return Compared(
        campaign=made.campaign,
        turn=made.turn,
        differing=differing,
        same=tuple(seat for seat in table.seats if seat in real and seat not in differing),
    )


def _views(session: Session, table: Table, number: int) -> dict[Seat, bytes]:
    rows = session.execute(
        select(SeatRow.name, Report.view)
        .join(Report, Report.seat_id == SeatRow.id)
        .join(Turn, Turn.id == Report.turn_id)
        .where(live(table.id), Turn.number == number)
    )
    return {row.name: row.view for row in rows}


def _copy(source: Session, target: Session, table: Table, number: int, now: dt.datetime) -> None:
    campaign = {
        "status": "running",
        "turn": number,
        "version": version_before(source, table, number),
        "gm": f"gm@{NOWHERE}",
        "gm_token_hash": "",
        "held": "",
    }
    _put(target, Campaign, _rows(source, select(Campaign).where(Campaign.id == table.id)), campaign)
    for place in table.places:
        address = f"{place.seat}@{NOWHERE}"
        target.add(Person(id=place.id, address=address, key=address, created_at=now))
    target.flush()
    seats = _rows(source, select(SeatRow).where(SeatRow.campaign_id == table.id))
    out = removed_before(source, table.id, number)
    for seat in seats:
        status = "removed" if seat["name"] in out else "playing"
        _put(target, SeatRow, [seat], {"token_hash": "", "person_id": seat["id"], "status": status, "paused": False})
    turns = _rows(source, select(Turn).where(live(table.id), Turn.number <= number))
    _put(target, Turn, (turn for turn in turns if turn["number"] < number), {"archived_at": None})
    unresolved = {"resolved_at": None, "record": None, "archived_at": None}
    _put(target, Turn, (turn for turn in turns if turn["number"] == number), unresolved)
    ids = [turn["id"] for turn in turns]
    _put(target, Report, _rows(source, select(Report).where(Report.turn_id.in_(ids))), {})
    _put(target, Sheet, _rows(source, select(Sheet).where(Sheet.turn_id.in_(ids))), {"letter_id": None})
    _put(target, Press, _rows(source, select(Press).where(Press.campaign_id == table.id, Press.turn <= number)), {})
    words = select(GmText).where(GmText.campaign_id == table.id, GmText.turn <= number + 1)
    _put(target, GmText, _rows(source, words), {})


def _rows(session: Session, query: Select[Any]) -> list[dict[str, Any]]:
    """The rows of one table, as dictionaries by column."""
    return [
        {column.name: getattr(row, column.name) for column in row.__table__.columns} for row in session.scalars(query)
    ]


def _put(session: Session, kind: type[Base], rows: Iterable[Mapping[str, Any]], changes: Mapping[str, Any]) -> None:
    copies: Sequence[dict[str, Any]] = [{**row, **changes} for row in rows]
    if copies:
        session.connection().execute(insert(cast(SqlTable, kind.__table__)), copies)
