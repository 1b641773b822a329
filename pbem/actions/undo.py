"""Undoes the newest change of the GM, or an earlier one that nothing has changed since.

Changes are undone by restoring the rows that they changed (decision 45); a rollback
by reinstating the turns that it withdrew, an edited state by a rerun. Mail of the
change that is still queued is withdrawn; those who were mailed are notified, and then
the GM is asked first.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from sqlalchemy import Row, Select, func, select, type_coerce, update
from sqlalchemy.exc import IntegrityError, StatementError
from sqlalchemy.types import NullType

from pbem.actions.arguments import NUMBER, SURE, GmCommand, Number, read_number
from pbem.actions.base import Channel, PlannedChange
from pbem.actions.deadlines import tell_deadline, tell_hold, tell_release, tell_schedule
from pbem.actions.rerun import EditState, StateEditPlan
from pbem.actions.reversal import JOURNAL, REVERSALS, UNDO, Reversal, carry_over, newest_entry, store_undo
from pbem.actions.rollback import undo_rollback
from pbem.actions.ruling import hold_as_ruled, keep_earlier
from pbem.actions.undo_effects import RestoredDeadline, command_words, find_deadline, set_deadline, side_effects
from pbem.actions.weight import Confirmed
from pbem.campaign.history import labels_named, relabel
from pbem.campaign.notices import post
from pbem.campaign.row_changes import (
    RowChange,
    Rows,
    find_conflicts,
    load_rows,
    read_changes,
    restore_rows,
    write_changes,
)
from pbem.campaign.snapshot import (
    Context,
    SeatView,
    add_entry,
    load_campaign,
    load_open_turn,
    open_deadline,
    require_here,
)
from pbem.errors import PARSE_ERRORS, CampaignError, Conflict, describe_error
from pbem.mail.outbox import OUTBOX, drop_queued, queue_again, redirect_press
from pbem.report import small
from pbem.report.notices import Notice
from pbem.ruleset.serialization import parse_json
from pbem.ruleset.values import SeatName
from pbem.store.models import Campaign, Person, Seat, Turn
from pbem.store.types import CampaignState, HoldKind, OutgoingState
from pbem.text import count_noun, wrap

MOST_MARKED = 200
"""Journal entries, the newest, of which is said whether they can be undone."""


@dataclass(frozen=True, slots=True)
class UndoResult:
    """A change of the GM that was undone, or would be, by its journal entry and in its words.

    `mailed` is how many of its mails had gone out, whose readers are notified;
    `dropped` how many were still queued, and are not sent. `corrected` are the seats
    that get a corrected report. `notes` are sentences on what it brings beside what was
    there before, such as a later deadline; with one, the GM is asked.
    """

    campaign: str
    entry: int
    what: str
    mailed: int
    dropped: int
    corrected: tuple[SeatName, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Entry:
    """A change as its journal entry has it; `undone` is the entry by which it was undone already, or 0.

    `turn` and `revision` are as it left them, `since` is the revision before it, -1 if that was not stored.
    """

    id: int
    text: str
    secret: bool
    kind: str
    turn: int = 0
    revision: int = 0
    since: int = -1
    withdrawal: int = 0
    mails: tuple[int, ...] = ()
    superseded: tuple[int, ...] = ()
    rows: tuple[RowChange, ...] = ()
    undone: int = 0

    @property
    def reversal(self) -> Reversal:
        return REVERSALS[self.kind]


@dataclass(frozen=True, slots=True)
class _Plan:
    """An entry that can be undone, its mails as they are, and what undoing it brings.

    `deadline` is that of the open turn, if it is not the one from before; `edit` is how a state is edited back.
    """

    campaign: str
    entry: _Entry
    queued: tuple[int, ...]
    mailed: tuple[str, ...]
    deadline: RestoredDeadline | None = None
    effects: tuple[str, ...] = ()
    edit: StateEditPlan | None = field(default=None, compare=False)


class _EntryNumber(Number):
    """Field for the number of a journal entry."""

    shown, expected, example = "entry", "the number of a journal entry", "12"


@dataclass(frozen=True, slots=True)
class UndoChange(GmCommand, PlannedChange[UndoResult, _Plan]):
    """Undo your newest change, or that of an entry in the journal. Without YES you are told first if it was mailed."""

    usage = "UNDO [entry] [sure [asked]]"
    weight = Confirmed("the change that players were told of")
    kind = UNDO
    rewrites = True
    of_moved = True
    entry: Annotated[str | None, _EntryNumber()] = None
    sure: Annotated[str | None, SURE] = None
    asked: Annotated[str | None, NUMBER] = None

    def confirmed(self, facts: UndoResult) -> UndoChange:
        """Return the undoing of the entry that was shown, whatever has been done since."""
        return replace(self, entry=str(facts.entry))

    def asks(self, context: Context, facts: UndoResult) -> bool:
        """Return True if some of its mails went out, or if undoing it brings more than what was there before."""
        return facts.mailed > 0 or bool(facts.notes)

    def plan(self, context: Context) -> _Plan:
        """Return what is to be undone. Raises CampaignError if it cannot be."""
        plan = _plan(context, None if self.entry is None else read_number(self.entry))
        if plan.entry.kind != "state":
            return plan
        return replace(plan, edit=_edit_back(context, plan.entry).plan(context))

    def facts(self, plan: _Plan) -> UndoResult:
        """Return what is undone, and how many mails that concerns."""
        touched = plan.edit.amendment.impact.touched if plan.edit else ()
        return UndoResult(
            campaign=plan.campaign,
            entry=plan.entry.id,
            what=plan.entry.text,
            mailed=len(plan.mailed),
            dropped=len(plan.queued),
            corrected=tuple(each.seat for each in touched),
            notes=(*([plan.deadline.note] if plan.deadline else ()), *plan.effects),
        )

    def keep(self, context: Context, plan: _Plan) -> None:
        """Undo it. Raises Conflict if anything that was planned from has changed."""
        if _plan(context, plan.entry.id) != plan or set(drop_queued(context.session, plan.queued)) != {*plan.queued}:
            raise Conflict(context.snapshot.name, context.snapshot.turn)
        last = newest_entry(context)
        try:
            _undo(context, plan)
        except StatementError as error:
            raise _unusable(plan.entry.id, error) from None
        _mark_undone(context, plan.entry, by=last)

    def render(self, facts: UndoResult, channel: Channel) -> Iterator[str]:
        yield wrap(channel.fact(f'{"undid" if channel.done else "undo"} "{facts.what}".'))
        if facts.corrected:
            yield wrap(f"Corrected reports: {', '.join(facts.corrected)}.")
        yield from map(wrap, facts.notes)
        if facts.dropped:
            verb = "is" if facts.dropped == 1 else "are"
            yield f"{count_noun(facts.dropped, 'mail')} about it had not been sent, and {verb} dropped."
        if facts.mailed:
            told = count_noun(facts.mailed, "mail")
            yield f"{told} about it went out; the readers {'are' if channel.done else 'would be'} notified."
        if channel.undone:
            yield channel.undone


def undoable_entries(context: Context) -> Collection[int]:
    """Return the numbers of the newest journal entries that can be undone now."""
    found, rows = [], _RowCache(context)
    for row in context.session.execute(_newest_entries(context, MOST_MARKED)):
        try:
            entry = _read_entry(row)
            _check(context, entry, rows)
        except CampaignError:
            continue
        found.append(entry.id)
    return found


def _newest_entries(context: Context, most: int) -> Select[Any]:
    undo = type_coerce(JOURNAL.c.undo, NullType()).label("undo")
    entries = select(JOURNAL.c.id, JOURNAL.c.text, JOURNAL.c.secret, undo).where(JOURNAL.c.undo.is_not(None))
    return entries.where(JOURNAL.c.campaign_id == context.snapshot.id).order_by(JOURNAL.c.id.desc()).limit(most)


def _load_entry(context: Context, number: int | None) -> _Entry:
    """Return the newest change, or that of an entry. Raises CampaignError if there is none."""
    entries = _newest_entries(context, 1)
    row = context.session.execute(entries if number is None else entries.where(JOURNAL.c.id == number)).first()
    if row is None:
        which = "no change of yours" if number is None else f"no change of yours with the number {number}"
        raise CampaignError(f"the journal of {context.snapshot.name} has {which} that can be undone")
    return _read_entry(row)


def _plan(context: Context, number: int | None) -> _Plan:
    entry = _load_entry(context, number)
    _check(context, entry, _RowCache(context))
    mails = _load_mails(context, entry)
    return _Plan(
        context.snapshot.name,
        entry,
        queued=tuple(mail.id for mail in mails if mail.state == OutgoingState.QUEUED),
        mailed=tuple(mail.recipient for mail in mails if mail.state not in _UNREAD),
        deadline=find_deadline(context, entry.kind, entry.rows),
        effects=tuple(side_effects(context, entry.rows)),
    )


_UNREAD = (OutgoingState.QUEUED, OutgoingState.SUPERSEDED)


def _load_mails(context: Context, entry: _Entry) -> Sequence[Any]:
    mails = select(OUTBOX.c.id, OUTBOX.c.state, OUTBOX.c.recipient).where(OUTBOX.c.id.in_(entry.mails))
    return context.session.execute(mails.order_by(OUTBOX.c.id)).all() if entry.mails else ()


def _read_entry(row: Row[Any]) -> _Entry:
    try:
        data = json.loads(row.undo)
        return _Entry(
            row.id,
            row.text,
            row.secret,
            kind=next(kind for kind in REVERSALS if kind == data["action"]),
            rows=read_changes(data.get("rows", [])),
            mails=tuple(data.get("mails", ())),
            superseded=tuple(data.get("superseded", ())),
            since=int(data.get("since", -1)),
            **{name: int(data.get(name, 0)) for name in ("turn", "revision", "withdrawal", "undone")},
        )
    except (*PARSE_ERRORS, StopIteration) as error:
        raise _unusable(row.id, error) from None


def _unusable(number: int, error: Exception) -> CampaignError:
    why = "rows that it refers to are gone" if isinstance(error, IntegrityError) else describe_error(error)
    return CampaignError(f"entry {number} cannot be undone: what was stored with it cannot be used ({why})")


class _RowCache:
    """Rows of a campaign, loaded once for each table."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._known: dict[str, Rows] = {}

    def __call__(self, tables: Sequence[str]) -> Rows:
        for table in tables:
            if table not in self._known:
                self._known[table] = load_rows(self._context.session, self._context.snapshot.id, [table])
        return {key: row for table in tables for key, row in self._known[table].items()}


