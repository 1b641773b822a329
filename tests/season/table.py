"""The people of the season at their mail programs, and the clock of the installation."""

from __future__ import annotations

import datetime as dt
import email
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from email import policy
from email.message import EmailMessage

from pbem.app import App
from pbem.cli.demo import BotPlayer
from pbem.ruleset import Dice, SeatName, View
from pbem.scheduler.tick import tick
from pbem.scheduler.work import TickResult
from pbem_rules import singularity_trap
from tests.servers.mail import MailServer

NAME = "season1"
START = dt.datetime(2026, 11, 2, 9, tzinfo=dt.UTC)
"""A Monday."""

HOUR = dt.timedelta(hours=1)


def settler(view: View, dice: Dice) -> list[str]:
    """Return the orders of the standard bot among allies: it takes no planets, so that all six stay to the end."""
    players = [{**player, "ally": True} for player in view["players"]]
    return singularity_trap.RULESET.bots["standard"]({**view, "players": players}, dice)


@dataclass
class Season:
    """An installation on the running mail system. `who` says from which account a seat is played."""

    app: App
    server: MailServer
    now: dt.datetime = START
    who: dict[SeatName, str] = field(default_factory=dict)
    players: dict[SeatName, BotPlayer] = field(default_factory=dict)
    gm_token: str = ""
    _seen: dict[str, int] = field(default_factory=dict)
    _count: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def sit(self, seat: SeatName, account: str) -> None:
        """Let an account begin to play a seat, knowing only its own mail."""
        self.who[seat] = account
        orders_to = self.server.address("orders")
        self.players[seat] = BotPlayer(seat, self.server.address(account), orders_to, settler, Dice(seat.encode()))

    def read(self, account: str) -> list[EmailMessage]:
        """Return the mails that arrived for an account since it was last read."""
        self.server.settle()
        seen = self._seen.get(account, 0)
        raws = self.server.mails(account, after=seen)
        self._seen[account] = seen + len(raws)
        for player in (self.players[seat] for seat, each in self.who.items() if each == account):
            for raw in raws:
                player.read(raw)
        return [email.message_from_bytes(raw, policy=policy.default) for raw in raws]

    def write(self, account: str, text: str, *, subject: str = "", to: str = "", answers: str = "") -> None:
        """Send a mail as typed into a mail program, by default to the order address."""
        mail = EmailMessage()
        mail["From"], mail["To"] = self.server.address(account), to or self.server.address("orders")
        mail["Subject"], mail["Message-ID"] = subject or "hello", f"<season{next(self._count)}@example.org>"
        if answers:
            mail["In-Reply-To"] = answers
        mail.set_content(text)
        self.server.submit(account, str(mail["To"]), bytes(mail))

    def reply(self, account: str, mail: EmailMessage, text: str) -> None:
        """Press Reply."""
        to, subject = str(mail["Reply-To"]), f"Re: {mail['Subject']}"
        self.write(account, text, subject=subject, to=to, answers=str(mail["Message-ID"]))

    def insist(self, account: str, text: str) -> None:
        """Send a request that a From alone does not prove, and confirm it."""
        self.write(account, text)
        self.tick()
        self.reply(account, self.read(account)[-1], "YES")
        self.tick()

    def command(self, text: str) -> None:
        """Send commands of the GM, with the token."""
        self.write("gm", f"GM {NAME} {self.gm_token}\n{text}\nEND\n")

    def tick(self, *, hours: float = 0, until: dt.datetime | None = None) -> TickResult:
        """Advance the clock, by hours or to a time, and tick."""
        self.server.settle()
        self.now = until or self.now + hours * HOUR
        done = tick(self.app, self.now)
        assert done.problems == []
        return done

    def sheets(self, *, but: tuple[SeatName, ...] = ()) -> None:
        """Let all players but some read their mail and send their sheets."""
        for seat, account in self.who.items():
            self.read(account)
            if seat not in but:
                self.sheet(seat)

    def sheet(self, seat: SeatName) -> None:
        """Send a player's sheet for their newest report, and its correction at once if it has a slip."""
        player, account = self.players[seat], self.who[seat]
        for raw in filter(None, (player.write(self.now), player.mend(self.now))):
            self.server.submit(account, str(email.message_from_bytes(raw)["To"]), raw)

    def play(self, *, but: tuple[SeatName, ...] = ()) -> TickResult:
        """Play a turn for which all sheets come in, so that it is run before its deadline."""
        self.sheets(but=but)
        self.tick(hours=1)
        return self.tick(hours=1)


def text_of(mail: EmailMessage) -> str:
    """Return the text of a mail, its lines unfolded into one."""
    body = mail.get_body(("plain",))
    assert body is not None
    return " ".join(str(body.get_content()).split())


def subjects(mails: list[EmailMessage]) -> list[str]:
    """Return the subjects of mails."""
    return [str(mail["Subject"]) for mail in mails]
