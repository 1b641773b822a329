"""Actions that show the order sheets of the open turn, and restore earlier ones."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from sqlalchemy import select

from pbem.actions.arguments import NUMBER, SEAT, SURE, GmCommand, TextBlock, Wish
from pbem.actions.base import Channel, Confirmed, PreviewedChange, Query
from pbem.actions.open_turn import EnterSheet, restoring
from pbem.campaign.order_sheets import CLEARED
from pbem.campaign.snapshot import Context, SeatView, current_turn, find_seat_view, require_running
from pbem.errors import CampaignError
from pbem.report.answers import Receipt
from pbem.ruleset.fields import KeywordField
from pbem.ruleset.values import SeatName
from pbem.store.models import OrderSheet
from pbem.text import format_time, wrap


@dataclass(frozen=True, slots=True)
class SheetShown:
    """A sheet: its time, its author ("player", "deputy", "gm" or "bot"), and its orders, as they can be sent again.

    `accepted`: it counts, or did until the player withdrew it. `cleared`: it is a version that withdrew the one before.
    """

    sheet_version: int
    at: dt.datetime
    author: str
    accepted: bool
    lines: tuple[str, ...]
    cleared: bool = False


@dataclass(frozen=True, slots=True)
class SeatSheets:
    """The sheet of a seat that counts, if one does, and its others, oldest first."""

    seat: SeatName
    counts: SheetShown | None
    others: tuple[SheetShown, ...]


@dataclass(frozen=True, slots=True)
class SheetsShown:
    """The sheets of the open turn; with `whole`, the lines of those that do not count are shown too."""

    campaign: str
    turn: int
    zone: str
    seats: tuple[SeatSheets, ...]
    whole: bool


@dataclass(frozen=True, slots=True)
class ShowSheets(GmCommand, Query[SheetsShown]):
    """See the sheets of the open turn, of a seat or of all."""

    usage = "SHEETS [seat]"
    also = ("SHEET",)
    seat: Annotated[SeatName | None, SEAT] = None

    def look(self, context: Context) -> SheetsShown:
        """Return the sheets. Raises CampaignError if no turn is open, or there is no such seat."""
        snapshot = context.snapshot
        require_running(snapshot)
        places = [find_seat_view(snapshot, self.seat)] if self.seat else list(snapshot.playing)
        seats = tuple(_load_seat_sheets(context, place) for place in places)
        whole = self.seat is not None
        return SheetsShown(snapshot.name, snapshot.turn, snapshot.schedule.zone, seats, whole)

    def render(self, facts: SheetsShown, channel: Channel) -> Iterator[str]:
        yield f"{facts.campaign}, turn {facts.turn}"
        for each in facts.seats:
            if each.counts is None:
                yield f"{each.seat}: no sheet counts"
            else:
                yield f"{each.seat}: {_describe_sheet(each.counts, facts.zone)}, counts" + (
                    "" if each.counts.lines else "; no orders"
                )
                yield from (f"    {wrap(line, '      ')}" for line in each.counts.lines)
            for other in each.others:
                back = restoring(facts.campaign, each.seat, other.sheet_version, channel)
                then = f"to have it back: {back}" if other.accepted else "cleared" if other.cleared else "not taken"
                yield wrap(f"  {_describe_sheet(other, facts.zone)}; {then}", "    ")
                if facts.whole:
                    yield from (f"    {wrap(line, '      ')}" for line in other.lines)


def _describe_sheet(sheet: SheetShown, zone: str) -> str:
    by = {"player": "by its player", "deputy": "by a deputy", "gm": "entered by the GM", "bot": "by a bot"}
    return f"sheet {sheet.sheet_version}, {by[sheet.author]}, {format_time(sheet.at, zone)}"


@dataclass(frozen=True, slots=True)
class RestoreSheet(PreviewedChange[Receipt]):
    """Enter an earlier sheet of a seat again: that of a version, or the newest that does not count."""

    weight = Confirmed("the sheet that counts, for the turn", "pbem sheet NAME SEAT back")
    kind = "sheet"
    seat: SeatName
    version: int | None = None

    def asks(self, context: Context, facts: Receipt) -> bool:
        """Return True if a sheet with other orders counts now."""
        return self._entry(context).asks(context, facts)

    def look(self, context: Context) -> Receipt:
        """Return its receipt. Raises CampaignError if there is no such sheet."""
        return self._entry(context).look(context)

    def do(self, context: Context) -> Receipt:
        """Enter it again, as a new version."""
        return self._entry(context).do(context)

    def _entry(self, context: Context) -> EnterSheet:
        require_running(context.snapshot)
        place = find_seat_view(context.snapshot, self.seat)
        chosen = _choose_sheet(context, place, self.version)
        return EnterSheet(place.seat, tuple(enumerate(chosen.lines, start=1)))

    def render(self, facts: Receipt, channel: Channel) -> Iterator[str]:
        return EnterSheet(self.seat, ()).render(facts, channel)


@dataclass(frozen=True, slots=True)
class SheetCommand(GmCommand):
    """Enter the order lines below as a seat's sheet for the open turn; without lines, see its sheets.

    BACK enters an earlier sheet again. Without YES you see first what is replaced.
    """

    usage = "SHEET seat [what] [number] [sure [asked]]"
    acts = (EnterSheet, RestoreSheet)
    takes_text = True
    seat: Annotated[SeatName, SEAT]
    what: Annotated[str | None, KeywordField(("BACK",))] = None
    number: Annotated[str | None, NUMBER] = None
    sure: Annotated[str | None, SURE] = None
    asked: Annotated[str | None, NUMBER] = None

    def wish(self, text: TextBlock) -> Wish:
        """Return the action: enter the sheet below, restore an earlier one, or show the seat's sheets."""
        if self.what is None and self.number is not None:
            raise CampaignError(f"to have an earlier sheet back, write: SHEET {self.seat} BACK {self.number}")
        if self.what is not None and text.words:
            raise CampaignError(f"nothing stands below SHEET {self.seat} BACK: it is not known what to do with it")
        if self.what is not None:
            return RestoreSheet(self.seat, None if self.number is None else int(self.number))
        return EnterSheet(self.seat, text.orders) if text.words else ShowSheets(self.seat)