def _check(context: Context, entry: _Entry, rows: _RowCache) -> None:
    """Raise CampaignError, naming what helps, unless a change can be undone as things stand."""
    reversal = entry.reversal
    if entry.kind == UNDO:
        raise CampaignError(f'"{entry.text}" has undone something itself{_again(context, entry)}')
    if reversal.never:
        how = "Reopen it" if entry.kind == "run" else "Instead"
        raise CampaignError(f"{reversal.never.format(turn=entry.turn)}{_hint(context, entry, how)}")
    if entry.kind != "export":
        require_here(context.snapshot)
    if entry.undone or (entry.kind == "export" and context.snapshot.status != CampaignState.MOVED):
        raise CampaignError(f"entry {entry.id} was undone already{_hint(context, entry, 'Do it again')}")
    if reversal.until_run:
        _check_moment(context, entry)
    if since := next(find_conflicts(entry.rows, rows(reversal.tables)), None):
        raise CampaignError(f'"{entry.text}" cannot be undone: {_describe(context, since)} was changed since')
    _check_kept(context, entry)
    find_deadline(context, entry.kind, entry.rows)
    if reversal.until_mailed and any(mail.state not in _UNREAD for mail in _load_mails(context, entry)):
        raise CampaignError(f'"{entry.text}" was mailed to those concerned{_hint(context, entry)}')


