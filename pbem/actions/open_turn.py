"""Actions on the open turn: preview its reports, enter sheets, roll dice.

A preview shows all reports as they would be if the turn were run now; nothing is
saved and nothing mailed. A GM who saw the results of the real dice could try
other sheets until they suit. So other dice are used, always the same ones, so
that two previews can be compared; a preview with the real ones is entered in the
journal and disclosed in the next reports.

A roll cannot be undone: the journal has it, the record of its turn will, and the
same label rolled again is a second roll.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

from pbem.actions.arguments import NUMBER, SURE, Flag, FreeText, GmCommand, TextBlock, Wish, Words
from pbem.actions.base import (
    AuditEntry,
    Change,
    Channel,
    PlannedChange,
    PreviewedChange,
    Query,
    TextResult,
    add_audit_entries,
    render_reading,
    versions,
)
from pbem.actions.weight import Confirmed, Harmless
from pbem.archive.record import rehearsal_seed, turn_dice
from pbem.archive.writer import REPORTS
from pbem.campaign.courtesies import split_host_words
from pbem.campaign.deadlines import new_deadline
from pbem.campaign.history import current_rolls, load_rolls, save_rolls
from pbem.campaign.later_orders import split_parts
from pbem.campaign.notices import post
from pbem.campaign.order_sheets import (
    Lines,
    PreviousSheets,
    SheetReading,
    SheetToSave,
    earlier_sheets,
    make_receipt,
    parse_sheet,
    receipt_id_parts,
    require_valid_sheet,
    restated_lines,
    save_sheets,
    waits_because,
)
from pbem.campaign.reports import SeatReport, TurnOpening, make_reports
from pbem.campaign.snapshot import (
    Context,
    LastReport,
    SeatView,
    add_entry,
    find_seat_view,
    load_last_reports,
    load_open_turn,
    require_running,
)
from pbem.campaign.turns import load_before, opening_of, resolve_turn
from pbem.errors import CampaignError
from pbem.report.answers import Receipt, accepted_part
from pbem.report.data import ReportDataError, read_report_data
from pbem.ruleset.fields import FieldError
from pbem.ruleset.rolls import Roll, count_rolls
from pbem.ruleset.serialization import json_sha256
from pbem.ruleset.tokenizer import split_words
from pbem.ruleset.values import SeatName
from pbem.store.types import Author, CampaignState
from pbem.text import format_time, wrap

LOOKED = "looked at what turn {number} would come to, with the dice that it will have"
"""The text of the journal and the next reports on a preview with the real dice."""

OTHER_DICE = "A preview rolls other dice than the turn will, so what depends on luck may come out otherwise."
REAL_DICE = (
    "It was rolled with the dice that the turn will have; the journal and the next reports tell that you looked."
)
"""Notes for the GM on the dice of a preview."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """The run of the open turn as of a moment: the sheets that would count, by version, and all reports.

    `events` is the number of events; `ruled`, whether a GM's ruling was used;
    `real_dice`, whether the dice were those that the turn will have.
    """

    campaign: str
    turn: int
    at: dt.datetime
    zone: str
    sheets: Mapping[SeatName, int]
    missing: tuple[SeatName, ...]
    reports: tuple[SeatReport, ...]
    events: int
    over: bool
    reason: str
    ruled: bool
    real_dice: bool
    opening: TurnOpening


@dataclass(frozen=True, slots=True)
class PreviewFiles:
    """The folder of a preview, and the seats whose reports differ from those written there before (None: none were)."""

    folder: Path
    changed: tuple[SeatName, ...] | None


@dataclass(frozen=True, slots=True)
class PreviewTurn(GmCommand, Query[Preview]):
    """Get all reports as they would be if the turn were run now, with other dice. Nothing is sent to players.

    REAL rolls the dice that the turn will have; the next reports tell that you looked.
    """

    usage = "PREVIEW [real_dice] [sure [asked]]"
    real_dice: Annotated[bool, Flag(("REAL",))] = False
    sure: Annotated[str | None, SURE] = None
    asked: Annotated[str | None, NUMBER] = None

    def wish(self, text: TextBlock) -> Wish:
        """Return the preview, with the real dice as an action that is asked about."""
        return PreviewRealDice() if self.real_dice else self.with_values()

    def look(self, context: Context) -> Preview:
        """Return all reports. Raises CampaignError if no turn is open."""
        session, app, snapshot, now = context.session, context.app, context.snapshot, context.now
        before = load_before(context)
        number = before.turn.number
        # Always the same other dice, so that two previews can be compared (decision 16).
        dice = None if self.real_dice else turn_dice(rehearsal_seed(snapshot.seed), number)
        outcome = resolve_turn(session, before, dice)
        over = outcome.standing.over
        deadline = None if over else new_deadline(session, snapshot, now)
        # The seed is told when the game is over, not when it would be.
        opening = replace(opening_of(context, snapshot, number + 1, outcome, deadline, before.previous), seed="")
        return Preview(
            campaign=snapshot.name,
            turn=number,
            at=now,
            zone=snapshot.schedule.zone,
            sheets={seat: sheet.version for seat, sheet in outcome.used.items()},
            missing=tuple(seat for seat in snapshot.seats if seat in outcome.turn.missing),
            reports=tuple(make_reports(app, before.ruleset, opening, outcome.views)),
            events=len(outcome.events),
            over=over,
            reason=outcome.standing.reason,
            ruled=before.turn.ruling is not None,
            real_dice=self.real_dice,
            opening=opening,
        )

    def traces(self, facts: Preview) -> tuple[AuditEntry, ...]:
        """Return the entry that the real dice were seen."""
        return (AuditEntry(LOOKED.format(number=facts.turn), told=True),) if facts.real_dice else ()

    def render(self, facts: Preview, channel: Channel) -> Iterator[str]:
        yield f"{facts.campaign}: turn {facts.turn}, as it would be run {format_time(facts.at, facts.zone)}"
        yield f"  sheets that count: {versions(facts.sheets)}"
        if facts.missing:
            yield f"  no sheet: {', '.join(facts.missing)}"
        if facts.ruled:
            yield "  with your ruling"
        yield f"  reports to: {', '.join(report.place.seat for report in facts.reports)}; events: {facts.events}"
        if facts.over:
            yield f"  the game would be over: {facts.reason}"
        yield wrap(f"Nothing was kept, and no mail is sent. {REAL_DICE if facts.real_dice else OTHER_DICE}")


@dataclass(frozen=True, slots=True)
class PreviewRealDice(PlannedChange[Preview | TextResult, Preview]):
    """Preview the open turn with the dice that it will have, which is disclosed to the players."""

    weight = Confirmed("the secret of the dice, which players are told that you have seen")

    def look(self, context: Context) -> TextResult:
        """Return a sentence on what is disclosed; nothing is rolled. Raises CampaignError if no turn is open."""
        require_running(context.snapshot)
        turn = f"turn {context.snapshot.turn} of {context.snapshot.name}"
        return TextResult(f"show what {turn} would come to with its real dice. The next reports tell the players.")

    def plan(self, context: Context) -> Preview:
        """Return all reports. Raises CampaignError if no turn is open."""
        return PreviewTurn(real_dice=True).look(context)

    def keep(self, context: Context, plan: Preview) -> None:
        """Disclose that the dice were seen."""
        add_audit_entries(context, PreviewTurn().traces(plan))

    def facts(self, plan: Preview) -> Preview:
        return plan

    def render(self, facts: Preview | TextResult, channel: Channel) -> Iterator[str]:
        if isinstance(facts, Preview):
            yield from PreviewTurn().render(facts, channel)
        else:
            yield from (channel.fact(facts.done), channel.undone)


def write_preview(made: Preview, folder: Path) -> PreviewFiles:
    """Write all reports into a folder, replacing those of an earlier preview. Raises OSError."""
    reports = folder / REPORTS
    reports.mkdir(parents=True, exist_ok=True)
    # Read before the files are removed: the hashes tell which reports have changed since the earlier preview.
    before = _view_hashes(reports)
    now = {report.place.seat: json_sha256(json.loads(report.view)) for report in made.reports}
    for seat in made.opening.snapshot.seats:
        for path in reports.glob(f"{seat}.*"):
            path.unlink()
    for report in made.reports:
        pictures = {each.cid: quote(f"{report.place.seat}.{each.name}") for each in report.enclosed if each.cid}
        for name, content in report.parts.files(pictures).items():
            (reports / name).write_bytes(content)
        for each in report.enclosed:
            (reports / f"{report.place.seat}.{each.name}").write_bytes(each.content)
    changed = tuple(seat for seat in made.opening.snapshot.seats if before.get(seat) != now.get(seat))
    return PreviewFiles(folder, changed if before else None)


def _view_hashes(folder: Path) -> dict[SeatName, str]:
    """Return the hash of each seat's view in the reports of an earlier preview, "" for an unreadable one."""
    found = {}
    for path in folder.glob("*.json"):
        try:
            found[path.stem] = json_sha256(read_report_data(path.read_bytes())["view"])
        except ReportDataError:
            found[path.stem] = ""
    return found


