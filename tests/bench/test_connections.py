"""Test that the benchmark of SMTP connections does the work that it measures."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.connections import PASSWORD, rate
from tests.servers.mail import MailServer


def test_all_mail_of_the_bench_arrives(
    mail_server: MailServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over two connections with a delay, every mail is sent and arrives in the mailbox."""
    monkeypatch.setenv(PASSWORD, mail_server.password("orders"))
    rate(mail_server, tmp_path / "home", mails=30, connections=2, delay=0.001)

    assert len(mail_server.mails("ann", at_least=30)) == 30
