"""Steps of a season: a command line, a mail of a GM or of a player, a reply, sheets of bots, time that passes.

Mails are read at the next tick, which comes before any step that needs their answers.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import re
import signal
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pbem.config_values import FILE_NAME
from tests.mail.reports import postfix
from tests.season.club import ORDERS, Club, address

GM = "gm"


@dataclass(frozen=True)
class Step(ABC):
    """Something that a person does, and the words that they read then."""

    @abstractmethod
    def do(self, played: Played) -> None:
        """Do it."""


@dataclass
class Played:
    """A club in which steps are played, and the answers that are awaited at the next tick."""

    club: Club
    awaited: list[tuple[str, str]] = field(default_factory=list)
    lines: list[tuple[str, str]] = field(default_factory=list)
    """What was used: "cli" and a command line, "gm" or "player" and the text of a mail."""
    actions: set[str] = field(default_factory=set)
    """The names of the actions that were done."""

    def play(self, steps: Iterable[Step]) -> None:
        """Play steps, and read the answers to the last of them."""
        for step in steps:
            step.do(self)
        self.settle()

    def settle(self) -> None:
        """Tick if mails wait; each sender gets a mail with the words that the step names."""
        awaited, self.awaited = self.awaited, []
        if awaited:
            before = len(self.club.mails)
            self.club.tick()
            new = self.club.mails[before:]
            for who, says in awaited:
                said = [mail.words for mail in new if mail.to == address(who)]
                assert any(says in words for words in said), f"no mail to {who} says {says!r}, but: {said}"

    def wrote(self, kind: str, text: str, who: str, says: str) -> None:
        """Note what was written, and await its answer, if it gets one."""
        self.lines.append((kind, text))
        if says:
            self.awaited.append((who, says))


@dataclass(frozen=True)
class Cli(Step):
    """A command line, in the club's home or one beside it; `says` is part of what it prints, `typed` what it reads."""

    line: str
    says: str
    typed: str = ""
    code: int = 0
    home: str = ""

    def do(self, played: Played) -> None:
        """Run the command."""
        played.settle()
        played.lines.append(("cli", self.line))
        said = " ".join(played.club.run(self.line, typed=self.typed, code=self.code, home=self.home).split())
        assert self.says in said, f"{self.line} says not {self.says!r}, but: {said}"
        played.club.collect()


@dataclass(frozen=True)
class Gm(Step):
    """Commands of the GM by mail, in a frame with the token."""

    campaign: str
    text: str
    says: str
    file: str = ""

    def do(self, played: Played) -> None:
        """Send the mail."""
        token = played.club.tokens[self.campaign, ""]
        frame = f"GM {self.campaign} {token}\n{self.text}\nEND\n"
        played.club.post(address(GM), frame, file=self.file)
        played.wrote("gm", self.text, GM, self.says)


@dataclass(frozen=True)
class Write(Step):
    """A mail of a player or a stranger to the order address, or framed with the token of a seat."""

    who: str
    text: str
    says: str
    seat: str = ""
    """Campaign and seat, for a frame."""

    def do(self, played: Played) -> None:
        """Send the mail."""
        text = self.text
        if self.seat:
            campaign, seat = self.seat.split()
            text = f"PLAYER {campaign} {seat} {played.club.tokens[campaign, seat]}\n{text}\nEND\n"
        played.club.post(address(self.who), text, to=ORDERS)
        played.wrote("player", self.text, self.who, self.says)


@dataclass(frozen=True)
class Several(Step):
    """A mail of a player with a sheet for each of some seats, by campaign and seat, framed with their tokens."""

    who: str
    sheets: Mapping[str, str]
    says: str

    def do(self, played: Played) -> None:
        """Send the mail."""
        frames = []
        for name, text in self.sheets.items():
            campaign, seat = name.split()
            frames.append(f"ORDERS {name} {played.club.tokens[campaign, seat]}\n{text}\nEND\n")
        played.club.post(address(self.who), "\n".join(frames), to=ORDERS)
        played.wrote("player", "\n".join(self.sheets.values()), self.who, self.says)


@dataclass(frozen=True)
class Play(Step):
    """A reply to the newest report of a seat, by default from its player."""

    seat: str
    text: str
    says: str
    who: str = ""

    def do(self, played: Played) -> None:
        """Send the reply."""
        campaign, seat = self.seat.split()
        report = played.club.report(campaign, seat)
        who = self.who or played.club.player(report)
        played.club.reply(who, report, self.text)
        played.wrote("player", self.text, who, self.says)


