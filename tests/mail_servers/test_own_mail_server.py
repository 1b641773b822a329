"""The page for a mail server of one's own, proved with the Postfix and the Dovecot that are installed."""

from __future__ import annotations

import datetime as dt
import smtplib
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.admin.doctor import run_checks
from pbem.app import open_app
from pbem.config_values import FILE_NAME
from pbem.games import installed_games
from pbem.scheduler.tick import tick
from pbem.testing.suite import migrated_database
from tests.mail.letters import mail
from tests.patience import PATIENCE
from tests.servers.mail import HOST, MailServer, running_mail
from tests.servers.own_mail import files_of_the_page
from tests.servers.processes import server_folder

ANN = "ann@play.example.org"
"""A sender to whom no answer leaves the machine: the domain is the server's own, and has no such mailbox."""


@pytest.fixture(scope="module")
def own_server() -> Iterator[MailServer]:
    """Run the servers as the page sets them up."""
    with server_folder("own-mail") as folder, running_mail(folder, "tests.servers.own_mail") as server:
        yield server


def test_mail_comes_and_goes_as_the_page_sets_it_up(own_server: MailServer, tmp_path: Path) -> None:
    """With the page's `pbem.toml` the doctor finds both servers well, and mail to orders+code@ is fetched."""
    ports = own_server.ports
    settings = files_of_the_page()["pbem.toml"].replace("/etc/", f"{own_server.folder}/")
    settings = settings.replace(f"{HOST}/", f"{HOST}:{ports['imap']}/").replace(f'{HOST}"', f'{HOST}:{ports["smtp"]}"')
    (tmp_path / FILE_NAME).write_text(settings)
    (tmp_path / "pbem.sqlite").write_bytes(migrated_database())
    own_server.deliver("orders+code@play.example.org", mail("hello", sender=ANN), sender=ANN)
    own_server.settle()
    now = dt.datetime.now(dt.UTC)

    found = {check.name: check for check in run_checks(tmp_path, now, installed_games()).checks}
    assert [(each.name, each.text, each.mend) for each in found.values() if each.result == "problem"] == []
    assert ": 1 mail waits there" in found["inbox"].text
    with open_app(tmp_path, installed_games()) as app:
        done = tick(app, now)
    assert (done.polled, done.problems) == (1, [])


def test_other_addresses_are_refused(own_server: MailServer) -> None:
    """Mail to an address of the domain that is not the game's is refused before it is taken."""
    with smtplib.SMTP(HOST, own_server.ports["smtp"], timeout=PATIENCE) as smtp:
        smtp.ehlo()
        smtp.mail("x@example.net")
        assert smtp.rcpt("nobody@play.example.org")[0] == 550
        assert smtp.has_extn("starttls")
