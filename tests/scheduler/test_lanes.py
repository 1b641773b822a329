"""Partitions of messages: those of one campaign wait for each other, global ones for all."""

from __future__ import annotations

import dataclasses
import datetime as dt
import random
from pathlib import Path

import pytest
from sqlalchemy import select, update

from pbem.app import App
from pbem.campaign.people import hash_token
from pbem.inbox.message_queue import MOST_ATTEMPTS
from pbem.inbox.process import partition_messages
from pbem.store.models import Campaign, InboxMessage, OrderSheet, OutgoingMail, Seat, Turn
from pbem.store.session import JobQueue, QueuedJob
from pbem.store.types import MessageState
from tests.scheduler.conftest import Copied
from tests.scheduler.crew import do_all, do_one, poll, waiting
from tests.toy.home import Desk, is_report, open_desk

ANN, BOB, CYD = "ann@example.org", "bob@example.org", "cyd@example.org"
SHEET = "ORDERS {} {}\nBID {}\nEND"


def lanes(desk: Desk) -> list[str | None]:
    """Return the partitions of all messages, in the order in which they came."""
    with desk.app.store.reading() as session:
        return list(session.scalars(select(InboxMessage.lane).order_by(InboxMessage.received_at, InboxMessage.id)))


def post_in_order(desk: Desk, *letters: tuple[str, str]) -> None:
    """Post messages, each with its sender, and fetch them one by one, so that they came in this order."""
    for sender, text in letters:
        desk.now += dt.timedelta(seconds=1)
        desk.post(text, sender=sender)
        poll(desk)


@pytest.fixture
def table(desk: Desk) -> Desk:
    """Yield two campaigns, in both of which Ann and Bob play."""
    for name in ("alpha", "beta"):
        desk.begin(name=name)
    do_all(desk)
    return desk


def reply(desk: Desk, text: str) -> None:
    """Post Ann's reply to her report in alpha."""
    desk.reply(next(mail for mail in desk.mails(ANN) if "[alpha]" in mail["Subject"] and is_report(mail)), text)


@pytest.mark.parametrize(
    ("sender", "text", "lane"),
    [
        (ANN, SHEET.format("alpha", "red", 1), "alpha"),
        ("stranger@example.org", SHEET.format("beta", "red", 1), "beta"),
        (ANN, "Hello!\n" + SHEET.format("alpha", "red", 1), "alpha"),
        (ANN, SHEET.format("gamma", "red", 1), ""),
        (ANN, "How is beta?\n" + SHEET.format("alpha", "red", 1), ""),
        (ANN, "BID 3", ""),
        (ANN, "PAUSE", ""),
        (ANN, "STATUS", ""),
        (ANN, "PLAYER alpha red\nPAUSE\nEND", "alpha"),
        (ANN, "PLAYER alpha red\nADDRESS ann@example.com\nEND", ""),
        (ANN, "JOIN alpha", ""),
        ("spam@example.com", "Buy now!", ""),
        ("gm@example.org", "GM alpha 0123456789abcdef0123\nHOLD\nEND", "alpha"),
    ],
)
def test_the_partition_of_a_mail(table: Desk, sender: str, text: str, lane: str) -> None:
    """A framed message is in its campaign's partition, unless it names more campaigns or changes a person."""
    table.post(text, sender=sender)
    poll(table)

    assert lanes(table) == [lane]


@pytest.mark.parametrize(
    ("text", "lane"),
    [("BID 3", "alpha"), ("PAUSE", "alpha"), ("STATUS", "alpha"), ("ADDRESS ann@example.com", ""), ("JOIN beta", "")],
)
def test_the_partition_of_a_reply(table: Desk, text: str, lane: str) -> None:
    """A reply is in the partition of the report that it answers, unless it asks for more."""
    reply(table, text)
    poll(table)

    assert lanes(table) == [lane]


