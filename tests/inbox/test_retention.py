"""Tokens are not kept in mail that is no longer needed."""

from __future__ import annotations

import base64
import datetime as dt
from email.message import EmailMessage

import pytest
from sqlalchemy import update

from pbem.admin.mail import retry_mail, retry_message, show_message
from pbem.errors import MailAdminError
from pbem.mail.compose import MailPart, NewMail, compose
from pbem.mail.fetch import message_ids
from pbem.mail.message import parse_message
from pbem.mail.retention import is_masked, keep_text_only, redact_tokens
from pbem.store.models import InboxMessage, OutgoingMail
from pbem.util import MASK
from tests.actions.history import rows
from tests.toy.home import MONDAY, Desk, text_of

ANN = "ann@example.org"
TOKEN = "0123456789abcdef0123"


@pytest.fixture
def token(desk: Desk) -> str:
    """Return Ann's token, from the welcome mail of a running campaign."""
    desk.start()
    welcome = text_of(desk.mails(ANN)[0])
    return welcome.partition("ORDERS toy1 red ")[2].split()[0]


def composed(text: str, *files: MailPart) -> bytes:
    """Return a mail of ours, as it is stored."""
    mail = NewMail(ANN, "Your seat", text, "<a@example.org>", "orders@example.org", parts=files)
    return compose(mail, sender="orders@example.org", sender_name="Play by Email", at=MONDAY)


def kept(desk: Desk, kind: type[InboxMessage | OutgoingMail], token: str) -> list[int]:
    """Return the ids of stored mails that contain a token, as it is or encoded."""
    return [row.id for row in rows(desk, kind) if token in parse_message(row.raw).text or token.encode() in row.raw]


def test_a_processed_message_has_no_token(desk: Desk, token: str) -> None:
    """The sheet was taken, and the GM sees the message with a mask."""
    desk.post(f"ORDERS toy1 red {token}\nBID 2\nEND", sender="elsewhere@example.org", subject=f"orders {token}")
    assert desk.tick().processed.sheets == 1

    assert kept(desk, InboxMessage, token) == []
    assert f"ORDERS toy1 red {MASK}\nBID 2" in show_message(desk.app.store, 1).text
    assert token not in str(parse_message(rows(desk, InboxMessage)[0].raw))


def test_on_either_database(shared: Desk) -> None:
    """Messages and sent mail are masked on SQLite and PostgreSQL alike."""
    key = text_of(shared.mails(ANN)[0]).partition("ORDERS toy1 red ")[2].split()[0]
    shared.post(f"ORDERS toy1 red {key}\nBID 2\nEND", sender="elsewhere@example.org")
    shared.tick()
    shared.tick(hours=24 * 8)

    assert (kept(shared, InboxMessage, key), kept(shared, OutgoingMail, key)) == ([], [])


def test_a_message_that_comes_twice_is_still_known(desk: Desk, token: str) -> None:
    """A masked message that comes again is recognised by its hash."""
    desk.post(f"ORDERS toy1 red {token}\nBID 2\nEND", sender="elsewhere@example.org")
    desk.tick()
    (path,) = (desk.home / "post" / "inbox" / "Processed" / "cur").iterdir()
    path.rename(desk.home / "post" / "inbox" / "again.eml")

    assert (desk.tick().polled, len(rows(desk, InboxMessage))) == (0, 1)


def test_a_quarantined_message_can_be_retried(desk: Desk, token: str) -> None:
    """A quarantined message keeps its token until it is processed."""
    desk.post(f"ORDERS toy1 red {token}\nBID 2\nEND", sender="elsewhere@example.org")
    desk.tick()
    raw = f"From: elsewhere@example.org\n\nORDERS toy1 red {token}\nBID 3\nEND\n".encode()
    with desk.app.store.writing() as session:
        session.execute(update(InboxMessage).values(state="quarantined", raw=raw, masked_at=None))
    desk.tick()
    assert kept(desk, InboxMessage, token) == [1]
    retry_message(desk.app.store, 1)

    assert desk.tick().processed.sheets == 1
    assert kept(desk, InboxMessage, token) == []


def test_a_mail_long_sent_has_no_token(desk: Desk, token: str) -> None:
    """A sent mail is masked after a week, in which it may bounce and go another way."""
    desk.tick(hours=24 * 6)
    before = kept(desk, OutgoingMail, token)
    desk.tick(hours=24 * 2)

    assert (len(before), kept(desk, OutgoingMail, token)) == (1, [])


