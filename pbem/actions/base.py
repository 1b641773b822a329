"""Base classes of actions, their results, and the functions that run them.

The command line or a mail of the GM makes an action from what was typed. It is
run, or only previewed, and returns facts, which its `render` words alike for all
channels.

Every action declares its `weight` (`pbem.actions.weight`): that it is `Reversible`, and by which command;
that it needs confirmation (`Confirmed`), and what is lost by it; or why it is
`Harmless`. An action that overwrites work, cannot be undone or ends a seat is
`Confirmed`. Such an action is a `PreviewedChange`: its effect is shown first, by
`attempt` on the command line and by the answer to a mail, and it is done only once
that was confirmed. What it overwrote can be shown and restored.
`tests/actions/test_weights.py` checks all actions.

Locks have one rule. A query takes none. A change locks the campaign and reads it
again from there; long computations are done before, and committed only if the
read set is unchanged (`pbem.campaign.optimistic_lock`).
"""

from __future__ import annotations

import datetime as dt
import difflib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar
from zoneinfo import ZoneInfo

from pbem.actions.reversal import OTHER, record
from pbem.actions.weight import Confirmed, Weight
from pbem.app import App
from pbem.campaign.archive_sync import archive_pending
from pbem.campaign.damaged_rows import readable
from pbem.campaign.optimistic_lock import ReadSet, load_read_set, run_optimistic
from pbem.campaign.snapshot import Context, add_entry, load_campaign, locked_campaign
from pbem.errors import Conflict
from pbem.ruleset.values import SeatName
from pbem.text import as_sentence, wrap, wrap_order_line

if TYPE_CHECKING:
    from pbem.report.answers import FindingWithLine, RestatedOrder

MOST_LINES = 60
"""The most lines of differences in a report; more would bury the rest."""


TICK = "pbem tick"
"""The command that does all that is due; a service does the same without being asked."""


@dataclass(frozen=True, slots=True)
class Channel:
    """The way by which an action was asked for and is answered: the terminal or a mail.

    `undone` says how to have a previewed change done; it is "" once it was done. `is_served`: a service
    runs in the home, and does what a tick would do.
    """

    by_mail: bool = False
    undone: str = ""
    is_served: Callable[[], bool] = lambda: False

    @property
    def done(self) -> bool:
        """True if the action was done and not just previewed."""
        return not self.undone

    def either(self, typed: str, mailed: str) -> str:
        """Return the wording that fits the channel."""
        return mailed if self.by_mail else typed

    def fact(self, text: str, *, named: bool = False) -> str:
        """Return the first sentence of a result, with its heading: a mail has that above all of its results.

        Args:
            named: It begins with a name or an address, which keeps its case.
        """
        if self.by_mail:
            return text if named else as_sentence(text)
        return f"{'Done' if self.done else 'Would do'}: {text}"

    def queued(self, what: str) -> str:
        """Return a sentence that mail is queued, with the command that sends it where no service does."""
        return f"{what}.{self.next(TICK)}"

    def undo(self, name: str) -> str:
        """Return how to take back what was done to a campaign."""
        return self.either(f"Undo: pbem undo {name}", "To take it back: UNDO")

    def next(self, command: str) -> str:
        """Return the next step on the command line, with a blank before it; "" by mail, and where it is done anyway."""
        return "" if self.by_mail or (command == TICK and self.is_served()) else f" Next: {command}"


CLI = Channel()
ASKED = Channel(undone="Nothing has changed yet.")
"""A terminal at which confirmation is asked for."""

DRY_RUN = Channel(undone="Nothing has changed. To do it, add --yes.")
"""The command line without a terminal at which to ask."""


def format_utc(at: dt.datetime) -> str:
    """Return a time as in tables for GMs: UTC, to the minute."""
    return f"{at.astimezone(dt.UTC):%Y-%m-%d %H:%M}"


def versions(sheets: Mapping[SeatName, int]) -> str:
    """Return the sheets that count as text, each seat with the number of its sheet."""
    return ", ".join(f"{seat} (sheet {version})" for seat, version in sheets.items()) or "none"