def test_the_partition_of_a_code_without_a_thread(table: Desk) -> None:
    """A code in the address or in an ORDERS line suffices; two that disagree do not."""
    mail = next(mail for mail in table.mails(ANN) if ", due" in mail["Subject"] and "beta" in mail["Subject"])
    table.post("BID 1", sender="ann@work.example", to=mail["Reply-To"])
    code = mail["Reply-To"].partition("+")[2].partition("@")[0]
    table.post(f"ORDERS beta red {code}\nBID 1\nEND", sender="ann@work.example")
    table.post(f"ORDERS alpha red {code}\nBID 1\nEND", sender="ann@work.example")
    poll(table)

    assert lanes(table) == ["beta", "beta", ""]


def test_the_partition_of_a_delivery_report(table: Desk) -> None:
    """A delivery report is in the partition of the campaign whose mail came back."""
    with table.app.store.reading() as session:
        message_id = session.scalars(select(OutgoingMail.message_id).where(OutgoingMail.recipient == BOB)).first()
    report = "Reporting-MTA: dns; mx\n\nFinal-Recipient: rfc822; bob@example.org\nAction: failed\nStatus: 5.1.1\n"
    raw = (
        f"From: MAILER-DAEMON@example.org\nTo: orders@example.org\nSubject: Undelivered\nMIME-Version: 1.0\n"
        f'Auto-Submitted: auto-replied\nContent-Type: multipart/report; report-type=delivery-status; boundary="x"\n\n'
        f"--x\nContent-Type: text/plain\n\nIt failed.\n--x\nContent-Type: message/delivery-status\n\n{report}\n"
        f"--x\nContent-Type: text/rfc822-headers\n\nMessage-ID: {message_id}\n\n--x--\n"
    )
    inbox = table.home / "post" / "inbox"
    inbox.mkdir()
    (inbox / "bounce.eml").write_bytes(raw.encode())
    poll(table)

    assert lanes(table) in (["alpha"], ["beta"])


def test_the_answer_to_a_question_about_a_sheet(desk: Desk) -> None:
    """The answer to a question about a sheet is in its campaign's partition; any other answer is global."""
    desk.begin(name="alpha", rules={"authentication": "confirm"})
    desk.begin(name="beta", rules={"authentication": "confirm"})
    post_in_order(desk, (ANN, SHEET.format("alpha", "red", 1)), (ANN, "PLAYER alpha red\nPAUSE\nEND"))
    do_all(desk)
    questions = desk.mails(ANN)[-2:]
    for question in questions:
        desk.reply(question, "YES")
    poll(desk)

    assert lanes(desk) == ["alpha", "alpha", "alpha", ""]


def answered(desk: Desk) -> list[int]:
    """Return the ids of the messages that are no longer new."""
    with desk.app.store.reading() as session:
        return list(
            session.scalars(
                select(InboxMessage.id).where(InboxMessage.state != MessageState.NEW).order_by(InboxMessage.id)
            )
        )


def test_global_messages_wait_and_campaigns_do_not(table: Desk) -> None:
    """A global message waits for all older ones, and all younger ones for it; campaigns do not wait for each other."""
    sheets = [(ANN, SHEET.format(name, "red", 1)) for name in ("alpha", "beta")]
    post_in_order(table, *sheets, ("spam@example.com", "Buy now!"), *sheets)

    def after(lane: str) -> list[int]:
        do_one(table, lambda rows: next(row for row in rows if (row.queue_name, row.lane) == ("process", lane)))
        return answered(table)

    assert after("") == []
    assert after("beta") == [2]
    assert after("") == [2]
    assert after("alpha") == [1, 2]
    assert after("") == [1, 2, 3]
    assert after("alpha") == [1, 2, 3, 4]
    assert after("beta") == [1, 2, 3, 4, 5]


def test_a_message_that_takes_too_long_to_partition_is_global(table: Desk) -> None:
    """A message that takes longer than its time limit to partition becomes global."""
    table.post(SHEET.format("alpha", "red", "1\n; a long comment" * 20_000))
    settings = dataclasses.replace(table.app.settings, letter_seconds=0.001)
    poll(Desk(dataclasses.replace(table.app, settings=settings), table.now))

    assert lanes(table) == [""]


