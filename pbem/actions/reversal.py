"""The ways to undo the actions of a GM, and the record of it in the journal.

Every change of a GM leaves the name of its kind with its journal entry, and what is
needed to undo it: the rows that it changed, the mails that it queued or withdrew,
and the open turn and revision as it left them. `pbem.actions.undo` reads that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import Table, func, select, update
from sqlalchemy.orm import Session

from pbem.campaign.row_changes import changed_rows, load_rows, write_changes
from pbem.campaign.snapshot import Context
from pbem.mail.outbox import OUTBOX, OutboxChanges, observe
from pbem.store.models import Base, Campaign, WithdrawnTurns
from pbem.store.session import flushed_connection

Done = TypeVar("Done")

JOURNAL: Table = Base.metadata.tables["act"]

OTHER = "other"
"""The kind of actions that are in no list."""

UNDO = "undo"
"""The kind of what has undone another action."""


@dataclass(frozen=True, slots=True)
class Reversal:
    """The way to undo the actions of a kind: by restoring rows of these `tables`, or else not.

    Only `until_run`: as long as the turn is open for which they were done. Only
    `until_mailed`: as long as none of their mails was sent. `helps` is the command that
    does it again, or helps where they cannot be undone, typed and by mail, with the
    {turn}, and the {seat}, the {other} and its former player's {address}, the {time} and
    the {rules}, where the journal knows them; `never` says why they cannot.
    """

    tables: Sequence[str] = ()
    until_run: bool = False
    until_mailed: bool = False
    never: str = ""
    helps: tuple[str, str] = ("", "")


_SEATS = ("seat", "applicant", "deputy", "absence", "report", "report_copy", "later_sheet")

REVERSALS: Mapping[str, Reversal] = {
    "deadline": Reversal(("turn",), until_run=True, helps=("pbem deadline {name} {time}", "DEADLINE {time}")),
    "schedule": Reversal(("campaign",), helps=("pbem set {name} {rules}", "SET {rules}")),
    "house rules": Reversal(("campaign",), helps=("pbem set {name} {rules}", "SET {rules}")),
    "hold": Reversal(("campaign",), helps=("pbem hold {name}", "HOLD")),
    "release": Reversal(("campaign",), until_run=True, helps=("pbem release {name}", "RELEASE")),
    "give": Reversal(
        _SEATS,
        until_run=True,
        until_mailed=True,
        helps=("pbem give {name} {seat} to {address}", "GIVE {seat} TO {address}"),
    ),
    "seat": Reversal(
        _SEATS, until_run=True, until_mailed=True, helps=("pbem seat {name} {seat} bot", "SEAT {seat} BOT")
    ),
    "swap": Reversal(
        _SEATS, until_run=True, until_mailed=True, helps=("pbem swap {name} {seat} {other}", "SWAP {seat} {other}")
    ),
    "open": Reversal(_SEATS, until_run=True, until_mailed=True, helps=("pbem open {name} {seat}", "OPEN {seat}")),
    "pause": Reversal(("seat",), helps=("pbem pause {name} {seat}", "PAUSE {seat}")),
    "resume": Reversal(_SEATS, until_run=True, helps=("pbem resume {name} {seat}", "RESUME {seat}")),
    "remove": Reversal(("seat",), until_run=True, helps=("pbem remove {name} {seat}", "REMOVE {seat}")),
    "invite": Reversal(("request",), helps=("pbem invite {name} {address}", "INVITE {address}")),
    "text": Reversal(("gm_text",), until_run=True, helps=("pbem announce {name} in report --text FILE", "ANNOUNCE")),
    "sheet": Reversal(
        ("sheet", "later_sheet"), until_run=True, helps=("pbem sheet {name} {seat} back", "SHEET {seat} BACK")
    ),
    "ruling": Reversal(("turn",), until_run=True, helps=("pbem ruling {name} --restore", "RULING BACK")),
    "state": Reversal(until_run=True, helps=("pbem state {name} FILE", "STATE")),
    "rollback": Reversal(until_run=True, helps=("pbem rollback {name} {turn}", "ROLLBACK {turn}")),
    "export": Reversal(helps=("pbem export {name} {name}.pbem.zip --to {address}", "")),
    UNDO: Reversal(never="it has undone something itself"),
    "run": Reversal(never="turn {turn} was run", helps=("pbem rollback {name} {turn}", "ROLLBACK {turn}")),
    "start": Reversal(never="the campaign has started, and its first reports are made"),
    "rerun": Reversal(
        never="corrected reports take the place of others",
        helps=("pbem rerun {name} --sheet {seat}=FILE", "RERUN {seat}"),
    ),
    "announce": Reversal(
        never="an announcement is mailed at once", helps=("pbem announce {name} --text FILE", "ANNOUNCE")
    ),
    "roll": Reversal(never="a roll is final"),
    "gm": Reversal(never="the former token is void", helps=("pbem gm {name} --address ADDRESS", "")),
    "token": Reversal(never="the former token is void", helps=("pbem gm {name} --token", "TOKEN")),
    "fork": Reversal(never="a fork is disclosed, and nothing was changed here"),
    OTHER: Reversal(never="it cannot be undone"),
}
"""The ways to undo actions, by their kind as it is stored in the journal."""


def record(context: Context, kind: str, work: Callable[[], Done]) -> Done:
    """Do the work of an action of a kind, and store with its journal entry what it takes to undo it."""
    session, campaign_id, tables = context.session, context.snapshot.id, REVERSALS[kind].tables
    last, earlier = newest_entry(context), _newest_withdrawal(context)
    before, outbox = load_rows(session, campaign_id, tables), observe(session)
    done = work()
    mine = (JOURNAL.c.campaign_id == campaign_id, JOURNAL.c.id > last, JOURNAL.c.actor == "gm")
    entry = flushed_connection(session).scalar(select(func.min(JOURNAL.c.id)).where(*mine))
    # An action without an entry has changed nothing.
    if entry is not None:
        rows = write_changes(changed_rows(before, load_rows(session, campaign_id, tables)))
        withdrawal = _newest_withdrawal(context)
        now = select(Campaign.turn, Campaign.revision).where(Campaign.id == campaign_id)
        turn, revision = session.execute(now).one()
        data = {
            "action": kind,
            "rows": rows,
            "withdrawal": withdrawal if withdrawal != earlier else 0,
            "turn": turn,
            "revision": revision,
            "since": context.snapshot.revision,
            **_describe_mails(context, outbox),
        }
        store_undo(session, entry, data)
    return done


def store_undo(session: Session, entry: int, data: Mapping[str, Any]) -> None:
    """Store with a journal entry what it takes to undo it."""
    session.execute(update(JOURNAL).where(JOURNAL.c.id == entry).values(undo=dict(data)))


def carry_over(session: Session, campaign_id: int, *, since: int, revision: int) -> None:
    """Let what could be undone in one revision of a campaign be undone in another, in which its turns are the same."""
    entries = select(JOURNAL.c.id, JOURNAL.c.undo).where(
        JOURNAL.c.campaign_id == campaign_id, JOURNAL.c.undo.is_not(None)
    )
    for entry, undo in session.execute(entries).all():
        if undo.get("revision") == since:
            store_undo(session, entry, {**undo, "revision": revision})


def newest_entry(context: Context) -> int:
    """Return the id of the newest entry in the journal of a campaign, 0 if there is none."""
    newest = select(func.max(JOURNAL.c.id)).where(JOURNAL.c.campaign_id == context.snapshot.id)
    return flushed_connection(context.session).scalar(newest) or 0


def _newest_withdrawal(context: Context) -> int:
    newest = select(func.max(WithdrawnTurns.id)).where(WithdrawnTurns.campaign_id == context.snapshot.id)
    return context.session.scalar(newest) or 0


def _describe_mails(context: Context, outbox: OutboxChanges) -> Mapping[str, Sequence[int]]:
    ids = select(OUTBOX.c.id).where(OUTBOX.c.message_id.in_(outbox.queued)).order_by(OUTBOX.c.id)
    mails = context.session.scalars(ids).all() if outbox.queued else ()
    return {"mails": list(mails), "superseded": sorted(set(outbox.superseded) - set(mails))}
