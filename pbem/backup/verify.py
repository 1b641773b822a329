"""Verify a campaign that is imported: its rows, its records and its rules have to agree.

The archive proves the past: it is replayed. Here the current rows are compared
with it: the seats, the dice words, the open turn and its state, the views shown to
players, and the sheets received.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from pbem.actions.withdrawal import find_inconsistency
from pbem.app import App
from pbem.archive.reader import MOST_RECORD
from pbem.archive.record import folder_name, load_dice_words
from pbem.campaign.snapshot import CampaignSnapshot, is_current, load_campaign, load_record
from pbem.errors import PARSE_ERRORS, BackupError, CampaignError, RulesetError
from pbem.mail.headers import require_address
from pbem.report.data import ReportDataError, read_report_data
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.serialization import json_sha256
from pbem.store.models import (
    Campaign,
    OrderSheet,
    Person,
    Press,
    Question,
    QuestionAnswer,
    Report,
    Seat,
    StoredRoll,
    Turn,
)
from pbem.util import read_plain

MOST_COUNTED = 100_000
"""Limit for turns, versions and the like in an imported campaign; in play they may grow to ten times as many."""


def broken_campaigns(session: Session) -> list[str]:
    """Return a sentence for each campaign whose turns are inconsistent, or whose open turn was changed."""
    names = session.scalars(select(Campaign.name).order_by(Campaign.id)).all()
    found = ((name, find_inconsistency(session, load_campaign(session, name))) for name in names)
    return [f"campaign {name}: {broken}" for name, broken in found if broken is not None]


def check_campaign(session: Session, app: App, name: str) -> CampaignSnapshot:
    """Return a running campaign. Raise BackupError unless its rows agree with its last record and its rules."""
    snapshot = load_campaign(session, name)
    if broken := find_inconsistency(session, snapshot):
        raise BackupError(f"the turn history of {name} is inconsistent: {broken}")
    if snapshot.turn < snapshot.first:
        raise BackupError(f"campaign {name} has no open turn")
    record = json.loads(load_record(session, snapshot, snapshot.turn - 1))
    checks = (
        _check_seats(snapshot, record),
        _check_options(session, snapshot, record),
        _check_people(session, snapshot, app.settings.address),
        _check_counters(session),
        _check_seat_names(session, snapshot),
        _check_open_turn(session, app.game(snapshot.game), snapshot),
        _check_views(session, snapshot, app.settings.archive / snapshot.name),
        _check_sheets(session, app.game(snapshot.game), snapshot),
    )
    for found in checks:
        for said in found:
            raise BackupError(f"campaign {name}: {said}")
    return snapshot


def _check_seats(snapshot: CampaignSnapshot, record: dict[str, Any]) -> Iterator[str]:
    if list(snapshot.seats) != record["seats"]:
        strange = sorted(set(snapshot.seats) ^ set(record["seats"]))
        yield f"its table seat has other seats than its last record ({', '.join(strange[:5]) or 'in another order'})"


def _check_options(session: Session, snapshot: CampaignSnapshot, record: dict[str, Any]) -> Iterator[str]:
    setup = json.loads(load_record(session, snapshot, snapshot.origin))
    if (snapshot.game, dict(snapshot.options)) != (record["game"], record["options"]):
        yield "table campaign, fields game and options: they are not those of its last record"
    if snapshot.words != load_dice_words(setup):
        yield "table campaign, field dice_words: they are not those that the set-up tells"


def _check_people(session: Session, snapshot: CampaignSnapshot, own: str) -> Iterator[str]:
    rows = session.execute(select(Person.id, Person.address, Person.fallback)).all()
    used = [(f"table person, row {id_}", address) for id_, *both in rows for address in both if address]
    for place, address in [("table campaign, field gm", snapshot.gm), *used]:
        try:
            require_address(address, "a player", own)
        except CampaignError as error:
            yield f"{place}: {error}"


def _check_counters(session: Session) -> Iterator[str]:
    """Yield numbers so high that counting on would soon exceed their limits, and so make backups invalid."""
    for column in (Campaign.era, Campaign.turn, StoredRoll.number, Question.number, Report.edition, OrderSheet.version):
        if (highest := session.scalar(select(func.max(column))) or 0) > MOST_COUNTED:
            yield f"table {column.table.name}, field {column.key}: {highest} is more than {MOST_COUNTED}"


def _check_seat_names(session: Session, snapshot: CampaignSnapshot) -> Iterator[str]:
    """Yield rows that name seats which the campaign does not have."""
    columns: dict[str, Any] = {
        "seat, field muted": select(Seat.id, Seat.muted),
        "turn, field awaited": select(Turn.id, Turn.awaited),
        "press, field recipients": select(Press.id, Press.recipients),
        "answer, field recipients": select(QuestionAnswer.id, QuestionAnswer.recipients),
    }
    for where, rows in columns.items():
        for id_, names in session.execute(rows):
            if strange := sorted(set(names or ()) - set(snapshot.seats)):
                table, _, field = where.partition(",")
                yield f"table {table}, row {id_},{field}: there is no seat {strange[0]}"


def _check_open_turn(session: Session, ruleset: AnyRuleset, snapshot: CampaignSnapshot) -> Iterator[str]:
    """Yield faults of the open turn, whose state is that of the last record: the game must go on there."""
    turn = session.execute(
        select(Turn.id, Turn.state, Turn.awaited).where(is_current(snapshot.id), Turn.number == snapshot.turn)
    ).one()
    where = f"table turn, row {turn.id}, field"
    try:
        standing = ruleset.standing(ruleset.load(json.loads(turn.state), snapshot.version))
    except (*PARSE_ERRORS, RulesetError) as error:
        yield f"{where} state: {ruleset.title} cannot read it ({error})"
        return
    if standing.over:
        yield f"{where} state: the game is over there, and the campaign still running"
    elif set(turn.awaited) != set(standing.awaiting):
        yield f"{where} awaited: by the state orders are awaited from {', '.join(sorted(standing.awaiting))}"


def _check_views(session: Session, snapshot: CampaignSnapshot, archive: Path) -> Iterator[str]:
    """Yield reports whose view is not that of the archive, which was replayed."""
    names = {place.id: place.seat for place in snapshot.places}
    rows = (
        select(Report.id, Report.seat_id, Report.view, Turn.number)
        .join(Turn, Turn.id == Report.turn_id)
        .where(is_current(snapshot.id))
        .execution_options(yield_per=50)
    )
    for id_, seat_id, view, number in session.execute(rows):
        where = f"table report, row {id_}, field"
        if seat_id not in names:
            yield f"{where} seat_id: there is no seat {seat_id}"
        elif json_sha256(json.loads(view)) != _archived_view_hash(archive, names[seat_id], number - 1):
            yield f"{where} view: it is not the one that the archive has"


def _archived_view_hash(archive: Path, seat: str, number: int) -> str:
    """Return the hash of the view in an archived report; "" if there is none."""
    path = archive / folder_name(number) / "reports" / f"{seat}.json"
    try:
        return json_sha256(read_report_data(read_plain(path, MOST_RECORD))["view"])
    except (OSError, ValueError, ReportDataError):
        return ""


def _check_sheets(session: Session, ruleset: AnyRuleset, snapshot: CampaignSnapshot) -> Iterator[str]:
    """Yield sheets of the open turn that no player can have sent."""
    rows = (
        select(OrderSheet.id, OrderSheet.orders, OrderSheet.seat_id)
        .join(Turn, Turn.id == OrderSheet.turn_id)
        .where(is_current(snapshot.id), Turn.number == snapshot.turn)
    )
    seats: Collection[int] = {place.id for place in snapshot.places}
    for id_, orders, seat_id in session.execute(rows):
        where = f"table sheet, row {id_}, field"
        if seat_id not in seats:
            yield f"{where} seat_id: there is no seat {seat_id}"
        try:
            same = [ruleset.orders.to_json(ruleset.orders.from_json(order)) for order in orders] == orders
        except (*PARSE_ERRORS, RulesetError) as error:
            yield f"{where} orders: {ruleset.title} has no such orders ({error})"
            continue
        if not same:
            yield f"{where} orders: {ruleset.title} reads them as others"
