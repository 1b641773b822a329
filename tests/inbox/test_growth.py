"""Parsers of a mail's text take time in proportion to it, whatever is in it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pbem.actions.ruling import parse_ruling
from pbem.campaign.order_sheets import parse_sheet
from pbem.campaign.press import sanitise_text
from pbem.errors import CampaignError
from pbem.inbox.command_parser import find_commands
from pbem.inbox.frames import find_gm_frame, find_sheet
from pbem.inbox.gm_lines import parse_gm_frame
from pbem.inbox.quoted_originals import SentText, match_form_lines, match_lines, spell
from pbem.inbox.replies import bare_subject
from pbem.mail.authentication import authentication_verdict
from pbem.mail.bounces import parse_bounce
from pbem.mail.fetch import fingerprint
from pbem.mail.headers import find_addresses, parse_address
from pbem.mail.html_text import html_to_text
from pbem.mail.message import parse_message
from pbem.mail.mime import decode_words, parameter
from pbem.mail.received import taken_at
from pbem.mail.reply_parser import decode_flowed, normalise_text, rejoin_lines, sender_lines
from pbem.util import redact_all
from tests.growth import MOST_GROWTH, growth
from tests.toy.ruleset import Auction

LINES = {
    "one line of dashes": lambda size: "-" * size + "x",
    "lines of dashes": lambda size: ("-" * 990 + "x\n") * (size // 992),
    "marks of quotation": lambda size: ">" * size,
    "marks and blanks": lambda size: "> " * (size // 2) + "x",
    "sheets never ended": lambda size: "ORDERS a b\n" * (size // 11),
    "sheets of a known campaign": lambda size: "ORDERS toy1 red\n" * (size // 16),
    "commands never ended": lambda size: "PLAYER a b\n" * (size // 11),
    "commands": lambda size: "PRESS TO blue\n" * (size // 14),
    "a GM's frames": lambda size: "GM toy1 0123456789abcdef0123\nEND\n" * (size // 32),
    "blank lines": lambda size: "\n" * size,
    "blanks": lambda size: " " * size + "x",
    "lines of blanks": lambda size: " \n" * (size // 2),
    "underscores above fields": lambda size: "____________\nFrom: a\nTo: b\nDate: c\n" * (size // 34),
    "attributions": lambda size: "On 2026-11-20 a@b.org\n" * (size // 22) + "x:",
    "indented lines": lambda size: "    BID 3\n" * (size // 10),
    "indented mails of ours": lambda size: "    ; your orders, one a line\n  x\n" * (size // 34),
    "lines that go on": lambda size: "BID 3 \\\n" * (size // 8),
    "words of one line": lambda size: "BID " + "3 " * (size // 2),
    "quotation marks": lambda size: '"' * size + '\\"' * 9,
    "escaped quotation marks": lambda size: '"' + '\\"' * (size // 2),
    "tags": lambda size: "<a <b" * (size // 5),
    "addresses": lambda size: "a@b" * (size // 3),
    "fields": lambda size: "From: a@b.org\n" * (size // 14),
    "parts of a subject": lambda size: "Re: [x] " * (size // 8),
    "brackets": lambda size: "[" * size,
    "initials": lambda size: "AB> x\n" * (size // 6),
    "lines of ours": lambda size: "Your ship has moved to the gate.\n" * (size // 33),
    "rows of a map of ours": lambda size: ". . . . . . . .\n" * (size // 16),
    "lines that failed": lambda size: "550 user unknown\n\n" * (size // 18),
    "mails that failed": lambda size: "Message-ID: <a@b.org>\n" * (size // 22),
    "files of a ruling": lambda size: "FILE a.txt\n" * (size // 11),
}
KNOWN = frozenset({"toy1"})


def passed(text: str) -> object:
    """Return what passes on of a text, or None."""
    try:
        return sanitise_text(text)
    except CampaignError:
        return None


def formed(text: str) -> object:
    """Return the files of a ruling, or None if the text is none."""
    try:
        return parse_ruling(text.split("\n"))
    except CampaignError:
        return None


def commands(text: str) -> object:
    """Parse the commands of a text."""
    asked, by_gm = find_commands(text.split("\n"), KNOWN), find_gm_frame(text.split("\n"))
    return asked and asked.parse(), by_gm and parse_gm_frame(by_gm)


def orders(text: str) -> object:
    """Parse the orders of a text."""
    view = {"others": ["blue"], "purse": 9}
    return parse_sheet(Auction(), view, find_sheet(text.split("\n"), KNOWN).lines)


def fields(text: str) -> object:
    """Parse a text as header fields."""
    return parse_address(text), find_addresses(text), decode_words(text), parameter(text, "a"), bare_subject(text)


def heads(text: str) -> object:
    """Parse a text as the head of a mail."""
    raw = b"Authentication-Results: mx; " + text.encode()
    came = taken_at(b"Received: from a by b; " + text.encode(), "mx")
    return fingerprint(raw), authentication_verdict(raw, "mx", "a@b.org", "mx"), parse_bounce(raw), came


OURS = SentText.of(["Your ship has moved to the gate.", "That is all there is."] * 40 + [". . . . . . . ."] * 40)


def ours(text: str) -> object:
    """Return the lines of a text that are of a mail of ours."""
    lines = text.split("\n")
    return match_lines(OURS, lines, spell(lines)), match_form_lines(OURS, lines)


READERS: dict[str, Callable[[str], object]] = {
    "a letter": lambda text: parse_message(b"From: a@b.org\r\n\r\n" + text.encode()),
    "a letter in HTML": lambda text: parse_message(b"Content-Type: text/html\r\n\r\n<pre>" + text.encode()),
    "own lines": lambda text: rejoin_lines(sender_lines(normalise_text(text).split("\n"))[0]),
    "HTML": html_to_text,
    "flowed": lambda text: decode_flowed(text, delete_space=True),
    "orders": orders,
    "commands": commands,
    "masked": redact_all,
    "passed on": passed,
    "a ruling": formed,
    "fields": fields,
    "heads": heads,
    "a report of failure": lambda text: parse_bounce(b"From: MAILER-DAEMON <>\r\n\r\n" + text.encode()),
    "mails of ours": ours,
}


@pytest.mark.sampled(100)
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("shape", LINES)
def test_reading_takes_time_in_proportion(reader: str, shape: str) -> None:
    """Four times the text takes some four times as long, not sixteen."""
    assert growth(READERS[reader], LINES[shape], least=5_000, most=20_000) <= MOST_GROWTH
