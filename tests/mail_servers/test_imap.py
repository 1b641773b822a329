"""The inbox on a real IMAP server."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest
from sqlalchemy import select

from pbem.config import Settings
from pbem.errors import ConfigError, TemporaryMailError
from pbem.mail import mailbox as incoming
from pbem.mail.fetch import fetch_messages, open_mailbox
from pbem.mail.imap import ImapMailbox
from pbem.mail.mailbox import MAX_MAIL, Mailbox, RawMessage
from pbem.mail.message import parse_message
from pbem.store.models import InboxMessage
from pbem.store.session import Store
from tests.mail.letters import mail
from tests.mail_servers.conftest import MakeSettings
from tests.servers.mail import WITHOUT_MOVE, WITHOUT_UIDPLUS, MailServer
from tests.servers.relay import relaying

NOON = dt.datetime(2100, 1, 1, 12, tzinfo=dt.UTC)
MAILS = [mail(f"turn {number}", f"Message-ID: <{number}@example.org>") for number in range(5)]


@pytest.fixture
def mailbox(make_settings: MakeSettings) -> Iterator[Mailbox]:
    """Yield the inbox of the account `orders`."""
    with closing(open_mailbox(make_settings())) as mailbox:
        yield mailbox


def raws(batches: Iterator[list[RawMessage]]) -> list[bytes]:
    """Return the bytes of all mails of all batches."""
    return [each.raw for batch in batches for each in batch]


@pytest.mark.parametrize("scheme", ["imaps", "imap+starttls", "imap"])
def test_mail_is_read_byte_for_byte(mail_server: MailServer, make_settings: MakeSettings, scheme: str) -> None:
    """Over TLS, STARTTLS, or plain inside the machine, mail is read in order and unchanged."""
    mail_server.append("orders", MAILS)

    with closing(open_mailbox(make_settings(inbox=mail_server.inbox("orders", scheme)))) as mailbox:
        assert raws(mailbox.batches()) == MAILS


def test_mail_sent_by_a_player_is_read(mail_server: MailServer, mailbox: Mailbox) -> None:
    """A mail submitted to a plus address is read with that address, its sender's, and the time."""
    mail_server.submit("ann", "orders+code@pbem.test", mail("WAIT", sender="Ann <ann@pbem.test>"))
    mail_server.mails("orders", at_least=1)

    ((found,),) = mailbox.batches()
    letter = parse_message(found.raw)
    assert (letter.sender, letter.text, letter.machine.reason) == ("ann@pbem.test", "WAIT", "")
    assert "orders+code@pbem.test" in letter.recipients
    assert abs(found.received_at - dt.datetime.now(dt.UTC)) < dt.timedelta(minutes=5)


def test_a_real_bounce_is_known(mail_server: MailServer, mailbox: Mailbox) -> None:
    """A delivery report of Postfix for a dead address is automatic mail."""
    mail_server.submit("orders", "ghost@pbem.test", mail("turn 3", sender="orders@pbem.test"))
    mail_server.mails("orders", at_least=1)

    ((found,),) = mailbox.batches()
    assert parse_message(found.raw).machine.reason == "it is a delivery report"


def test_what_is_done_is_in_processed(mail_server: MailServer, mailbox: Mailbox) -> None:
    """A batch that is done is unchanged in Processed, and the inbox is empty."""
    mail_server.append("orders", MAILS)
    for batch in mailbox.batches():
        mailbox.finish(batch)

    assert mail_server.mails("orders") == []
    assert mail_server.mails("orders", folder="Processed") == MAILS


def test_reading_leaves_no_trace(mail_server: MailServer, mailbox: Mailbox) -> None:
    """Mail that was read but not done is still there, and still unseen."""
    mail_server.append("orders", MAILS)
    list(mailbox.batches())

    with mail_server.imap("orders") as imap:
        imap.select_folder("INBOX", readonly=True)
        assert len(imap.search(["UNSEEN"])) == len(MAILS)