def _check_kept(context: Context, entry: _Entry) -> None:
    """Raise CampaignError unless all is there that was before a change."""
    these = Turn.campaign_id == context.snapshot.id, Turn.withdrawal_id == entry.withdrawal
    gone = select(Turn.id).where(*these).limit(1)
    if not entry.rows and entry.kind != "export" and context.session.scalar(gone) is None:
        raise CampaignError(f'"{entry.text}" changed nothing that could be restored')


def _check_moment(context: Context, entry: _Entry) -> None:
    """Raise CampaignError unless the turn is still open for which a change was made."""
    snapshot = context.snapshot
    if (snapshot.turn, snapshot.revision) == (entry.turn, entry.revision) and snapshot.status != CampaignState.OVER:
        return
    if snapshot.revision != entry.revision:
        raise CampaignError(f'"{entry.text}" cannot be undone: the turns of {snapshot.name} were changed since')
    if entry.turn < snapshot.first:
        raise CampaignError(f'"{entry.text}" cannot be undone: {snapshot.name} has started since')
    raise CampaignError(f"turn {entry.turn} was run{_hint(context, replace(entry, kind='run'), 'Reopen it')}")


def _hint(context: Context, entry: _Entry, what: str = "Instead") -> str:
    known = command_words(context, entry.text, entry.rows, undone=bool(entry.undone)) | {"turn": entry.turn}
    # A seat goes back to whom it was taken from, if to anybody.
    kind = entry.kind if entry.kind not in ("give", "open", "seat") else "give" if "address" in known else "open"
    typed, mailed = (each.format_map(_UNKNOWN | known) for each in REVERSALS[kind].helps)
    return f". {what}: {typed}" + (f" (by mail: {mailed})" if mailed else "") if typed else ""


