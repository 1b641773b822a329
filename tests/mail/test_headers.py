"""Sender, recipients and references are read from headers that may be wrong or meant to deceive."""

from __future__ import annotations

import pytest

from pbem.mail.machines import MAX_RECEIVED
from pbem.mail.message import parse_message
from tests.mail.letters import letter, mail


@pytest.mark.parametrize(
    ("field", "sender"),
    [
        ("ann@example.org", "ann@example.org"),
        ("Ann.B@Example.ORG", "Ann.B@example.org"),
        ("Ann Smith <ann@example.org>", "ann@example.org"),
        ('"Smith, Ann" <ann@example.org>', "ann@example.org"),
        ("Smith, Ann <ann@example.org>", "ann@example.org"),
        ("ann@example.org (Ann Smith)", "ann@example.org"),
        ("ann@example.org <Ann@example.org>", "Ann@example.org"),
        ('"bob@example.org" <ann@example.org>', "ann@example.org"),
        ("=?utf-8?q?J=C3=BCrgen?= <ann@example.org>", "ann@example.org"),
        ("\r\n Ann\r\n <ann@example.org>", "ann@example.org"),
        ("ann@example.org, bob@example.org", None),
        ("Ann <ann@example.org>, Bob <bob@example.org>", None),
        ("alice@example.org]<mallory@example.net>", None),
        ("bob@example.org <ann@example.org>", None),
        ('bob@example.org "<ann@example.org>"', None),
        ('"Ann <ann@example.org>', None),
        ("(Ann <ann@example.org>", None),
        ("Ann <ann@example.org> <bob@example.org>", None),
        ("undisclosed:;", None),
        ("Ann", None),
        ("", None),
        ("a" * 9_000 + "@example.org", None),
        ("a\ufeffnn@example.org", None),
        ("Ann <ann\u202e@example.org>", None),
    ],
)
def test_sender(field: str, sender: str | None) -> None:
    """A sender is one well-formed address with its domain in lower case; a doubtful one is None."""
    assert letter(sender=field).sender == sender


@pytest.mark.parametrize(
    "fields",
    [
        ("From: bob@example.org",),
        ("From : bob@example.org",),
        ("F\x00rom: bob@example.org",),
        (f"From: {'b' * 9_000} <bob@example.org>",),
        (*["X-Filling: x"] * 1_000, "From: bob@example.org"),
        ("X-Filling: x\r\n" + " x" * 60_000, "From: bob@example.org"),
    ],
    ids=["a second", "with a blank", "with a sign that is left out", "too long", "below many", "below a long one"],
)
def test_two_from_fields_are_no_sender(fields: tuple[str, ...]) -> None:
    """Two From fields give no sender, however one is hidden: programs differ in which one they show or vouch for."""
    assert letter("", *fields).sender is None


def test_recipients() -> None:
    """All fields that may hold the address a mail was sent to are read, without doubles."""
    read = letter(
        "",
        "Cc: Bob <bob@Example.org>, gm@example.org",
        "Delivered-To: orders+code@example.org",
        "X-Original-To: orders@example.org",
        "Envelope-To: orders+other@example.org",
        "Delivered-To: orders+a\ufeffb@example.org",
    )

    assert read.recipients == (
        "orders@example.org",
        "bob@example.org",
        "gm@example.org",
        "orders+code@example.org",
        "orders+other@example.org",
    )


def test_what_a_mail_answers() -> None:
    """In-Reply-To comes first, then the references from the newest to the oldest, each once."""
    read = letter(
        "",
        "Message-ID: <new@example.org>",
        "References: <first@example.org>\r\n <second@example.org> <third@example.org>",
        "In-Reply-To: <third@example.org>",
    )

    assert read.message_id == "<new@example.org>"
    assert read.references == ("<third@example.org>", "<second@example.org>", "<first@example.org>")


