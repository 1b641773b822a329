"""A campaign's beginning, deadlines, people, house rules and journal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pbem.acts.creation import Created
from pbem.acts.opening import Started
from pbem.acts.people.roster import Entry, Roster, RuleSet
from pbem.acts.time.scheduling import Deadlines
from pbem.console.common import counted
from pbem.report.wording import columns, when, wrapped


def created_lines(name: str, created: Created) -> Iterator[str]:
    """What the making of a campaign did, and how to go on."""
    yield f"Campaign {name} is made."
    yield f"Dice seal: {created.seal}"
    yield f"{counted(created.mails, 'mail')} queued: the seal, and how to add a word to the dice. Send: pbem tick"
    yield f"When the players have had time for that: pbem start {name}"


def started_lines(started: Started) -> Iterator[str]:
    """What the start of a campaign did."""
    yield f"Campaign {started.campaign} has begun with {', '.join(started.seats)}."
    yield f"Turn 1 is due {when(started.deadline, started.zone)}."
    yield f"Dice seal: {started.seal}"
    yield f"Words of their players' own in the dice: {', '.join(started.own_words) or 'none, all were drawn'}."
    yield f"{counted(2 * len(started.seats), 'mail')} queued, a welcome and a report for each seat. Send: pbem tick"


def deadline_lines(deadlines: Deadlines) -> Iterator[str]:
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


def roster_lines(roster: Roster) -> Iterator[str]:
    """Who sits where, and who waits for a seat."""
    yield from columns(roster.seats, "seat", "player", "state").splitlines()
    for number, (address, wish) in enumerate(roster.standbys, start=1):
        yield f"standby {number}: {address}" + (f", who would like {wish}" if wish else "")


def rule_lines(rules: Iterable[RuleSet]) -> Iterator[str]:
    """House rules, those that are not as usual marked."""
    for rule in rules:
        yield f"{rule.name}={rule.value}" + ("" if rule.default else "  (changed)")
        yield f"    {wrapped(f'{rule.help}: {rule.allowed}', '    ')}"


def journal_lines(entries: Iterable[Entry], zone: str) -> Iterator[str]:
    """A journal, an entry a line; what players may not read is marked."""
    for entry in entries:
        yield f"{when(entry.at, zone)}  {entry.actor}: {entry.text}" + ("  (secret)" if entry.secret else "")