_UNKNOWN = {"address": "ADDRESS", "time": "TIME", "rules": "RULE=VALUE"}


def _again(context: Context, undo: _Entry) -> str:
    """Return how to do again what an entry has undone."""
    before = _newest_entries(context, MOST_MARKED).where(JOURNAL.c.id < undo.id)
    for row in context.session.execute(before):
        try:
            entry = _read_entry(row)
        except CampaignError:
            continue
        if entry.undone == undo.id:
            return _hint(context, entry, "Do it again")
    return ""


_WORDS: Mapping[tuple[str, str], str] = {
    ("campaign", "schedule"): "the schedule",
    ("campaign", "policy"): "a house rule",
    ("turn", "deadline"): "the deadline",
    ("turn", "ruling"): "the ruling",
}
_TABLE_WORDS: Mapping[str, str] = {
    "campaign": "the hold",
    "applicant": "the standby list",
    "deputy": "a deputy",
    "absence": "an absence",
    "report": "a report",
    "report_copy": "a report",
    "turn": "the turn",
    "sheet": "the sheet",
    "request": "the invitation",
    "gm_text": "the announcement",
}


def _describe(context: Context, change: RowChange) -> str:
    if change.table == "seat":
        seat = next((place.seat for place in context.snapshot.places if place.id == change.id), "")
        return f"seat {seat}" if seat else "a seat"
    named = (_WORDS.get((change.table, column)) for column in change.after or ())
    return next(filter(None, named), _TABLE_WORDS[change.table])


def _undo(context: Context, plan: _Plan) -> None:
    entry = plan.entry
    if entry.kind in _INVERSE:
        _INVERSE[entry.kind](context, plan)
        return
    if entry.kind == "ruling":
        keep_earlier(context, load_open_turn(context.session, context.snapshot))
    restore_rows(context.session, context.snapshot.id, entry.rows)
    queue_again(context.session, entry.superseded)
    after = replace(context, snapshot=load_campaign(context.session, context.snapshot.name))
    for change in entry.rows:
        if change.table == "seat" and "person_id" in (change.before or ()):
            _redirect(after, change.id)
    if entry.kind == "ruling":
        hold_as_ruled(after)
    said = f"undone: {entry.text}"
    if plan.deadline is not None:
        said += set_deadline(context, plan.deadline)
    act = add_entry(context.session, context.snapshot.id, context.now, actor="gm", text=said, secret=entry.secret)
    _notify(context, after, plan, act)


def _redirect(context: Context, seat_id: int) -> None:
    """Redirect queued press of a seat to the player who has it again."""
    seat = context.session.get_one(Seat, seat_id)
    person = context.session.get(Person, seat.person_id) if seat.person_id else None
    redirect_press(context.session, context.snapshot.name, seat.name, person)


def _undo_state(context: Context, plan: _Plan) -> None:
    assert plan.edit is not None
    EditState().keep(context, plan.edit)


def _reinstate(context: Context, plan: _Plan) -> None:
    undo_rollback(context, plan.entry.withdrawal)
    # The turns are again those of before the rollback, so what could be undone then can be.
    carry_over(context.session, context.snapshot.id, since=plan.entry.since, revision=context.snapshot.revision + 1)


def _take_back_export(context: Context) -> None:
    """Let a campaign that has moved be played here after all, on hold; notify its players."""
    session, moved = context.session, context.snapshot
    why = "it is played here after all, and not at " + moved.moved_to
    hold = {"hold_kind": HoldKind.GM, "hold_reason": why}
    values = {"status": CampaignState.RUNNING, **hold, "moved_to": "", "revision": moved.revision + 1}
    session.execute(update(Campaign).where(Campaign.id == moved.id).values(values))
    after = replace(context, snapshot=load_campaign(session, moved.name))
    act = add_entry(session, moved.id, context.now, actor="gm", text=f"undone: {why}")
    page = replace(small.held(why=why, gm=moved.gm_shown), subject="on hold: played here after all")
    post(after, after.snapshot.playing, page, id_=("act", act))