@pytest.mark.parametrize(
    ("field", "subject"),
    [
        ("Re: [trap7 abc]\r\n\tturn 3", "Re: [trap7 abc] turn 3"),
        ("=?utf-8?b?w5xiZXI=?= =?utf-8?q?_Nacht?=", "Über Nacht"),
        ("=?iso-8859-1?q?=DCber_Nacht?=", "Über Nacht"),
        ("=?utf-8?q?a=0D=0ABcc:_eve@example.org?=", "a Bcc: eve@example.org"),
        ("=?no-such?q?abc?=", "abc"),
        ("=?utf-8?b?!?= rest", "rest"),
        ("x" * 600, "x" * 500),
    ],
)
def test_subject(field: str, subject: str) -> None:
    """A subject is one line, its encoded words decoded."""
    assert letter("", f"Subject: {field}").subject == subject


def test_control_characters_are_dropped() -> None:
    """Characters that no database stores are in neither addresses nor ids."""
    read = letter("", "Cc: b\x00ob@example.org", "Message-ID: <a\x00b@x>", "References: <c\x01@x>", "Subject: a\x00b")

    assert read.recipients[1] == "bob@example.org"
    assert (read.message_id, read.references, read.subject) == ("<ab@x>", ("<c@x>",), "ab")


def test_raw_octets_in_a_header() -> None:
    """Octets that belong in no header are read as UTF-8, else as Windows-1252."""
    for octets in ("Über".encode(), "Über".encode("cp1252")):
        assert parse_message(b"Subject: " + octets + b"\r\n\r\n").subject == "Über"


@pytest.mark.parametrize(
    ("field", "reason"),
    [
        ("Auto-Submitted: auto-replied", "a program sent it (Auto-Submitted)"),
        ("auto-submitted: Auto-Generated; owner-email=x", "a program sent it (Auto-Submitted)"),
        ("Precedence: Bulk", "it is bulk mail (Precedence)"),
        ("List-Id: <talk.example.org>", "it came through a mailing list"),
        ("List-Unsubscribe: <mailto:leave@example.org>", "it came through a mailing list"),
        ("Return-Path: <>", "it is a delivery report"),
        ("Content-Type: multipart/report; report-type=delivery-status; boundary=x", "it is a delivery report"),
        ("X-Autoreply: yes", "it is an automatic answer"),
        ("X-Auto-Response-Suppress: DR, RN, AutoReply", "it asks for no automatic answer"),
        ("X-Failed-Recipients: bob@example.org", "it is a delivery report"),
        ("X-Apple-Action: VACATION", "it is an automatic answer"),
        ("Preference: auto_reply", "it is an automatic answer"),
        ("X-Mailer: vacation 1.46", "it is an automatic answer"),
        ("X-Auto-Reply: yes", "it is an automatic answer"),
        ("X-Cron-Env: <HOME=/root>", "a program sent it (cron)"),
        ("X-Autogenerated: Reply", "it is an automatic answer"),
        ("X-Pbem-Loop: orders@example.org", "this program wrote it"),
        ("\r\n".join(["Received: by mx.example.org"] * (MAX_RECEIVED + 1)), "it went round in a loop"),
    ],
)
def test_automatic_mail(field: str, reason: str) -> None:
    """Mail of programs is recognised by its fields, and not to be answered (RFC 3834)."""
    assert letter("", field).machine.reason == reason


@pytest.mark.parametrize(
    "sender",
    [
        *("MAILER-DAEMON@example.org", "postmaster@example.org", "no-reply@example.org", "bounces+7=x@example.org"),
        *("mail-daemon@example.org", "post_master@example.org", "no_reply@example.org", "autoresponder@example.org"),
        "MicrosoftExchange329e71ec88ae4615bbc36ab6ce41109e@example.org",
    ],
)
def test_senders_that_are_programs(sender: str) -> None:
    """Some senders are never people."""
    assert letter(sender=sender).machine.reason == "its sender is a program"