def test_servers_without_move(mail_server: MailServer, make_settings: MakeSettings) -> None:
    """Without MOVE mail is copied, marked and expunged; without UIDPLUS too it is marked and skipped."""
    mail_server.append("orders", MAILS)
    left = []
    for host in (WITHOUT_MOVE, WITHOUT_UIDPLUS):
        inbox = mail_server.inbox("orders", "imap").replace("127.0.0.1", host)
        with closing(open_mailbox(make_settings(inbox=inbox))) as mailbox:
            mailbox.finish(next(mailbox.batches())[:2])
            left.append(raws(mailbox.batches()))

    assert left == [MAILS[2:], MAILS[4:]]
    assert mail_server.mails("orders", folder="Processed") == MAILS[:4]
    assert mail_server.mails("orders") == MAILS[2:]


def test_mail_that_somebody_else_took(mail_server: MailServer, mailbox: Mailbox) -> None:
    """Mail that vanishes between reading and moving is no error."""
    mail_server.append("orders", MAILS)
    (batch,) = mailbox.batches()
    with mail_server.imap("orders") as imap:
        imap.select_folder("INBOX")
        imap.delete_messages([int(batch[0].uid)])
        imap.expunge()
    mailbox.finish(batch)

    assert mail_server.mails("orders", folder="Processed") == MAILS[1:]


def test_mail_that_is_too_big(mail_server: MailServer, mailbox: Mailbox) -> None:
    """Of a mail above the limit only the beginning is fetched, with a mark; small ones beside it are whole."""
    mail_server.append("orders", [MAILS[0], mail("x" * MAX_MAIL), MAILS[1]])
    first, great, last = raws(mailbox.batches())

    assert (first, last) == (MAILS[0], MAILS[1])
    assert great.startswith(b"X-Pbem-Cut: 1000")
    assert len(great) < 70_000


def test_a_gms_mail_that_is_greater_than_others(mail_server: MailServer, mailbox: Mailbox) -> None:
    """A larger mail of a GM is fetched whole, since it may have pictures attached."""
    gms = mail("GM war 0123456789abcdef0123\nRULING\n" + "x" * MAX_MAIL)
    mail_server.append("orders", [mail("x" * MAX_MAIL), gms])
    great, whole = raws(mailbox.batches())

    assert len(great) < 70_000
    assert whole == gms