def test_a_message_that_has_killed_two_processes_is_not_parsed(table: Desk) -> None:
    """A message that has killed two processes is quarantined unread; the others are answered."""
    for number in (1, 2):
        table.post(SHEET.format("alpha", "red", number))
    poll(table)
    with table.app.store.writing() as session:
        session.execute(update(InboxMessage).where(InboxMessage.id == 1).values(attempts=MOST_ATTEMPTS, lane=None))
        session.execute(update(InboxMessage).where(InboxMessage.id == 2).values(lane=None))
    partition_messages(table.app)
    do_all(table)

    with table.app.store.reading() as session:
        found = session.execute(
            select(InboxMessage.lane, InboxMessage.state, InboxMessage.attempts).order_by(InboxMessage.id)
        ).all()
    assert found == [("", "quarantined", MOST_ATTEMPTS), ("alpha", "processed", 2)]


PEOPLE = (ANN, BOB, CYD, "dan@example.org")
GM_TOKEN = "0123456789abcdef0123"
SEATS = {"alpha": ("red", "blue"), "beta": ("red", "green")}
"""Bob and Cyd have a seat each, and need not name it; Ann has two."""


def some_letters(rnd: random.Random) -> list[tuple[str, str]]:
    """Return messages that affect each other: sheets, seats given away and taken, press muted or not."""

    def letter() -> tuple[str, str]:
        campaign, sender = rnd.choice(tuple(SEATS)), rnd.choice(PEOPLE)
        seat, mute = rnd.choice(SEATS[campaign]), rnd.choice(("MUTE", "UNMUTE"))
        gm = f"GM {campaign} {GM_TOKEN}\n{{}}\nEND"
        kinds = (
            *[(sender, SHEET.format(campaign, seat, rnd.randrange(9)))] * 2,
            *[(rnd.choice((BOB, CYD)), f"{mute} red")] * 3,
            *[(sender, f"PLAYER {campaign} {seat}\n{mute} red\nEND")] * 2,
            ("gm@example.org", gm.format(f"SEAT {seat} TO {rnd.choice(PEOPLE)}")),
            ("gm@example.org", gm.format(f"OPEN {seat}")),
            ("gm@example.org", gm.format(f"SHEET {seat}\nBID {rnd.randrange(9)}")),
            ("spam@example.com", f"Look at {campaign}"),
        )
        return rnd.choice(kinds)

    return [letter() for _ in range(20)]


def kept(app: App) -> tuple[object, ...]:
    """Return what is stored of a home's campaigns, without what is drawn at random."""
    with app.store.reading() as session:
        seats = session.execute(select(Seat.id, Seat.status, Seat.muted))
        players = [seat.address for seat in session.scalars(select(Seat).order_by(Seat.id))]
        sheets = select(
            OrderSheet.seat_id,
            OrderSheet.version,
            OrderSheet.text,
            OrderSheet.accepted,
            OrderSheet.author,
            OrderSheet.letter_id,
        )
        turns = select(Turn.campaign_id, Turn.number, Turn.deadline).order_by(Turn.id)
        return (
            sorted(map(repr, seats)),
            players,
            sorted(map(tuple, session.execute(sheets))),
            [tuple(row) for row in session.execute(turns)],
            sorted(map(tuple, session.execute(select(InboxMessage.id, InboxMessage.state)))),
        )


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", [1, 2, 9])
def test_jobs_in_any_order_have_the_results_of_a_tick(
    seed: int, queues_url: str, copied: Copied, tmp_path: Path
) -> None:
    """No message overtakes another that it affects: seats, sheets and deadlines are those of all messages in a row."""
    with open_desk(tmp_path / "home", database=queues_url) as desk:
        for name, seats in SEATS.items():
            desk.begin(name=name, seats=seats)
        with desk.app.store.writing() as session:
            session.execute(update(Campaign).values(gm_token_hash=hash_token(GM_TOKEN)))
        do_all(desk)
        post_in_order(desk, *some_letters(random.Random(seed)))
        desk.app.store.close()
        with copied(queues_url) as url, open_desk(tmp_path / "other", database=url) as other:
            other.now = desk.now
            other.tick()
            expected = kept(other.app)
        done = do_all(desk, rnd=random.Random(seed))

        assert kept(desk.app) == expected
        assert QueuedJob(JobQueue.PROCESS, "alpha") in done
        assert waiting(desk.app) == []
