"""Withdraws turns from a campaign's history, reinstates them, and checks the chain of turns.

Every live turn but the last was resolved; its record names the hash of the record
before it, its state before and after, and the seats it was reported to. Every
action keeps this true; `find_inconsistency` checks it.

Nothing is deleted. A withdrawn turn is kept with its reports; what is still valid,
such as a report whose turn is open again, moves on to the turn that replaces it.
Everything is done in the given session, by one transaction.
"""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from pbem.archive.record import file_hash
from pbem.archive.writer import REPORTS
from pbem.campaign.snapshot import NEVER, NO_HOLD, CampaignSnapshot, Context, is_current, is_gm_hold, load_record
from pbem.ruleset.values import SeatName
from pbem.store.models import Campaign, JournalEntry, OutgoingMail, Report, Seat, Turn, WithdrawnTurns
from pbem.store.types import CampaignState, OutgoingState, WithdrawalKind


@dataclass(frozen=True, slots=True, kw_only=True)
class _Link:
    """A live turn, as far as its neighbours depend on it; `told` are the seats whose reports opened it."""

    number: int
    state_hash: str
    has_its_state: bool
    resolved: bool
    record: bytes
    told: frozenset[SeatName]


def find_inconsistency(session: Session, snapshot: CampaignSnapshot) -> str | None:
    """Return the first inconsistency in the turns of a campaign, as a clause; None if there is none."""
    if snapshot.status == CampaignState.FORMING:
        return None
    links = list(_load_links(session, snapshot))
    if not links or links[0].number != snapshot.origin:
        return "its set-up is missing"
    before = b""
    for link, following in pairwise(links):
        if wrong := _check_link(before, link, following):
            return wrong
        before = link.record
    return _check_end(snapshot, links[-1])


def _check_link(before: bytes, link: _Link, following: _Link) -> str:
    """Return the inconsistency between a turn and the next, "" if there is none.

    Args:
        before: The record of the turn before both, b"" for none.
    """
    number, after = link.number, following.number
    if not link.resolved:
        return f"turn {number} was not run, but turn {after} follows it"
    if after != number + 1:
        return f"turn {number + 1} is missing, but there is a turn {after}"
    record = json.loads(link.record)
    # By its hash, not its number alone: the turn before may have been run again since.
    if record.get("number") != number or record.get("previous") != (file_hash(before) if before else ""):
        return f"turn {number} was run, but not after what turn {number - 1} is now"
    if record.get("state_before", link.state_hash) != link.state_hash:  # a set-up has none before it
        return f"turn {number} was run from another state than it has"
    if not following.has_its_state or record.get("state_after") != following.state_hash:
        return f"turn {after} has another state than turn {number} led to"
    missing = _reported_seats(record) - following.told
    return f"turn {after} lacks the report of {', '.join(sorted(missing))}" if missing else ""


def _check_end(snapshot: CampaignSnapshot, last: _Link) -> str | None:
    if last.resolved:
        return f"turn {last.number} was run, but no turn follows it"
    if last.number != snapshot.turn:
        return f"it stands at turn {snapshot.turn}, but its last turn is {last.number}"
    return None


def _reported_seats(record: Mapping[str, Any]) -> set[SeatName]:
    paths = (path.removeprefix(f"{REPORTS}/") for path in record.get("files", ()) if path.startswith(f"{REPORTS}/"))
    return {name.removesuffix(".json") for name in paths if name.endswith(".json")}


def _load_links(session: Session, snapshot: CampaignSnapshot) -> Iterator[_Link]:
    told = _load_reported_seats(session, snapshot)
    turns = select(Turn.id, Turn.number, Turn.state, Turn.state_hash, Turn.resolved_at, Turn.record)
    for row in session.execute(turns.where(is_current(snapshot.id)).order_by(Turn.number)):
        yield _Link(
            number=row.number,
            state_hash=row.state_hash,
            # A set-up has no hash of its state, as there is none before it.
            has_its_state=row.number == snapshot.origin or file_hash(row.state) == row.state_hash,
            resolved=row.resolved_at is not None,
            record=row.record or b"{}",
            told=frozenset(told[row.id]),
        )