def test_two_hundred_mails_in_batches(
    mail_server: MailServer, mailbox: Mailbox, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many mails come in batches, each stored and moved before the next is fetched."""
    monkeypatch.setattr(incoming, "BATCH_MAILS", 30)
    many = [mail(f"turn {number}") for number in range(200)]
    mail_server.append("orders", many)

    assert fetch_messages(store, mailbox, NOON) == 200
    with store.reading() as session:
        assert list(session.scalars(select(InboxMessage.raw).order_by(InboxMessage.id))) == many
    assert len(mail_server.mails("orders", folder="Processed")) == 200


def test_a_line_that_breaks_before_the_move(mail_server: MailServer, make_settings: MakeSettings, store: Store) -> None:
    """If the connection breaks between storing and moving, all is stored, and the next poll moves it."""
    mail_server.append("orders", MAILS)
    with relaying(mail_server.ports["imap"]) as relay:
        mailbox = Cutting(make_settings(inbox=f"imap://orders@127.0.0.1:{relay.port}"), relay.cut)
        assert fetch_messages(store, mailbox, NOON) == len(MAILS)
        unmoved = mailbox.unmoved_mail()
        assert unmoved is not None
        assert len(unmoved.sizes) == len(MAILS)

        assert fetch_messages(store, mailbox, NOON, unmoved) == 0
        mailbox.close()
    assert mail_server.mails("orders", folder="Processed") == MAILS
    with store.reading() as session:
        assert len(session.scalars(select(InboxMessage.id)).all()) == len(MAILS)


class Cutting(ImapMailbox):
    """Inbox whose connection is cut before the first batch is moved."""

    def __init__(self, settings: Settings, cut: Callable[[], None]) -> None:
        super().__init__(settings)
        self.cuts = [cut]

    def finish(self, batch: list[RawMessage]) -> None:
        if self.cuts:
            self.cuts.pop()()
        super().finish(batch)


def test_a_line_that_breaks_between_two_batches(
    mail_server: MailServer, make_settings: MakeSettings, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If mail is left that was not read, the poll has failed."""
    monkeypatch.setattr(incoming, "BATCH_MAILS", 2)
    mail_server.append("orders", MAILS)
    with relaying(mail_server.ports["imap"]) as relay:
        mailbox = Cutting(make_settings(inbox=f"imap://orders@127.0.0.1:{relay.port}"), relay.cut)
        with pytest.raises(TemporaryMailError, match="cannot be used"):
            fetch_messages(store, mailbox, NOON)

        assert fetch_messages(store, mailbox, NOON) == 3
        mailbox.close()
    assert sorted(mail_server.mails("orders", folder="Processed")) == MAILS


def sentence(make_settings: MakeSettings, **others: str) -> str:
    """Return the sentence with which an inbox cannot be read."""
    with (
        closing(open_mailbox(make_settings(**others))) as mailbox,
        pytest.raises((TemporaryMailError, ConfigError)) as error,
    ):
        list(mailbox.batches())
    return str(error.value)


def test_a_wrong_password(make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    """A refused login names server, user and the setting to check."""
    make_settings()
    monkeypatch.setenv("TEST_PASSWORD", "wrong")
    said = sentence(make_settings)

    assert "refuses the login of orders: [AUTHENTICATIONFAILED] Authentication failed." in said
    assert said.endswith("look at inbox_password")
    assert "wrong" not in said


def test_a_certificate_of_an_unknown_authority(make_settings: MakeSettings) -> None:
    """Without the private authority the server is not trusted, and nothing is sent to it."""
    assert "certificate verify failed" in sentence(make_settings, tls_ca="")


def test_a_certificate_of_another_host(mail_server: MailServer, make_settings: MakeSettings) -> None:
    """A certificate must be for the host that was asked for."""
    other = f"imap+starttls://orders@{WITHOUT_MOVE}:{mail_server.ports['imap']}"

    assert "IP address mismatch" in sentence(make_settings, inbox=other)


def test_a_server_without_starttls(mail_server: MailServer, make_settings: MakeSettings) -> None:
    """If a server offers no STARTTLS, nothing is sent to it."""
    other = f"imap+starttls://orders@{WITHOUT_UIDPLUS}:{mail_server.ports['imap']}"

    assert "STARTTLS" in sentence(make_settings, inbox=other)


def test_a_port_that_speaks_no_tls_at_once(mail_server: MailServer, make_settings: MakeSettings) -> None:
    """The scheme or the port is wrong: the sentence names both."""
    other = f"imaps://orders@127.0.0.1:{mail_server.ports['imap']}"

    assert "speaks no TLS at once on this port; use +starttls" in sentence(make_settings, inbox=other)


def test_a_server_that_is_not_there(make_settings: MakeSettings) -> None:
    """A server that does not answer is reported in a sentence."""
    assert "127.0.0.1:9 cannot be used: " in sentence(make_settings, inbox="imaps://orders@127.0.0.1:9")


def test_a_folder_that_is_not_there(mail_server: MailServer, make_settings: MakeSettings) -> None:
    """A folder that does not exist is reported in a sentence."""
    missing = mail_server.inbox("orders").replace("INBOX", "Missing")
    assert "Missing" in sentence(make_settings, inbox=missing)


def test_no_password_in_the_clear(make_settings: MakeSettings) -> None:
    """A password is not sent unencrypted to another machine."""
    assert "unencrypted; use imap+starttls:// or imaps://" in sentence(
        make_settings, inbox="imap://orders@mail.example.org"
    )


def test_no_user(mail_server: MailServer, make_settings: MakeSettings) -> None:
    """An IMAP inbox needs a user."""
    assert "inbox names no user" in sentence(make_settings, inbox=f"imaps://127.0.0.1:{mail_server.ports['imaps']}")
