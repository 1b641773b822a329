"""A campaign with a dead address, on a real mail system: its mail bounces, and the GM is notified."""

from __future__ import annotations

import datetime as dt
import email
from collections.abc import Iterator
from email import policy

import pytest
from sqlalchemy import select

from pbem.actions.base import run_action
from pbem.actions.create import NewCampaign, create_campaign
from pbem.actions.start import StartCampaign
from pbem.actions.status import CampaignStatus
from pbem.admin.health import home_status
from pbem.app import App, open_app
from pbem.games import installed_games
from pbem.scheduler.tick import tick
from pbem.scheduler.work import TickResult
from pbem.store.models import InboxMessage
from tests.mail_servers.conftest import MakeSettings
from tests.servers.mail import GHOST, MailServer

NOW = dt.datetime(2026, 11, 21, 10, tzinfo=dt.UTC)
HOUR = dt.timedelta(hours=1)


@pytest.fixture
def app(make_settings: MakeSettings) -> Iterator[App]:
    """Yield an application whose mail goes through the running mail system."""
    settings = make_settings()
    with open_app(settings.home, installed_games()) as app:
        yield app


def _begin(app: App, *, gm: str, seats: dict[str, str]) -> TickResult:
    """Start a campaign and send its first mails."""
    wanted = NewCampaign(
        name="trap7",
        game="singularity_trap",
        gm=gm,
        seats=list(seats.items()),
        deadline="FRI 20:00 Europe/Berlin",
        options={},
    )
    create_campaign(app, wanted, NOW)
    run_action(app, "trap7", StartCampaign(), NOW)
    return tick(app, NOW)


def _status(app: App) -> CampaignStatus:
    (campaign,) = home_status(app).campaigns
    return campaign


def test_mail_to_a_dead_address_comes_back(app: App, mail_server: MailServer) -> None:
    """Welcome and report return as two reports of Postfix; both are listed, the GM is told once, the seat stays."""
    ann, ghost, gm = map(mail_server.address, ("ann", GHOST, "gm"))
    begun = _begin(app, gm=gm, seats={"red": ann, "green": ghost})
    mail_server.mails("orders", at_least=2)

    done = tick(app, NOW + HOUR)

    assert (begun.sent.sent, done.polled, done.sent.sent, done.problems) == (4, 2, 1, [])
    status = _status(app)
    assert [(mail.recipient, mail.state) for mail in status.undelivered] == [(ghost, "bounced")] * 2
    assert all("User doesn't exist" in mail.reply for mail in status.undelivered)
    assert [seat.playing for seat in status.seats] == [True, True]
    told = [email.message_from_bytes(raw, policy=policy.default) for raw in mail_server.mails("gm", at_least=1)]
    assert [mail["Subject"] for mail in told] == ["[trap7] mail to green came back"]


def test_a_dead_gm_makes_no_loop(app: App, mail_server: MailServer) -> None:
    """If the notice to the GM bounces as well, no further mail is sent."""
    ann, ghost = map(mail_server.address, ("ann", GHOST))
    _begin(app, gm=mail_server.address(f"{GHOST}+gm"), seats={"red": ann, "green": ghost})
    mail_server.mails("orders", at_least=2)
    told = tick(app, NOW + HOUR)
    mail_server.mails("orders", at_least=1)

    last = tick(app, NOW + 2 * HOUR)

    assert (told.sent.sent, last.polled, last.sent.sent) == (1, 1, 0)
    assert len(_status(app).undelivered) == 3
    with app.store.reading() as session:
        notes = session.scalars(select(InboxMessage.note).order_by(InboxMessage.id)).all()
    assert all(note.endswith("the GM's own mail came back") for note in notes[2:])
