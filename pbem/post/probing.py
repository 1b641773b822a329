"""Tries inbox and carrier as a tick would use them, but leaves every mail where it is."""

from __future__ import annotations

from contextlib import closing

from pbem.config import Settings
from pbem.post.carriers import SmtpCarrier
from pbem.post.imap import ImapMailbox
from pbem.post.mailbox import open_mailbox
from pbem.post.maildir import MaildirMailbox


def mails_waiting(settings: Settings) -> int:
    """Opens the inbox; how many mails the next tick will find there. Raises ConfigError or PostError."""
    with closing(open_mailbox(settings)) as mailbox:
        assert isinstance(mailbox, ImapMailbox | MaildirMailbox)
        return mailbox.waiting()


def greet_carrier(settings: Settings) -> None:
    """Connects to the SMTP server of the settings and logs in. Raises ConfigError or PostError."""
    with closing(SmtpCarrier(settings)) as carrier:
        carrier.greet()
