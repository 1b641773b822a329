"""Delivery reports of real mail systems, and hostile ones."""

from __future__ import annotations

import base64
from collections.abc import Callable
from email import message_from_bytes

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.mail.bounces import MAX_DIAGNOSTIC, Bounce, parse_bounce
from pbem.mail.machines import Kind
from pbem.mail.message import parse_message
from tests.mail.letters import mail, multipart, part
from tests.mail.reports import ID, exchange, gmail, postfix
from tests.mail.worded_reports import ARRIVED, WORDED, exim

STATUS = "Reporting-MTA: dns; mx\n\nFinal-Recipient: rfc822; ann@example.org\nAction: failed\nStatus: 5.1.1\n"
RETURNED = f"Subject: report\nMessage-ID: {ID}\n\ntext\n"


def report(*parts: bytes, fields: tuple[str, ...] = ()) -> bytes:
    """Return a report of these parts."""
    body, content_type = multipart("report", part("Sorry."), *parts)
    return mail(body, content_type, *fields)


def status_part(text: str | bytes = STATUS, kind: str = "message/delivery-status") -> bytes:
    """Return the machine-readable part of a report."""
    return part(text, f"Content-Type: {kind}")


def returned_part(kind: str = "message/rfc822") -> bytes:
    """Return the part of a report with the returned mail."""
    return part(RETURNED, f"Content-Type: {kind}")


def read(raw: bytes) -> Bounce:
    """Return the bounce of a mail that is one."""
    bounce = parse_bounce(raw)
    assert bounce is not None
    return bounce


@pytest.mark.parametrize(
    ("write", "status", "diagnostic"),
    [
        (postfix, "5.1.1", "550 5.1.1 <ann@example.org>: Recipient address rejected: User unknown"),
        (
            exchange,
            "5.1.10",
            "550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup",
        ),
        (
            gmail,
            "5.1.1",
            (
                "550-5.1.1 The email account that you tried to reach does not exist. Please try 550-5.1.1"
                " double-checking the recipient's email address for typos or 550 5.1.1 unnecessary spaces. - gsmtp"
            ),
        ),
    ],
    ids=["postfix", "exchange", "gmail"],
)
def test_reports_of_the_great_mail_systems(write: Callable[[], bytes], status: str, diagnostic: str) -> None:
    """Mail, recipient and reason are read from the reports of Postfix, Exchange and Gmail."""
    assert read(write()) == Bounce(
        message_ids=(ID,), recipient="ann@example.org", action="failed", status=status, diagnostic=diagnostic
    )


@pytest.mark.parametrize("write", WORDED)
def test_reports_in_words(write: Callable[[str, str], bytes]) -> None:
    """A report in free text is recognised by the mail's header in it, and the text above that."""
    bounce = read(write(ID, "ann@example.org"))

    assert (bounce.message_ids, bounce.recipient, bounce.action) == ((ID,), "ann@example.org", "failed")
    assert bounce.status == "5.1.1"
    assert bounce.reason.startswith("550 5.1.1 no such user")
    assert parse_message(write(ID, "ann@example.org")).machine.reason != ""


@pytest.mark.parametrize("write", ARRIVED)
def test_mails_that_arrived(write: Callable[[str, str], bytes]) -> None:
    """Automatic replies, receipts, complaints and people may quote a mail of ours without it having bounced."""
    assert parse_bounce(write(ID, "ann@example.org")) is None


@pytest.mark.parametrize("write", WORDED[:4])
def test_words_without_the_mail(write: Callable[[str, str], bytes]) -> None:
    """A report in free text without the header of a mail names no mail, and is no bounce."""
    assert parse_bounce(write("", "ann@example.org")) is None


