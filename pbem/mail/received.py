"""Received fields of a mail (RFC 5321, 4.4): by which servers it came, and when.

Each server writes its field on top of those before, and a sender can write any in
advance. So of a server that takes all mail of a mailbox only the topmost field is
its own; what stands above that was added later, by servers of the same operator.

Parsing is total: any bytes give a result, in linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from pbem.mail.headers import parse_date
from pbem.mail.mime import header_fields

ANY_BELOW = "*."
"""The beginning of a name that stands for all servers of a provider."""


# Possessive quantifiers (++, *+) do not backtrack, so that hostile input takes linear time.
_OUTSIDE = re.compile(r'[^"();\\]++|"[^"\\]*+(?>(?:\\.?[^"\\]*+)*)("|\Z)|[();]', re.DOTALL)
# Tokens of a field outside and inside of comments; the group is empty for a quoted string that does not end.
_INSIDE = re.compile(r"[^()\\]++|\\.|[()]", re.DOTALL)

# Protocols (RFC 3848); with an A, from a user of the server's own who had logged in.
_SMTP = re.compile(r"(?:utf8)?e?smtps?(a?)")
_LMTP = re.compile(r"(?:utf8)?lmtps?a?")


@dataclass(frozen=True, slots=True)
class Received:
    """A Received field: the server that wrote it, the server or user it names as sender, protocol, and time.

    Names are in lower case and "" where the field has none; `at` is None without a date that can be read.
    """

    by: str
    sender: str
    protocol: str
    at: datetime | None

    @property
    def from_server(self) -> bool:
        """True if the mail came by SMTP without a login, as from another server."""
        found = _SMTP.fullmatch(self.protocol)
        return found is not None and not found[1]

    @property
    def by_smtp(self) -> bool:
        """True if the mail came by SMTP, with or without a login."""
        return _SMTP.fullmatch(self.protocol) is not None

    @property
    def within(self) -> bool:
        """True if a server handed the mail to the keeper of its own mailboxes (LMTP, RFC 2033)."""
        return _LMTP.fullmatch(self.protocol) is not None


def received_fields(raw: bytes) -> Iterator[Received]:
    """Yield the Received fields of a mail, the newest first, up to one that is malformed.

    That one may be the receiving server's own, spoilt by what its client has called itself: the next
    may then be the client's.
    """
    found = (parse_received(value) for name, value in header_fields(raw) if name == "received")
    for each in found:
        if each is None:
            return
        yield each


def parse_received(value: str) -> Received | None:
    """Parse the value of a Received field; return None if a comment or quoted string in it does not end."""
    segments = split_field(value)
    if not segments or not value:
        return None
    *clauses, date = segments if len(segments) > 1 else [*segments, ""]
    words = ";".join(clauses).lower().split()
    # The name behind "from" is its sender's choice, and may be "by".
    start = 2 if words[:1] == ["from"] else 0
    return Received(
        by=_word_after("by", words[start:]).rstrip("."),
        sender=words[1] if start and len(words) > 1 else "",
        protocol=_word_after("with", words[start:]),
        at=parse_date(date),
    )


def _word_after(name: str, words: list[str]) -> str:
    return next((word for before, word in pairwise(words) if before == name), "")


def is_named(server: str, name: str) -> bool:
    """Return True if a server has a name of the settings, such as "mx.example.org" or "*.example.org"."""
    name = name.lower()
    return server.endswith(name[1:]) if name.startswith(ANY_BELOW) else server == name


def taken_at(raw: bytes, server: str) -> datetime | None:
    """Return when the server of that name took a mail: the date of its topmost field; None if that cannot be read."""
    own = next((each for each in received_fields(raw) if is_named(each.by, server)), None) if server else None
    return own.at if own else None


def count_own(raw: bytes, server: str) -> int:
    """Return how many Received fields, from the top, were written after the server of that name took the mail.

    The field with which it did counts too. 0 if there is none, or no name.
    """
    fields = list(received_fields(raw)) if server else []
    own = [is_named(each.by, server) for each in fields]
    if True not in own:
        return 0
    at = own.index(True)
    # What keeps the mailboxes may have the name of the server that handed it the mail, whose field is the next.
    while fields[at].within and at + 1 < len(own) and own[at + 1]:
        at += 1
    return at + 1


def suggested_server(raw: bytes) -> str:
    """Return the server that took a mail from outside: the topmost that names from whom it came, by SMTP; or ""."""
    return next((each.by for each in received_fields(raw) if each.sender and each.from_server), "")


def split_field(field: str) -> list[str]:
    """Split a field at semicolons, without its comments; return [] if a comment or quoted string does not end."""
    segments, depth, at = [""], 0, 0
    while at < len(field):
        found = (_INSIDE if depth else _OUTSIDE).match(field, at)
        if found is None or (not depth and found[1] == ""):
            return []
        at, part = found.end(), found[0]
        if part in "()":
            depth += 1 if part == "(" else -1
            segments[-1] += " "
        elif part == ";" and not depth:
            segments.append("")
        elif not depth:
            segments[-1] += part
        if depth < 0:
            return []
    return [] if depth else segments
