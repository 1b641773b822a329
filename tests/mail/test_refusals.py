"""Classification of SMTP refusals."""

from __future__ import annotations

import pytest

from pbem.errors import MailError, PermanentMailError, TemporaryMailError, TransportUnavailable
from pbem.mail.connection import classify_reply, is_content_refusal


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("421 4.7.0 Try again later, closing connection", TransportUnavailable),
        ("454 4.7.0 Temporary authentication failure", TransportUnavailable),
        ("550 5.4.5 Daily user sending limit exceeded", TransportUnavailable),
        ("450 4.2.1 mailbox busy", TemporaryMailError),
        ("452 4.2.2 The recipient's inbox is out of storage space", TemporaryMailError),
        ("550 5.7.1 Our system has detected that this message is likely unsolicited", TemporaryMailError),
        ("550 5.1.1 The email account that you tried to reach does not exist", PermanentMailError),
        ("554 no such user", PermanentMailError),
        (
            "552 5.7.0 This message was blocked because its content presents a potential security issue",
            PermanentMailError,
        ),
    ],
)
def test_how_a_refusal_is_taken(said: str, kind: type[MailError]) -> None:
    """A refusal holds for all mail, for now, or for good; a policy may be lifted, but not a refusal of content."""
    assert classify_reply(int(said[:3]), said) is kind


@pytest.mark.parametrize(
    ("said", "about"),
    [
        ("552 5.3.4 Message size exceeds fixed limit", True),
        ("mx.example.org:25 refuses the mail: 552 5.2.3 too big", True),
        ("554 5.6.0 Invalid content", True),
        ("552 Message exceeds maximum size", True),
        ("552-5.7.0 This message was blocked", True),
        ("550 5.7.1 Message rejected: attachment type not allowed", True),
        ("550 5.7.1 rejected by your sender reputation", False),
        ("552 5.2.2 The mailbox is full", False),
        ("550 5.1.1 no such user: 552@example.org", False),
        ("550 5.1.1 <content@example.org>: Recipient address rejected", False),
        ("127.0.0.1:552 refuses the mail: 554 no", False),
        ("", False),
    ],
)
def test_when_less_of_a_mail_might_pass(said: str, about: bool) -> None:
    """A refusal for size or content differs from one for a full mailbox, a wrong address or a bad name."""
    assert is_content_refusal(said) is about
