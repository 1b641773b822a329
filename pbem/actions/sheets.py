"""Actions that show the order sheets of the open turn, and restore earlier ones."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from sqlalchemy import select

from pbem.actions.arguments import NUMBER, SEAT, SURE, GmCommand, TextBlock, Wish
from pbem.actions.base import Change, Channel, PreviewedChange, Query
from pbem.actions.open_turn import EnterSheet, find_playing, restoring
from pbem.actions.weight import Confirmed, Reversible
from pbem.campaign.courtesies import NAMES_TURN
from pbem.campaign.history import current_turn_label
from pbem.campaign.later_orders import describe_kept, load_kept, plan_parts, save_parts, split_parts
from pbem.campaign.notices import post
from pbem.campaign.order_sheets import CLEARED, Lines
from pbem.campaign.snapshot import Context, SeatView, add_entry, current_turn, find_seat_view, require_running
from pbem.errors import CampaignError
from pbem.report.answers import CommandResult, Receipt
from pbem.report.notices import Notice
from pbem.ruleset.fields import KeywordField
from pbem.ruleset.tokenizer import split_words
from pbem.ruleset.values import SeatName
from pbem.store.models import OrderSheet
from pbem.store.types import Author
from pbem.text import format_time, join_names, wrap


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
    """The sheet of a seat that counts, if one does, its others, oldest first, and in words what is kept for later."""

    seat: SeatName
    counts: SheetShown | None
    others: tuple[SheetShown, ...]
    kept: tuple[str, ...] = ()


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
            yield from (f"  {wrap(line, '    ')}" for line in each.kept)


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
class KeptOrders:
    """Orders kept now for later turns of a seat, and those that they replace."""

    campaign: str
    seat: SeatName
    results: tuple[CommandResult, ...]


@dataclass(frozen=True, slots=True)
class KeepOrders(Change[KeptOrders]):
    """Keep orders for later turns on behalf of a seat's player, who is told."""

    weight = Reversible("pbem undo NAME", "UNDO")
    kind = "sheet"
    seat: SeatName
    lines: Lines

    def do(self, context: Context) -> KeptOrders:
        """Keep them. Raises CampaignError if lines are for the open turn, or a part is not kept."""
        session, snapshot, now = context.session, context.snapshot, context.now
        require_running(snapshot)
        place, last = find_playing(context, self.seat)
        ruleset, view = context.app.game(snapshot.game), json.loads(last.view)
        present, parts = split_parts(ruleset, view, self.lines)
        if not parts or any(split_words(line) for _, line in present):
            label = view["label"]
            raise CampaignError(f"there are orders for {label}, which is open: enter them in a sheet of their own")
        planned = plan_parts(session, ruleset, view, place.id, parts)
        if refused := next((each.result.result for each in planned if each.text is None), ""):
            raise CampaignError(refused.removeprefix("Not done: "))
        save_parts(session, place.id, planned, Author.GM, now)
        results = tuple(each.result for each in planned)
        add_entry(session, snapshot.id, now, actor="gm", text="orders for a later turn were entered by the GM")
        said = f"{join_names([each.command for each in results])} of {place.seat} were entered by the GM"
        add_entry(session, snapshot.id, now, actor="gm", text=said, secret=True)
        subject = f"Your GM has entered orders for later turns of {place.seat}"
        blocks = [f"{each.command}: {line}" for each in results for line in each.paragraphs]
        post(context, place, Notice(subject=subject, blocks=tuple(blocks)), under=last)
        return KeptOrders(snapshot.name, place.seat, results)

    def render(self, facts: KeptOrders, channel: Channel) -> Iterator[str]:
        yield channel.fact(f"seat {facts.seat} of {facts.campaign} has orders for later turns.")
        for each in facts.results:
            yield from (f"  {wrap(line, '    ')}" for line in (f"{each.command}:", *each.paragraphs))
        yield channel.queued("The player's mail is queued") + f" {channel.undo(facts.campaign)}"


@dataclass(frozen=True, slots=True)
class SheetCommand(GmCommand):
    """Enter the order lines below as a seat's sheet for the open turn; without lines, see its sheets.

    Lines below TURN 7, or NEXT TURN, are kept for that turn, and nothing else stands above them.
    BACK enters an earlier sheet again. Without YES you see first what is replaced.
    """

    usage = "SHEET seat [what] [number] [sure [asked]]"
    acts = (EnterSheet, RestoreSheet, KeepOrders)
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
        if not text.words:
            return ShowSheets(self.seat)
        first = next(line for _, line in text.orders if line.strip())
        return KeepOrders(self.seat, text.orders) if NAMES_TURN(first) else EnterSheet(self.seat, text.orders)


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
    label, zone = current_turn_label(context.session, context.snapshot, place.id), context.snapshot.schedule.zone
    kept = tuple(describe_kept(row, label, zone) for row in load_kept(context.session, [place.id]))
    return SeatSheets(place.seat, counts, tuple(each for each in sheets if each is not counts), kept)