def render_reading(findings: Sequence[FindingWithLine], orders: Sequence[RestatedOrder]) -> Iterator[str]:
    """Yield the lines on how a sheet was read, as receipts show them: findings, then the orders in words."""
    for finding in findings:
        yield ""
        yield f"Line {finding.line}: {finding.source}" if finding.line else "The whole sheet:"
        yield from (f"    {wrap(as_sentence(text), '    ')}" for text in (finding.text, finding.hint) if text)
    if orders:
        yield ""
    for order in orders:
        yield f"{order.line:4d}  {wrap(as_sentence(order.words), '      ')}"
        if order.differs:
            yield f"      {wrap_order_line(order.typed, '      ')}"


_HALF_A_DAY = dt.timedelta(hours=12)


def last_day(until: dt.datetime, zone: str) -> dt.date:
    """Return the last day of a time that ends at a midnight, as the player named it (see `format_days`)."""
    return (until - _HALF_A_DAY).astimezone(ZoneInfo(zone)).date()


def format_days(since: dt.datetime, until: dt.datetime, zone: str) -> str:
    """Return the first and last day of an absence, as its player gave them.

    Args:
        since: The begin of the absence, midnight by the player's clock.
        until: Its end, exclusive: midnight after its last day.
        zone: Another zone, in which it is the same day at the player's noon.
    """
    first, last = (since + _HALF_A_DAY).astimezone(ZoneInfo(zone)).date(), last_day(until, zone)
    return f"on {first}" if first == last else f"from {first} to {last}"


def diff_lines(before: str, now: str) -> tuple[str, ...]:
    """Return the lines in which two texts differ, with "- " or "+ " before them.

    Of more than `MOST_LINES` lines the rest is only counted.
    """
    lines = list(_iter_differences(before.splitlines(), now.splitlines()))
    if len(lines) <= MOST_LINES:
        return tuple(lines)
    return (*lines[:MOST_LINES], f"(and {len(lines) - MOST_LINES} lines more)")


def _iter_differences(before: Sequence[str], now: Sequence[str]) -> Iterator[str]:
    for kind, start, end, start_now, end_now in difflib.SequenceMatcher(None, before, now).get_opcodes():
        if kind != "equal":
            yield from (f"- {line.strip()}" for line in before[start:end] if line.strip())
            yield from (f"+ {line.strip()}" for line in now[start_now:end_now] if line.strip())


Facts = TypeVar("Facts")
Plan = TypeVar("Plan")


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """Journal entry about a query; with `told`, it is disclosed in the next reports too."""

    text: str
    secret: bool = False
    told: bool = False


@dataclass(frozen=True, slots=True)
class TextResult:
    """Result that is fully described by its first sentences, which begin with the fact.

    `undo` is the campaign of which it can be taken back, and `next` the command that goes on from there.
    """

    done: str
    undo: str = ""
    next: str = ""


class Action(ABC, Generic[Facts]):
    """Something done to a campaign or asked of it, with the wording of its facts."""

    def render(self, facts: Facts, channel: Channel) -> Iterator[str]:
        """Yield the lines that describe the facts that the action returned."""
        assert isinstance(facts, TextResult)
        undo = f" {channel.undo(facts.undo)}" if facts.undo and channel.done else ""
        following = channel.next(facts.next) if facts.next else ""
        yield channel.fact(facts.done + undo + following, named="@" in facts.done.partition(" ")[0])
        if channel.undone:
            yield channel.undone


class Query(Action[Facts]):
    """Action that only reads a campaign."""

    @abstractmethod
    def look(self, context: Context) -> Facts:
        """Return the answer; change nothing.

        Raises:
            CampaignError: If this cannot be asked, or could not be done.
        """

    def traces(self, facts: Facts) -> tuple[AuditEntry, ...]:
        """Return the journal entries that the query leaves; most leave none."""
        return ()


class Change(Action[Facts]):
    """Action that changes a campaign, in one transaction. Each kind declares its `weight`."""

    weight: ClassVar[Weight]
    """How it is undone, or that it must be confirmed; see the docstring of this module."""

    rewrites: ClassVar[bool] = False
    """True if it changes which turns there are, so that the archive has to follow."""

    kind: ClassVar[str] = OTHER
    """Its name in the journal, by which `pbem.actions.reversal` says how it is undone."""

    @abstractmethod
    def do(self, context: Context) -> Facts:
        """Apply the change. Call with the campaign locked.

        Raises:
            CampaignError: If it cannot be done; the message names the nearest thing that can.
        """

    def confirmed(self, facts: Facts) -> Change[Facts]:
        """Return the change to be done once it was confirmed, of which these facts were shown."""
        return self


