"""Daily limits of one sender, and of guesses at keys."""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
import random
import re
import tracemalloc

import pytest
from sqlalchemy import select

from pbem.actions.settings import mail_gm_token
from pbem.campaign.notices import host_mail_key
from pbem.campaign.snapshot import Context, load_campaign
from pbem.inbox.process import process_messages
from pbem.mail.headers import message_id
from pbem.store.models import InboxMessage, JournalEntry, OrderSheet, OutgoingMail
from pbem.store.types import MessageState
from tests.inbox.trusting import ANN, BOB, EVE, SHEET, believing, code, rule, stamp, token, told, version_taken
from tests.toy.home import Desk, text_of

WRONG = "ORDERS toy1 red {key}\nBID 3\nEND"
GM = "gm@example.org"


@pytest.fixture(autouse=True)
def _campaign(desk: Desk) -> None:
    desk.start()


def guess(desk: Desk, times: int) -> None:
    """Post wrong tokens of strangers for the red seat."""
    for number in range(times):
        desk.post(WRONG.format(key=f"{number:020x}"), sender=f"eve{number}@example.net")
    desk.answer()


def sheets(desk: Desk) -> int:
    """Return the number of sheets stored."""
    with desk.app.store.reading() as session:
        return len(session.scalars(select(OrderSheet.id)).all())


def test_wrong_tokens_do_not_lock_the_right_one(desk: Desk) -> None:
    """The right token is taken whatever others try: 80 bits need no lock, and a lock would shut its owner out."""
    guess(desk, 30)
    desk.post(WRONG.format(key=token(desk)), sender="ann@phone.example")

    assert version_taken(told(desk)[ANN]) == 1


def test_player_and_gm_are_told_of_ten_wrong_tokens_once(desk: Desk) -> None:
    """Ten wrong keys are reported once a day, however many more come."""
    guess(desk, 30)

    for address in (ANN, GM):
        said = [
            mail
            for mail in desk.mails(address)
            if "10 wrong tokens or reply codes were tried" in " ".join(text_of(mail).split())
        ]
        assert len(said) == 1


def test_a_warning_to_the_gm_takes_commands_by_reply(desk: Desk) -> None:
    """The GM's warning of too much mail says "Reply with a command", so it carries a code by which that is possible."""
    guess(desk, 10)

    said = desk.last(GM)
    assert "Reply with a command" in text_of(said)
    assert re.fullmatch(r"orders\+[a-z2-7]{16}@example\.org", said["Reply-To"])


def test_guesses_stand_in_the_gms_journal_alone(desk: Desk) -> None:
    """The GM sees the senders of guesses, ten a day at most; players do not, and no key is shown."""
    guess(desk, 12)

    with desk.app.store.reading() as session:
        acts = session.execute(
            select(JournalEntry.text, JournalEntry.secret).where(JournalEntry.text.contains("wrong key"))
        ).all()
    assert len(acts) == 10
    assert all(act.secret for act in acts)
    assert acts[0].text == "a wrong key was tried for the seat red, by eve0@example.net"


@pytest.mark.parametrize("key", ["", "TOKEN", "please"])
def test_a_word_that_cannot_be_a_key_is_no_guess(desk: Desk, key: str) -> None:
    """A header that still has the word TOKEN is no guess."""
    for number in range(12):
        desk.post(WRONG.format(key=key), sender=f"eve{number}@example.net")

    assert not any("wrong tokens or reply codes were tried" in text for text in told(desk).values())


def flood(desk: Desk, number: int, sender: str = EVE, *, read: int = 0, verdict: str = "none") -> None:
    """Store many messages of one sender, as a mailbox full of them would; so many of them were read already today."""
    done = {"state": MessageState.PROCESSED, "sender": sender, "verdict": verdict, "key": ""}
    with desk.app.store.writing() as session:
        for each in range(number):
            raw = f"From: {sender}\r\nMessage-ID: <flood{each}@x>\r\n\r\nhello {each}\r\n".encode()
            name = f"{sender} {desk.now} {each}"
            row = {"uid": name, "sha256": name, "received_at": desk.now, "raw": raw}
            session.add(InboxMessage(mailbox="x", uid_validity="", **row, **(done if each < read else {})))


