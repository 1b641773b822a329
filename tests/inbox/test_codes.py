"""Reply codes: one look-up tells what a message answers, by a code or by the Message-ID of the mail that had it."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from sqlite3 import Cursor

import pytest
from sqlalchemy import event, select

from pbem.actions.base import run_action
from pbem.actions.settings import ChangeGm, mail_gm_token
from pbem.actions.start import StartCampaign
from pbem.campaign.snapshot import Context, load_campaign
from pbem.inbox.codes import CODES, Codes, find_codes
from pbem.mail.message import Message, parse_message
from pbem.store.models import OutgoingMail
from tests.inbox.people import ANN, BOB, GM, ask, form
from tests.toy.home import Desk, prepared

BLANK = parse_message(b"From: ann@example.org\r\nSubject: hello\r\n\r\nhello\r\n")


@pytest.fixture(autouse=True)
@prepared
def _begun(desk: Desk) -> None:
    """Start a campaign of red, blue and green."""
    form(desk, "red", "blue", "green", hold="off")
    run_action(desk.app, "toy1", StartCampaign(), desk.now)
    desk.answer()


def look(desk: Desk, letter: Message, now: dt.datetime | None = None, *typed: str) -> Codes:
    """Return what a message answers."""
    with desk.app.store.reading() as session:
        return find_codes(session, letter, desk.app.settings.address, now or desk.now, typed)


def reply_to(desk: Desk, person: str, *, by: str) -> Message:
    """Return a reply to the newest mail to a person, known by the address to which it goes or by its references."""
    mail = desk.last(person)
    if by == "address":
        return replace(BLANK, recipients=(str(mail["Reply-To"]).rpartition("<")[2].rstrip(">"),))
    return replace(BLANK, references=(str(mail["Message-ID"]),))


def kinds(found: Codes) -> list[tuple[str, str]]:
    """Return kind and state of each."""
    return [(each.kind, each.state) for each in found]


def renew_token(desk: Desk) -> None:
    """Mail the GM a new token."""
    with desk.app.store.writing() as session:
        mail_gm_token(Context(session, desk.app, load_campaign(session, "toy1"), desk.now))
    desk.answer()


@pytest.mark.parametrize("by", ["address", "reference"])
def test_a_report_is_found(desk: Desk, by: str) -> None:
    """The report that a reply is to is found by the address that it goes to, and by the Message-ID that it names."""
    found = look(desk, reply_to(desk, ANN, by=by))

    assert kinds(found) == [("report", "")]
    assert (found.reports[0].campaign, found.reports[0].seat_id) == ("toy1", 1)


@pytest.mark.parametrize("by", ["address", "reference"])
def test_a_request_is_found(desk: Desk, by: str) -> None:
    """A question whether a message is its sender's is found in both ways, and is spent once it was answered."""
    desk.set_rules(authentication="confirm")
    desk.post("ORDERS toy1 red\nBID 3\nEND", sender=ANN)
    desk.answer()
    reply = reply_to(desk, ANN, by=by)

    before = look(desk, reply)
    desk.reply(desk.last(ANN), "NO", sender=ANN)
    desk.answer()

    assert kinds(before) == [("ask", "")]
    assert kinds(look(desk, reply)) == [("ask", "spent")]


@pytest.mark.parametrize("by", ["address", "reference"])
def test_a_question_is_found(desk: Desk, by: str) -> None:
    """The mail of a player's question to the GM is found in both ways."""
    ask(desk, "ASK GM\nMay I?\nEND", ANN)

    assert kinds(look(desk, reply_to(desk, GM, by=by))) == [("question", "")]


@pytest.mark.parametrize("by", ["address", "reference"])
def test_any_mail_to_the_gm_is_found(desk: Desk, by: str) -> None:
    """Any other mail to a GM has a code of its own, which is good for 30 days."""
    renew_token(desk)
    reply = reply_to(desk, GM, by=by)

    assert kinds(look(desk, reply)) == [("answer", "")]
    assert kinds(look(desk, reply, desk.now + dt.timedelta(days=31))) == [("answer", "old")]


@pytest.mark.parametrize("by", ["address", "reference"])
def test_a_new_token_ends_earlier_codes_of_the_gm(desk: Desk, by: str) -> None:
    """A reply to a mail from before the GM's newest token shows no code."""
    renew_token(desk)
    reply = reply_to(desk, GM, by=by)

    renew_token(desk)

    assert kinds(look(desk, reply)) == []


