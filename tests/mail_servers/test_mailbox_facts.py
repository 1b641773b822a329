"""What the doctor tells of a real mailbox: what its server can, its folder for junk, and the test there and back."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
from email import message_from_bytes
from email.policy import default
from pathlib import Path

import pytest

from pbem.admin.checks import CheckResult
from pbem.admin.doctor import run_checks
from pbem.admin.round_trip import send_test
from pbem.app import open_app
from pbem.config import Settings
from pbem.games import installed_games
from pbem.mail.headers import reply_code
from pbem.mail.outbox import TEST
from pbem.scheduler.tick import tick
from pbem.scheduler.work import TickResult
from pbem.store.models import OutgoingMail
from tests.mail.letters import mail
from tests.mail_servers.conftest import MakeSettings
from tests.servers.mail import HOST, WITHOUT_MOVE, WITHOUT_UIDPLUS, MailServer


def now() -> dt.datetime:
    """Return the time: Dovecot says when mail came by its own clock."""
    return dt.datetime.now(dt.UTC)


def checks(settings: Settings) -> dict[str, CheckResult]:
    """Return what the doctor finds, by name."""
    return {check.name: check for check in run_checks(settings.home, now(), installed_games()).checks}


def ticked(settings: Settings) -> TickResult:
    """Tick once."""
    with open_app(settings.home, installed_games()) as app:
        return tick(app, now())


SERVERS = {
    HOST: ("stored mail is moved to Processed (MOVE)", "new mail is noticed at once (IDLE)"),
    WITHOUT_MOVE: ("it has no MOVE: stored mail is copied", "new mail is noticed every 60 s (no IDLE)"),
    WITHOUT_UIDPLUS: ("it has neither MOVE nor UIDPLUS", "marked as deleted until a mail program empties"),
}


@pytest.mark.parametrize("host", SERVERS)
def test_what_the_server_can(mail_server: MailServer, make_settings: MakeSettings, host: str) -> None:
    """The doctor says what the server can, and what follows from it."""
    told = checks(make_settings(inbox=mail_server.inbox("orders", "imap").replace(HOST, host)))["inbox server"]

    assert told.result == "ok"
    assert all(each in told.text for each in SERVERS[host])


def test_there_and_back(mail_server: MailServer, make_settings: MakeSettings) -> None:
    """A test goes out through Postfix, is replied to, and comes back; the doctor names the server that took it."""
    settings = make_settings()
    with open_app(settings.home, installed_games()) as app:
        send_test(app, mail_server.address("gm"), now())
    ticked(settings)
    (raw,) = mail_server.mails("gm", at_least=1)
    test = message_from_bytes(raw, policy=default)
    head = f"From: {test['To']}\r\nTo: {test['Reply-To']}\r\nSubject: Re: test\r\nMessage-ID: <r@pbem.test>\r\n"
    mail_server.deliver(mail_server.address("orders"), head.encode() + b"\r\n\r\n", sender=mail_server.address("gm"))
    mail_server.mails("orders", at_least=1)
    ticked(settings)

    found = checks(settings)["test mail"]
    assert found.result == "ok"
    assert "For pbem.toml: received_by = " in found.text


def put_in_junk(mail_server: MailServer, settings: Settings) -> None:
    """Put a mail with a valid code into the folder Junk of the order mailbox, and spam."""
    with open_app(settings.home, installed_games()) as app:
        send_test(app, mail_server.address("gm"), now())
        with app.store.reading() as session:
            code = session.query(OutgoingMail.code).filter_by(kind=TEST).scalar()
    ours = mail("", f"Subject: Re: a test [{code}]", "Message-ID: <j@x>", sender=mail_server.address("gm"))
    spam = mail("", f"Subject: win [{reply_code(b'key', 'x')}]", "Message-ID: <s@x>", sender="spam@example.net")
    with mail_server.imap("orders") as imap:
        imap.create_folder("Junk")
    mail_server.append("orders", [spam, ours], folder="Junk")


def test_mail_in_the_folder_for_junk_is_told(mail_server: MailServer, make_settings: MakeSettings) -> None:
    """Mail with a valid code there is told by the doctor and by the first tick of a day, and stays."""
    settings = make_settings()
    put_in_junk(mail_server, settings)
    said = f"1 mail with a valid code lies in the folder Junk, from {mail_server.address('gm')}"

    assert checks(settings)["junk"].text == said
    assert said in ticked(settings).problems
    assert said not in ticked(settings).problems
    assert len(mail_server.mails("orders", folder="Junk")) == 2


@pytest.mark.parametrize("host", SERVERS)
def test_mail_in_the_folder_for_junk_is_fetched(
    mail_server: MailServer, make_settings: MakeSettings, host: str
) -> None:
    """With the setting it is read by the same tick, whatever the server can, and spam is not."""
    settings = make_settings(inbox=mail_server.inbox("orders", "imap").replace(HOST, host))
    file = settings.home / "pbem.toml"
    file.write_text(f"fetch_junk = true\n{file.read_text()}")
    put_in_junk(mail_server, settings)

    done = ticked(settings)
    assert (done.polled, done.problems) == (1, [])
    assert ticked(settings).polled == 0


def test_mail_that_cannot_be_fetched_from_junk(mail_server: MailServer, make_settings: MakeSettings) -> None:
    """Where the server refuses to move it, it is told once a day as it lies there; other mail is read."""
    settings = make_settings()
    file = settings.home / "pbem.toml"
    file.write_text(f"fetch_junk = true\n{file.read_text()}")
    put_in_junk(mail_server, settings)
    mail_server.append("orders", [mail("hello", "Message-ID: <o@x>")])
    junk = mail_server.folder / "mail" / "orders" / "mail" / ".Junk"
    places = [junk, *(junk / name for name in ("tmp", "new", "cur"))]
    for place in places:
        place.chmod(0o500)
    done = [ticked(settings) for _ in range(2)]
    for place in places:
        place.chmod(0o700)

    told = [[said for said in each.problems if "in the folder Junk" in said] for each in done]
    assert [len(each) for each in told] == [1, 0]
    assert [each.polled for each in done] == [1, 0]
    assert mail_server.mails("orders") == []


def test_the_library_says_nothing_by_itself(tmp_path: Path) -> None:
    """A TLS connection to port 143, of which imapclient warns on standard error, is told by the doctor alone."""
    lines = (
        'address = "orders@example.org"',
        'inbox = "imaps://x@127.0.0.1:143/INBOX"',
        'inbox_password = { command = "echo x" }',
    )
    (tmp_path / "pbem.toml").write_text("\n".join(lines))
    command = [str(Path(sys.executable).with_name("pbem")), "--home", str(tmp_path), "doctor"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert "inbox: 127.0.0.1:143 cannot be used" in done.stdout
    assert done.stderr == ""