class PreviewedChange(Query[Facts], Change[Facts]):
    """Change with a dry run: `look` returns the facts that it would have."""

    def asks(self, context: Context, facts: Facts) -> bool:
        """Return True if the change needs confirmation as things stand; `facts` are those of its dry run.

        Even a `Confirmed` change may overwrite nothing now.
        """
        return isinstance(self.weight, Confirmed)


class PlannedChange(PreviewedChange[Facts], Generic[Facts, Plan]):
    """Change that takes long to compute: it is planned before the campaign is locked, then committed."""

    of_moved: ClassVar[bool] = False
    """True if its plan says itself whether a campaign that is played in another home may be changed."""

    @abstractmethod
    def plan(self, context: Context) -> Plan:
        """Return all that will be stored, changing nothing. Raises CampaignError as `do` does."""

    @abstractmethod
    def keep(self, context: Context, plan: Plan) -> None:
        """Commit the plan. Call with the campaign locked, and its read set unchanged since planning."""

    @abstractmethod
    def facts(self, plan: Plan) -> Facts:
        """Return the facts of the plan."""

    def look(self, context: Context) -> Facts:
        """Return the facts that the change would have."""
        return self.facts(self.plan(context))

    def do(self, context: Context) -> Facts:
        """Plan and commit under one lock."""
        plan = self.plan(context)
        self.keep(context, plan)
        return self.facts(plan)


def run_query(app: App, name: str, question: Query[Facts], now: dt.datetime) -> Facts:
    """Return the answer to a query; the campaign is locked only if the query leaves journal entries.

    Raises:
        CampaignError: If there is no such campaign, or this cannot be asked.
    """
    with readable(app, name), app.store.reading() as session:
        facts = question.look(Context(session, app, load_campaign(session, name), now))
    # Before the answer is returned: whatever a GM has seen is disclosed, also after a kill.
    _save_audit_entries(app, name, question.traces(facts), now)
    return facts


def _save_audit_entries(app: App, name: str, traces: Iterable[AuditEntry], now: dt.datetime) -> None:
    """Save journal entries; take the campaign's lock only if there are any."""
    left = tuple(traces)
    if left:
        with app.store.writing() as session:
            add_audit_entries(Context(session, app, locked_campaign(session, name), now), left)


def add_audit_entries(context: Context, traces: Iterable[AuditEntry]) -> None:
    """Add the journal entries of a query to a locked campaign."""
    snapshot = context.snapshot
    for trace in traces:
        turn = snapshot.turn if trace.told else None
        add_entry(
            context.session, snapshot.id, context.now, actor="gm", text=trace.text, secret=trace.secret, turn=turn
        )


@dataclass(frozen=True, slots=True)
class Attempt(Generic[Facts]):
    """Facts of a change that was done; with a `read_set`, those of a dry run that waits for confirmation."""

    facts: Facts
    read_set: ReadSet | None = None


Check = Callable[[Context, Any], None]
"""Raises Conflict if a change must not be applied under the lock; it is given the facts of a planned change."""


def run_action(app: App, name: str, act: Change[Facts], now: dt.datetime) -> Facts:
    """Apply a change that was confirmed, or needs no confirmation.

    Raises:
        CampaignError: If it cannot be done; then nothing has changed.
    """
    return _run(app, name, act, now, lambda _context, _facts: None)


def attempt(app: App, name: str, act: Change[Facts], now: dt.datetime) -> Attempt[Facts]:
    """Apply a change, or only preview it if it needs confirmation.

    Raises:
        CampaignError: If it cannot be done; then nothing has changed.
    """
    if not isinstance(act, PreviewedChange):
        return Attempt(run_action(app, name, act, now))
    asked = preview_confirmation(app, name, act, now)
    return asked or Attempt(_run(app, name, act, now, partial(_check_unasked, act)))


