"""The mail system that the tests use behaves like a provider's."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import pytest

from tests.patience import PATIENCE
from tests.servers.mail import MailServer
from tests.servers.mail_system import dovecot_configuration
from tests.servers.processes import PAUSE, ServerMissing, answers, server_folder

MAIL = b"From: ann@pbem.test\r\nTo: bob@pbem.test\r\nSubject: hello\r\n\r\nHello.\r\n"


def test_a_submitted_mail_arrives(mail_server: MailServer) -> None:
    """A mail submitted over TLS arrives in its recipient's inbox."""
    mail_server.submit("ann", "bob@pbem.test", MAIL)

    assert b"Subject: hello" in mail_server.mails("bob", at_least=1)[0]


def test_mailboxes_are_emptied_between_tests(mail_server: MailServer) -> None:
    """No test sees the mail of another."""
    assert mail_server.mails("bob") == []


@pytest.mark.parametrize(
    ("version", "name"), [("2.3.19.1 (9b53102964)\n", "2.3.conf"), ("2.4.1-4 (7d8c0e5759)\n", "2.4.conf")]
)
def test_dovecot_is_configured_by_its_version(version: str, name: str) -> None:
    """The Dovecot of each supported Debian has its settings."""
    assert dovecot_configuration(version) == name


def test_a_version_without_settings_is_named() -> None:
    """A Dovecot of another version is refused with those that there are settings for."""
    with pytest.raises(ServerMissing, match=r"has settings for Dovecot 2\.3 and 2\.4; this is 2\.5\.0 \(abc\)\.$"):
        dovecot_configuration("2.5.0 (abc)\n")


KILLED = """
import json, os, pathlib, signal, sys
from tests.servers.mail import running_mail

with running_mail(pathlib.Path(sys.argv[1])) as server:
    print(json.dumps(server.ports), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_the_servers_do_not_outlive_the_tests() -> None:
    """When the tests are killed, both servers stop, and their files are deleted."""
    with server_folder("mail") as folder:
        killed = subprocess.run([sys.executable, "-c", KILLED, folder], stdout=subprocess.PIPE, check=False)
        ports = json.loads(killed.stdout)
        limit = time.monotonic() + PATIENCE
        while any(folder.iterdir()) and time.monotonic() < limit:
            time.sleep(PAUSE)

        assert [*folder.iterdir()] == []
        assert not any(map(answers, ports.values()))