def test_forged_messages_shut_no_player_out(desk: Desk) -> None:
    """However many messages come in a player's name, one that the mail server vouches for is read."""
    believing(desk)
    flood(desk, 203, ANN, read=198)
    desk.post(SHEET, headers=stamp("pass"))

    assert version_taken(told(desk)[ANN]) == 1


def states(desk: Desk) -> list[str]:
    """Return the states of all messages, in the order in which they came."""
    with desk.app.store.reading() as session:
        return list(session.scalars(select(InboxMessage.state).order_by(InboxMessage.id)))


def test_two_hundred_messages_a_day_are_processed(desk: Desk) -> None:
    """Messages of one sender beyond the limit are kept and not processed; others are served as always."""
    flood(desk, 203)
    desk.now += dt.timedelta(minutes=1)
    desk.post("ORDERS toy1 red\nBID 3\nEND")
    answers = told(desk)

    assert states(desk) == ["processed"] * 200 + ["quarantined"] * 3 + ["processed"]
    assert version_taken(answers[ANN]) == 1


def test_messages_of_earlier_ticks_count(desk: Desk) -> None:
    """The limit is the same for a sender who mails a few at a time."""
    for _ in range(3):
        flood(desk, 67, read=64)
        desk.tick(hours=1)

    assert states(desk)[-4:] == ["processed"] * 3 + ["quarantined"]


def test_another_day_is_another_two_hundred(desk: Desk) -> None:
    """The limit is that of a day, and a quarantined message can be tried again after it."""
    flood(desk, 201, read=198)
    desk.answer()
    flood(desk, 1, sender=BOB)
    desk.tick(hours=25)
    flood(desk, 10)
    desk.answer()

    assert states(desk).count("quarantined") == 1


def test_a_quarantined_message_says_why(desk: Desk) -> None:
    """The reason is in the list of messages."""
    flood(desk, 201, read=200)
    desk.answer()

    with desk.app.store.reading() as session:
        note = session.scalars(select(InboxMessage.note).where(InboxMessage.state == "quarantined")).one()
    assert note == f"not processed: 200 messages like it came from {EVE} that day; it can be tried again later"


def forge_sheets(desk: Desk, number: int) -> None:
    """Post sheets in Ann's name."""
    for each in range(number):
        desk.post(f"{SHEET}\nforged {each}")
    desk.answer()


@pytest.mark.parametrize("accept", ["address", "verified", "code", "token"])
def test_a_flood_of_messages_does_not_silence_a_player_with_a_key(desk: Desk, accept: str) -> None:
    """After 201 messages in a player's name, the player's own with token or code are read as always."""
    rule(desk, authentication=accept)
    flood(desk, 203, ANN, read=198)
    desk.answer()
    for key in (token(desk), code(desk)):
        desk.post(WRONG.format(key=key))
    desk.post("BID 4", to=f"orders+{code(desk)}@example.org")
    desk.answer()

    assert states(desk)[-3:] == ["processed"] * 3
    assert sheets(desk) == (1 if accept == "token" else 3)


def test_a_flood_of_messages_does_not_silence_the_gm(desk: Desk) -> None:
    """The GM's token is accepted, however many messages come in the GM's name."""
    with desk.app.store.writing() as session:
        mail_gm_token(Context(session, desk.app, load_campaign(session, "toy1"), desk.now))
    desk.answer()
    key = text_of(desk.last(GM)).partition("GM toy1 ")[2].split()[0]
    flood(desk, 203, GM, read=198)
    desk.post(f"GM toy1 {key}\nSTATUS\nEND", sender=GM)

    assert "toy1" in told(desk)[GM]
    assert states(desk)[-1] == "processed"


