"""A club: many campaigns of one game in one home, all of whose seats are played by bots."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import select

from pbem.actions.base import run_action
from pbem.actions.create import NewCampaign, create_campaign
from pbem.actions.start import StartCampaign
from pbem.app import App, init_home, open_app
from pbem.bots.match import seat_names
from pbem.cli.demo import BotPlayer
from pbem.config_values import FILE_NAME
from pbem.mail.maildir import MaildirTransport
from pbem.ruleset import AnyRuleset, Dice
from pbem.scheduler.tick import tick
from pbem.store.models import OutgoingMail

USUAL_TABLE = 6
"""Seats of a campaign, where the game takes so many."""

START = dt.datetime(2027, 1, 4, 9, 0, tzinfo=dt.UTC)
HOUR = dt.timedelta(hours=1)


class Mailed(NamedTuple):
    """A mail that was sent, and the server's reply."""

    recipient: str
    raw: bytes
    reply: str


@dataclass
class Club:
    """At least `seats` seats in one home, up to `table` in a campaign, with a turn each `pace`.

    `mailbox` is a player's account: all seats play from plus-addresses of it. `settings` are TOML values by name.
    """

    home: Path
    ruleset: AnyRuleset
    seats: int
    orders: str
    mailbox: str
    table: int = USUAL_TABLE
    pace: dt.timedelta = HOUR
    players: list[BotPlayer] = field(default_factory=list)
    now: dt.datetime = START
    settings: Mapping[str, str] = field(default_factory=dict)
    _read: int = 0

    @contextmanager
    def open(self, **settings: str) -> Iterator[App]:
        """Open the application with these settings, as TOML values, besides its address."""
        given = {"address": f'"{self.orders}"', "pictures": "false", **self.settings} | settings
        self.home.mkdir(exist_ok=True)
        (self.home / FILE_NAME).write_text("".join(f"{name} = {value}\n" for name, value in given.items()))
        init_home(self.home, self.orders)
        with open_app(self.home, {self.ruleset.key: self.ruleset}) as app:
            yield app

    def play(self, turns: int, **settings: str) -> None:
        """Create and start the campaigns, and play some turns by the local mail folder."""
        with self.open(**settings) as app:
            self._begin(app)
            self._play(app, turns)

    def go_on(self, turns: int, **settings: str) -> None:
        """Play some more turns."""
        with self.open(**settings) as app:
            self._play(app, turns)

    def _play(self, app: App, turns: int) -> None:
        inbox = MaildirTransport(self.home / app.settings.inbox_url.path)
        for _ in range(turns):
            for raw in self.sheets():
                inbox.send(self.orders, raw)
            tick(app, self.now)
            self.read(app)

    def sheets(self) -> list[bytes]:
        """Advance by a turn; return the order mails of all bots, including those that correct a slip."""
        self.now += self.pace
        written = (write(player, self.now) for player in self.players for write in (BotPlayer.write, BotPlayer.mend))
        return [raw for raw in written if raw is not None]

    def read(self, app: App) -> list[Mailed]:
        """Let all bots read the mails since the last time; return those mails."""
        mailed = select(OutgoingMail.id, OutgoingMail.recipient, OutgoingMail.raw, OutgoingMail.reply).order_by(
            OutgoingMail.id
        )
        with app.store.reading() as session:
            rows = session.execute(mailed.where(OutgoingMail.id > self._read)).all()
        by_address = {player.address: player for player in self.players}
        for self._read, recipient, raw, _ in rows:
            if recipient in by_address:  # the GM gets mail too, and has no seat
                by_address[recipient].read(raw)
        return [Mailed(recipient, raw, reply) for _, recipient, raw, reply in rows]

    def _begin(self, app: App) -> None:
        table = seat_names(self.ruleset, min(self.table, self.ruleset.seats.most))
        while len(self.players) < self.seats:
            self._begin_one(app, f"c{len(self.players):04d}", table)
        tick(app, self.now)
        self.read(app)

    def _begin_one(self, app: App, name: str, table: list[str]) -> None:
        seed = hashlib.sha256(name.encode()).digest()
        account, _, domain = self.mailbox.partition("@")
        bot = self.ruleset.bots["standard"]
        players = [
            BotPlayer(seat, f"{account}+{name}-{seat}@{domain}", self.orders, bot, Dice(seed).within("players"))
            for seat in table
        ]
        wanted = NewCampaign(
            name=name,
            game=self.ruleset.key,
            gm=self.mailbox,
            seats=[(player.seat, player.address) for player in players],
            deadline="EVERY 7d",
            options={},
            policy={"settle": "off"},
        )
        create_campaign(app, wanted, self.now, seed=seed)
        run_action(app, name, StartCampaign(), self.now)
        self.players += players
