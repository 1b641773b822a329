"""Bots with seats by mail, over real IMAP and SMTP with TLS."""

from __future__ import annotations

import datetime as dt
import email
import subprocess
import sys
from pathlib import Path

from pbem.actions.base import run_action
from pbem.actions.create import NewCampaign, create_campaign
from pbem.actions.start import StartCampaign
from pbem.app import open_app
from pbem.games import installed_games
from pbem.mail.mailbox import PROCESSED
from pbem.scheduler.tick import tick
from tests.mail_servers.conftest import MakeSettings
from tests.patience import PATIENCE
from tests.servers.mail import MailServer

ROOT = Path(__file__).parents[2]
NOW = dt.datetime(2026, 11, 21, 10, tzinfo=dt.UTC)
PLAYERS = {"red": "ann", "blue": "bob"}


def _folder(home: Path, server: MailServer, account: str) -> Path:
    """Make the folder of a bot with the mailbox of an account."""
    home.mkdir()
    lines = [
        f'address = "{server.address(account)}"',
        f'inbox = "{server.inbox(account)}"',
        f'carrier = "{server.carrier(account)}"',
        f'tls_ca = "{server.ca_file}"',
        f'inbox_password = {{ command = "echo {server.password(account)}" }}',
        f'carrier_password = {{ command = "echo {server.password(account)}" }}',
    ]
    (home / "pbem.toml").write_text("\n".join(lines))
    return home


def _run(server: MailServer, folder: Path, now: dt.datetime) -> str:
    """Return what a pass of a bot prints."""
    words = [
        sys.executable,
        str(ROOT / "cli.py"),
        "bot",
        server.address("orders"),
        "--home",
        str(folder),
        "--now",
        now.isoformat(),
    ]
    done = subprocess.run([*words, "--bot", "random"], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_two_bots_play_over_imap_and_smtp(mail_server: MailServer, make_settings: MakeSettings, tmp_path: Path) -> None:
    """Each answers its reports once; mail from others is moved away unanswered; the moves are made."""
    folders = {seat: _folder(tmp_path / seat, mail_server, account) for seat, account in PLAYERS.items()}
    with open_app(make_settings().home, installed_games()) as app:
        wanted = NewCampaign(
            name="duel",
            game="singularity",
            gm=mail_server.address("gm"),
            seats=[(seat, mail_server.address(account)) for seat, account in PLAYERS.items()],
            deadline="FRI 20:00 Europe/Berlin",
            options={"size": "3"},
        )
        create_campaign(app, wanted, NOW)
        run_action(app, "duel", StartCampaign(), NOW)
        for turn in range(3):
            now = NOW + dt.timedelta(hours=turn)
            tick(app, now)
            mail_server.settle()
            mail_server.append("ann", [b"From: mallory@example.net\r\nSubject: hello\r\n\r\nPLACE d4\r\n"])
            said = [_run(mail_server, folder, now) for folder in folders.values()]
            assert sum("sheet sent" in each for each in said) == 1
            mail_server.settle()
            tick(app, now + dt.timedelta(minutes=1))
            tick(app, now + dt.timedelta(minutes=40))
            mail_server.settle()

        orders = mail_server.mails("orders", folder=PROCESSED)
        assert len(orders) == 3
        assert [email.message_from_bytes(raw)["From"].count("ann@") for raw in orders] == [1, 0, 1]
        for seat in folders.values():
            _run(mail_server, seat, now)
    assert not mail_server.mails("ann")
    assert mail_server.mails("ann", folder=PROCESSED)
