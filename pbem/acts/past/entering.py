"""A sheet that a GM enters for a seat: it counts like one of the player's own, and he gets a receipt that says so."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator

from pbem.acts.act import Confirmed, Scene, Weighty
from pbem.acts.channel import Channel, render_reading
from pbem.acts.past.rerunning import checked
from pbem.campaign.journal import note
from pbem.campaign.notices import Postman
from pbem.campaign.reading import Lines, Reading, read_lines
from pbem.campaign.sheets import Earlier, SheetRead, earlier_sheets, keep_sheets, make_receipt, receipt_name
from pbem.campaign.snapshot import (
    LastReport,
    Place,
    find_place,
    load_last_reports,
    load_open_turn,
)
from pbem.errors import CampaignError
from pbem.report.answers import Receipt
from pbem.ruleset.values import Seat
from pbem.text import wrapped


@dataclasses.dataclass(frozen=True, slots=True)
class _Given:
    """How a sheet reads, what came before it, and what its player is told of it, in answer to his `last` report."""

    place: Place
    last: LastReport
    earlier: Earlier
    reading: Reading
    receipt: Receipt


@dataclasses.dataclass(frozen=True, slots=True)
class GiveSheet(Weighty[Receipt]):
    """Enters a sheet for the open turn, in the place of a seat's player; he gets the receipt."""

    command = "sheet"
    weight = Confirmed("the sheet that counts, for the turn", "pbem sheet NAME SEAT --restore")
    seat: Seat
    lines: Lines

    def asks(self, scene: Scene, facts: Receipt) -> bool:
        """Return whether a sheet counts already, that asks for something else."""
        return facts.replaces is not None and not facts.replaces.same

    def look(self, scene: Scene) -> Receipt:
        """How the sheet reads. Raises CampaignError."""
        return _read(scene, self.seat, self.lines).receipt

    def do(self, scene: Scene) -> Receipt:
        """Keeps it. Raises CampaignError, also if nothing in it is understood."""
        session, house, snapshot, now = scene.session, scene.house, scene.snapshot, scene.now
        given = _read(scene, self.seat, self.lines)
        place, receipt = given.place, given.receipt
        reading = checked(given.reading, place.seat)
        wait = not reading.parsed.complete
        sheet = SheetRead(reading=reading, earlier=given.earlier, author="gm", wait=wait)
        keep_sheets(session, [sheet], now)
        said = f"sheet {receipt.version} of {place.seat} for turn {snapshot.turn} was entered by the GM"
        # Whose it is, and which version, would tell who was awaited and had sent none.
        note(session, snapshot.id, now, actor="gm", text=f"a sheet for turn {snapshot.turn} was entered by the GM")
        note(session, snapshot.id, now, actor="gm", text=said, secret=True)
        if place.address:
            postman, subject = Postman.of(house, snapshot), f"Your GM has entered orders for {place.seat}"
            id_ = receipt_name(snapshot.name, place.seat, snapshot.turn, receipt.version, snapshot.era)
            mail = postman.mail(place.address, subject, receipt, id_, under=given.last, kind="receipt")
            postman.send(session, now, mail)
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
    yield from (f"  - {wrapped(line, '    ')}" for line in before.dropped)
    yield from (f"  + {wrapped(line, '    ')}" for line in before.added)
    if before.reordered:
        yield "  the same orders stand in another order"
    if channel.done:
        yield f"To have it back: {restoring(receipt.campaign, receipt.seat, before.version, channel)}"


def restoring(campaign: str, seat: str, version: int, channel: Channel) -> str:
    return channel.either(f"pbem sheet {campaign} {seat} --restore {version}", f"SHEET {seat} BACK {version}")


def render_receipt(receipt: Receipt) -> Iterator[str]:
    """How a sheet was read."""
    yield f"{receipt.campaign}, {receipt.label}, seat {receipt.seat}: {receipt.verdict}"
    yield from render_reading(receipt.findings, receipt.orders)


def _read(scene: Scene, seat: Seat, lines: Lines) -> _Given:
    session, snapshot = scene.session, scene.snapshot
    turn = load_open_turn(session, snapshot)
    place, ruleset = find_place(snapshot, seat), scene.house.game(snapshot.game)
    last = load_last_reports(session, snapshot).get(place.seat)
    if not place.playing or last is None:
        raise CampaignError(f"seat {place.seat} of {snapshot.name} is out of the game: it takes no orders")
    view = json.loads(last.view)
    reading = read_lines(ruleset, view, lines)
    earlier = earlier_sheets(session, ruleset.orders, turn_id=turn.id, seat_id=place.id)
    receipt = make_receipt(
        reading,
        earlier,
        ruleset.orders,
        campaign=snapshot.name,
        seat=place.seat,
        label=view["label"],
        deadline=turn.deadline,
        held=bool(snapshot.held),
        zone=snapshot.schedule.zone,
    )
    return _Given(place, last, earlier, reading, dataclasses.replace(receipt, by_gm=True))
