"""What of somebody's words passes on to others: plain text, without keys, mail headers and signs that nobody sees."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pbem.errors import CampaignError
from pbem.mail.reply_parser import plain
from pbem.util import MASK, masked

MOST_CHARACTERS = 8_000
"""Of one text, blanks included."""

_TECHNICAL = (
    r"message-id|in-reply-to|references|reply-to|return-path|received|delivered-to|authentication-results|"
    r"dkim-signature|received-spf|mime-version|content-[a-z-]++|user-agent|list-[a-z-]++|arc-[a-z-]++|x-[a-z-]++"
)
_HEADER = re.compile(
    rf"\A(?P<name>[\s>|]*+(?:(?:{_TECHNICAL})\s*+:(?=.)|(?:from|to|cc|bcc|sender)\s*+:(?=.*@))).*+", re.IGNORECASE
)
"""Fields of a mail; those of people only with an address, since "From: the Queen" may begin a proclamation."""


_GAPS = re.compile(r"\n{3,}+")


@dataclass(frozen=True, slots=True)
class Passed:
    """A text that may be shown to others, and how many of its lines hide a key or a field of a mail behind a mask."""

    text: str
    masked: int = 0


def passable(text: str) -> Passed:
    """The part of a text that may pass on. Raises CampaignError if there is none, or too much."""
    lines = [line.expandtabs(4).rstrip() for line in plain(text).split("\n")]
    shown = [_shown(line) for line in lines]
    passed = _GAPS.sub("\n\n", "\n".join(shown)).strip("\n")
    if not passed.strip():
        raise CampaignError("there are no words to pass on: write them below the command, in the mail's own text")
    if len(passed) > MOST_CHARACTERS:
        raise CampaignError(f"the text has {len(passed)} characters, and {MOST_CHARACTERS} at the most are passed on")
    return Passed(passed, sum(one != other for one, other in zip(lines, shown, strict=True)))


def _shown(line: str) -> str:
    return _HEADER.sub(rf"\g<name> {MASK}", masked(line))
