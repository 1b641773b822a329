"""What ticks and runs did, and how the house stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem.console.common import counted
from pbem.housekeeping.status import CampaignStatus, HouseStatus, SeatStatus, Undelivered
from pbem.report.wording import columns, sentence, when, wrapped
from pbem.tick import Ticked


def tick_lines(done: Ticked) -> Iterator[str]:
    """What a tick did, a line for each stage that did anything."""
    if done.busy:
        yield "Another tick is at work here; this one did nothing."
    before = done.answered
    facts = [
        (done.polled, f"{counted(done.polled, 'letter')} came in."),
        (before.letters, f"{counted(before.letters, 'letter')} dealt with: {counted(before.sheets, 'order sheet')}."),
        (before.unanswered, f"{counted(before.unanswered, 'letter')} left unanswered; see the notes in: pbem letters"),
        (before.set_aside, f"{counted(before.set_aside, 'letter')} set aside; see: pbem letters"),
        (done.reminded, f"{counted(done.reminded, 'reminder')} written."),
        *((1, f"{turn.campaign}: turn {turn.turn} resolved ({turn.reason}).") for turn in done.resolved),
        *((1, f"{turn.campaign}: turn {turn.turn} is held; see: pbem status {turn.campaign}") for turn in done.held),
        *((1, f"{turn.campaign}: turn {turn.turn} awaits its GM's ruling ({turn.reason}).") for turn in done.awaiting),
        (done.archived, f"{counted(done.archived, 'turn')} archived late."),
        (done.sent.sent, f"{counted(done.sent.sent, 'mail')} sent."),
        (done.sent.retried, f"{counted(done.sent.retried, 'mail')} to be tried again."),
        (done.sent.held, f"{counted(done.sent.held, 'mail')} held back to keep the pace set in pbem.toml."),
        (done.sent.failed, f"{counted(done.sent.failed, 'mail')} could not be delivered; see: pbem outbox"),
    ]
    yield from (line for number, line in facts if number)


def status_lines(status: HouseStatus) -> Iterator[str]:
    """All campaigns, and what mail is stuck."""
    if not status.campaigns:
        yield "There are no campaigns; make one with: pbem new"
    for number, campaign in enumerate(status.campaigns):
        if number:
            yield ""
        yield from _campaign_lines(campaign)
    yield from _undelivered_lines(status.undelivered, "")
    if status.set_aside:
        yield f"{counted(status.set_aside, 'letter')} set aside; see: pbem letters --state quarantined"
    yield from (wrapped(sentence(notice)) for notice in status.notices)


def _campaign_lines(campaign: CampaignStatus) -> Iterator[str]:
    where = {"forming": "not started", "running": f"turn {campaign.turn}", "over": f"over after turn {campaign.turn}"}
    yield f"{campaign.name}: {campaign.title}, {where[campaign.status]}"
    if campaign.deadline is not None:
        yield f"  deadline: {when(campaign.deadline, campaign.zone)}  [{campaign.schedule}]"
        if campaign.closes is not None and campaign.closes > campaign.deadline:
            yield f"  late sheets count until: {when(campaign.closes, campaign.zone)}"
    elif campaign.status == "forming":
        yield f"  deadlines: {campaign.schedule}; start it with: pbem start {campaign.name}"
    if campaign.held:
        yield f"  held: {campaign.held}; let turns run with: pbem release {campaign.name}"
    if campaign.result is not None:
        winners = ", ".join(campaign.result.winners) or "nobody"
        yield f"  won by {winners}: {campaign.result.reason}"
    rows = [
        (seat.seat, seat.address, _sheet(seat), f"{seat.nmr_in_a_row} in a row, {seat.nmr_total} in all")
        for seat in campaign.seats
    ]
    yield from (f"  {line}" for line in columns(rows, "seat", "address", "sheet", "missed").splitlines())
    yield from _undelivered_lines(campaign.undelivered, "  ")


def _sheet(seat: SeatStatus) -> str:
    if not seat.playing:
        return "removed"
    if seat.sheet is not None:
        return f"version {seat.sheet}" + (", says WAIT" if seat.wait else "")
    return "awaited" if seat.awaited else "-"


def _undelivered_lines(mails: Sequence[Undelivered], indent: str) -> Iterator[str]:
    for mail in mails:
        tries = f", {counted(mail.attempts, 'try', 'tries')}" if mail.attempts else ""
        reply = f": {mail.reply}" if mail.reply else ""
        yield f"{indent}not delivered to {mail.recipient} ({mail.state}{tries}){reply}"
