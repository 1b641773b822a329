"""Logins as large providers require them: access tokens (XOAUTH2), and app passwords."""

from __future__ import annotations

import datetime as dt
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.admin.doctor import run_checks
from pbem.config import Settings, load_settings
from pbem.config_values import FILE_NAME
from pbem.errors import ConfigError, TemporaryMailError, TransportUnavailable
from pbem.games import installed_games
from pbem.mail.fetch import check_transport, examine_inbox
from pbem.store.migrate import migrate
from tests.mail.letters import mail
from tests.servers.mail import APP_PASSWORD, APP_USER, MailServer
from tests.servers.tokens import token

SCHEMES = [("imaps", "smtps"), ("imap+starttls", "smtp+starttls")]
NOON = dt.datetime(2026, 11, 20, 12, tzinfo=dt.UTC)
Write = Callable[..., Settings]


@pytest.fixture
def write(mail_server: MailServer, tmp_path: Path) -> Write:
    """Return settings of an account at the mail system, with these lines."""

    def write(*lines: str, user: str = "orders", schemes: tuple[str, str] = SCHEMES[0]) -> Settings:
        servers = [
            f'address = "{mail_server.address("orders")}"',
            f'inbox = "{mail_server.inbox(user, schemes[0])}"',
            f'carrier = "{mail_server.carrier(user, schemes[1])}"',
            f'tls_ca = "{mail_server.ca_file}"',
        ]
        (tmp_path / FILE_NAME).write_text("\n".join([*servers, *lines]))
        return load_settings(tmp_path)

    return write


def with_token(text: str) -> list[str]:
    """Return the setting of a command that prints a token."""
    command = f"echo {shlex.quote(text)}"
    return [f'{name}_oauth = {{ command = "{command}" }}' for name in ("inbox", "carrier")]


@pytest.mark.parametrize("schemes", SCHEMES)
def test_a_token_logs_in(mail_server: MailServer, write: Write, schemes: tuple[str, str]) -> None:
    """Inbox and carrier use the token that the command prints, instead of a password."""
    mail_server.append("orders", [mail("one")])
    settings = write(*with_token(token("orders")), schemes=schemes)

    check_transport(settings)
    assert len(examine_inbox(settings, NOON).arrivals) == 1


@pytest.mark.parametrize("bad", [token("orders", age=7200), token("gm"), "garbage"])
def test_a_token_that_is_refused(write: Write, bad: str) -> None:
    """A token that has expired, is another user's or none is reported with the setting, and not shown."""
    settings = write(*with_token(bad))

    with pytest.raises(TemporaryMailError, match=r"refuses the access token of orders: .*; look at inbox_oauth$") as no:
        examine_inbox(settings, NOON)
    with pytest.raises(
        TransportUnavailable, match=r"refuses the access token of orders: 535 .*; look at carrier_oauth$"
    ) as nor:
        check_transport(settings)
    assert bad not in f"{no.value}{nor.value}"


def test_each_connection_asks_for_a_token(write: Write, tmp_path: Path) -> None:
    """A token is valid for an hour, so the command is run again for every login."""
    script = tmp_path / "token.sh"
    script.write_text(f"echo asked >> {tmp_path / 'asked'}; echo {token('orders')}")
    settings = write(f'inbox_oauth = {{ command = "sh {script}" }}', *with_token(token("orders"))[1:])
    for _ in range(2):
        examine_inbox(settings, NOON)

    assert (tmp_path / "asked").read_text() == "asked\n" * 2


def test_a_command_that_fails(write: Write) -> None:
    """A failing command is reported with the name of its setting."""
    settings = write('inbox_oauth = { command = "false" }')

    with pytest.raises(ConfigError, match=r"the command of inbox_oauth in pbem.toml failed: it ended with status 1"):
        examine_inbox(settings, NOON)


def test_the_doctor_knows_tokens(write: Write) -> None:
    """The doctor tries tokens, and says what to do about one that has expired."""
    settings = write(*with_token(token("orders", age=7200)))
    migrate(settings.database)
    found = {check.name: check for check in run_checks(settings.home, NOON, installed_games()).checks}
    names = ("inbox_oauth", "inbox", "carrier_oauth", "carrier")

    assert [found[name].result for name in names] == ["ok", "problem", "ok", "problem"]
    assert "have the command of carrier_oauth sign in anew" in found["carrier"].mend


@pytest.mark.parametrize("shown", [APP_PASSWORD, "abcd efgh ijkl mnop"])
@pytest.mark.parametrize("schemes", SCHEMES)
def test_an_app_password(write: Write, monkeypatch: pytest.MonkeyPatch, shown: str, schemes: tuple[str, str]) -> None:
    """An app password works as the provider shows it, in groups of four, and without the blanks."""
    monkeypatch.setenv("APP_PASSWORD", shown)
    secrets = [f'{name}_password = {{ env = "APP_PASSWORD" }}' for name in ("inbox", "carrier")]
    settings = write(*secrets, user=APP_USER, schemes=schemes)

    check_transport(settings)
    assert len(examine_inbox(settings, NOON).arrivals) == 0