def test_a_former_gm_has_no_code(desk: Desk) -> None:
    """Mails to a former GM prove nothing."""
    renew_token(desk)
    reply = reply_to(desk, GM, by="reference")

    run_action(desk.app, "toy1", ChangeGm("eve@example.org"), desk.now)

    assert kinds(look(desk, reply)) == []


def test_the_codes_of_mails_to_the_gm_follow_from_the_mails(desk: Desk) -> None:
    """Each mail to the GM has another code, in its Reply-To and not in its subject, and no mail to a player has one."""
    renew_token(desk)
    renew_token(desk)

    with desk.app.store.reading() as session:
        rows = session.execute(select(OutgoingMail.code, OutgoingMail.recipient, OutgoingMail.message_id)).all()
    given = [row for row in rows if row.recipient == GM and row.code]
    assert len({row.code for row in rows if row.code}) == len(given) > 0
    assert not any(row.code for row in rows if row.recipient != GM)
    last = desk.last(GM)
    assert given[-1].code in last["Reply-To"]
    assert given[-1].code not in last["Subject"]


def test_recipients_come_before_references(desk: Desk) -> None:
    """The address that a message goes to counts before the mails that it names."""
    theirs, other = reply_to(desk, ANN, by="address"), reply_to(desk, BOB, by="reference")

    found = look(desk, replace(theirs, references=other.references))

    assert [each.seat_id for each in found] == [1, 2]
    assert [each.seat_id for each in found.reports] == [1]


def test_a_code_in_the_text_counts_for_its_frame_alone(desk: Desk) -> None:
    """The code of an ORDERS line is found, and is no proof of what the message as a whole answers."""
    code = look(desk, reply_to(desk, ANN, by="address")).shown[0].key

    found = look(desk, BLANK, None, code)

    assert [each.key for each in found.typed] == [code]
    assert found.reports == []
    assert found.report_with(code) is not None


@pytest.mark.parametrize(
    "letter",
    [
        replace(BLANK, references=tuple(f"<{number}@example.org>" for number in range(50))),
        replace(BLANK, subject="[abcdefgh2] [" + "a2" * 8 + "] %' OR 1=1"),
        replace(BLANK, recipients=("orders+" + "z" * 200 + "@example.org", "orders+@example.org")),
        BLANK,
    ],
)
def test_what_is_no_code_of_ours_finds_nothing(desk: Desk, letter: Message) -> None:
    """Foreign references and words that look like codes find nothing."""
    found = look(desk, letter, None, "x" * 500, "", "'; --")

    assert list(found) == []


def test_ten_thousand_references_hide_no_report(desk: Desk) -> None:
    """The report that a message replies to is found, however many other mails the message names."""
    many = " ".join(f"<{number}@example.org>" for number in range(10_000))
    head = f"From: {ANN}\r\nIn-Reply-To: {desk.last(ANN)['Message-ID']}\r\nReferences: {many}\r\n\r\nBID 3\r\n"

    assert kinds(look(desk, parse_message(head.encode()))) == [("report", "")]


def test_a_code_in_capitals_is_found(desk: Desk) -> None:
    """An address that a mail program wrote in capitals shows the same code."""
    [address] = reply_to(desk, ANN, by="address").recipients
    head = f"From: {ANN}\r\nTo: {address.upper()}\r\n\r\nBID 3\r\n"

    assert kinds(look(desk, parse_message(head.encode()))) == [("report", "")]


def test_the_look_up_reads_no_table_from_end_to_end(desk: Desk) -> None:
    """Each branch of the look-up is served by indexes, however much mail a home has sent."""
    statement = CODES.params(words=["a" * 16], any_id=["<a@b>"], near_ids=["<a@b>"], first_id=["<a@b>"])
    plans: list[str] = []

    def explain(_connection: object, cursor: Cursor, said: str, values: tuple[object, ...], *_: object) -> None:
        plans.extend(row[-1] for row in cursor.execute(f"EXPLAIN QUERY PLAN {said}", values))

    with desk.app.store.reading() as session:
        engine = session.get_bind()
        event.listen(engine, "before_cursor_execute", explain)
        try:
            session.execute(statement).all()
        finally:
            event.remove(engine, "before_cursor_execute", explain)

    assert any("ix_outgoing_code" in step for step in plans)
    assert [step for step in plans if step.startswith("SCAN")] == []


def test_its_only_parameters_are_codes_and_message_ids() -> None:
    """A parameter beside a column of a partial index would have SQLite plan the look-up anew for every message."""
    assert CODES.compile().params.keys() == {"words", "any_id", "near_ids", "first_id"}
