"""All reports of a turn as they would be if it were run now; nothing is kept, and nobody is mailed.

A GM who saw what the real dice will come to could try other sheets until they
suit. So other dice are rolled, always the same ones, that two looks may be
compared; who wants the real ones is entered in the journal, and the next
reports tell it.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from pbem.acts.act import Question, Scene, Trace
from pbem.acts.arguments import Flag, GmCommand
from pbem.acts.channel import Channel, versions
from pbem.archive.record import rehearsal_seed, turn_dice
from pbem.campaign.deadlines import next_deadline
from pbem.campaign.reporting import MadeReport, Opening, make_reports
from pbem.campaign.resolving import Outcome, load_before, opening_of, resolve_turn
from pbem.campaign.snapshot import CampaignSnapshot
from pbem.report.data import ReportDataError, read_report_data
from pbem.ruleset.serialization import digest
from pbem.ruleset.values import Seat
from pbem.text import when, wrapped

REPORTS = "reports"

LOOKED = "looked at what turn {number} would come to, with the dice that it will have"
"""What the journal and the next reports say of a look with the real dice."""

OTHER_DICE = "Whatever was rolled for it was rolled with other dice than the turn will have."
REAL_DICE = (
    "It was rolled with the dice that the turn will have; the journal and the next reports tell that you looked."
)
"""What a GM is told of the dice of a preview."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """The run of the open turn as of a moment: the sheets that would count, by version, and all reports.

    `events` is how much would happen; `ruled`, whether a GM's ruling was used;
    `real_dice`, whether the dice were those that the turn will have.
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
    real_dice: bool
    opening: Opening


@dataclass(frozen=True, slots=True)
class Written:
    """Where a preview was written, and whose reports differ from those written there before (None: none were)."""

    folder: Path
    changed: tuple[Seat, ...] | None


@dataclass(frozen=True, slots=True)
class ShowPreview(GmCommand, Question[Preview]):
    """Get all reports as they would be if the turn were run now, with other dice. Nothing is sent to players.
    REAL rolls the dice that the turn will have; the next reports tell that you looked.
    """

    usage = "PREVIEW [real_dice]"
    real_dice: Annotated[bool, Flag(("REAL",))] = False

    def look(self, scene: Scene) -> Preview:
        """All reports. Raises CampaignError if no turn is open."""
        session, house, snapshot, now = scene.session, scene.house, scene.snapshot, scene.now
        before = load_before(session, house, snapshot)
        number = before.turn.number
        dice = None if self.real_dice else turn_dice(rehearsal_seed(snapshot.seed), number)
        outcome = resolve_turn(session, before, dice)
        over = outcome.standing.over
        deadline = None if over else next_deadline(snapshot.schedule, snapshot.policy, now, before.absences)
        # The seed is told when the game is over, not when it would be.
        opening = replace(opening_of(session, snapshot, number + 1, outcome, deadline, before.previous), seed="")
        return Preview(
            campaign=snapshot.name,
            turn=number,
            at=now,
            zone=snapshot.schedule.zone,
            sheets={seat: sheet.version for seat, sheet in outcome.used.items()},
            missing=_in_order(snapshot, outcome),
            reports=tuple(make_reports(house, before.ruleset, opening, outcome.views)),
            events=len(outcome.events),
            over=over,
            reason=outcome.standing.reason,
            ruled=before.turn.ruling is not None,
            real_dice=self.real_dice,
            opening=opening,
        )

    def traces(self, facts: Preview) -> tuple[Trace, ...]:
        """That the dice were seen which the turn will have."""
        return (Trace(LOOKED.format(number=facts.turn), told=True),) if facts.real_dice else ()

    def render(self, facts: Preview, channel: Channel) -> Iterator[str]:
        yield f"{facts.campaign}: turn {facts.turn}, as it would be run {when(facts.at, facts.zone)}"
        yield f"  sheets that count: {versions(facts.sheets)}"
        if facts.missing:
            yield f"  no sheet: {', '.join(facts.missing)}"
        if facts.ruled:
            yield "  with your ruling"
        yield f"  reports to: {', '.join(report.place.seat for report in facts.reports)}; events: {facts.events}"
        if facts.over:
            yield f"  the game would be over: {facts.reason}"
        yield wrapped(f"Nothing was kept, and nobody is mailed. {REAL_DICE if facts.real_dice else OTHER_DICE}")


def _in_order(snapshot: CampaignSnapshot, outcome: Outcome) -> tuple[Seat, ...]:
    return tuple(seat for seat in snapshot.seats if seat in outcome.turn.missing)


def write_preview(made: Preview, folder: Path) -> Written:
    """Writes all reports into a folder, in the place of those of an earlier preview. Raises OSError."""
    reports = folder / REPORTS
    reports.mkdir(parents=True, exist_ok=True)
    before, now = _views(reports), {report.place.seat: digest(json.loads(report.view)) for report in made.reports}
    for seat in made.opening.snapshot.seats:
        for path in reports.glob(f"{seat}.*"):
            path.unlink()
    for report in made.reports:
        for name, content in report.parts.files().items():
            (reports / name).write_bytes(content)
        for each in report.enclosed:
            (reports / f"{report.place.seat}.{each.name}").write_bytes(each.content)
    changed = tuple(seat for seat in made.opening.snapshot.seats if before.get(seat) != now.get(seat))
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
