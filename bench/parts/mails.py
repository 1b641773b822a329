"""The bare floor: mails fetched by imapclient and sent by smtplib, without any processing."""

from __future__ import annotations

import itertools
import smtplib
import socket
import ssl
import time
from collections.abc import Iterable, Sequence

from imapclient import IMAPClient

from tests.servers.mail import HOST, MailServer

BATCH = 100
PROCESSED = "Processed"
PATIENCE = 300
"""Seconds the servers may take to hand over what they have accepted."""


def fetch(server: MailServer, account: str) -> int:
    """Fetch all mail of an account's inbox in batches, and move each to Processed; return the number."""
    fetched = 0
    context = ssl.create_default_context(cafile=server.ca_file)
    with IMAPClient(HOST, server.ports["imaps"], ssl_context=context) as imap:
        imap.login(account, server.password(account))
        imap.select_folder("INBOX")
        for uids in _batches(sorted(imap.search(["UNDELETED"]))):
            mails = imap.fetch(uids, ["INTERNALDATE", "BODY.PEEK[]"])
            fetched += sum(bool(mail[b"BODY[]"]) for mail in mails.values())
            imap.move(uids, PROCESSED)
    return fetched


def send(server: MailServer, account: str, mails: Iterable[tuple[str, bytes]]) -> int:
    """Send mails, each given with its recipient, over one connection; return the number that were accepted (250)."""
    accepted = 0
    context = ssl.create_default_context(cafile=server.ca_file)
    with smtplib.SMTP_SSL(HOST, server.ports["smtps"], context=context) as smtp:
        assert smtp.sock is not None
        smtp.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        smtp.login(account, server.password(account))
        for recipient, raw in mails:
            smtp.mail(server.address(account))
            smtp.rcpt(recipient)
            accepted += smtp.data(raw)[0] == 250
    return accepted


def put_back(server: MailServer, account: str) -> None:
    """Move all mail of an account from Processed to its inbox, to be fetched again."""
    with server.imap(account) as imap:
        imap.select_folder(PROCESSED)
        for uids in _batches(sorted(imap.search())):
            imap.move(uids, "INBOX")


def clear(server: MailServer, account: str) -> None:
    """Delete all mail of an account. Its folders stay, so that their next mails get new UIDs."""
    with server.imap(account) as imap:
        for folder in ("INBOX", PROCESSED):
            if imap.folder_exists(folder):
                imap.select_folder(folder)
                for uids in _batches(sorted(imap.search())):
                    imap.delete_messages(uids, silent=True)
                imap.expunge()


def delivered(server: MailServer, account: str, *, at_least: int) -> int:
    """Wait until an account's inbox has `at_least` so many mails; return their number, or raise TimeoutError."""
    limit = time.monotonic() + PATIENCE
    with server.imap(account) as imap:
        while (found := int(imap.folder_status("INBOX", ["MESSAGES"])[b"MESSAGES"])) < at_least:
            if time.monotonic() > limit:
                raise TimeoutError(f"{account} got {found} of {at_least} mails")
            time.sleep(0.05)
    return found


def _batches(uids: Sequence[int]) -> Iterable[list[int]]:
    left = iter(uids)
    return iter(lambda: list(itertools.islice(left, BATCH)), [])