def test_a_warning_in_words() -> None:
    """A warning that a mail system is still trying is no failure."""
    warning = exim(ID, "ann@example.org").replace(
        b"could not be delivered to one or more of its\r\nrecipients. This is a permanent error.",
        b"has not yet been delivered to one or more of its\r\nrecipients. No action is required.",
    )
    warning = warning.replace(b"failed: returning message to sender", b"delayed").replace(b"550 5.1.1", b"450 4.2.0")

    assert (read(warning).action, read(warning).status) == ("delayed", "4.2.0")


def test_a_report_saved_by_other_programs() -> None:
    """CR line ends and the separator of an mbox file make no difference."""
    raw = exim(ID, "ann@example.org")

    assert (
        read(raw.replace(b"\r\n", b"\r")) == read(b"From MAILER-DAEMON Fri Nov 20 10:00:00 2026\r\n" + raw) == read(raw)
    )


@pytest.mark.parametrize("write", [postfix, exchange, gmail])
def test_reports_are_automatic_mail(write: Callable[[], bytes]) -> None:
    """Every bounce is also automatic mail, which is not answered."""
    assert parse_message(write()).machine.reason != ""


@pytest.mark.parametrize(
    ("said", "action"),
    [
        ("failed", "failed"),
        ("FAILED (no such user)", "failed"),
        ("delayed", "delayed"),
        ("delivered", "delivered"),
        ("relayed (to a system that reports nothing)", "delivered"),
        ("expanded", "delivered"),
    ],
)
def test_actions(said: str, action: str) -> None:
    """An action counts in any case and with a comment; mail handed on counts as delivered."""
    assert read(postfix(action=said)).action == action


@pytest.mark.parametrize(("status", "action"), [("5.2.2", "failed"), ("4.4.1", "delayed"), ("2.0.0", "delivered")])
def test_an_action_left_out(status: str, action: str) -> None:
    """A missing action follows from the class of the status."""
    assert read(report(status_part(f"Final-Recipient: rfc822; a@b.c\nStatus: {status}\n"))).action == action


def test_the_worst_off_of_several_recipients() -> None:
    """Among deliveries and delays a failure counts."""
    groups = [
        f"Final-Recipient: rfc822; {name}@example.org\nAction: {action}\n"
        for name, action in (("ann", "delivered"), ("bob", "failed"), ("cyd", "delayed"))
    ]

    bounce = read(report(status_part("Reporting-MTA: dns; mx\n\n" + "\n".join(groups))))

    assert (bounce.recipient, bounce.action) == ("bob@example.org", "failed")


@pytest.mark.parametrize("kind", ["message/rfc822", "text/rfc822-headers", "message/global", "message/global-headers"])
def test_forms_of_the_returned_mail(kind: str) -> None:
    """The Message-ID is found in a whole mail that came back and in one of which only the header did."""
    assert read(report(status_part(), returned_part(kind))).message_ids == (ID,)


def test_a_report_without_the_mail_answers_it() -> None:
    """If no part of the mail was returned, the report's own In-Reply-To names it."""
    assert read(report(status_part(), fields=(f"In-Reply-To: {ID}",))).message_ids == (ID,)


def test_a_report_of_nothing_in_particular() -> None:
    """A report that names no mail is a bounce without Message-IDs."""
    bounce = read(report(status_part("Action: failed\n")))

    assert bounce == Bounce(message_ids=(), recipient="", action="failed", status="", diagnostic="")
    assert bounce.reason == "no reason given"


def test_a_status_in_base64() -> None:
    """A status part may be encoded in base64."""
    encoded = part(
        base64.encodebytes(STATUS.encode()),
        "Content-Type: message/delivery-status",
        "Content-Transfer-Encoding: base64",
    )

    assert read(report(encoded)).recipient == "ann@example.org"


