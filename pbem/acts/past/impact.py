"""The blast radius of a second run: computed whole, with the reports of those it touches, and nothing changed."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sqlalchemy import select
from sqlalchemy.orm import Session

from pbem.acts.act import Scene
from pbem.acts.channel import differing_lines
from pbem.acts.past.rerunning import Changes, Rerun, rerun
from pbem.app import House
from pbem.campaign.deadlines import new_deadline
from pbem.campaign.history import orders_told
from pbem.campaign.reading import Reading, still_reads
from pbem.campaign.reporting import MadeReport, Opening, make_reports, report_text
from pbem.campaign.resolving import opening_of
from pbem.campaign.snapshot import Place, SheetIn, load_sheets
from pbem.report.facts import Correction, SheetUsed
from pbem.ruleset.serialization import canonical
from pbem.ruleset.values import Seat, View
from pbem.store.models import Report, Turn
from pbem.store.types import Phase


@dataclass(frozen=True, slots=True, kw_only=True)
class Touched:
    """A seat whose report changes: what it is told otherwise, and what becomes of its sheet for the open turn."""

    seat: Seat
    edition: int
    differences: tuple[str, ...]
    sheet: Literal["none", "kept", "dropped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Impact:
    """Whose reports a second run of a turn changes, and whose it leaves alone.

    `gone` are seats whose report is withdrawn without another in its place;
    `given` is how the GM's sheets read, `tried` in words what he has changed.
    `seed_known`: the game was over, so the dice of all turns to come may be known.
    """

    campaign: str
    turn: int
    touched: tuple[Touched, ...]
    untouched: tuple[Seat, ...]
    gone: tuple[Seat, ...]
    given: Mapping[Seat, Reading]
    tried: tuple[str, ...]
    deadline: dt.datetime | None
    zone: str
    over: bool
    seed_known: bool
    set_up: bool = False

    @property
    def what(self) -> str:
        """What is run a second time."""
        return "the set-up" if self.set_up else f"turn {self.turn}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Amendment:
    """A second run, computed: all that is kept and mailed of it."""

    again: Rerun
    impact: Impact
    reports: Sequence[MadeReport]
    record: bytes
    files: Mapping[str, bytes]


def plan_amendment(scene: Scene, changes: Changes) -> Amendment:
    """Computes a second run of the last turn, changing nothing. Raises CampaignError."""
    session, house, now = scene.session, scene.house, scene.now
    again = rerun(scene, changes)
    old = load_reports(session, again.following)
    affected = [(place, view) for place, view in again.outcome.views if _is_affected(again, old, place, view)]
    deadline = _deadline(session, again, now, anew=bool(affected))
    previous = again.before.previous if again.before else b"{}"
    opening = opening_of(session, again.snapshot, again.number + 1, again.outcome, deadline, previous)
    waiting = load_sheets(session, again.following.id)
    corrections = {
        place.seat: _correction(house, again, opening, old[place.id], place, canonical(view), waiting)
        for place, view in affected
        if place.id in old
    }
    made = make_reports(house, again.ruleset, replace(opening, corrections=corrections), affected)
    reports = [_threaded(each, old.get(each.place.id)) for each in made]
    files = again.files(_all_files(again, old, reports))
    return Amendment(
        again=again,
        impact=_impact(again, old, affected, corrections, deadline),
        reports=reports,
        record=again.record(files, now),
        files=files,
    )


def load_reports(session: Session, turn: Turn) -> dict[int, Report]:
    """The reports that opened a turn, by seat."""
    found = session.scalars(select(Report).where(Report.turn_id == turn.id).order_by(Report.seat_id))
    return {report.seat_id: report for report in found}


def _deadline(session: Session, again: Rerun, now: dt.datetime, *, anew: bool) -> dt.datetime | None:
    """That of the open turn stays; a turn that had none, because the game was over, gets one.

    So does one whose time is up when somebody has to think `anew`: it would be run before he could.
    """
    snapshot, old = again.snapshot, again.following.deadline
    if again.outcome.standing.over:
        return None
    if old is not None and (now < old or not anew):
        return old
    return new_deadline(session, snapshot, now)


def _is_affected(again: Rerun, old: Mapping[int, Report], place: Place, view: View) -> bool:
    """Whether a seat's report tells anything that it did not: of the game, or of the sheet that was used."""
    if place.id not in old or canonical(view) != old[place.id].view:
        return True
    missed = place.seat in again.outcome.turn.missing
    return _used_then(again).get(place.seat) != again.outcome.used.get(place.seat) or missed != (
        place.seat in again.told.get("missing", ())
    )


def _used_then(again: Rerun) -> dict[Seat, SheetUsed]:
    return {seat: SheetUsed(**sheet) for seat, sheet in again.told.get("sheets", {}).items()}


def _correction(
    house: House, again: Rerun, opening: Opening, old: Report, place: Place, view: bytes, waiting: Sequence[SheetIn]
) -> Correction:
    before = replace(
        opening,
        used=_used_then(again),
        missing=frozenset(again.told.get("missing", ())),
        orders=orders_told(again.told, again.ruleset.orders),
    )
    texts = [report_text(house, again.ruleset, *each) for each in ((before, place, old.view), (opening, place, view))]
    counting = [sheet for sheet in waiting if sheet.seat_id == place.id and sheet.accepted]
    kept = bool(counting) and still_reads(again.ruleset, json.loads(view), counting[-1].orders)
    return Correction(
        edition=old.edition + 1,
        differences=differing_lines(*texts),
        sheet="none" if not counting else "kept" if kept else "dropped",
    )


def _threaded(made: MadeReport, old: Report | None) -> MadeReport:
    """A corrected report, as the answer to the one that it replaces."""
    if old is None:
        return made
    mail = dataclasses.replace(made.mail, in_reply_to=old.message_id, references=(old.message_id,))
    return dataclasses.replace(made, mail=mail)


def _all_files(again: Rerun, old: Mapping[int, Report], reports: Sequence[MadeReport]) -> list[Mapping[str, bytes]]:
    new = {made.place.id: made.parts.files() for made in reports}
    return [new.get(place.id) or old[place.id].files for place, _ in again.outcome.views]


def _impact(
    again: Rerun,
    old: Mapping[int, Report],
    affected: Sequence[tuple[Place, View]],
    corrections: Mapping[Seat, Correction],
    deadline: dt.datetime | None,
) -> Impact:
    snapshot = again.snapshot
    told = {place.id for place, _ in again.outcome.views}
    changed = {place.id for place, _ in affected}
    first = Correction(edition=1, differences=())
    return Impact(
        campaign=snapshot.name,
        turn=again.number,
        touched=tuple(_touched(place.seat, corrections.get(place.seat, first)) for place, _ in affected),
        untouched=tuple(place.seat for place in snapshot.places if place.id not in changed | (set(old) - told)),
        gone=tuple(place.seat for place in snapshot.places if place.id in set(old) - told),
        given=again.given,
        tried=tuple(_tried(again)),
        deadline=deadline,
        zone=snapshot.schedule.zone,
        over=again.outcome.standing.over,
        seed_known=snapshot.status == Phase.OVER,
        set_up=again.before is None,
    )


def _tried(again: Rerun) -> Iterator[str]:
    if again.given:
        yield "other sheets"
    if list(again.outcome.patch) != again.told.get("patch", []):
        yield "another state"


def _touched(seat: Seat, correction: Correction) -> Touched:
    return Touched(seat=seat, edition=correction.edition, differences=correction.differences, sheet=correction.sheet)