_INVERSE: Mapping[str, Callable[[Context, _Plan], object]] = {
    "export": lambda context, _: _take_back_export(context),
    "rollback": _reinstate,
    "state": _undo_state,
}
"""The kinds of changes that are undone by actions of their own."""


def _edit_back(context: Context, entry: _Entry) -> EditState:
    """Return the edit that makes the state again what it was before one."""
    turns = select(Turn.state).where(
        Turn.campaign_id == context.snapshot.id,
        Turn.withdrawal_id == entry.withdrawal,
        Turn.number == context.snapshot.turn,
    )
    state = context.session.scalar(turns)
    if state is None:
        raise CampaignError(f'"{entry.text}" cannot be undone: the state before it is gone')
    return EditState(parse_json(state.decode()))


def _mark_undone(context: Context, entry: _Entry, *, by: int) -> None:
    """Note with the entry that it was undone, by the first one after `by`; some of its rows tell how to do it again."""
    after = select(func.min(JOURNAL.c.id)).where(
        JOURNAL.c.campaign_id == context.snapshot.id, JOURNAL.c.id > by, JOURNAL.c.actor == "gm"
    )
    rows = write_changes([change for change in entry.rows if _tells(change)])
    undone = {"action": entry.kind, "undone": context.session.scalar(after) or entry.id, "rows": rows}
    store_undo(context.session, entry.id, undone | {"turn": entry.turn})


def _tells(change: RowChange) -> bool:
    """Return True if a row is needed to say how a change is done again; rulings and texts are not kept for that."""
    return change.table in ("seat", "sheet", "campaign") or "deadline" in (change.after or ())


_Tell = Callable[[Context, Context, _Entry, int, Collection[SeatName]], None]
"""Notifies all players but some, given the contexts before and after, the entry undone, and that of the undoing."""


def _tell_deadline(before: Context, after: Context, entry: _Entry, act: int, but: Collection[SeatName]) -> None:
    old, new = (open_deadline(each.session, each.snapshot) for each in (before, after))
    was = next(
        (
            dt.datetime.fromisoformat(row.after["deadline"])
            for row in entry.rows
            if row.after and "deadline" in row.after
        ),
        old,
    )
    if was is not None and new is not None:
        tell_deadline(after, was, new, act=act, but=but)


_NOTICES: Mapping[str, _Tell] = {
    "deadline": _tell_deadline,
    "schedule": lambda before, after, _, act, but: tell_schedule(
        after, before.snapshot.schedule.text, act=act, but=but
    ),
    "hold": lambda _before, after, _, act, but: tell_release(after, act=act, but=but),
    "release": lambda _before, after, _, act, but: tell_hold(after, after.snapshot.hold_reason, act=act, but=but),
}
"""The notices of kinds of changes that have one of their own."""


def _notify(before: Context, after: Context, plan: _Plan, act: int) -> None:
    """Notify those who were mailed of the change, in the words of its kind if it has any."""
    mailed, snapshot = {address.lower() for address in plan.mailed}, after.snapshot
    places = [place for place in snapshot.places if place.address.lower() in mailed]
    tell = _NOTICES.get(plan.entry.kind)
    told = {place.seat for place in places}
    if plan.deadline is not None:
        # They know of no other deadline than the one before.
        tell_deadline(after, plan.deadline.before, plan.deadline.new, act=act, but=told)
    if tell is not None and places:
        tell(before, after, plan.entry, act, {*snapshot.seats} - told)
    elif tell is None:
        _tell_plainly(after, plan.entry, act, places)
    for address in mailed - {place.address.lower() for place in places} - {snapshot.gm.lower()}:
        post(after, address, _undone(plan.entry.text))


def _undone(text: str) -> Notice:
    blocks = (f"Your GM has undone this: {text}.", "All is again as it was before.")
    return Notice(subject="undone by the GM", blocks=blocks)


def _tell_plainly(context: Context, entry: _Entry, act: int, places: Sequence[SeatView]) -> None:
    snapshot = context.snapshot
    # Each reads of turns by the labels of their own reports (decision 1).
    labels = labels_named(context.session, snapshot, [place.id for place in places], [entry.text])
    for place in places:
        post(context, place, _undone(relabel(entry.text, labels.get(place.id, {}))), id_=("act", act, place.seat))
