"""Two processes at once never run a turn twice, and never lose a sheet, on both databases."""

from __future__ import annotations

import multiprocessing
import threading
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest
from sqlalchemy import func, select

from pbem.actions.create import NewCampaign, create_campaign
from pbem.actions.run_turn import run_turn
from pbem.app import open_app
from pbem.campaign.archive_sync import prove_archive
from pbem.errors import CampaignError
from pbem.inbox.process import process_messages
from pbem.mail.fetch import fetch_messages, open_mailbox
from pbem.store.models import OrderSheet, OutgoingMail, Report, Turn
from tests.patience import PATIENCE
from tests.toy.home import ADDRESSES, GAMES, MONDAY, Desk, open_desk, text_of

PROCESSES = 2


def _run(home: Path, barrier: Barrier, won: multiprocessing.Queue[bool]) -> None:
    with open_app(home, GAMES) as app:
        barrier.wait()
        won.put(run_turn(app, "toy1", MONDAY, reason="race", number=1) is not None)


@pytest.mark.sampled(1)
def test_processes_at_once_run_a_turn_once(shared: Desk) -> None:
    """If several processes resolve a turn at once, one succeeds, and its mail is queued once."""
    context = multiprocessing.get_context("spawn")
    barrier, won = context.Barrier(PROCESSES), context.Queue()
    processes = [context.Process(target=_run, args=(shared.home, barrier, won)) for _ in range(PROCESSES)]
    for process in processes:
        process.start()
    results = [won.get(timeout=PATIENCE) for _ in processes]
    for process in processes:
        process.join()

    assert sorted(results) == [False] * (PROCESSES - 1) + [True]
    with shared.app.store.reading() as session:
        assert session.scalar(select(func.count()).select_from(Turn)) == 3
        assert session.scalar(select(func.count()).select_from(Report)) == 4
        assert session.scalar(select(func.count()).select_from(OutgoingMail).where(OutgoingMail.kind == "report")) == 4


def test_a_sheet_counts_for_one_turn_or_the_next_but_is_never_lost(shared: Desk) -> None:
    """Inbox and turn run at once: each accepted sheet is in the record of the turn for which it was accepted."""
    for number in range(20):
        shared.post(f"ORDERS toy1 red\nBID {number % 5}\nEND")
    mailbox = open_mailbox(shared.app.settings)
    fetch_messages(shared.app.store, mailbox, shared.now)
    threads = [
        threading.Thread(target=process_messages, args=(shared.app, shared.now)),
        threading.Thread(target=run_turn, args=(shared.app, "toy1", shared.now), kwargs={"reason": "race"}),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    with shared.app.store.reading() as session:
        first = session.scalars(select(Turn).where(Turn.number == 1)).one()
        taken = session.scalars(
            select(OrderSheet.version).where(OrderSheet.turn_id == first.id).order_by(OrderSheet.version)
        ).all()
        everything = session.scalar(select(func.count()).select_from(OrderSheet))
    archived = sorted((shared.home / "turns" / "toy1" / "0001" / "sheets").glob("red-v*.txt"))
    assert len(archived) == len(taken)
    assert everything == 20


def test_two_desks_at_once_answer_a_letter_once(shared: Desk) -> None:
    """If several processes read the inbox, each message is answered once."""
    for number in range(20):
        shared.post(f"ORDERS toy1 red\nBID {number % 5}\nEND")
    fetch_messages(shared.app.store, open_mailbox(shared.app.settings), shared.now)
    threads = [threading.Thread(target=process_messages, args=(shared.app, shared.now)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    with shared.app.store.reading() as session:
        assert session.scalars(select(OrderSheet.version).order_by(OrderSheet.version)).all() == list(range(1, 21))
        receipts = select(func.count()).select_from(OutgoingMail).where(OutgoingMail.kind == "receipt")
        assert session.scalar(receipts) == 20


# Makes the first mail that is queued collide, as with one that another transaction has just queued.
_TAKEN_MEANWHILE = """
CREATE SEQUENCE tries;
CREATE FUNCTION taken() RETURNS trigger LANGUAGE plpgsql AS
'BEGIN IF nextval(''tries'') = 1 THEN RAISE unique_violation; END IF; RETURN NEW; END';
CREATE TRIGGER taken BEFORE INSERT ON outgoing FOR EACH ROW EXECUTE FUNCTION taken();
"""


def test_an_answer_whose_place_is_taken_meanwhile_gets_another(postgres_url: str, tmp_path: Path) -> None:
    """On PostgreSQL two processes may answer one sender at once, and no message is quarantined for that."""
    with open_desk(tmp_path / "home", database=postgres_url) as desk:
        desk.post("hello", sender="eve@example.net")
        with desk.app.store.writing() as session:
            session.connection().exec_driver_sql(_TAKEN_MEANWHILE)
        done = desk.tick()

        assert (done.processed.messages, done.processed.quarantined, done.sent.sent) == (1, 0, 1)


def test_a_whole_game_by_mail(shared: Desk) -> None:
    """A whole game works on either database, from sheets and receipts to final reports, and its archive is proved."""
    for number in range(3):
        shared.reply(shared.last(), f"BID {number}\nWHISPER blue deal")
        shared.tick()
        shared.tick(hours=24 * 7)
    shared.reply(shared.last(), "BID 1")
    done = shared.tick()

    assert "toy1 is over, so your orders do not count." in " ".join(text_of(shared.last()).split())
    assert (done.problems, prove_archive(shared.app, "toy1").over) == ([], True)


def test_a_campaign_made_by_two_at_once_is_made_once(migrated_postgres_url: str, tmp_path: Path) -> None:
    """The second of two creations is refused with the advice to try again, which then works."""
    wanted = NewCampaign(
        name="toy1",
        game="toy",
        gm="gm@example.org",
        seats=list(ADDRESSES.items()),
        deadline="FRI 20:00 UTC",
        options={},
    )
    with open_desk(tmp_path / "home", database=migrated_postgres_url) as desk:
        with desk.app.store.writing() as session:
            session.connection().exec_driver_sql(_TAKEN_MEANWHILE.replace("ON outgoing", "ON campaign"))

        with pytest.raises(CampaignError, match="at the same moment: create toy1 again"):
            create_campaign(desk.app, wanted, desk.now)
        assert create_campaign(desk.app, wanted, desk.now).seal
