"""A campaign as it stands: its beginning, deadlines, people, house rules and journal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem.acts.act import Deed
from pbem.acts.creation import Created
from pbem.acts.gm import WhoIsGm
from pbem.acts.journal import Journal
from pbem.acts.opening import Started
from pbem.acts.people.roster import HouseRules, Roster
from pbem.acts.time.holding import Held
from pbem.acts.time.scheduling import Deadlines
from pbem.housekeeping.status import CampaignStatus, SeatStatus, Undelivered
from pbem.report.wording import columns, counted, when, wrapped
from pbem.store.states import MailState, Phase
from pbem.telling.common import days_of
from pbem.telling.door import Door


def deed_lines(deed: Deed, door: Door) -> Iterator[str]:
    """What a sentence has all of."""
    yield deed.done
    if door.undone:
        yield door.undone


def created_lines(name: str, created: Created) -> Iterator[str]:
    """What the making of a campaign did, and how to go on."""
    yield f"Campaign {name} is made."
    if created.first > 1:
        yield f"It goes on from where the game stood: its first turn here is turn {created.first}."
    yield f"Dice seal: {created.seal}"
    yield f"{counted(created.mails, 'mail')} queued: the seal, and how to add a word to the dice. Send: pbem tick"
    yield f"When the players have had time for that: pbem start {name}"


def started_lines(started: Started, door: Door) -> Iterator[str]:
    """What the start of a campaign did."""
    if door.undone:
        yield f"Campaign {started.campaign} would begin with {', '.join(started.seats)}."
        yield f"Nobody has taken {', '.join(started.left_out)}: left out, and no seat of the campaign any more."
        yield door.undone
        return
    yield f"Campaign {started.campaign} has begun with {', '.join(started.seats)}."
    yield f"Turn {started.first} is due {when(started.deadline, started.zone)}."
    yield f"Dice seal: {started.seal}"
    yield f"Words of their players' own in the dice: {', '.join(started.own_words) or 'none, all were drawn'}."
    mails = counted(2 * len(started.seats), "mail")
    yield f"{mails} queued, a welcome and a report for each seat." + door.either(" Send: pbem tick", "")


def held_lines(held: Held, door: Door) -> Iterator[str]:
    """A campaign that is held, or is no longer."""
    if held.released:
        yield f"Campaign {held.campaign} is released; it was held: {held.why}"
    else:
        release = door.either(f"pbem release {held.campaign}", "RELEASE")
        yield f"Campaign {held.campaign} is paused, and its players are told. Let it go on with: {release}"


def deadline_lines(deadlines: Deadlines, _: Door) -> Iterator[str]:
    """When the turns of a campaign are due."""
    zone = deadlines.zone
    yield f"{deadlines.campaign}: {deadlines.schedule}"
    if deadlines.deadline is None:
        yield f"  its first turn would be due {when(deadlines.next, zone)} if it began now"
        return
    yield f"  turn {deadlines.turn} is due {when(deadlines.deadline, zone)}"
    if deadlines.closes is not None and deadlines.closes > deadlines.deadline:
        yield f"  late sheets count until {when(deadlines.closes, zone)}"
    yield f"  run then, the next is due {when(deadlines.next, zone)}"


def roster_lines(roster: Roster, _: Door) -> Iterator[str]:
    """Who sits where, and who waits for a seat."""
    yield from columns(roster.seats, "seat", "player", "state").splitlines()
    for number, (address, wish) in enumerate(roster.standbys, start=1):
        yield f"standby {number}: {address}" + (f", who would like {wish}" if wish else "")


def rule_lines(rules: HouseRules, _: Door) -> Iterator[str]:
    """House rules, those that are not as usual marked."""
    for rule in rules.rules:
        yield f"{rule.name}={rule.value}" + ("" if rule.default else "  (changed)")
        yield f"    {wrapped(f'{rule.help}: {rule.allowed}', '    ')}"


def gm_lines(who: WhoIsGm, _: Door) -> Iterator[str]:
    """Whose a campaign is."""
    mailed = "; a new token goes to him with the next tick" if who.mailed else ""
    yield f"The GM of {who.campaign} is {who.gm}{mailed}."


def journal_lines(journal: Journal, _: Door) -> Iterator[str]:
    """A journal, an entry a line; what players may not read is marked."""
    for entry in journal.entries:
        secret = "  (secret)" if entry.secret else ""
        yield f"{when(entry.at, journal.zone)}  {entry.actor}: {entry.text}{secret}"


def status_lines(status: CampaignStatus, door: Door) -> Iterator[str]:
    """How a campaign stands: its turn, its seats, and what mail is stuck."""
    where = {
        Phase.FORMING: "not started",
        Phase.RUNNING: f"turn {status.turn}",
        Phase.OVER: f"over after turn {status.turn}",
        Phase.MOVED: f"moved to {status.held} at turn {status.turn}",
    }
    yield f"{status.name}: {status.title}, {where[status.status]}"
    if status.deadline is not None:
        yield f"  deadline: {when(status.deadline, status.zone)}  [{status.schedule}]"
        if status.closes is not None and status.closes > status.deadline:
            yield f"  late sheets count until: {when(status.closes, status.zone)}"
    elif status.status == Phase.FORMING:
        start = door.either(f"pbem start {status.name}", "START")
        yield f"  deadlines: {status.schedule}; start it with: {start}"
    if status.status == Phase.MOVED:
        yield f"  if it is not played there, take it back with: pbem export {status.name} --back"
    elif status.held:
        release = door.either(f"pbem release {status.name}", "RELEASE")
        yield f"  held: {status.held}; let turns run with: {release}"
    if status.ruled:
        show = door.either(f"pbem adjudicate {status.name}", "RULING")
        drop = door.either(f"pbem adjudicate {status.name} --drop", "RULING OFF")
        yield f"  ruled: turn {status.turn} has your ruling; show it with: {show}; drop it with: {drop}"
    if status.result is not None:
        winners = ", ".join(status.result.winners) or "nobody"
        yield f"  won by {winners}: {status.result.reason}"
    rows = [
        (seat.seat, seat.address, _sheet(seat), f"{seat.nmr_in_a_row} in a row, {seat.nmr_total} in all")
        for seat in status.seats
    ]
    yield from (f"  {line}" for line in columns(rows, "seat", "address", "sheet", "missed").splitlines())
    for seat in status.seats:
        yield from (f"  {seat.seat} is absent {days_of(away.since, away.until, status.zone)}" for away in seat.absences)
    yield from undelivered_lines(status.undelivered, "  ")


def _sheet(seat: SeatStatus) -> str:
    if not seat.playing:
        return "removed"
    paused = ", paused" if seat.paused else ""
    if seat.sheet is not None:
        return f"version {seat.sheet}" + (", waits for the deadline" if seat.wait else "") + paused
    return ("awaited" if seat.awaited else "-") + paused


def undelivered_lines(mails: Sequence[Undelivered], indent: str = "") -> Iterator[str]:
    """Mail that has not gone out: how much just waits, and a line for each that was tried in vain."""
    tried = [mail for mail in mails if mail.attempts or mail.state != MailState.QUEUED]
    if len(tried) < len(mails):
        yield f"{indent}{counted(len(mails) - len(tried), 'mail waits', 'mails wait')} to be sent"
    for mail in tried:
        tries = f", {counted(mail.attempts, 'try', 'tries')}" if mail.attempts else ""
        reply = f": {mail.reply}" if mail.reply else ""
        yield f"{indent}not delivered to {mail.recipient} ({mail.state}{tries}){reply}"