def preview_confirmation(app: App, name: str, act: PreviewedChange[Facts], now: dt.datetime) -> Attempt[Facts] | None:
    """Return the dry run of a change with its read set if it needs confirmation as things stand, else None.

    Raises:
        CampaignError: If it cannot be done.
    """
    with readable(app, name), app.store.reading() as session:
        context = Context(session, app, load_campaign(session, name), now)
        # Without the lock: the read set shows later whether what was previewed still holds (decision 13).
        read_set, asked = load_read_set(session, context.snapshot), confirmation(act, context)
    if asked is None:
        return None
    # Before the effect is shown, as in `run_query`.
    return Attempt(asked, _save_shown(app, name, act.traces(asked), now, read_set))


def _save_shown(app: App, name: str, traces: Iterable[AuditEntry], now: dt.datetime, read_set: ReadSet) -> ReadSet:
    """Save the journal entries of what was shown; return the read set, with these if nothing else has changed."""
    left = tuple(traces)
    if not left:
        return read_set
    with app.store.writing() as session:
        context = Context(session, app, locked_campaign(session, name), now)
        unchanged = load_read_set(session, context.snapshot) == read_set
        add_audit_entries(context, left)
        return load_read_set(session, context.snapshot) if unchanged else read_set


def require_as_shown(app: App, name: str, now: dt.datetime, read_set: ReadSet) -> None:
    """Raise Conflict if a campaign is no longer as it was when the effect of a change was shown."""
    with readable(app, name), app.store.reading() as session:
        _compare(Context(session, app, load_campaign(session, name), now), read_set)


def _compare(context: Context, read_set: ReadSet) -> None:
    if load_read_set(context.session, context.snapshot) != read_set:
        raise Conflict(context.snapshot.name, context.snapshot.turn)


def do_as_shown(app: App, name: str, act: Change[Facts], now: dt.datetime, read_set: ReadSet) -> Facts:
    """Apply a confirmed change, if the campaign is still as it was when its effect was shown.

    Raises:
        CampaignError: If it cannot be done.
        Conflict: If the read set has changed.
    """

    return _run(app, name, act, now, lambda context, _facts: _compare(context, read_set))


def confirmation(act: Change[Facts], context: Context) -> Facts | None:
    """Return the facts of the dry run if the change needs confirmation as things stand, else None.

    Raises:
        CampaignError: If it cannot be done.
    """
    if not (isinstance(act, PreviewedChange) and isinstance(act.weight, Confirmed)):
        return None
    facts: Facts = act.look(context)
    return facts if act.asks(context, facts) else None


def _check_unasked(act: PreviewedChange[Any], context: Context, facts: Any) -> None:
    """Raise Conflict if a change that was done without asking needs confirmation by now."""
    # Without a plan the dry run is made again: since the first one something may have come that would be lost.
    asks = confirmation(act, context) is not None if facts is None else act.asks(context, facts)
    if asks:
        raise Conflict(context.snapshot.name, context.snapshot.turn)


def apply_change(context: Context, act: Change[Facts]) -> Facts:
    """Apply a change of the GM to a locked campaign; its journal entry has what it takes to undo it.

    Raises:
        CampaignError: If it cannot be done.
    """
    return record(context, act.kind, lambda: act.do(context))


def _run(app: App, name: str, act: Change[Facts], now: dt.datetime, check: Check) -> Facts:
    facts: Facts
    with readable(app, name):
        if isinstance(act, PlannedChange):
            facts = _do_planned(app, name, act, now, check)
        else:
            with app.store.writing() as session:
                # The lock comes first and the check second: whatever `check` compares cannot change any more.
                context = Context(session, app, locked_campaign(session, name), now)
                check(context, None)
                facts = apply_change(context, act)
    # The archive follows from the rows, so it is written after the commit (decision 3).
    if act.rewrites:
        archive_pending(app, now)
    return facts


def _do_planned(app: App, name: str, act: PlannedChange[Facts, Plan], now: dt.datetime, check: Check) -> Facts:
    def keep(context: Context, planned: Plan) -> Facts:
        # The facts are known before the plan is kept: a change that has come to need confirmation stores nothing.
        facts = act.facts(planned)
        check(context, facts)
        record(context, act.kind, lambda: act.keep(context, planned))
        return facts

    return run_optimistic(app, name, now, act.plan, keep, moved=act.of_moved)