@pytest.mark.parametrize(
    ("status", "diagnostic", "reason"),
    [
        ("5.1.1", "smtp; 550 5.1.1 no such user", "550 5.1.1 no such user"),
        ("5.2.2", "smtp; 552 mailbox full", "5.2.2 552 mailbox full"),
        ("5.0.0", "", "status 5.0.0"),
        ("nonsense", "X-Postfix; unknown user", "unknown user"),
    ],
)
def test_reasons(status: str, diagnostic: str, reason: str) -> None:
    """The reason is the other server's own words, with the status unless they name it."""
    assert read(postfix(status=status, diagnostic=diagnostic)).reason == reason


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        mail("My mail came back!\nAction: failed\nStatus: 5.1.1\n"),
        report(),
        report(returned_part()),
        report(status_part("Action: exploded\nStatus: 5.1.1\n")),
        report(part("Final-Recipient: rfc822; a@b.c\n", "Content-Type: message/disposition-notification")),
        mail(status_part(), "Content-Type: multipart/report; report-type=delivery-status"),
        mail(b"--next\r\n" + postfix() + b"\r\n--next--\r\n", 'Content-Type: multipart/mixed; boundary="next"'),
    ],
    ids=["empty", "text", "no-status", "mail-alone", "unknown-action", "read-receipt", "no-boundary", "forwarded"],
)
def test_what_is_no_delivery_report(raw: bytes) -> None:
    """Texts about bounces, forwarded reports, read receipts and broken reports are not bounces."""
    assert parse_bounce(raw) is None


IN_WORDS = {
    "Exim": (
        "The following address(es) failed:\n\n  eve@example.net\n    Unrouteable address\n",
        "Unrouteable address",
    ),
    "OpenSMTPD": (
        "An error has occurred:\n\neve@example.net: 552 5.2.2 Mailbox is full\n\n    Below is a copy:\n",
        "552 5.2.2 Mailbox is full",
    ),
    "neither": ("It could not be delivered.\n", ""),
}


@pytest.mark.parametrize(("said", "reason"), IN_WORDS.values(), ids=IN_WORDS.keys())
def test_a_reason_that_stands_in_the_text_alone(said: str, reason: str) -> None:
    """Exim and OpenSMTPD write no Diagnostic-Code: the GM reads what their text says of the recipient."""
    status = "Reporting-MTA: dns; x\n\nFinal-Recipient: rfc822; eve@example.net\nAction: failed\nStatus: 5.0.0\n"
    returned = "Received: by x (Exim 4.98.2)\nMessage-ID: <a@example.org>\n"
    parts = (("text/plain", said), ("message/delivery-status", status), ("text/rfc822-headers", returned))
    body, kind = multipart("report", *(part(text, f"Content-Type: {each}") for each, text in parts))

    bounce = parse_bounce(mail(body, kind, sender="Mailer Daemon <MAILER-DAEMON@example.net>"))

    assert bounce is not None
    assert (bounce.diagnostic, bounce.message_ids) == (reason, ("<a@example.org>",))


@pytest.mark.parametrize(
    ("status", "said", "found"),
    [
        ("5.0.0", "552 5.2.2 Mailbox is full", "5.2.2"),
        ("5.0.0", "550 no such user", "5.0.0"),
        ("5.0.0", "451 4.7.1 try later", "5.0.0"),
        ("5.7.1", "552 5.2.2 Mailbox is full", "5.7.1"),
    ],
)
def test_a_status_that_says_nothing_gives_way(status: str, said: str, found: str) -> None:
    """OpenSMTPD writes 5.0.0 for each refusal; what the other server has said is more, if it is of the same class."""
    fields = STATUS.replace("5.1.1", status) + f"Diagnostic-Code: smtp; {said}\n"

    assert read(report(status_part(fields), returned_part())).status == found


