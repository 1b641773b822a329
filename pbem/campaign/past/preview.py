"""All reports of a turn as they would be if it were run now; nothing is kept, and nobody is mailed."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.orm import Session

from pbem.campaign.clock.deadlines import next_deadline
from pbem.campaign.reporting import MadeReport, Opening, make_reports
from pbem.campaign.resolving import Outcome, look, opening_of, resolve_turn
from pbem.campaign.table import Table, load_table
from pbem.house import House
from pbem.report import ReportDataError, read_report_data
from pbem.ruleset import Seat, digest

REPORTS = "reports"


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """The run of the open turn as of a moment: the sheets that would count, by version, and all reports.

    `events` is how much would happen; `ruled`, whether a GM's ruling was used.
    """

    campaign: str
    turn: int
    at: dt.datetime
    zone: str
    sheets: Mapping[Seat, int]
    missing: tuple[Seat, ...]
    reports: tuple[MadeReport, ...]
    events: int
    over: bool
    reason: str
    ruled: bool
    opening: Opening


@dataclass(frozen=True, slots=True)
class Written:
    """Where a preview was written, and whose reports differ from those written there before (None: none were)."""

    folder: Path
    changed: tuple[Seat, ...] | None


def preview(house: House, name: str, now: dt.datetime) -> Preview:
    """The run of a campaign's open turn as of now. Raises CampaignError if no turn is open."""
    with house.store.reading() as session:
        return preview_of(session, house, load_table(session, name), now)


def preview_of(session: Session, house: House, table: Table, now: dt.datetime) -> Preview:
    """The same, in a session."""
    before = look(session, house, table)
    outcome = resolve_turn(session, before)
    over = outcome.standing.over
    deadline = None if over else next_deadline(table.schedule, table.policy, now, before.absences)
    opening = opening_of(session, table, before.turn.number + 1, outcome, deadline, before.previous)
    return Preview(
        campaign=table.name,
        turn=before.turn.number,
        at=now,
        zone=table.schedule.zone,
        sheets={seat: sheet.version for seat, sheet in outcome.used.items()},
        missing=_in_order(table, outcome),
        reports=tuple(make_reports(house, before.ruleset, opening, outcome.views)),
        events=len(outcome.events),
        over=over,
        reason=outcome.standing.reason,
        ruled=before.turn.ruling is not None,
        opening=opening,
    )


def _in_order(table: Table, outcome: Outcome) -> tuple[Seat, ...]:
    return tuple(seat for seat in table.seats if seat in outcome.turn.missing)


def write_preview(made: Preview, folder: Path) -> Written:
    """Writes all reports into a folder, in the place of those of an earlier preview. Raises OSError."""
    reports = folder / REPORTS
    reports.mkdir(parents=True, exist_ok=True)
    before, now = _views(reports), {report.place.seat: digest(json.loads(report.view)) for report in made.reports}
    for seat in made.opening.table.seats:
        for path in reports.glob(f"{seat}.*"):
            path.unlink()
    for report in made.reports:
        for name, content in report.parts.files().items():
            (reports / name).write_bytes(content)
    changed = tuple(seat for seat in made.opening.table.seats if before.get(seat) != now.get(seat))
    return Written(folder, changed if before else None)


def _views(folder: Path) -> dict[Seat, str]:
    """What the reports of an earlier preview told, by seat, as hashes."""
    found = {}
    for path in folder.glob("*.json"):
        try:
            found[path.stem] = digest(read_report_data(path.read_bytes())["view"])
        except ReportDataError:
            found[path.stem] = ""
    return found
