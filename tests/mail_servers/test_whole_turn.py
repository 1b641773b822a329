"""A whole turn of The Singularity Trap, played by four people over real IMAP and SMTP with TLS."""

from __future__ import annotations

import datetime as dt
import email
from collections.abc import Iterator
from email import policy
from email.message import EmailMessage

import pytest

from pbem.actions.base import run_action
from pbem.actions.create import NewCampaign, create_campaign
from pbem.actions.start import StartCampaign
from pbem.app import App, open_app
from pbem.campaign.archive_sync import prove_archive
from pbem.cli.demo import BotPlayer
from pbem.games import installed_games
from pbem.ruleset import Dice
from pbem.scheduler.tick import tick
from pbem.scheduler.work import TickResult
from tests.mail_servers.conftest import MakeSettings
from tests.servers.mail import MailServer

SEATS = {"red": "ann", "green": "bob", "cyan": "cyn", "blue": "dee"}
NOW = dt.datetime(2026, 11, 21, 10, tzinfo=dt.UTC)
HOUR = dt.timedelta(hours=1)


@pytest.fixture(params=[("imaps", "smtps"), ("imap+starttls", "smtp+starttls")], ids=["tls", "starttls"])
def app(request: pytest.FixtureRequest, mail_server: MailServer, make_settings: MakeSettings) -> Iterator[App]:
    """Yield an application whose mail goes through the running mail system, with implicit TLS or STARTTLS."""
    inbox, carrier = request.param
    settings = make_settings(inbox=mail_server.inbox("orders", inbox), carrier=mail_server.carrier("orders", carrier))
    with open_app(settings.home, installed_games()) as app:
        yield app


def _begin(app: App, server: MailServer) -> None:
    seats = [(seat, server.address(account)) for seat, account in SEATS.items()]
    wanted = NewCampaign(
        name="trap7",
        game="singularity_trap",
        gm=server.address("gm"),
        seats=seats,
        deadline="FRI 20:00 Europe/Berlin",
        options={},
    )
    create_campaign(app, wanted, NOW)
    run_action(app, "trap7", StartCampaign(), NOW)
    _tick(app, NOW)


def _players(server: MailServer) -> list[BotPlayer]:
    bot = installed_games()["singularity_trap"].bots["standard"]
    orders = server.address("orders")
    return [
        BotPlayer(seat, server.address(account), orders, bot, Dice(seat.encode())) for seat, account in SEATS.items()
    ]


def _send_sheets(server: MailServer, players: list[BotPlayer]) -> None:
    """Let each player read their mail on the server, and submit a sheet as a mail program would."""
    for player, account in zip(players, SEATS.values(), strict=True):
        for raw in server.mails(account, at_least=2):
            player.read(raw)
        sheet = player.write(NOW)
        assert sheet is not None
        server.submit(account, str(email.message_from_bytes(sheet)["To"]), sheet)
    server.mails("orders", at_least=len(players))


def _tick(app: App, now: dt.datetime) -> TickResult:
    done = tick(app, now)
    assert done.problems == []
    return done


def _mails(server: MailServer, account: str, count: int) -> list[EmailMessage]:
    raws = server.mails(account, at_least=count)
    assert len(raws) == count
    return [email.message_from_bytes(raw, policy=policy.default) for raw in raws]


def test_a_turn_is_played_by_mail(app: App, mail_server: MailServer) -> None:
    """Sheets come by IMAP, receipts are sent at once, and once a slip is settled each player has a report."""
    _begin(app, mail_server)
    _send_sheets(mail_server, _players(mail_server))

    taken = _tick(app, NOW + HOUR)
    waiting = _tick(app, NOW + 2 * HOUR)
    receipt = _subject(_mails(mail_server, "cyn", 3), "1 line NOT accepted, turn 1 [")
    mail_server.submit("cyn", str(receipt["Reply-To"]), _reply(receipt, "FINAL"))
    mail_server.mails("orders", at_least=1)
    said = _tick(app, NOW + 3 * HOUR)
    resolved = _tick(app, NOW + 4 * HOUR)

    assert (taken.polled, taken.processed.sheets, taken.sent.sent, taken.resolved) == (4, 4, 4, [])
    assert (waiting.resolved, said.sent.sent, said.resolved) == ([], 1, [])
    assert (len(resolved.resolved), resolved.sent.sent) == (1, 4)
    for seat, account in SEATS.items():
        mails = _mails(mail_server, account, 5 if seat == "cyan" else 4)
        receipt, report = _subject(mails, ", turn 1 ["), _subject(mails, "turn 2, due ")
        assert str(receipt["In-Reply-To"]) in {str(mail["Message-ID"]) for mail in _sheets(mail_server)}
        assert report["Auto-Submitted"] == "auto-generated"
    assert prove_archive(app, "trap7").turns == 1


def test_a_report_arrives_whole(app: App, mail_server: MailServer) -> None:
    """A player's mail program gets text, HTML with its pictures inside, and the data as an attachment."""
    _begin(app, mail_server)

    report = _subject(_mails(mail_server, "ann", 2), "turn 1, due ")

    kinds = [part.get_content_type() for part in report.walk() if not part.is_multipart()]
    assert kinds == ["text/plain", "text/html", "image/png", "image/png", "application/json", "text/calendar"]
    [html] = [part for part in report.walk() if part.get_content_type() == "text/html"]
    shown, attached = [part for part in report.walk() if part.get_content_type() == "image/png"]
    assert f'src="cid:{str(shown["Content-ID"]).strip("<>")}"' in html.get_content()
    assert attached.get_filename() == "trap7-turn-1-chart.png"
    assert all(picture.get_content().startswith(b"\x89PNG\r\n\x1a\n") for picture in (shown, attached))


def _reply(mail: EmailMessage, text: str) -> bytes:
    """Return an answer to a mail as its reader's program would write it."""
    answer = EmailMessage()
    answer["From"], answer["To"], answer["Subject"] = mail["To"], mail["Reply-To"], f"Re: {mail['Subject']}"
    answer["Message-ID"], answer["In-Reply-To"] = "<final@pbem.test>", mail["Message-ID"]
    answer.set_content(text)
    return bytes(answer)


def _subject(mails: list[EmailMessage], words: str) -> EmailMessage:
    """Return the newest mail with these words in its subject."""
    return [mail for mail in mails if words in str(mail["Subject"])][-1]


def _sheets(server: MailServer) -> list[EmailMessage]:
    """Return the players' mails in the folder Processed."""
    raws = server.mails("orders", folder="Processed", at_least=len(SEATS))
    return [email.message_from_bytes(raw, policy=policy.default) for raw in raws]