def test_of_a_report_long_sent_its_text_is_kept(shared: Desk) -> None:
    """A mail sent long ago keeps the text that messages quote, and its header; HTML and data are with the report."""
    shared.tick()
    whole = {mail.id: mail.raw for mail in rows(shared, OutgoingMail) if mail.kind == "report"}
    shared.tick(hours=24 * 6)
    assert {mail.id: mail.raw for mail in rows(shared, OutgoingMail) if mail.id in whole} == whole
    shared.tick(hours=24 * 2)
    short = {mail.id: mail.raw for mail in rows(shared, OutgoingMail) if mail.id in whole}

    assert whole
    for id_, raw in short.items():
        before, after = parse_message(whole[id_]), parse_message(raw)
        assert (after.lines, after.subject, after.sender) == (before.lines, before.subject, before.sender)
        assert message_ids(raw) == message_ids(whole[id_])
        assert len(raw) < len(whole[id_]) / 2
        assert b"text/html" not in raw
        assert is_masked(raw)


def test_a_report_is_mailed_again_however_old(desk: Desk) -> None:
    """RESEND brings the whole report, since it does not use the sent mail."""
    desk.start()
    first = desk.last(ANN)
    desk.tick(hours=24 * 3)
    desk.tick(hours=24 * 8)
    desk.reply(desk.last(ANN), "RESEND 1")
    desk.tick()

    again = desk.last(ANN)
    assert again["Message-ID"] != first["Message-ID"]
    assert [part.get_content_type() for part in again.walk()] == [
        part.get_content_type() for part in first.walk() if part.get_content_type() != "text/calendar"
    ]


def test_a_masked_mail_does_not_go_out_again(desk: Desk, token: str) -> None:
    """A masked mail would be useless to its reader, so a retry is refused with the reason."""
    (welcome,) = kept(desk, OutgoingMail, token)
    desk.tick(hours=24 * 8)
    with desk.app.store.writing() as session:
        session.execute(update(OutgoingMail).where(OutgoingMail.id == welcome).values(state="bounced"))

    with pytest.raises(
        MailAdminError, match=f"mail {welcome} was sent too long ago to go again: it is no longer kept whole"
    ):
        retry_mail(desk.app.store, desk.now, welcome)


def test_the_backlog_of_an_older_home_is_masked(desk: Desk, token: str) -> None:
    """Mail stored before masking was recorded counts as unmasked."""
    desk.post(f"ORDERS toy1 red {token}\nBID 2\nEND", sender="elsewhere@example.org")
    raw = f"Subject: old\n\nORDERS toy1 red {token}\nEND\n".encode()
    desk.tick()
    with desk.app.store.writing() as session:
        session.execute(update(InboxMessage).values(raw=raw, masked_at=None))
        session.execute(update(OutgoingMail).values(sent_at=desk.now - dt.timedelta(days=99)))
    desk.tick()

    assert (kept(desk, InboxMessage, token), kept(desk, OutgoingMail, token)) == ([], [])


@pytest.mark.parametrize("encoding", ["7bit", "quoted-printable", "base64"])
def test_a_token_is_masked_in_any_encoding(encoding: str) -> None:
    """The text can still be read, without the token; so can the fields that identify the mail."""
    mail = EmailMessage()
    mail["From"], mail["Message-ID"], mail["Subject"] = ANN, f"<{TOKEN}@example.org>", "orders"
    mail.set_content(f"{'x' * 60} {TOKEN} BID 2\n", cte=encoding)
    masked = redact_tokens(bytes(mail))
    letter = parse_message(masked)

    assert is_masked(masked)
    assert not is_masked(bytes(mail))
    assert letter.text.rstrip() == f"{'x' * 60} {MASK} BID 2"
    assert (letter.sender, letter.subject, message_ids(masked)) == (ANN, "orders", message_ids(bytes(mail)))
    assert base64.b64encode(TOKEN.encode())[:20] not in masked


def test_a_mail_of_text_alone_stays_whole() -> None:
    """Nothing can be left out of a mail of text alone, so it may go again."""
    mail = composed("Hello.\n")

    assert keep_text_only(mail) == mail


def test_mail_that_was_masked_before_is_shortened_too() -> None:
    """Mail that earlier versions masked and left at its length is shortened too."""
    mail = composed(f"ORDERS toy1 red {TOKEN}\n", MailPart("rules.txt", "text/plain", b"rules " * 99))
    short = keep_text_only(redact_tokens(mail))

    assert short == keep_text_only(mail)
    assert parse_message(short).text.strip() == f"ORDERS toy1 red {MASK}"
    assert b"rules" not in short
    assert keep_text_only(short) == short


def test_a_mail_without_a_token_stays_as_it_is() -> None:
    """Hashes and longer numbers are no tokens."""
    raw = f"From: {ANN}\r\nMessage-ID: <{TOKEN}@x>\r\n\r\n{'ab' * 32} {TOKEN}0\r\n".encode()

    assert redact_tokens(raw) == raw