def _choose_sheet(context: Context, place: SeatView, version: int | None) -> SheetShown:
    found = _load_seat_sheets(context, place)
    counts = found.counts.lines if found.counts else None
    others = [each for each in found.others if each.accepted and each.lines != counts]
    chosen = [each for each in others if version in (None, each.sheet_version)]
    if chosen:
        return chosen[-1]
    known = ", ".join(str(each.sheet_version) for each in others) or "none"
    which = "no earlier sheet" if version is None else f"no earlier sheet {version}"
    raise CampaignError(
        f"{which} of {place.seat} for turn {context.snapshot.turn} of {context.snapshot.name} differs from the one "
        f"that counts; there are: {known}"
    )


def _load_seat_sheets(context: Context, place: SeatView) -> SeatSheets:
    book = context.app.game(context.snapshot.game).orders
    turn = current_turn(context.session, context.snapshot, context.snapshot.turn)
    rows = (
        select(OrderSheet)
        .where(OrderSheet.turn_id == turn.id, OrderSheet.seat_id == place.id)
        .order_by(OrderSheet.version)
    )
    found = context.session.scalars(rows).all()
    sheets = [
        SheetShown(
            sheet_version=row.version,
            at=row.received_at,
            author=row.author,
            # Of sheets that are not accepted only those that were withdrawn have orders.
            accepted=row.accepted or bool(row.orders),
            lines=tuple(book.line(book.from_json(order)) for order in row.orders),
            cleared=any(finding["code"] == CLEARED for finding in row.findings),
        )
        for row in found
    ]
    counts = next((each for each, row in zip(sheets[::-1], found[::-1], strict=True) if row.accepted), None)
    return SeatSheets(place.seat, counts, tuple(each for each in sheets if each is not counts))
