"""A GM's command by reply is done once: killed at any commit, and beside another at the same moment."""

from __future__ import annotations

import datetime as dt
import threading
from email.message import EmailMessage
from pathlib import Path

import pytest
from sqlalchemy import select

from pbem.actions.base import run_action
from pbem.actions.settings import MailToken, SetHouseRule
from pbem.app import App
from pbem.campaign.snapshot import load_campaign, open_deadline
from pbem.inbox.process import process_messages
from pbem.mail.fetch import fetch_messages, open_mailbox
from pbem.store.models import InboxMessage
from tests.faults.local import ticked_after_kills
from tests.inbox.test_gm_replies import GM
from tests.sampling import Sampler
from tests.toy.home import Desk, open_desk

DAY = dt.timedelta(days=1)


def state(app: App) -> tuple[dt.datetime, str]:
    """Return the deadline of the open turn, and whether late seats are listed to players."""
    with app.store.reading() as session:
        campaign = load_campaign(session, "toy1")
        found = open_deadline(session, campaign)
    assert found is not None
    return found, campaign.policy.late_list


def begin(desk: Desk) -> EmailMessage:
    """Start a campaign, change a house rule, and return a mail to the GM."""
    desk.begin()
    run_action(desk.app, "toy1", MailToken(), desk.now)
    run_action(desk.app, "toy1", SetHouseRule({"late-list": "players"}), desk.now)
    desk.tick()
    return desk.last(GM)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("command", "moved", "listed"), [("UNDO", 0, "gm"), ("DEADLINE 2d", 2, "players")])
def test_a_kill_at_any_commit_does_it_once(
    tmp_path: Path, sampler: Sampler, command: str, moved: int, listed: str
) -> None:
    """After the next tick it is done once, and one Done is out."""
    home = tmp_path / "home"
    with open_desk(home) as desk:
        desk.reply(begin(desk), command, sender=GM)
        due, now = state(desk.app)[0], desk.now

    for app, point, sent in ticked_after_kills(home, now, sampler):
        assert state(app) == (due + moved * DAY, listed), point
        assert sum(f"DONE: {command}".encode() in mail for mail in sent) == 1, point


def test_two_at_once_are_both_done(postgres_url: str, tmp_path: Path) -> None:
    """Of two replies that are processed at the same moment neither is lost, and none is done twice."""
    with open_desk(tmp_path / "home", database=postgres_url) as desk:
        mail = begin(desk)
        due = state(desk.app)[0]
        for _ in range(2):
            desk.reply(mail, "DEADLINE 2d", sender=GM)
        fetch_messages(desk.app.store, open_mailbox(desk.app.settings), desk.now)
        workers = [threading.Thread(target=process_messages, args=(desk.app, desk.now)) for _ in range(2)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

        assert state(desk.app)[0] == due + 4 * DAY
        with desk.app.store.reading() as session:
            notes = session.scalars(select(InboxMessage.note)).all()
        assert notes == ["from the GM of toy1: DEADLINE 2d"] * 2
