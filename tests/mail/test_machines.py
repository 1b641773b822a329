"""The kinds of mail that programs write: each sign has its kind, and the worst of several decides."""

from __future__ import annotations

import pytest

from pbem.mail.machines import MAX_RECEIVED, RECALL, Kind
from pbem.mail.message import parse_message

HEAD = "From: ann@example.org\r\nSubject: Re: turn 3\r\n"

SIGNS = {
    "X-Pbem-Loop: orders@example.org": Kind.OWN,
    "\r\n".join(["Received: by mx.example.org"] * (MAX_RECEIVED + 1)): Kind.OWN,
    "Content-Type: multipart/report; report-type=delivery-status; boundary=x": Kind.BOUNCE,
    "Content-Type: multipart/report; report-type=disposition-notification; boundary=x": Kind.RECEIPT,
    "Return-Path: <>": Kind.BOUNCE,
    "Return-Path: <>\r\nAuto-Submitted: auto-replied (vacation)": Kind.ROBOT,
    "Auto-Submitted: auto-replied\r\nContent-Type: multipart/report; boundary=x": Kind.BOUNCE,
    "Auto-Submitted: auto-generated": Kind.ROBOT,
    "X-Loop: ann@example.org": Kind.ROBOT,
    "X-Loop: club@lists.example.org\r\nList-Id: <club.lists.example.org>": Kind.BULK,
    "Message-ID: <1796005201-56-mlmmj-3433754e@lists.example.org>": Kind.ROBOT,
    "Precedence: auto_reply": Kind.ROBOT,
    "Precedence: bulk": Kind.BULK,
    "Precedence: bulk\r\nX-Autoreply: yes": Kind.ROBOT,
    "List-Unsubscribe: <mailto:leave@example.org>": Kind.BULK,
    "X-Auto-Response-Suppress: All": Kind.BULK,
    "Content-Disposition: reaction": Kind.REACTION,
    "Content-Type: text/vnd.google.email-reaction+json": Kind.REACTION,
    "Content-Type: text/calendar; method=COUNTER": Kind.REACTION,
    "Content-Type: text/calendar; method=REQUEST": Kind.PERSON,
    "X-Mailer: Thunderbird": Kind.PERSON,
}


@pytest.mark.parametrize(("fields", "kind"), SIGNS.items(), ids=[field.partition("\r")[0] for field in SIGNS])
def test_each_sign_has_its_kind(fields: str, kind: Kind) -> None:
    """The fields of a header decide; of several signs the worst."""
    assert parse_message(f"{HEAD}{fields}\r\n\r\nMOVE a".encode()).machine.kind == kind


SUBJECTS = {
    "Auto: [trap7] turn 1": Kind.ROBOT,
    "I am on vacation": Kind.ROBOT,
    "Not read: your report": Kind.RECEIPT,
    "Return Receipt (displayed) - turn 1": Kind.RECEIPT,
    "away from my mail": Kind.ROBOT,
    "Automatic reply: turn 1": Kind.ROBOT,
    "Undelivered Mail Returned to Sender": Kind.BOUNCE,
    "Post to club@lists.example.org denied: [toy1] turn 1": Kind.BOUNCE,
    "Post to Bob denied: why?": Kind.PERSON,
    "Auto parts for my ship": Kind.PERSON,
    "Read: your report": Kind.RECEIPT,
    "Gelesen: Zug 3": Kind.RECEIPT,
    "Read this first": Kind.PERSON,
    "Ann reacted to your message: 👍": Kind.REACTION,
    "How my neighbour reacted": Kind.PERSON,
}


@pytest.mark.parametrize(("subject", "kind"), SUBJECTS.items())
def test_subjects_of_programs(subject: str, kind: Kind) -> None:
    """Programs without a mark are known by the beginnings of their subjects."""
    raw = f"From: ann@example.org\r\nSubject: {subject}\r\n\r\nYour message was read.\r\n".encode()

    assert parse_message(raw).machine.kind == kind


RECEIPTS = (
    "Your message\n\n   To: Ann\n   Subject: turn 1\n\nwas read on Friday, November 20, 2026 5:21 PM.",
    "Your message\n\nTo: Ann\n\nwas deleted without being read on Friday.",
    "This is a Return Receipt for the mail that you sent.\n\nIt was displayed on the recipient's computer.",
    "Ihre Nachricht\n\nAn: Ann\n\nwurde am Freitag, 20. November 2026 gelesen.",
)


@pytest.mark.parametrize("text", RECEIPTS)
def test_read_receipts_of_several_paragraphs(text: str) -> None:
    """A subject of receipts and a text that says it make one; a person's answer to such a subject is theirs."""
    head = "From: ann@example.org\r\nContent-Type: text/plain; charset=utf-8\r\nSubject: Read: turn 1\r\n\r\n"

    assert parse_message((head + text).encode()).machine.kind == Kind.RECEIPT
    assert parse_message(f"{head}Hi,\n\nBID 3\n\nAnn".encode()).machine.kind == Kind.PERSON


def test_the_answer_of_vacation_is_known_by_its_text() -> None:
    """vacation 3.3.3 marks its answers with nothing; the text that it offers is a machine's, with any subject."""
    text = (
        'I will not be reading my mail for a while.\nYour mail concerning "[toy1] turn 3"\nwill be read when I return.'
    )

    assert parse_message(f"{HEAD}\r\n{text}".encode()).machine.kind == Kind.ROBOT


@pytest.mark.parametrize(
    "text", ["Ann would like to recall the message, 'x'.", "Ann möchte die Nachricht 'x' zurückrufen."]
)
def test_recalls_in_several_languages(text: str) -> None:
    """Outlook writes its request in the language of its user."""
    head = f"{HEAD}Content-Type: text/plain; charset=utf-8\r\n\r\n"

    assert parse_message((head + text).encode()).machine == RECALL


@pytest.mark.parametrize(
    "text",
    [
        "Ann hat auf Ihre Nachricht reagiert:",
        "👍\n\nAnn reacted via Gmail",
        "Ann reacted to your message: ❤",
        "Ann reacted with 👍",
    ],
)
def test_reactions_in_words(text: str) -> None:
    """Programs that know no reactions are sent a sentence in their place."""
    assert parse_message(f"{HEAD}\r\n{text}".encode()).machine.kind == Kind.REACTION


def test_talk_of_a_reaction_is_a_persons() -> None:
    """A longer text in which somebody reacted is written by a person."""
    text = "MOVE S1 N\nMOVE S2 N\n\nBob reacted to your message with silence."

    assert parse_message(f"{HEAD}\r\n{text}".encode()).machine.kind == Kind.PERSON


def test_a_calendar_answer_is_known_inside_a_multipart() -> None:
    """Outlook puts its words beside the answer to a date."""
    parts = (
        "--x\r\n\r\nAccepted: deadline\r\n--x\r\nContent-Type: text/calendar; method=REPLY\r\n\r\nBEGIN:VCALENDAR\r\n"
    )
    raw = f"{HEAD}Content-Type: multipart/alternative; boundary=x\r\n\r\n{parts}--x--\r\n".encode()

    assert parse_message(raw).machine.kind == Kind.REACTION