@dataclasses.dataclass(frozen=True, slots=True)
class _EnteredSheet:
    """A sheet as it was read, the earlier ones, and the receipt, which answers the seat's `last` report."""

    place: SeatView
    last: LastReport
    earlier: PreviousSheets
    reading: SheetReading
    says_wait: bool | None
    receipt: Receipt


@dataclasses.dataclass(frozen=True, slots=True)
class EnterSheet(PreviewedChange[Receipt]):
    """Enter a sheet for the open turn on behalf of a seat's player, who gets the receipt."""

    weight = Confirmed("the sheet that counts, for the turn", "pbem sheet NAME SEAT back")
    kind = "sheet"
    seat: SeatName
    lines: Lines

    def asks(self, context: Context, facts: Receipt) -> bool:
        """Return True if another sheet with other orders counts already."""
        return facts.replaces is not None and not facts.replaces.same

    def look(self, context: Context) -> Receipt:
        return _read_entered_sheet(context, self.seat, self.lines).receipt

    def do(self, context: Context) -> Receipt:
        """Save the sheet. Raises CampaignError also if nothing in it is understood."""
        session, snapshot, now = context.session, context.snapshot, context.now
        given = _read_entered_sheet(context, self.seat, self.lines)
        place, receipt = given.place, given.receipt
        reading = require_valid_sheet(given.reading, place.seat)
        sheet = SheetToSave(reading=reading, earlier=given.earlier, author=Author.GM, says_wait=given.says_wait)
        save_sheets(session, [sheet], now)
        said = f"sheet {receipt.version} of {place.seat} for turn {snapshot.turn} was entered by the GM"
        # Whose it is, and which version, would tell who was awaited and had sent none.
        add_entry(session, snapshot.id, now, actor="gm", text=f"a sheet for turn {snapshot.turn} was entered by the GM")
        add_entry(session, snapshot.id, now, actor="gm", text=said, secret=True)
        if place.address:
            id_ = receipt_id_parts(snapshot.name, place.seat, snapshot.turn, receipt.version, snapshot.revision)
            coded = dataclasses.replace(receipt, code=given.last.code)
            post(context, place, coded, id_=id_, under=given.last, kind="receipt")
        return receipt

    def render(self, facts: Receipt, channel: Channel) -> Iterator[str]:
        yield from render_receipt(facts)
        yield from _replaced_orders(facts, channel)
        yield ""
        yield channel.undone or channel.queued("The player's receipt is queued")


