"""Bots in the place of players, for demos: they read mail, and write it as a person would.

A bot knows what stands in the JSON attached to its reports and nothing else.
Some sheets go out with a slip; the right one follows when the receipt is there.
"""

from __future__ import annotations

import base64
import datetime as dt
import email
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from email.message import Message

from pbem.mail.compose import Mail, compose
from pbem.mail.headers import message_id
from pbem.ruleset.dice import Dice
from pbem.ruleset.tokenizer import split_words
from pbem.ruleset.values import Bot, View

SLIP_EVERY = 6
"""About one sheet in so many has a slip."""

_NONSENSE = "and may the best of us win"


@dataclass(slots=True)
class Player:
    """A seat's bot. `report` is the last one it was mailed, `view` what stands in it.

    `page` is the last one that came with a report which asked for orders.
    """

    seat: str
    address: str
    orders_to: str
    bot: Bot
    dice: Dice
    token: str = ""
    report: Message | None = None
    view: View = field(default_factory=dict)
    page: bytes = b""
    written: int = 0
    slips: int = 0
    _right: Sequence[str] = ()

    @property
    def mending(self) -> bool:
        """Whether a sheet with a slip is out, and the right one is to follow."""
        return bool(self._right)

    def read(self, raw: bytes) -> None:
        """Reads a mail: a welcome for its token, a report for its view; receipts are enough to have come."""
        mail = email.message_from_bytes(raw)
        data = _attached_json(mail)
        if data is not None:
            self.report, self.view = mail, data["view"]
            if self.view["awaited"]:
                self.page = _attached(mail, "text/html") or self.page
        elif not self.token:
            self.token = _token(mail)

    def ask(self, campaign: str, command: str, now: dt.datetime) -> bytes:
        """A mail with a command in it, and the token of the welcome."""
        self.written += 1
        framed = f"PLAYER {campaign} {self.seat} {self.token}\n{command}\nEND"
        return self._compose(self.orders_to, "please", framed, "", now)

    def write(self, now: dt.datetime) -> bytes | None:
        """The sheet for the report read last; None if there is nothing to say."""
        lines = self.bot(self.view, self._dice("bot"))
        if not lines and not self.view["awaited"]:
            return None
        if lines and self._dice("slip").chance(1, SLIP_EVERY):
            self._right = lines
            lines = self._with_slip(lines)
            self.slips += 1
        return self._mail(lines, now)

    def mend(self, now: dt.datetime) -> bytes | None:
        """The right sheet after one with a slip; None if there was none."""
        lines, self._right = self._right, ()
        return self._mail(lines, now) if lines else None

    def _dice(self, purpose: str) -> Dice:
        return self.dice.scoped(purpose, self.seat, str(self.view["label"]))

    def _with_slip(self, lines: Sequence[str]) -> list[str]:
        """The lines with two letters of a verb swapped, or with one that is no order."""
        dice = self._dice("which slip")
        at = dice.below(len(lines), "line")
        words = split_words(lines[at])
        if not words or len(words[0]) < 3 or dice.chance(1, 3, "nonsense"):
            return [*lines, _NONSENSE]
        verb = words[0]
        slipped = verb[0] + verb[2] + verb[1] + verb[3:]
        return [*lines[:at], lines[at].replace(verb, slipped, 1), *lines[at + 1 :]]

    def _mail(self, lines: Sequence[str], now: dt.datetime) -> bytes:
        """A mail in one of three manners: a bare reply, a reply with a framed sheet, a new mail with the token."""
        assert self.report is not None
        self.written += 1
        manner = self.written % 3
        campaign = str(self.report["Subject"]).partition(" ")[0].strip("[]")
        framed = ["Hello,", "", f"ORDERS {campaign} {self.seat}", *lines, "END", "", "-- ", self.seat.capitalize()]
        subject, answers = f"Re: {self.report['Subject']}", str(self.report["Message-ID"])
        to = str(self.report["Reply-To"])
        if manner == 1 and lines:
            framed = [*lines, "", *_quoted(self.report)]
        elif manner == 2 and self.token:
            framed[2] += f" {self.token}"
            subject, to, answers = "my orders", self.orders_to, ""
        return self._compose(to, subject, "\n".join(framed), answers, now)

    def _compose(self, to: str, subject: str, text: str, answers: str, now: dt.datetime) -> bytes:
        mail = Mail(
            recipient=to,
            subject=subject,
            text=text,
            message_id=message_id(self.dice.seed, "example.org", "player", self.seat, self.written),
            reply_to=self.address,
            in_reply_to=answers,
            automatic="",
        )
        return compose(mail, sender=self.address, sender_name=self.seat.capitalize(), at=now)


def _attached_json(mail: Message) -> dict[str, View] | None:
    content = _attached(mail, "application/json")
    data: dict[str, View] | None = json.loads(content) if content else None
    return data


def _attached(mail: Message, content_type: str) -> bytes:
    """The content of the file of this type that comes with a mail, b"" if none does."""
    files = (part for part in mail.walk() if part.get_filename() and part.get_content_type() == content_type)
    return next((base64.b64decode(str(part.get_payload())) for part in files), b"")


def _token(mail: Message) -> str:
    """The last word of the ORDERS line in a welcome mail."""
    headers = (line.split() for line in _text(mail).splitlines() if line.startswith("ORDERS "))
    return next((words[3] for words in headers if len(words) == 4), "")


def _quoted(report: Message) -> Iterator[str]:
    """The beginning of a report, as a mail program quotes it."""
    yield f"On {report['Date']}, {report['From']} wrote:"
    for line in _text(report).splitlines()[:12]:
        yield f"> {line}"


def _text(mail: Message) -> str:
    """What a mail says, without its files."""
    text = next(part for part in mail.walk() if part.get_content_type() == "text/plain").get_payload(decode=True)
    assert isinstance(text, bytes)
    return text.decode()
