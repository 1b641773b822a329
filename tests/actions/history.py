"""A campaign with a past, for the tests that change it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy import select

from pbem.actions.run_turn import always, commit_run, run_turn
from pbem.archive.replay import ReplayProof
from pbem.campaign.archive_sync import archive_now, prove_archive
from pbem.campaign.snapshot import CampaignSnapshot, Context, load_campaign
from pbem.campaign.turns import compute_turn, load_before
from pbem.store.models import JournalEntry, Turn
from tests.toy.home import ADDRESSES, Desk

ANN, BOB, CYD = "ann@example.org", "bob@example.org", "cyd@example.org"


def begin(desk: Desk, **options: Any) -> None:
    """Start toy1 with three seats."""
    desk.start(seats=("red", "blue", "green"), **options)


def play(desk: Desk, sheets: Mapping[str, str], *, hours: float = 1) -> None:
    """Let seats send sheets, run the open turn, and mail its reports."""
    send(desk, sheets)
    desk.tick(hours=hours)
    run_turn(desk.app, "toy1", desk.now, reason="test", still=always)
    desk.tick()


def send(desk: Desk, sheets: Mapping[str, str]) -> None:
    """Send sheets from their seats' own addresses."""
    for seat, text in sheets.items():
        desk.post(f"ORDERS toy1 {seat}\n{text}\nEND", sender=ADDRESSES[seat])


def meanwhile(desk: Desk, act: Callable[[], object]) -> None:
    """Store a run of the open turn that was computed before an action, whatever that has changed."""
    app = desk.app
    with app.store.reading() as session:
        context = Context(session, app, snapshot(desk), desk.now)
        before = load_before(context)
        after = compute_turn(context, before)
    act()
    with app.store.writing() as session:
        commit_run(replace(context, session=session), before, after, reason="deadline")
    archive_now(app, before.turn.id, after.record, after.files, desk.now)


def proof(desk: Desk) -> ReplayProof:
    """Return the proof of the archive of toy1."""
    return prove_archive(desk.app, "toy1")


def snapshot(desk: Desk) -> CampaignSnapshot:
    """Return the campaign toy1 as it is now."""
    with desk.app.store.reading() as session:
        return load_campaign(session, "toy1")


def live_turns(desk: Desk) -> list[Turn]:
    """Return the turns in the history of toy1, oldest first."""
    return [turn for turn in rows(desk, Turn) if turn.withdrawal_id is None]


def rows(desk: Desk, kind: Any) -> list[Any]:
    """Return all rows of a table in the order of their ids, turns by number."""
    order = (kind.number, kind.id) if kind is Turn else (kind.id,)
    with desk.app.store.reading() as session:
        return list(session.scalars(select(kind).order_by(*order)))


def journal(desk: Desk) -> list[str]:
    """Return the texts of the journal, oldest first."""
    return [act.text for act in rows(desk, JournalEntry)]


def subjects(desk: Desk, to: str) -> list[str]:
    """Return the subjects of all mail to an address."""
    return [str(mail["Subject"]) for mail in desk.mails(to)]