DISPOSITION = "Disposition: automatic-action/MDN-sent-automatically; deleted\n"
REJECTIONS = {
    # Pigeonhole 2.3.19 and 2.4.1
    "notification": (
        "report",
        "message/disposition-notification",
        "Reporting-UA: mx; Dovecot Mail Delivery Agent\nFinal-Recipient: rfc822; ann@example.org\n" + DISPOSITION,
        ("Subject: Rejected: report", "Auto-Submitted: auto-replied (rejected)", "Precedence: bulk"),
    ),
    # mailutils 3.15, whose mail has no Subject, no Date, and a user as its sender
    "status": (
        "mixed",
        "message/delivery-status",
        "Reporting-UA: sieve; GNU Mailutils 3.15\nFinal-Recipient: RFC822; ann@example.org\nAction: deleted\n"
        + DISPOSITION,
        (),
    ),
}


@pytest.mark.parametrize(("kind", "status", "fields", "head"), REJECTIONS.values(), ids=REJECTIONS.keys())
def test_a_rejection_by_a_sieve_script(kind: str, status: str, fields: str, head: tuple[str, ...]) -> None:
    """It is a delivery report of a mail that failed, for the reason in the script; never a person's mail."""
    said = "Your message was automatically rejected:\nI take no more mail of games.\n"
    body, content_type = multipart(kind, part(said), status_part(fields, status), returned_part())
    raw = mail(body, content_type, *head, sender="ann@example.org")

    assert read(raw) == Bounce(
        message_ids=(ID,),
        recipient="ann@example.org",
        action="failed",
        status="",
        diagnostic="Your message was automatically rejected: I take no more mail of games.",
    )
    assert parse_message(raw).machine.kind is Kind.BOUNCE


def test_a_notice_that_a_mail_was_deleted_unread_is_no_rejection() -> None:
    """A person's mail program writes it, by hand: the mail had arrived."""
    fields = f"Final-Recipient: rfc822; ann@example.org\n{DISPOSITION.replace('automatic', 'manual', 1)}"
    raw = report(status_part(fields, "message/disposition-notification"), returned_part())

    assert parse_bounce(raw) is None
    assert parse_message(raw).machine.kind is not Kind.PERSON


def test_a_diagnostic_is_one_harmless_line() -> None:
    """A diagnostic is shown in terminals and mails: it has no control characters, and a limited length."""
    said = read(postfix(diagnostic="smtp; 550 \x1b[2J\x9b31m\u202egone\r\n\t" + "x" * 3000)).diagnostic

    assert said.isprintable()
    assert len(said) == MAX_DIAGNOSTIC


def test_a_message_id_holds_nothing_odd() -> None:
    """A Message-ID with blanks or control characters inside, or one without end, is none."""
    for forged in ("<a b@c>", "<é@c>", "<" + "x" * 300 + ">", "<"):
        assert read(postfix(forged)).message_ids == ()


def test_hostile_sizes_are_read_in_part() -> None:
    """Reports of very many parts, recipients or fields are read as far as a real one goes."""
    many_parts = report(status_part(), *[returned_part()] * 5_000)
    many_groups = report(status_part(STATUS + "\nAction: delivered\n" * 50_000), returned_part())
    many_fields = report(status_part("X: y\n" * 200_000 + STATUS), returned_part())

    assert read(many_parts).message_ids == (ID,)
    assert read(many_groups).action == "failed"
    assert parse_bounce(many_fields) is None


def test_reports_inside_reports_stay_closed() -> None:
    """Only the outermost report counts, and not one in the returned mail."""
    inner = part(postfix("<inner@example.org>"), "Content-Type: message/rfc822")

    assert read(report(status_part(), inner)).message_ids == (message_from_bytes(postfix())["Message-Id"],)


@given(st.binary(max_size=400), st.integers(0, 3000), st.integers(0, 400))
def test_damage_never_raises(noise: bytes, at: int, length: int) -> None:
    """A report damaged at random is a bounce or none."""
    raw = postfix()

    bounce = parse_bounce(raw[:at] + noise + raw[at + length :])

    assert bounce is None or (len(bounce.diagnostic) <= MAX_DIAGNOSTIC and "".join(bounce.message_ids).isascii())
