"""Read the receiving server's verdict on the sender of a mail: Authentication-Results (RFC 8601).

Any sender can write such a field. Only the topmost one of a mail is read, and it
counts only if it bears the configured name of the receiving server (authserv-id):
fields that came with the mail stand below those that this server has added.

Filters beside a mail server write a field each under one name, and large providers
use a server of another name for each check, or each mail. The consecutive fields on
top are read together with a name for all of a provider's servers ("*.icloud.com"), or
where they stand above the Received field of the server that took the mail, whose name
is in the settings (`received_by`). The first result of a method counts, so that one
further down revokes nothing. Microsoft's servers write no name at all ("unnamed").

If the receiving server adds no such field, a sender can write one in its name,
and nothing in a mail tells the two apart. A GM does not forge, though: if a mail
with a GM's token came from outside and has no such field, none counts.

Parsing is total: any bytes give a verdict, in linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from pbem.mail.mime import header_fields
from pbem.mail.received import ANY_BELOW, count_own, is_named, received_fields, split_field
from pbem.store.models import Campaign, InboxMessage

AuthVerdict = Literal["pass", "fail", "none"]
"""The server vouches for the address in From, says that it is forged, or says nothing of use."""

_METHODS = frozenset({"dmarc", "dkim", "spf"})

UNNAMED = "unnamed"
"""The name to configure for a server that writes fields without its name."""

MAX_FIELDS = 20

# Possessive quantifiers (++, *+) do not backtrack, so that hostile input takes linear time.
# The result of a method, maybe with the method's version, or a property.
_EQUATION = re.compile(
    r'(?<!\s)\s*+(?<![\w.-])([a-z][\w.-]*+)(?:\s*+/\s*+[0-9]++)?\s*+=\s*+((?>(?:"[^"\\]*+(?>(?:\\.?[^"\\]*+)*)(?:"|\Z)|[^\s"]++)+))',
    re.IGNORECASE | re.ASCII,
)

# The properties with the domain of a result.
_SHOWN_BY = {"dkim": ("header.d", "header.i"), "spf": ("smtp.mailfrom", "smtp.mail", "smtp.mfrom")}


@dataclass(frozen=True, slots=True)
class _Result:
    """Result of one method, and the properties it was computed from, by names such as "header.from"."""

    method: str
    result: str
    properties: Mapping[str, str]

    def is_for(self, domain: str) -> bool:
        """Return True if the result covers senders of a domain: it is for that domain or for a parent of it."""
        held = [self.properties.get(name, "").rpartition("@")[2] for name in _SHOWN_BY.get(self.method, ())]
        # A signature for a top-level domain such as "org" would cover every domain in it, and vouches for none.
        return any("." in each and f".{domain}".endswith(f".{each}") for each in held)


def authentication_verdict(raw: bytes, authserv_id: str, sender: str | None, received_by: str = "") -> AuthVerdict:
    """Return the verdict of the server of that name on a mail's sender; "none" without a name. Never raises.

    DMARC decides where it gives a result. Otherwise a signature or an SPF pass
    counts if it is for the sender's domain, and so does an SPF fail. A broken
    signature counts as none (RFC 6376, 6.1): mailing lists break many.
    """
    if not authserv_id or sender is None:
        return "none"
    results = list[_Result]()
    for segments in _server_fields(raw, authserv_id.lower(), received_by):
        told = {each.method for each in results}
        results += [each for each in _parse_results(segments) if each.method in _METHODS - told]
    return _decide(results, sender.rpartition("@")[2].lower())


def count_words(raw: bytes, authserv_id: str, received_by: str = "") -> int:
    """Return how many fields of a mail count as the word of the server of that name."""
    return sum(1 for _ in _server_fields(raw, authserv_id.lower(), received_by))


def _server_fields(raw: bytes, name: str, received_by: str) -> Iterator[list[str]]:
    """Yield the results in each of the topmost fields that bear the name."""
    for field in _topmost(raw, received_by, several=name.startswith(ANY_BELOW)):
        segments = _strip_server_name(split_field(field), name)
        if segments is None:
            return
        yield segments


def _strip_server_name(segments: list[str], name: str) -> list[str] | None:
    """Return the results in a field; None if it does not bear the name."""
    if not segments:
        return None
    if name == UNNAMED:
        return segments if "=" in segments[0] else None
    first = (segments[0].split() or [""])[0].strip('"').lower()
    return segments[1:] if is_named(first, name) else None


def _decide(results: list[_Result], domain: str) -> AuthVerdict:
    dmarc = {
        each.result
        for each in results
        if each.method == "dmarc" and each.properties.get("header.from", domain) == domain
    }
    if "fail" in dmarc:
        return "fail"
    held = {(each.method, each.result) for each in results if each.is_for(domain)}
    if "pass" in dmarc or held & {("dkim", "pass"), ("spf", "pass")}:
        return "pass"
    return "fail" if ("spf", "fail") in held else "none"


def _topmost(raw: bytes, received_by: str, *, several: bool) -> list[str]:
    """Return the first fields of a mail with no Received between; "" for one that is too long.

    It is one alone, unless there may be `several`, or they stand above the field by which the receiving server took
    the mail: no sender can write there.
    """
    found, above = list[str](), 0
    for name, value in header_fields(raw):
        if name == "received":
            if found:
                break
            above += 1
        elif name == "authentication-results":
            found.append(value)
    own = several or above < count_own(raw, received_by)
    return found[: MAX_FIELDS if own else 1]


def _parse_results(segments: list[str]) -> Iterator[_Result]:
    for segment in segments:
        pairs, at = [], 0
        while found := _EQUATION.match(segment, at):
            pairs.append((found[1].lower(), found[2].replace('"', "").lower()))
            at = found.end()
        if pairs:
            (method, result), *properties = pairs
            yield _Result(method, result, dict(reversed(properties)))


MOST_PROVEN = 5
"""How many of the newest mails that a GM's token proves are examined."""