@pytest.mark.parametrize(
    "sender", ["MAILER-DAEMON <>", "<>", "Mail Delivery Subsystem <MAILER-DAEMON>", "Postmaster (Mail Delivery System)"]
)
def test_senders_without_an_address(sender: str) -> None:
    """Mail systems may have no address, or only a name."""
    assert letter(sender=sender).machine.reason == "it is a delivery report"


@pytest.mark.parametrize(
    "subject",
    [
        *("Auto reply: turn 3", "Automatic reply: turn 3", "AutoReply", "[Autoreply] turn 3", "Out of Office: turn 3"),
        *("Out of office AutoReply: turn 3", "OOO: turn 3", "Vacation reply", "Automatische Antwort: turn 3"),
        *("Abwesenheitsnotiz: turn 3", "Réponse automatique : turn 3", "Respuesta automática: turn 3"),
        *("Risposta automatica: turn 3", "Resposta automática: turn 3", "Automatisch antwoord: turn 3", "Autosvar: x"),
        *("Automatiskt svar: x", "Automatisk svar: x", "Automaattinen vastaus: x", "Automatyczna odpowiedź: x"),
        *("Odpowiedź automatyczna: x", "Automatická odpověď: x", "Автоответ: x", "Автоматический ответ: x"),
        *("Автоматична відповідь: x", "Automatikus válasz: x", "Otomatik yanıt: x", "Răspuns automat: x"),
        *("Αυτόματη απάντηση: x", "自動返信: x", "自动回复: x", "자동 회신: x", "رد تلقائي: x", "תשובה אוטומטית: x"),
    ],
)
def test_subjects_of_answering_machines(subject: str) -> None:
    """Automatic responders without such fields are recognised by the beginning of the subject."""
    assert letter("", f"Subject: {subject}").machine.reason == "it is an automatic answer"


@pytest.mark.parametrize(
    "subject",
    [
        *("Undelivered Mail Returned to Sender", "Mail delivery failed: returning message to sender", "failure notice"),
        *("Undeliverable: turn 3", "Returned mail: User unknown", "Delivery Status Notification (Failure)"),
        *("Unzustellbar: turn 3", "Warning: could not send message for past 4 hours"),
    ],
)
def test_subjects_of_delivery_reports(subject: str) -> None:
    """Mail systems are recognised by the beginning of the subject."""
    assert letter("", f"Subject: {subject}").machine.reason == "it is a delivery report"


@pytest.mark.parametrize(
    "subject",
    [
        *("Re: Automatic reply: turn 3", "Re: Undeliverable: turn 3", "Fwd: Returned mail: turn 3", "Vacation"),
        *("Out of office from Friday on", "Away until Monday", "automatic fire", "Mail to red came back", "Delivery"),
        *("Returned to base", "Failure is no option", "Delivery report from Jupiter", "Autos", "ooops"),
    ],
)
def test_subjects_of_people(subject: str) -> None:
    """A person who answers a robot, goes on holiday or writes of a campaign is no program."""
    assert letter("", f"Subject: {subject}").machine.reason == ""


@pytest.mark.parametrize(
    "field",
    [
        "Auto-Submitted: no",
        "Precedence: normal",
        "Return-Path: <ann@example.org>",
        "X-Auto-Response-Suppress: DR, RN",
        "X-Autoreply: no",
    ],
)
def test_mail_of_people(field: str) -> None:
    """The same fields with other values do not make a mail automatic."""
    assert letter("", field).machine.reason == ""


def test_a_mail_saved_by_other_programs() -> None:
    """The separator line of an mbox file, and line ends of every kind, do not hide the header."""
    raw = mail("MOVE a", "Subject: x")
    for other in (
        b"From ann Fri Nov 20 10:00:00 2026\r\n" + raw,
        raw.replace(b"\r\n", b"\n"),
        raw.replace(b"\r\n", b"\r"),
    ):
        read = parse_message(other)
        assert (read.sender, read.subject, read.text) == ("ann@example.org", "x", "MOVE a")
