"""Mail that a real IMAP server does not move, and the emptying of Processed."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from pbem.config import Settings
from pbem.errors import MailNotMoved
from pbem.mail.fetch import fetch_messages, open_mailbox
from pbem.mail.mailbox import Unmoved
from pbem.store.session import Store
from tests.mail.letters import mail
from tests.mail_servers.conftest import MakeSettings
from tests.servers.mail import HOST, WITHOUT_MOVE, WITHOUT_UIDPLUS, MailServer

NOON = dt.datetime(2100, 1, 1, 12, tzinfo=dt.UTC)
MAILS = [mail(f"turn {number}", f"Message-ID: <{number}@example.org>") for number in range(5)]
HOSTS = (HOST, WITHOUT_MOVE, WITHOUT_UIDPLUS)


@contextmanager
def read_only(mail_server: MailServer) -> Iterator[None]:
    """Let nothing be put into Processed of `orders` in the block."""
    with mail_server.imap("orders") as imap:
        if not imap.folder_exists("Processed"):
            imap.create_folder("Processed")
    folder = mail_server.folder / "mail" / "orders" / "mail" / ".Processed"
    places = (folder, *(folder / name for name in ("tmp", "new", "cur")))
    for place in places:
        place.chmod(0o500)
    yield
    for place in places:
        place.chmod(0o700)


def poll(settings: Settings, store: Store, before: Unmoved | None = None) -> tuple[int, Unmoved | None]:
    """Return the number of new messages and what could not be moved."""
    with closing(open_mailbox(settings)) as mailbox:
        return fetch_messages(store, mailbox, NOON, before), mailbox.unmoved_mail()


@pytest.mark.parametrize("host", HOSTS)
def test_mail_that_cannot_be_moved(
    mail_server: MailServer, make_settings: MakeSettings, store: Store, host: str
) -> None:
    """All is stored, and the poll is good; later polls read none of it again, and move it once they can."""
    mail_server.append("orders", MAILS)
    settings = make_settings(inbox=mail_server.inbox("orders", "imap").replace(HOST, host))
    with read_only(mail_server):
        new, unmoved = poll(settings, store)
        assert new == 5
        assert unmoved is not None
        assert len(unmoved.sizes) == 5
        assert unmoved.reason.startswith(f"{host}:{mail_server.ports['imap']}: ")
        assert poll(settings, store, unmoved)[0] == 0
        with closing(open_mailbox(settings)) as mailbox:
            assert list(mailbox.batches(unmoved)) == []

    assert poll(settings, store, unmoved) == (0, None)
    assert mail_server.mails("orders", folder="Processed") == MAILS


def test_new_mail_beside_mail_that_stays(mail_server: MailServer, make_settings: MakeSettings, store: Store) -> None:
    """Mail that comes while older mail cannot be moved is read and stored as ever."""
    mail_server.append("orders", MAILS[:2])
    settings = make_settings()
    with read_only(mail_server):
        _, unmoved = poll(settings, store)
        mail_server.append("orders", MAILS[2:])
        new, both = poll(settings, store, unmoved)

    assert new == 3
    assert both is not None
    assert len(both.sizes) == 5


def test_a_mailbox_with_other_uids(mail_server: MailServer, make_settings: MakeSettings) -> None:
    """Mail known by another UIDVALIDITY, or with another size, is read."""
    mail_server.append("orders", MAILS)
    with closing(open_mailbox(make_settings())) as mailbox:
        with read_only(mail_server), pytest.raises(MailNotMoved):
            mailbox.finish(next(mailbox.batches()))
        known = mailbox.unmoved_mail()
        assert known is not None
        other = Unmoved(known.mailbox, "1", known.sizes, known.copied, "")
        grown = {uid: size + (uid == "1") for uid, size in known.sizes.items()}
        changed = Unmoved(known.mailbox, known.uid_validity, grown, known.copied, "")

        assert [len(batch) for batch in mailbox.batches(other)] == [5]
        assert [mail.uid for batch in mailbox.batches(changed) for mail in batch] == ["1"]


@pytest.mark.parametrize("host", HOSTS)
def test_old_mail_in_processed_is_deleted(mail_server: MailServer, make_settings: MakeSettings, host: str) -> None:
    """Mail in Processed that came before the day is deleted; newer mail stays, and so does the inbox."""
    old, new = dt.datetime(2026, 8, 1, 12, tzinfo=dt.UTC), dt.datetime(2026, 11, 1, 12, tzinfo=dt.UTC)
    with mail_server.imap("orders") as imap:
        imap.create_folder("Processed")
        for folder, raw, at in (("Processed", MAILS[0], old), ("Processed", MAILS[1], new), ("INBOX", MAILS[2], old)):
            imap.append(folder, raw, msg_time=at)
    inbox = mail_server.inbox("orders", "imap").replace(HOST, host)
    with closing(open_mailbox(make_settings(inbox=inbox))) as mailbox:
        list(mailbox.batches())
        assert mailbox.empty_processed(dt.datetime(2026, 10, 1, tzinfo=dt.UTC)) == 1

    assert mail_server.mails("orders", folder="Processed") == MAILS[1:2]
    assert mail_server.mails("orders") == MAILS[2:3]