def _replaced_orders(receipt: Receipt, channel: Channel) -> Iterator[str]:
    """Yield the differences of a sheet from the one that counted before."""
    before = receipt.replaces
    if before is None or before.same:
        return
    yield ""
    yield f"{'Replaced' if channel.done else 'Would replace'} sheet {before.version}:"
    yield from (f"  - {wrap(line, '    ')}" for line in before.dropped)
    yield from (f"  + {wrap(line, '    ')}" for line in before.added)
    if before.reordered:
        yield "  the same orders stand in another order"
    if channel.done:
        yield f"To have it back: {restoring(receipt.campaign, receipt.seat, before.version, channel)}"


def restoring(campaign: str, seat: str, version: int, channel: Channel) -> str:
    return channel.either(f"pbem sheet {campaign} {seat} back {version}", f"SHEET {seat} BACK {version}")


def render_receipt(receipt: Receipt) -> Iterator[str]:
    """Yield the lines of a receipt, for the GM."""
    part = accepted_part(receipt.orders, receipt.findings, accepted=receipt.accepted)
    yield f"{receipt.campaign}, {receipt.label}, seat {receipt.seat}: {part}."
    yield from render_reading(receipt.findings, receipt.orders)


def find_playing(context: Context, seat: SeatName) -> tuple[SeatView, LastReport]:
    """Return a seat that takes orders, and its last report. Raises CampaignError."""
    place = find_seat_view(context.snapshot, seat)
    last = load_last_reports(context.session, context.snapshot).get(place.seat)
    if not place.playing or last is None:
        raise CampaignError(f"seat {place.seat} of {context.snapshot.name} is removed: it takes no orders")
    return place, last