def _load_reported_seats(session: Session, snapshot: CampaignSnapshot) -> Mapping[int, set[SeatName]]:
    """Return the seats whose reports opened each live turn, by its id."""
    reports = select(Report.turn_id, Seat.name).join(Seat, Seat.id == Report.seat_id)
    told: dict[int, set[SeatName]] = defaultdict(set)
    for turn_id, seat in session.execute(reports.join(Turn, Turn.id == Report.turn_id).where(is_current(snapshot.id))):
        told[turn_id].add(seat)
    return told


ROLLBACK, RERUN, UNDO = WithdrawalKind

SEED_KNOWN = "Warning: the seed is public: anyone who kept the last report can compute all later rolls."
"""The warning for a reopened turn whose dice are no longer secret."""


def replace_turns(
    context: Context, kind: WithdrawalKind, first: int, put: Callable[[Sequence[Turn]], Sequence[Turn]]
) -> Sequence[Turn]:
    """Take the turns from a number on out of a campaign's history, and put others in.

    Reports that no turn takes over are not sent any more, if they are still queued.

    Args:
        context: The campaign, locked; its snapshot is that of before.
        kind: What is done.
        first: The number of the first turn that is withdrawn.
        put: Called with the withdrawn turns, oldest first; inserts or reinstates those that take their place, with
            the sheets and reports that stay (those that opened the first do), and returns them, oldest first.

    Returns:
        The turns that were put in; the last is open, or ended the game.
    """
    session, snapshot = context.session, context.snapshot
    gone = _withdraw_turns(context, kind, first)
    came = put(gone)
    _change_mail_state(session, gone, before=OutgoingState.QUEUED, after=OutgoingState.SUPERSEDED)
    _set_campaign(session, snapshot, last=came[-1])
    _count_misses_again(session, snapshot, gone=gone, back=came)
    return came


def _withdraw_turns(context: Context, kind: WithdrawalKind, first: int) -> Sequence[Turn]:
    session, snapshot, now = context.session, context.snapshot, context.now
    withdrawal = WithdrawnTurns(campaign_id=snapshot.id, kind=kind, first=first, at=now)
    session.add(withdrawal)
    session.flush()
    turns = session.scalars(select(Turn).where(is_current(snapshot.id), Turn.number >= first).order_by(Turn.number))
    gone = turns.all()
    for turn in gone:
        turn.withdrawal_id = withdrawal.id
        if turn.resolved_at is not None:
            turn.archived_at = now  # its folder may have been written without a note of that
    session.flush()  # before others come in their place: no two live turns have one number
    return gone


def reinstate_turns(session: Session, withdrawal_id: int, *, instead: Turn) -> Sequence[Turn]:
    """Put withdrawn turns back into the campaign's history, with their mail; return them, oldest first.

    Args:
        session: The database.
        withdrawal_id: That of the withdrawal.
        instead: The withdrawn turn that had taken the place of the first, and its reports.
    """
    turns = session.scalars(select(Turn).where(Turn.withdrawal_id == withdrawal_id).order_by(Turn.number)).all()
    for turn in turns:
        turn.withdrawal_id = None
        # Its folder is in withdrawn/ and has to be written to its place again.
        turn.archived_at = None
    session.flush()
    move_reports(session, instead, turns[0])
    _change_mail_state(session, turns, before=OutgoingState.SUPERSEDED, after=OutgoingState.QUEUED)
    return turns


def reopen_turn(session: Session, turn: Turn, **changes: Any) -> Turn:
    """Insert an open turn like a withdrawn one, but for the `changes` of its columns; return it."""
    same = ("campaign_id", "number", "awaited", "state", "state_hash", "opened_at", "deadline", "ruling")
    row = Turn(**({name: getattr(turn, name) for name in same} | changes))
    session.add(row)
    session.flush()
    return row


def move_reports(session: Session, source: Turn, target: Turn, *, but: Iterable[int] = ()) -> None:
    """Move the reports that opened one turn to another, but for those of seats with the ids in `but`."""
    # Moved, not copied: a code is unique, and answers to a report that is still valid must find it.
    moved = update(Report).where(Report.turn_id == source.id, Report.seat_id.not_in(list(but)))
    session.execute(moved.values(turn_id=target.id))


