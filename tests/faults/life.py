"""A night in the life of campaigns: people come and go, players vote, and the GM changes the past by mail.

Each kind of request has a campaign of its own, so that each must take effect
by itself, whichever of the others a kill falls into.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from pbem.actions.base import run_action
from pbem.actions.create import NewCampaign, create_campaign
from pbem.actions.run_turn import run_turn
from pbem.actions.settings import mail_gm_token
from pbem.actions.start import StartCampaign
from pbem.app import App, open_app
from pbem.campaign.snapshot import Context, load_campaign, load_last_reports
from pbem.inbox.process import process_messages
from pbem.mail.fetch import fetch_messages, open_mailbox
from pbem.scheduler.tick import tick
from pbem.store.models import OutgoingMail, PendingRequest
from tests.faults.night import GAMES, letter
from tests.toy.home import ADDRESSES, MONDAY

TUESDAY = MONDAY + dt.timedelta(days=1)
_TOKEN = re.compile(rb"^GM \S+ ([0-9a-f]+)", re.MULTILINE)


@dataclass
class _Letters:
    """Messages in the order in which they are written."""

    session: Session
    written: list[bytes] = field(default_factory=list)

    def post(self, sender: str, text: str, *, to: str = "orders") -> None:
        """Write a message from a player or a stranger."""
        self.written.append(letter(len(self.written) + 100, sender, text, to=to))

    def reply(self, campaign: str, seat: str, text: str) -> None:
        """Write a player's answer to their newest report."""
        snapshot = load_campaign(self.session, campaign)
        sender = next(place.address for place in snapshot.places if place.seat == seat).partition("@")[0]
        self.post(sender, text, to=f"orders+{load_last_reports(self.session, snapshot)[seat].code}")

    def command(self, campaign: str, *lines: str) -> None:
        """Write a message with commands of the GM."""
        mails = select(OutgoingMail.raw).where(OutgoingMail.campaign_id == load_campaign(self.session, campaign).id)
        raws = self.session.scalars(
            mails.where(OutgoingMail.kind == "welcome", OutgoingMail.recipient == "gm@example.org")
        )
        (token,) = (match[1].decode() for raw in raws for match in _TOKEN.finditer(raw.replace(b"\r", b"")))
        self.post("gm", "\n".join([f"GM {campaign} {token}", *lines, "END"]))

    def confirm(self, sender: str) -> None:
        """Write an answer with the code that was mailed to the sender."""
        asked = self.session.scalars(select(PendingRequest))
        (code,) = (request.code for request in asked if request.data["to"] == f"{sender}@example.org")
        self.post(sender, f"CONFIRM {code}")


def life_night(home: Path) -> list[bytes]:
    """Prepare the campaigns in a home; return the messages that arrive in the night."""
    with open_app(home, GAMES) as app:
        for name, seats, turns in _CAMPAIGNS:
            _begin(app, name, seats, turns)
        _ask_before(app)
        tick(app, TUESDAY)
        with app.store.reading() as session:
            letters = _Letters(session)
            _players(letters)
            _gms(letters)
            return letters.written


# Name, seats, and the number of turns that were run before the night.
_CAMPAIGNS = (
    ("seats", ("red", "blue", "green"), 0),
    ("votes", ("red", "blue"), 0),
    ("mass", ("red", "blue", "green"), 0),
    ("freed", ("red", "blue", "green"), 0),
    ("asked", ("red", "blue"), 0),
    ("back", ("red", "blue"), 2),
    ("again", ("red", "blue"), 1),
)


def _begin(app: App, name: str, seats: tuple[str, ...], turns: int) -> None:
    wanted = NewCampaign(
        name=name,
        game="toy",
        gm="gm@example.org",
        seats=[(seat, ADDRESSES[seat]) for seat in seats],
        deadline="FRI 19:00 UTC",
        options={},
        policy={"signup": "on"},
    )
    create_campaign(app, wanted, MONDAY, seed=b"a seed for tests")
    run_action(app, name, StartCampaign(), MONDAY)
    with app.store.writing() as session:
        mail_gm_token(Context(session, app, load_campaign(session, name), MONDAY))
    for _ in range(turns):
        assert run_turn(app, name, TUESDAY, reason="a test")


def _ask_before(app: App) -> None:
    """Make the requests of the days before that are answered in the night: joining, leaving, deputies, a hold."""
    with app.store.reading() as session:
        letters = _Letters(session)
        letters.post("eve", "JOIN seats")
        letters.post("gus", "JOIN seats")
        letters.reply("seats", "red", "DEPUTY ivy@example.org UNTIL 2026-11-20")
        letters.reply("seats", "blue", "LEAVE")
        letters.reply("seats", "green", "DEPUTY hal@example.org UNTIL 2026-11-20")
        letters.command("freed", "HOLD")
    _deal(app, letters.written)
    with app.store.reading() as session:
        letters = _Letters(session, [b""] * 10)
        letters.confirm("eve")
        letters.confirm("ann")
    _deal(app, letters.written[10:])


def _deal(app: App, letters: list[bytes]) -> None:
    """Process messages on Tuesday, without sending anything yet."""
    inbox = app.settings.home / "post" / "inbox"
    inbox.mkdir(parents=True, exist_ok=True)
    for number, raw in enumerate(letters):
        (inbox / f"{number:02}.eml").write_bytes(raw)
    fetch_messages(app.store, open_mailbox(app.settings), TUESDAY)
    process_messages(app, TUESDAY)


def _players(letters: _Letters) -> None:
    letters.post("fay", "JOIN seats")
    letters.confirm("gus")
    letters.confirm("ivy")
    letters.reply("seats", "red", "BID 1")
    letters.confirm("bob")
    letters.confirm("cyd")
    letters.reply("seats", "green", "PRESS TO red\nShall we share the prize?")
    letters.reply("votes", "red", "EXTEND")
    letters.reply("votes", "blue", "EXTEND")
    letters.reply("back", "red", "BID 1")


def _gms(letters: _Letters) -> None:
    letters.command("asked", "SET grace 12h", "SET extension-votes off", "RUN")
    letters.command("back", "ROLLBACK 1 YES")
    letters.command("again", "RERUN red YES", "BID 5")
    letters.command("freed", "RELEASE")
    letters.reply("back", "blue", "BID 2")
