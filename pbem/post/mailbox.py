"""Opens the mailbox that the settings name."""

from __future__ import annotations

from pbem.config import Settings
from pbem.post.imap import ImapMailbox
from pbem.post.incoming import Incoming, Mailbox
from pbem.post.maildir import MaildirMailbox

__all__ = ["Incoming", "Mailbox", "open_mailbox"]


def open_mailbox(settings: Settings) -> Mailbox:
    """The inbox of the settings. It is not looked at before `batches` is called."""
    url = settings.inbox_url
    if url.scheme == "maildir":
        folder = settings.home / url.path
        return MaildirMailbox(folder, name=settings.inbox, ours=folder.is_relative_to(settings.home))
    return ImapMailbox(settings)