def test_key(mail_id: int) -> str:
    """Return the key of a message that answers a test of the mailbox, the mail of an id."""
    return f"test {mail_id}"


@dataclass(frozen=True, slots=True)
class Proven:
    """Mail from outside that a GM's token proves, or the code of a test of the mailbox.

    It has its message id and the server's verdict on its sender.
    `fields` is the number of fields that count as that server's.
    """

    inbox_id: int
    sender: str
    received_at: datetime
    fields: int
    verdict: AuthVerdict

    @property
    def stamped(self) -> bool:
        """True if it has a field that bears the server's name."""
        return self.fields > 0


def newest_proven(session: Session, authserv_id: str, received_by: str = "") -> Proven | None:
    """Return the newest mail from outside that a GM's token proves, as the server of that name has stamped it."""
    gms = select(func.lower(Campaign.gm))
    # The sender first, as in the index; a message with a GM's token has a key of "gm " and the campaign.
    by_token = (InboxMessage.key >= "gm ") & (InboxMessage.key < "gm!")
    by_test = (InboxMessage.key >= "test ") & (InboxMessage.key < "test!")
    proven = (InboxMessage.sender.in_(gms), by_token | by_test)
    rows = select(InboxMessage.id, InboxMessage.sender, InboxMessage.received_at, InboxMessage.raw).where(*proven)
    for row in session.execute(
        rows.order_by(InboxMessage.received_at.desc(), InboxMessage.id.desc()).limit(MOST_PROVEN)
    ):
        if is_from_outside(row.raw):
            verdict = authentication_verdict(row.raw, authserv_id, row.sender, received_by)
            return Proven(row.id, row.sender, row.received_at, count_words(row.raw, authserv_id, received_by), verdict)
    return None


def told_of_sender(raw: bytes, received_by: str) -> list[str]:
    """Return the topmost Authentication-Results of a mail, each on one line: those above the field of its server."""
    return [" ".join(field.split()) for field in _topmost(raw, received_by, several=False)]


def is_stamping(session: Session, authserv_id: str) -> bool:
    """Return False if a GM's mail shows that the server adds no field, so that none may count."""
    proven = newest_proven(session, authserv_id)
    return proven is None or proven.stamped


def is_from_outside(raw: bytes) -> bool:
    """Return True if the nearest server took a mail from another server, not from a user who had logged in.

    Servers do not stamp mail of their own users.
    """
    taken = next((each for each in received_fields(raw) if each.by_smtp), None)
    return taken is not None and taken.from_server