def _read_entered_sheet(context: Context, seat: SeatName, lines: Lines) -> _EnteredSheet:
    session, snapshot = context.session, context.snapshot
    turn, ruleset = load_open_turn(session, snapshot), context.app.game(snapshot.game)
    place, last = find_playing(context, seat)
    view = json.loads(last.view)
    present, parts = split_parts(ruleset, view, lines)
    if parts:
        raise CampaignError(f"{parts[0].typed} and what is below it is for another turn: enter it by itself")
    ordered, says_wait = split_host_words(present)
    earlier = earlier_sheets(session, ruleset.orders, turn_id=turn.id, seat_id=place.id)
    if says_wait is not None and not any(split_words(line) for _, line in ordered):
        if earlier.counted is None:
            raise CampaignError(f"no sheet of {place.seat} counts yet, so WAIT or FINAL needs orders beside it")
        ordered = restated_lines(ruleset.orders, earlier.counted)
    reading = parse_sheet(ruleset, view, ordered)
    receipt = make_receipt(
        reading,
        earlier,
        ruleset.orders,
        campaign=snapshot.name,
        seat=place.seat,
        label=view["label"],
        deadline=turn.deadline,
        held=bool(snapshot.held),
        zone=snapshot.zone_for(place),
        waits=waits_because(reading, says_wait=says_wait) if view["awaited"] and not place.paused else "",
    )
    receipt = dataclasses.replace(receipt, wait=bool(says_wait), by_gm=True)
    return _EnteredSheet(place, last, earlier, reading, says_wait, receipt)


_DICE = FreeText("dice", "dice such as 3d6+2, d20, d%, 4dF, 4d6k3 or 2d20kl1", "3d6+2")


@dataclass(frozen=True, slots=True)
class RollList:
    """The rolls of a turn, oldest first."""

    campaign: str
    turn: int
    rolls: tuple[Roll, ...]

    def describe(self, roll: Roll) -> str:
        return roll.describe(count_rolls(self.rolls, roll.label))


@dataclass(frozen=True, slots=True)
class RollResult:
    """A roll that was just made."""

    campaign: str
    turn: int
    roll: Roll


@dataclass(frozen=True, slots=True)
class RollDice(GmCommand, Change[RollResult]):
    """Roll the campaign's dice for something, in the open turn. It stands: the same words again are a second roll."""

    usage = "ROLL dice label..."
    weight = Harmless("it overwrites nothing, and is final so that nobody rolls until it suits")
    kind = "roll"
    dice: Annotated[str, _DICE]
    label: Annotated[str, Words("words", "what the roll is for", "ann storms the gate")]

    def do(self, context: Context) -> RollResult:
        """Roll the dice. Raises CampaignError if no turn is open, or the dice are invalid."""
        require_running(context.snapshot)
        rolls = current_rolls(context.session, context.snapshot)
        try:
            roll = rolls.roll(self.dice, self.label)
        except FieldError as refused:
            raise CampaignError(f"{refused.text}; {refused.hint}") from None
        save_rolls(context.session, context.snapshot, rolls.fresh, context.now)
        return RollResult(context.snapshot.name, context.snapshot.turn, roll)

    def render(self, facts: RollResult, channel: Channel) -> Iterator[str]:
        yield wrap(facts.roll.describe(facts.roll.number), "    ")
        said = (
            f"It stands for turn {facts.turn} of {facts.campaign}; the journal has it, and the record of the turn will."
        )
        yield wrap(said)


@dataclass(frozen=True, slots=True)
class ShowRolls(Query[RollList]):
    """See what you rolled in a turn; without its number, in the open one."""

    turn: int | None = None

    def look(self, context: Context) -> RollList:
        """Return all rolls of the turn, those of withdrawn runs too. Raises CampaignError before the start."""
        snapshot = context.snapshot
        if snapshot.status == CampaignState.FORMING:
            raise CampaignError(f"campaign {snapshot.name} has not begun: nothing was rolled")
        # The turn that opened when the game ended is not played.
        last = snapshot.turn - (snapshot.status == CampaignState.OVER)
        turn = last if self.turn is None else self.turn
        return RollList(snapshot.name, turn, load_rolls(context.session, snapshot, turn))

    def render(self, facts: RollList, channel: Channel) -> Iterator[str]:
        if not facts.rolls:
            yield f"Nothing was rolled in turn {facts.turn} of {facts.campaign}."
        for roll in facts.rolls:
            yield wrap(facts.describe(roll), "    ")
