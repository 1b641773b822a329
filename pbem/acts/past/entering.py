"""A sheet that a GM enters for a seat: it counts like one of the player's own, and he gets a receipt that says so."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json

from sqlalchemy.orm import Session

from pbem.acts.act import Scene, Weighty
from pbem.acts.past.rerunning import checked
from pbem.campaign.journal import note
from pbem.campaign.reading import Lines, Reading, read_lines
from pbem.campaign.table import (
    LastReport,
    OpenTurn,
    Place,
    Table,
    find_place,
    load_last_reports,
    load_open_turn,
)
from pbem.errors import CampaignError
from pbem.house import House
from pbem.post.codes import message_id, plus_address, subject_tag
from pbem.post.outbox import queue
from pbem.post.writing import Mail
from pbem.report import Receipt, compare, restate, tell
from pbem.ruleset import AnyRuleset, Seat, digest
from pbem.store.models import Sheet


@dataclasses.dataclass(frozen=True, slots=True)
class _Desk:
    """What a sheet is read against, and what counted before it."""

    house: House
    table: Table
    place: Place
    turn: OpenTurn
    last: LastReport

    @property
    def ruleset(self) -> AnyRuleset:
        return self.house.game(self.table.game)


@dataclasses.dataclass(frozen=True, slots=True)
class GiveSheet(Weighty[Receipt]):
    """Enters a sheet for the open turn, in the place of a seat's player; he gets the receipt."""

    seat: Seat
    lines: Lines

    def look(self, scene: Scene) -> Receipt:
        """How the sheet reads. Raises CampaignError."""
        desk = _desk(scene.session, scene.house, scene.table, self.seat)
        return _receipt(desk, read_lines(desk.ruleset, json.loads(desk.last.view), self.lines))

    def do(self, scene: Scene) -> Receipt:
        """Keeps it. Raises CampaignError, also if nothing in it is understood."""
        session, house, table, now = scene.session, scene.house, scene.table, scene.now
        desk = _desk(session, house, table, self.seat)
        place = desk.place
        reading = checked(read_lines(desk.ruleset, json.loads(desk.last.view), self.lines), place.seat)
        receipt = _receipt(desk, reading)
        session.add(_row(desk, reading, receipt, now))
        said = f"sheet {receipt.version} of {place.seat} for turn {table.turn} was entered by the GM"
        # Whose it is, and which version, would tell who was awaited and had sent none.
        note(session, table.id, now, actor="gm", text=f"a sheet for turn {table.turn} was entered by the GM")
        note(session, table.id, now, actor="gm", text=said, secret=True)
        if place.address:
            queue(session, _mail(desk, receipt), house.settings, campaign_id=table.id, now=now)
        return receipt


def _desk(session: Session, house: House, table: Table, seat: Seat) -> _Desk:
    turn = load_open_turn(session, table)
    place = find_place(table, seat)
    last = load_last_reports(session, table).get(place.seat)
    if not place.playing or last is None:
        raise CampaignError(f"seat {place.seat} of {table.name} is out of the game: it takes no orders")
    return _Desk(house, table, place, turn, last)


def _receipt(desk: _Desk, reading: Reading) -> Receipt:
    came = [sheet for sheet in desk.turn.sheets if sheet.seat_id == desk.place.id]
    counted = next((sheet for sheet in reversed(came) if sheet.accepted), None)
    ruleset, parsed = desk.ruleset, reading.parsed
    before = tuple(map(ruleset.orders.from_json, counted.orders)) if counted else ()
    return Receipt(
        campaign=desk.table.name,
        seat=desk.place.seat,
        label=json.loads(desk.last.view)["label"],
        version=came[-1].version + 1 if came else 1,
        digest=digest([ruleset.orders.to_json(order) for order in parsed.orders]),
        accepted=reading.accepted,
        orders=restate(parsed),
        findings=tell(reading.findings, reading.lines),
        deadline=desk.turn.deadline,
        zone=desk.table.schedule.zone,
        counts=counted.version if counted else None,
        replaces=compare(counted.version, before, parsed.orders, ruleset.orders) if counted else None,
        complete=parsed.complete,
        missing=reading.missing,
        by_gm=True,
    )


def _row(desk: _Desk, reading: Reading, receipt: Receipt, now: dt.datetime) -> Sheet:
    parsed = reading.parsed
    return Sheet(
        turn_id=desk.turn.id,
        seat_id=desk.place.id,
        version=receipt.version,
        accepted=True,
        wait=not parsed.complete,
        digest=receipt.digest,
        text="\n".join(line for _, line in reading.lines),
        orders=[desk.ruleset.orders.to_json(order) for order in parsed.orders],
        findings=[dataclasses.asdict(finding) for finding in parsed.findings],
        received_at=now,
        author="gm",
    )


def _mail(desk: _Desk, receipt: Receipt) -> Mail:
    table, settings = desk.table, desk.house.settings
    parts = ("receipt", table.name, receipt.seat, table.turn, receipt.version, table.era)
    return Mail(
        recipient=desk.place.address,
        subject=f"{subject_tag(table.name, desk.last.code)} Your GM has entered orders for {receipt.seat}",
        text=desk.house.reporter.write(receipt),
        message_id=message_id(table.mail_key, settings.domain, *parts),
        reply_to=plus_address(settings.address, desk.last.code),
        in_reply_to=desk.last.message_id,
        references=(desk.last.message_id,),
        kind="receipt",
    )