def test_a_flood_of_sheets_does_not_silence_a_player_with_a_key(desk: Desk) -> None:
    """After many forged sheets for a turn, the player's own with a token counts, and then one by reply."""
    forge_sheets(desk, 110)
    desk.post(WRONG.format(key=token(desk)), sender=EVE)
    desk.answer()
    desk.post("BID 4", to=f"orders+{code(desk)}@example.org")
    desk.answer()

    with desk.app.store.reading() as session:
        counts = session.scalars(select(OrderSheet.orders).order_by(OrderSheet.version.desc()).limit(2))
        assert [orders[0]["coins"] for orders in counts] == [4, 3]
    assert states(desk).count("quarantined") == 90


def test_player_and_gm_are_told_of_a_flood_once_a_day(desk: Desk) -> None:
    """Player and GM are told once of messages and of sheets, at the registered addresses."""
    forge_sheets(desk, 25)
    flood(desk, 203, ANN, read=170)
    desk.answer()

    for address, whose in ((ANN, "your seat red in toy1"), (GM, "the seat red in toy1")):
        said = [" ".join(text_of(mail).split()) for mail in desk.mails(address) if "too much mail" in mail["Subject"]]
        assert [whose in text for text in said] == [True, True]
        assert "20 order sheets" in said[0]
        assert f"200 messages came today from {ANN}" in said[1]


def fill(desk: Desk, number: int, size: int) -> None:
    """Store automatic messages of a size, each from another sender, of bytes that do not compress."""
    desk.now += dt.timedelta(seconds=1)
    with desk.app.store.writing() as session:
        for each in range(number):
            name = f"{desk.now.isoformat()} {each}"
            body = base64.b64encode(random.Random(name).randbytes(size * 3 // 4))
            head = f"From: {each}@example.net\r\nAuto-Submitted: auto-replied\r\n\r\n".encode()
            row = {"uid": name, "sha256": name, "received_at": desk.now, "raw": head + body}
            session.add(InboxMessage(mailbox="x", uid_validity="", **row))


def peak(desk: Desk) -> int:
    """Return the peak of memory while the messages are processed."""
    tracemalloc.start()
    process_messages(desk.app, desk.now)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def test_a_day_of_big_messages_costs_no_memory(desk: Desk) -> None:
    """The memory for one new message does not grow with the messages of the day before it."""
    peaks = []
    for size in (100, 20_000):
        fill(desk, 210, size)
        process_messages(desk.app, desk.now)
        fill(desk, 1, 100)
        peaks.append(peak(desk))

    assert peaks[1] < 2 * peaks[0]


@pytest.mark.in_turn
def test_many_big_messages_cost_no_more_than_some(desk: Desk) -> None:
    """Messages are held in memory in batches."""
    peaks = []
    for number in (20, 80):
        fill(desk, number, 100_000)
        peaks.append(peak(desk))

    assert peaks[1] < 1.5 * peaks[0]


def test_limited_mails_have_the_message_ids_of_earlier_versions(desk: Desk) -> None:
    """A home that is upgraded finds by Message-ID and topic whom it has answered already; so these stay the same."""
    desk.post("hello", sender=ANN)
    desk.post("hello", sender=EVE)
    desk.post(SHEET, sender=EVE)
    desk.answer()

    day = desk.now.date().isoformat()
    with desk.app.store.writing() as session:
        key = host_mail_key(session)
        rows = session.execute(select(OutgoingMail.kind, OutgoingMail.message_id, OutgoingMail.topic)).all()
    ids = {row.message_id: row.kind for row in rows}
    parts = (
        ("answer", ANN, day, "none", 0),
        ("stranger", "answer", EVE, day, 0),
        ("stranger", "answer", EVE, day, 1),
    )
    made = [message_id(key, "example.org", *each) for each in parts]
    assert [ids[id_] for id_ in made] == ["answer", "stranger", "stranger"]
    topics = [row.topic for row in rows if row.kind == "stranger"]
    assert topics == [f"stranger answer none {hashlib.sha256(b'%d ' % letter).hexdigest()[:24]}" for letter in (2, 3)]