def _change_mail_state(session: Session, turns: Iterable[Turn], *, before: OutgoingState, after: OutgoingState) -> None:
    reports = select(Report.message_id).where(Report.turn_id.in_([turn.id for turn in turns]))
    # Mail that is being sent is left alone: another process has it, and will say how that ended.
    mails = update(OutgoingMail).where(OutgoingMail.message_id.in_(reports), OutgoingMail.state == before)
    session.execute(mails.values(state=after), execution_options={"synchronize_session": False})


def _set_campaign(session: Session, snapshot: CampaignSnapshot, *, last: Turn) -> None:
    """Set the open turn of a campaign, with a new revision. Holds of the application end; a GM's stays."""
    values = {
        "turn": last.number,
        # The turn that opened when the game ended awaits no seat.
        "status": CampaignState.RUNNING if last.awaited else CampaignState.OVER,
        "version": version_before(session, snapshot, last.number),
        # Part of all codes and Message-IDs to come, so that old codes are recognised and refused (decision 7).
        "revision": snapshot.revision + 1,
        **({} if is_gm_hold(snapshot.hold_kind) else NO_HOLD),
    }
    session.execute(update(Campaign).where(Campaign.id == snapshot.id).values(values))
    # Whatever the next reports have to disclose goes with those of the turn that is open now.
    later = JournalEntry.campaign_id == snapshot.id, JournalEntry.turn > last.number
    session.execute(update(JournalEntry).where(*later).values(turn=last.number))


def version_before(session: Session, snapshot: CampaignSnapshot, number: int) -> int:
    """Return the version of the game that wrote the state of a turn, which is that of the run before it."""
    return int(json.loads(load_record(session, snapshot, number - 1))["version"])


def _count_misses_again(
    session: Session, snapshot: CampaignSnapshot, *, gone: Sequence[Turn], back: Sequence[Turn]
) -> None:
    """Correct the counts of missed sheets after turns were withdrawn or reinstated."""
    seats = session.scalars(select(Seat).where(Seat.campaign_id == snapshot.id)).all()
    since = {seat.name: seat.since for seat in seats if seat.since}
    # A rerun counts as of the first run: the player of that time has missed the turn.
    run_at = {turn.number: turn.resolved_at for turn in (*back, *gone) if turn.resolved_at}
    difference = _count_misses(back, run_at, since)
    difference.subtract(_count_misses(gone, run_at, since))
    rows = _count_in_a_row(session, snapshot, since)
    for seat in seats:
        seat.nmr_total = max(0, seat.nmr_total + difference[seat.name])
        # Records do not tell whether a seat without a sheet had a player, so no row is longer than all misses counted.
        seat.nmr_in_a_row = min(rows.get(seat.name, 0), seat.nmr_total)
    session.flush()


def misses_in_a_row(session: Session, snapshot: CampaignSnapshot, number: int) -> Mapping[SeatName, int]:
    """Return how many sheets in a row each seat had missed when the turn of a number opened."""
    seats = session.execute(select(Seat.name, Seat.since).where(Seat.campaign_id == snapshot.id))
    return _count_in_a_row(session, snapshot, {name: since for name, since in seats if since}, before=number)


def _count_misses(
    turns: Iterable[Turn], run_at: Mapping[int, dt.datetime], since: Mapping[SeatName, dt.datetime]
) -> Counter[SeatName]:
    """Return how many of the turns the current player of each seat has missed."""
    told = ((turn, json.loads(turn.record)) for turn in turns if turn.record)
    return Counter(
        seat
        for turn, record in told
        for seat in record.get("missing", ())
        if seat not in since or run_at[turn.number] > since[seat]
    )


def _count_in_a_row(
    session: Session, snapshot: CampaignSnapshot, since: Mapping[SeatName, dt.datetime], *, before: int = NEVER
) -> Mapping[SeatName, int]:
    """Return how many sheets in a row each seat's player has missed, up to the last turn `before` a number."""
    runs = select(Turn.record, Turn.resolved_at).where(
        is_current(snapshot.id), Turn.record.is_not(None), Turn.number < before
    )
    rows: dict[SeatName, int] = {}
    ended: set[SeatName] = set()
    for record, at in session.execute(runs.order_by(Turn.number.desc())):
        told = json.loads(record or b"{}")
        ended |= {seat for seat, seated in since.items() if at is None or at <= seated}
        for seat in told.get("orders", {}):
            if seat not in told["missing"]:
                ended.add(seat)
            elif seat not in ended:
                rows[seat] = rows.get(seat, 0) + 1
    return rows