@dataclass(frozen=True)
class Reply(Step):
    """A reply to the newest mail that somebody has about something."""

    who: str
    about: str
    text: str
    says: str
    file: str = ""

    def do(self, played: Played) -> None:
        """Send the reply once the mail is there."""
        played.settle()
        club = played.club
        club.reply(self.who, club.newest(self.who, self.about), self.text, file=self.file)
        played.wrote("reply", self.text, self.who, self.says)


@dataclass(frozen=True)
class Confirm(Step):
    """The command CONFIRM with the code of the newest mail that somebody has about something."""

    who: str
    about: str
    says: str

    def do(self, played: Played) -> None:
        """Send it."""
        played.settle()
        code = _CODE.findall(played.club.newest(self.who, self.about).subject)[-1]
        Write(self.who, f"CONFIRM {code}", self.says).do(played)


_CODE = re.compile(r"\[([a-z2-7]{16})\]")


@dataclass(frozen=True)
class Sheets(Step):
    """The sheets of the standard bots for all seats of a campaign that are awaited, but for some."""

    campaign: str
    but: tuple[str, ...] = ()

    def do(self, played: Played) -> None:
        """Send the sheets; each is answered by a receipt, and none is refused."""
        played.settle()
        club = played.club
        seats = {mail.data["seat"] for mail in club.mails if mail.data.get("campaign") == self.campaign}
        reports = [club.report(self.campaign, seat) for seat in sorted(seats - {*self.but})]
        awaited = [report for report in reports if report.data["view"]["awaited"]]
        assert awaited, f"{self.campaign} awaits no sheet"
        for report in awaited:
            lines = club.sheet(self.campaign, report.data["seat"])
            club.reply(club.player(report), report, "\n".join(lines) or "NO ORDERS")
        before = len(club.mails)
        club.tick()
        receipts = [mail for mail in club.mails[before:] if _RECEIPT.search(mail.subject)]
        assert len(receipts) >= len(awaited), [mail.words for mail in club.mails[before:]]


_RECEIPT = re.compile(r"\] (?:no )?orders in")


@dataclass(frozen=True)
class Setting(Step):
    """A line of the settings that is changed."""

    old: str
    new: str

    def do(self, played: Played) -> None:
        """Change it."""
        path = played.club.home / FILE_NAME
        text = path.read_text()
        assert self.old in text
        path.write_text(text.replace(self.old, self.new))


@dataclass(frozen=True)
class Tick(Step):
    """Time that passes to a tick; `says` is part of what it prints."""

    hours: float
    says: str = ""

    def do(self, played: Played) -> None:
        """Set the clock, and tick."""
        played.settle()
        played.club.now += dt.timedelta(hours=self.hours)
        said = " ".join(played.club.tick().split())
        assert self.says in said, f"the tick says not {self.says!r}, but: {said}"


@dataclass(frozen=True)
class File(Step):
    """A file that is written into the home."""

    name: str
    text: str

    def do(self, played: Played) -> None:
        """Write it."""
        path = played.club.home / self.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.text)


@dataclass(frozen=True)
class Bounce(Step):
    """A delivery report on the newest mail that somebody has about something."""

    who: str
    about: str
    says: str

    def do(self, played: Played) -> None:
        """Let it come; the GM is told."""
        played.settle()
        club = played.club
        mail = club.newest(self.who, self.about)
        club.drop(postfix(str(mail.message["Message-ID"]), address(self.who)))
        played.wrote("bounce", "", GM, self.says)


@dataclass(frozen=True)
class Report(Step):
    """The data of a seat's newest report, saved as a file in the home."""

    seat: str
    name: str

    def do(self, played: Played) -> None:
        """Save it."""
        played.settle()
        mail = played.club.report(*self.seat.split())
        (played.club.home / self.name).write_bytes(mail.file("application/json"))


@dataclass(frozen=True)
class Retry(Step):
    """A message in quarantine that the operator lets be processed again."""

    def do(self, played: Played) -> None:
        """Find its number, and retry it."""
        played.settle()
        listed = json.loads(played.club.run("inbox --quarantined --json"))["messages"]
        Cli(f"inbox {listed[0]['id']} --retry", "Done").do(played)


@dataclass(frozen=True)
class Served(Step):
    """A home that is served until the service is told to stop."""

    home: str

    def do(self, played: Played) -> None:
        """Serve it, and send SIGTERM until it stops: earlier ones are ignored, as the service does not run yet."""
        ended = threading.Event()
        before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
        stopping = threading.Thread(target=_stop, args=(ended,))
        stopping.start()
        try:
            Cli("serve", "Stopped.", home=self.home).do(played)
        finally:
            ended.set()
            stopping.join()
            signal.signal(signal.SIGTERM, before)


def _stop(ended: threading.Event) -> None:
    while not ended.wait(0.05):
        os.kill(os.getpid(), signal.SIGTERM)
