"""A home with campaigns of all games, driven by its command line and its mail folders alone, at a clock of its own."""

from __future__ import annotations

import datetime as dt
import email
import email.policy
import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.message import EmailMessage
from functools import cached_property
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from pbem.cli import main
from pbem.games import installed_games
from pbem.ruleset import Dice, View

MONDAY = dt.datetime(2026, 11, 2, 9, tzinfo=dt.UTC)
"""The time at which the season begins."""

MOMENT = dt.timedelta(minutes=1)
"""The time from one tick to the next, unless a step says otherwise."""

ORDERS = "orders@example.org"
DEPUTIES = frozenset({"hal@example.org", "ivy@example.org"})
"""People who get reports of seats that others play."""

MOVED = {"bob@example.org": "bobby@example.org"}
"""People who change their address in the season, after their first reports."""

_TOKEN = re.compile(r"^(?:GM|ORDERS) (\S+)(?: (\S+))? ([0-9a-f]{16,})", re.MULTILINE)


@dataclass(frozen=True)
class Mail:
    """A mail that left the home."""

    raw: bytes

    @cached_property
    def message(self) -> EmailMessage:
        """The mail, parsed."""
        parsed = email.message_from_bytes(self.raw, policy=email.policy.compat32.clone(message_factory=EmailMessage))
        assert isinstance(parsed, EmailMessage)
        return parsed

    @cached_property
    def to(self) -> str:
        """The address that it went to."""
        return str(self.message["To"])

    @cached_property
    def subject(self) -> str:
        """Its subject."""
        return str(email.policy.default.header_factory("Subject", str(self.message["Subject"]).replace("\n", "")))

    @cached_property
    def text(self) -> str:
        """Its text as sent, without files."""
        parts = (part for part in self.message.walk() if part.get_content_type() == "text/plain")
        content = next(parts).get_payload(decode=True)
        assert isinstance(content, bytes)
        return content.decode()

    @cached_property
    def words(self) -> str:
        """Its subject and its text in one line."""
        return " ".join(f"{self.subject} {self.text}".split())

    def file(self, content_type: str) -> bytes:
        """Return the attached file of a type, b"" if there is none."""
        named = (part for part in self.message.walk() if part.get_filename())
        found = next((part for part in named if part.get_content_type() == content_type), None)
        content = found.get_payload(decode=True) if found else b""
        assert isinstance(content, bytes)
        return content

    @cached_property
    def data(self) -> Mapping[str, Any]:
        """The data of the report that it brings; {} if it brings none."""
        content = self.file("application/json")
        found: Mapping[str, Any] = json.loads(content) if content else {}
        return found if "view" in found else {}


@dataclass
class Club:
    """A home, what was written to it, and all mail that left it, in order."""

    home: Path
    now: dt.datetime = MONDAY
    mails: list[Mail] = field(default_factory=list)
    posted: int = 0
    tokens: dict[tuple[str, str], str] = field(default_factory=dict)
    _seen: str = ""

    def run(self, line: str, *, code: int = 0, typed: str = "", home: str = "") -> str:
        """Run a command as typed into a terminal, in this home or one beside it; return what it printed.

        In its words `{home}` is this home, and `{place}` the folder that it is in.
        """
        words = [word.format(home=self.home, place=self.home.parent) for word in shlex.split(line)]
        chosen = ["--home", str(self.home.parent / home if home else self.home), *words, "--now", self.now.isoformat()]
        result = CliRunner().invoke(main, chosen, input=typed, env={"EDITOR": "true"})
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == code, f"{line}: exit code {result.exit_code}\n{result.output}"
        return result.output

    def post(
        self, sender: str, text: str, *, to: str = ORDERS, subject: str = "hello", answers: str = "", file: str = ""
    ) -> None:
        """Put a mail into the inbox, as a mail program would send it; with a picture if a `file` is named."""
        self.posted += 1
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = sender, to, subject
        # A second for each: the same words at the same time are a copy.
        written = self.now - dt.timedelta(hours=1) + dt.timedelta(seconds=self.posted)
        mail["Date"], mail["Message-ID"] = written, f"<season{self.posted}@example.org>"
        if answers:
            mail["In-Reply-To"] = answers
        mail.set_content(text)
        if file:
            mail.add_attachment(PICTURE, maintype="image", subtype="svg+xml", filename=file)
        self.drop(bytes(mail))

    def drop(self, raw: bytes) -> None:
        """Put bytes into the inbox."""
        self.posted += 1
        inbox = self.home / "post" / "inbox" / "new"
        inbox.mkdir(parents=True, exist_ok=True)
        (inbox / f"{self.posted:04d}.eml").write_bytes(raw)

    def reply(self, who: str, mail: Mail, text: str, *, file: str = "") -> None:
        """Press Reply."""
        to, subject = str(mail.message["Reply-To"] or mail.message["From"]), f"Re: {mail.subject}"
        self.post(address(who), text, to=to, subject=subject, answers=str(mail.message["Message-ID"]), file=file)

    def tick(self) -> str:
        """Let a moment pass, and do all that is due; return what the command printed."""
        self.now += MOMENT
        said = self.run("tick")
        self.collect()
        return said

    def collect(self) -> list[Mail]:
        """Read the mails that left since the last time, with the tokens in them; return them."""
        sent = self.home / "post" / "sent" / "new"
        paths = sorted(path for path in sent.iterdir() if path.name > self._seen) if sent.is_dir() else []
        new = [Mail(path.read_bytes()) for path in paths]
        self._seen = paths[-1].name if paths else self._seen
        self.mails += new
        for mail in new:
            if b"ORDERS " in mail.raw or b"GM " in mail.raw:
                for campaign, seat, token in _TOKEN.findall(mail.text):
                    self.tokens[campaign, seat] = token
        return new

    def newest(self, who: str, about: str) -> Mail:
        """Return the newest mail to a person that has these words."""
        found = next((mail for mail in reversed(self.mails) if mail.to == address(who) and about in mail.words), None)
        assert found is not None, f"no mail to {who} has {about!r}"
        return found

    def report(self, campaign: str, seat: str) -> Mail:
        """Return the newest report of a seat."""
        mails = (mail for mail in reversed(self.mails) if mail.subject.startswith(f"[{campaign}]"))
        found = next((mail for mail in mails if mail.data.get("seat") == seat and mail.to not in DEPUTIES), None)
        assert found is not None, f"{seat} has no report of {campaign}"
        return found

    def player(self, report: Mail) -> str:
        """Return the address from which the reader of a report writes now."""
        return MOVED.get(report.to, report.to)

    def sheet(self, campaign: str, seat: str) -> list[str]:
        """Return the order lines of the standard bot for the newest report of a seat."""
        data = self.report(campaign, seat).data
        game = installed_games()[data["game"]]
        view: View = data["view"]
        return list(game.bots["standard"](view, Dice(b"season").within(seat, str(data["label"]))))


PICTURE = b'<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><rect width="20" height="20"/></svg>'
"""A picture that a GM attaches to a ruling."""


def address(who: str) -> str:
    """Return the address of a person."""
    return who if "@" in who else f"{who}@example.org"
