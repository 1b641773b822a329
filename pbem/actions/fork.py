"""Forks a campaign into a home of its own, as it was when a turn was open.

The copy has the dice, reports and sheets of the original, and other addresses, so
that no player is mailed from there by mistake. The campaign itself is unchanged; but
since other sheets can be tried in the copy against its real dice, its journal and
the next reports disclose that the copy was made.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from pbem.actions.arguments import SEAT_OR_NONE, SURE, TURN, GmCommand, TextBlock, unknown_owner
from pbem.actions.base import Channel, PreviewedChange, Query, diff_lines, run_action, run_query, versions
from pbem.actions.open_turn import EnterSheet, Preview, PreviewTurn, render_receipt
from pbem.actions.weight import Confirmed
from pbem.actions.withdrawal import version_before
from pbem.app import App, init_home
from pbem.archive.writer import copy_withdrawn
from pbem.campaign.history import seats_removed_before
from pbem.campaign.order_sheets import Lines
from pbem.campaign.reports import report_files, report_text
from pbem.campaign.snapshot import (
    CampaignSnapshot,
    Context,
    add_entry,
    counting_versions,
    current_turn,
    is_current,
    load_record,
)
from pbem.errors import CampaignError
from pbem.report.answers import Receipt
from pbem.ruleset.order_types import FILLED_IN
from pbem.ruleset.values import SeatName
from pbem.store.columns import Leaves, left_values, of_campaigns, tables_leaving, until_turn
from pbem.store.models import Base, Campaign, Person, Report, Seat, Turn
from pbem.store.session import Store
from pbem.store.types import CampaignState, SeatState

FORKED = "made a copy of the campaign as it stood when turn {number} was open, with its dice, to try what if"
"""The text of the journal and the next reports on a copy."""

NOWHERE = "fork.invalid"
"""The domain of all players of a copy; no mail can ever reach it (RFC 2606)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forked:
    """A copy: the turn that is open there, and the versions of the sheets that count for it."""

    campaign: str
    turn: int
    sheets: Mapping[SeatName, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForkComparison:
    """The reports of a turn run in a copy, compared with the real ones; only seats with differences have lines."""

    campaign: str
    turn: int
    differing: Mapping[SeatName, tuple[str, ...]]
    same: tuple[SeatName, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialResult:
    """A turn tried with another sheet: its receipt, the preview, and the comparison if the turn was run in reality."""

    forked: Forked
    entered: tuple[Receipt, ...]
    preview: Preview
    compared: ForkComparison | None


def _check_fork(snapshot: CampaignSnapshot, number: int) -> None:
    name = snapshot.name
    if snapshot.status == CampaignState.FORMING:
        raise CampaignError(f"campaign {name} has not begun: it has no turn to start from")
    # The turn that opened when the game ended is not played.
    last = snapshot.turn - (snapshot.status == CampaignState.OVER)
    if not snapshot.first <= number <= last:
        raise CampaignError(f"{name} has no turn {number} to start from: it can be {snapshot.first} to {last}")


def copy_templates(app: App, home: Path) -> None:
    """Copy the GM's own templates into the home of a copy, before that is opened. Raises OSError."""
    if app.settings.own_templates is not None:
        shutil.copytree(app.settings.own_templates, home / "templates", dirs_exist_ok=True)


@dataclass(frozen=True, slots=True)
class ShowFork(Query[Forked]):
    """Preview of a fork: its open turn and the sheets that would count."""

    number: int

    def look(self, context: Context) -> Forked:
        """Return the sheets that would count. Raises CampaignError if the turn does not exist."""
        session, snapshot = context.session, context.snapshot
        _check_fork(snapshot, self.number)
        counting = counting_versions(session, snapshot, current_turn(session, snapshot, self.number))
        return Forked(campaign=snapshot.name, turn=self.number, sheets=counting)


_DISCLOSED = "the secret of the dice that the copy has, which players are told that you have"
"""Loss by a copy, which changes nothing else."""


@dataclass(frozen=True, slots=True)
class ForkCampaign(PreviewedChange[Forked]):
    """Copy a campaign into another, empty home, with the turn of this number open there."""

    weight = Confirmed(_DISCLOSED)
    kind = "fork"
    number: int
    fork: App | None = None
    """The other home; without one the copy can only be asked about."""

    def look(self, context: Context) -> Forked:
        """Return the sheets that would count. Raises CampaignError if the turn does not exist."""
        return ShowFork(self.number).look(context)

    def do(self, context: Context) -> Forked:
        """Copy the campaign. Raises CampaignError if the turn does not exist, or the other home is not empty."""
        assert self.fork is not None
        forked = self.look(context)
        session, snapshot, number = context.session, context.snapshot, self.number
        # Other sheets can be tried in the copy against the real dice, so its making is disclosed (decision 16).
        add_entry(session, snapshot.id, context.now, actor="gm", text=FORKED.format(number=number), turn=snapshot.turn)
        with self.fork.store.writing() as target:
            if target.scalar(select(Campaign.id).limit(1)) is not None:
                raise CampaignError(f"{self.fork.settings.home} has a campaign already: fork into an empty folder")
            _copy_campaign(context, target, number)
            # It names all turns withdrawn before it, which `verify` expects in the archive of the copy too (decision
            # 15). They are copied before the commit: a copy whose making failed must not stay, as it is not disclosed.
            last = load_record(session, snapshot, number - 1)
            copy_withdrawn(context.app.settings.archive, self.fork.settings.archive, last)
        return forked

    def render(self, facts: Forked, channel: Channel) -> Iterator[str]:
        yield channel.fact(
            f"copy {facts.campaign} as it stood when turn {facts.turn} was open, with its real dice. "
            "The next reports tell the players."
        )
        yield channel.undone


def render_forked(forked: Forked) -> Iterator[str]:
    """Yield what a GM must know about a copy."""
    yield "It has the real dice, so the journal and the next reports tell that it was made."
    yield f"Sheets that count: {versions(forked.sheets)}."


@dataclass(frozen=True, slots=True)
class Compare(Query[ForkComparison]):
    """Compare a turn run in a copy with the reports that were really sent."""

    fork: App
    made: Preview

    def look(self, context: Context) -> ForkComparison:
        """Return the differences by seat. Raises CampaignError if the turn was not run yet."""
        snapshot, made = context.snapshot, self.made
        if made.turn >= snapshot.turn:
            raise CampaignError(f"turn {made.turn} of {snapshot.name} has not been run: there is nothing to compare")
        real, ruleset = _load_views(context.session, snapshot, made.turn + 1), self.fork.game(snapshot.game)
        differing = {}
        for report in made.reports:
            old = real.get(report.place.seat, b"{}")
            if old != report.view:
                now = report_text(self.fork, ruleset, made.opening, report.place, report.view)
                before = report_text(self.fork, ruleset, made.opening, report.place, old) if old != b"{}" else ""
                differing[report.place.seat] = diff_lines(before, now)
        told = {report.place.seat for report in made.reports}
        differing |= {seat: ("(no report)",) for seat in snapshot.seats if seat in real and seat not in told}
        same = tuple(seat for seat in snapshot.seats if seat in real and seat not in differing)
        return ForkComparison(campaign=snapshot.name, turn=made.turn, differing=differing, same=same)

    def render(self, facts: ForkComparison, channel: Channel) -> Iterator[str]:
        return render_compared(facts)


def render_compared(compared: ForkComparison) -> Iterator[str]:
    """Yield how the reports of a turn run in a copy differ from the real ones."""
    yield f"{compared.campaign}: turn {compared.turn} there, against what was really told (- really, + there):"
    for seat, lines in compared.differing.items():
        yield from (f"  {seat}:", *(f"    {line}" for line in lines))
    if compared.same:
        yield f"  {', '.join(compared.same)}: told the same"


@dataclass(frozen=True, slots=True)
class TryTurn(GmCommand, PreviewedChange[TrialResult | Forked]):
    """Try a turn in a copy, with the order lines below as a seat's sheet: you get all reports; players hear of it."""

    usage = "FORK number [seat] [sure]"
    takes_text = True
    weight = Confirmed(_DISCLOSED)
    kind = "fork"
    number: Annotated[int, TURN]
    seat: Annotated[SeatName | None, SEAT_OR_NONE] = None
    sure: Annotated[str | None, SURE] = None
    lines: Annotated[Lines, FILLED_IN] = ()

    def wish(self, text: TextBlock) -> TryTurn:
        """Return the action with the sheet below; one of no seat is refused when the seats are known."""
        return replace(self.with_values(), lines=text.orders)

    def look(self, context: Context) -> Forked:
        """Return the sheets that would count. Raises CampaignError if the turn does not exist, or no seat is named."""
        if any(line.strip() for _, line in self.lines) and not self.seat:
            raise unknown_owner(context, f"FORK {self.number}")
        return ShowFork(self.number).look(context)

    def do(self, context: Context) -> TrialResult:
        """Make the copy, enter the sheet there, and preview the turn with its real dice. Raises CampaignError."""
        self.look(context)
        with _temporary_app(context.app) as fork:
            forked = ForkCampaign(self.number, fork).do(context)
            name, now = forked.campaign, context.now
            entered = (run_action(fork, name, EnterSheet(self.seat, self.lines), now),) if self.seat else ()
            made = run_query(fork, name, PreviewTurn(real_dice=True), now)
            compared = Compare(fork, made).look(context) if self.number < context.snapshot.turn else None
        return TrialResult(forked=forked, entered=entered, preview=made, compared=compared)

    def render(self, facts: TrialResult | Forked, channel: Channel) -> Iterator[str]:
        if isinstance(facts, Forked):
            yield from ForkCampaign(self.number).render(facts, channel)
            return
        forked = facts.forked
        yield f"{forked.campaign} was copied as it stood when turn {forked.turn} was open."
        yield from render_forked(forked)
        for receipt in facts.entered:
            yield from render_receipt(receipt)
        yield from PreviewTurn().render(facts.preview, channel)
        if facts.compared:
            yield from render_compared(facts.compared)


@contextmanager
def _temporary_app(app: App) -> Iterator[App]:
    """Yield an application with an empty temporary home and the renderer and games of another."""
    with TemporaryDirectory(prefix="pbem-") as folder:
        settings = init_home(Path(folder), app.settings.address)
        with closing(Store(settings.database)) as store:
            yield replace(app, settings=settings, store=store)


def _load_views(session: Session, snapshot: CampaignSnapshot, number: int) -> dict[SeatName, bytes]:
    rows = session.execute(
        select(Seat.name, Report.view)
        .join(Report, Report.seat_id == Seat.id)
        .join(Turn, Turn.id == Report.turn_id)
        .where(is_current(snapshot.id), Turn.number == number)
    )
    return {row.name: row.view for row in rows}


def _copy_campaign(context: Context, target: Session, number: int) -> None:
    source, snapshot, now = context.session, context.snapshot, context.now
    # No address or token of the original, so that no one is mailed from the copy or can order in it.
    for place in snapshot.places:
        address = f"{place.seat}@{NOWHERE}"
        target.add(Person(id=place.id, address=address, key=address, created_at=now))
    target.flush()
    turns = select(Turn.id).where(is_current(snapshot.id)).order_by(Turn.number)
    removed, version = seats_removed_before(source, snapshot.id, number), version_before(source, snapshot, number)
    changes: dict[str, Callable[[Mapping[str, Any]], Mapping[str, Any]]] = {
        "campaign": lambda _: {"turn": number, "version": version, "gm": f"gm@{NOWHERE}"},
        "seat": lambda seat: {"person_id": seat["id"], "paused": False, "status": _seat_state(seat, removed)},
        # The copy has an archive of its own, which is yet to be written.
        "turn": lambda turn: {"archived_at": None, **(_UNRUN if turn["number"] == number else {})},
        "report": lambda report: {"files": report_files(context, source.get_one(Report, report["id"]))},
        # What was enclosed in withdrawn turns may have been shown again since, so all of it belongs to the first here.
        "enclosed": lambda _: {"turn_id": source.scalars(turns).first()},
    }
    for table in tables_leaving(Base.metadata, Leaves.HISTORY):
        rows = select(table).where(of_campaigns(table, [snapshot.id]))
        if table.name != "enclosed":
            rows = rows.where(until_turn(table, number))
        left, change = left_values(table, Leaves.HISTORY), changes.get(table.name)
        found = (row._asdict() for row in source.execute(rows))
        copies = [{**row, **left, **(change(row) if change else {})} for row in found]
        if copies:
            target.execute(insert(table), copies)


_UNRUN = {"resolved_at": None, "record": None}


def _seat_state(seat: Mapping[str, Any], removed: Collection[SeatName]) -> SeatState:
    return SeatState.REMOVED if seat["name"] in removed else SeatState.PLAYING
