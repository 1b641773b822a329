"""The mail system that the tests use behaves like a provider's."""

from __future__ import annotations

from tests.servers.mail import MailServer

MAIL = b"From: ann@pbem.test\r\nTo: bob@pbem.test\r\nSubject: hello\r\n\r\nHello.\r\n"


def test_a_submitted_mail_arrives(mail_server: MailServer) -> None:
    """A mail submitted over TLS arrives in its recipient's inbox."""
    mail_server.submit("ann", "bob@pbem.test", MAIL)

    assert b"Subject: hello" in mail_server.mails("bob", at_least=1)[0]


def test_mailboxes_are_emptied_between_tests(mail_server: MailServer) -> None:
    """No test sees the mail of another."""
    assert mail_server.mails("bob") == []
