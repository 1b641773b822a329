"""The doctor with real servers."""

from __future__ import annotations

import datetime as dt
import re

import pytest

from pbem.admin.checks import CheckResult
from pbem.admin.doctor import run_checks
from pbem.config import Settings
from pbem.games import installed_games
from tests.mail.letters import mail
from tests.mail_servers.conftest import MakeSettings
from tests.servers.mail import WITHOUT_MOVE, MailServer

NOON = dt.datetime(2026, 11, 20, 12, tzinfo=dt.UTC)


def checks(settings: Settings) -> dict[str, CheckResult]:
    """Return the doctor's findings on inbox and carrier."""
    found = run_checks(settings.home, NOON, installed_games()).checks
    return {check.name: check for check in found if check.name in ("inbox", "carrier")}


@pytest.mark.parametrize("schemes", [("imaps", "smtps"), ("imap+starttls", "smtp+starttls"), ("imap", "smtp")])
def test_all_is_fine(mail_server: MailServer, make_settings: MakeSettings, schemes: tuple[str, str]) -> None:
    """Both logins succeed; waiting mail is counted, and stays unread."""
    mail_server.append("orders", [mail("one"), mail("two")])
    inbox, carrier = schemes
    found = checks(
        make_settings(inbox=mail_server.inbox("orders", inbox), carrier=mail_server.carrier("orders", carrier))
    )

    assert {check.result for check in found.values()} == {"ok"}
    assert re.search(r": 2 mails wait there, the oldest of \d+ \w{3} 20\d\d$", found["inbox"].text)
    with mail_server.imap("orders") as imap:
        imap.select_folder("INBOX", readonly=True)
        assert len(imap.search(["UNSEEN"])) == 2


def test_a_wrong_password(make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both servers refuse the login; the GM is told the setting, and the password is not shown."""
    settings = make_settings()
    monkeypatch.setenv("TEST_PASSWORD", "not-this-one")
    found = checks(settings)

    for name, check in found.items():
        assert "refuses the login of orders" in check.text
        assert check.mend.startswith(f"look at the user in {name} and at {name}_password; ")
        assert "not-this-one" not in check.text + check.mend
    assert len(found) == 2


def test_a_wrong_authority(make_settings: MakeSettings) -> None:
    """A certificate that the system's authorities did not sign is named as such."""
    found = checks(make_settings(tls_ca=""))

    assert [check.result for check in found.values()] == ["problem", "problem"]
    assert all("who signed the server's certificate" in check.mend for check in found.values())


def test_a_certificate_of_another_host(mail_server: MailServer, make_settings: MakeSettings) -> None:
    """The host in the setting must be the one in the certificate."""
    inbox = mail_server.inbox("orders", "imap+starttls").replace("127.0.0.1", WITHOUT_MOVE)

    assert checks(make_settings(inbox=inbox))["inbox"].mend.startswith("the server's certificate is for another name")


def test_tls_at_a_port_without_it(mail_server: MailServer, make_settings: MakeSettings) -> None:
    """A scheme that does not fit its port is reported as such."""
    carrier = f"smtps://orders@127.0.0.1:{mail_server.ports['submission']}"

    assert checks(make_settings(carrier=carrier))["carrier"].mend.startswith("port and scheme do not fit")


def test_a_folder_that_is_not_there(mail_server: MailServer, make_settings: MakeSettings) -> None:
    """The folder named in the inbox URL must exist."""
    inbox = mail_server.inbox("orders").replace("INBOX", "Orders")

    assert "does not exist; the usual one is INBOX" in checks(make_settings(inbox=inbox))["inbox"].mend
