"""The kinds of mail that programs write: each sign has its kind, and the worst of several decides."""

from __future__ import annotations

import pytest

from pbem.mail.machines import MAX_RECEIVED, Kind
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
    "away from my mail": Kind.ROBOT,
    "Automatic reply: turn 1": Kind.ROBOT,
    "Undelivered Mail Returned to Sender": Kind.BOUNCE,
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


@pytest.mark.parametrize(
    "text", ["👍\n\nAnn reacted via Gmail", "Ann reacted to your message: ❤", "Ann reacted with 👍"]
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
