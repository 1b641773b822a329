"""Delivery reports: what a mail system says became of a mail of ours, by RFC 3464 or in words.

Anybody can write such a report. What makes one worth believing is the
Message-ID of the mail it is about, which only that mail's readers know; whoever
asks for a bounce has to look it up.

Reading is total: any bytes make a bounce or none, in time in proportion to their number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from pbem.post.addresses import MESSAGE_ID, all_addresses, one_address
from pbem.post.cleaning import plain
from pbem.post.html_text import html_to_text
from pbem.post.incoming import MAX_MAIL
from pbem.post.mime import Entity, decode_words, parse_entity, without_envelope
from pbem.post.returned import Action, ids_in, read_words
from pbem.post.robots import is_mail_system

MAX_PARTS = 10
MAX_DEPTH = 3
MAX_STATUS = 65_536
MAX_RECIPIENTS = 20
MAX_DIAGNOSTIC = 500

_STATUS_PARTS = frozenset({"message/delivery-status", "message/global-delivery-status"})
_RETURNED_PARTS = frozenset(
    {"message/rfc822", "text/rfc822-headers", "message/rfc822-headers", "message/global", "message/global-headers"}
)
"""Reports of RFC 3464, and of RFC 6533 for addresses that are not ASCII."""

_OTHER_REPORTS = frozenset({"message/disposition-notification", "message/feedback-report"})
"""Reports that somebody has read or deleted a mail (RFC 8098), or called it spam (RFC 5965): it arrived."""

_ACTIONS: dict[str, Action] = {
    "failed": "failed",
    "delayed": "delayed",
    "delivered": "delivered",
    "relayed": "delivered",
    "expanded": "delivered",
}
_CLASSES: dict[str, Action] = {"5": "failed", "4": "delayed", "2": "delivered"}
_GRAVITY: Sequence[Action] = ("failed", "delayed", "delivered")

_WORD = re.compile(r"\A\s*+([a-z]++)", re.IGNORECASE)
_STATUS = re.compile(r"\A\s*+([245]\.\d{1,3}\.\d{1,3})(?!\d)")
_TYPED = re.compile(r"\A\s*+[\w.-]{1,40}+\s*+;\s*+")
"""What stands before an address or a diagnostic and says of which kind it is: "rfc822;", "smtp;"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounce:
    """What became of a mail.

    `message_ids` are those that the report shows, with angle brackets, the
    mail's own first if it can be told. `recipient` is the address where its way
    ended, "" if it cannot be read; `status` is a code of RFC 3463 such as
    "5.1.1", or "". `diagnostic` is one line in the words of the other side, or "".
    """

    message_ids: tuple[str, ...]
    recipient: str
    action: Action
    status: str
    diagnostic: str

    @property
    def reason(self) -> str:
        """The diagnosis as one line that is never empty."""
        if not self.diagnostic:
            return f"status {self.status}" if self.status else "no reason given"
        known = not self.status or self.status in self.diagnostic
        return self.diagnostic if known else f"{self.status} {self.diagnostic}"


def read_bounce(raw: bytes) -> Bounce | None:
    """What a delivery report says, of several recipients the one worst off; None if it is none. Never raises."""
    report = parse_entity(without_envelope(raw[:MAX_MAIL]))
    parts = list(islice(report.children(), MAX_PARTS)) if report.content_type.startswith("multipart/") else []
    if any(part.content_type in _OTHER_REPORTS for part in parts):
        return None
    statuses = [part for part in parts if part.content_type in _STATUS_PARTS]
    fates = [fate for part in statuses for fate in _fates(_groups(part))]
    if fates and (report.content_type == "multipart/report" or _is_from_system(report)):
        return _by_status(report, parts, fates)
    return _by_words(report, parts) if _is_from_system(report) else None


def _is_from_system(report: Entity) -> bool:
    return is_mail_system(report, one_address(report.first("from")), decode_words(report.first("subject")))


def _by_status(report: Entity, parts: Sequence[Entity], fates: Sequence[tuple[Action, Entity]]) -> Bounce:
    action, fields = min(fates, key=lambda fate: _GRAVITY.index(fate[0]))
    return Bounce(
        message_ids=_message_ids(report, parts) or ids_in(_text(report, parts)),
        recipient=_recipient(fields),
        action=action,
        status=_status(fields),
        diagnostic=_diagnostic(fields.first("diagnostic-code")),
    )


def _by_words(report: Entity, parts: Sequence[Entity]) -> Bounce | None:
    """What a report for people alone says, of a mail that it names; a mail system's other mail names none."""
    others = frozenset(
        each.lower() for name in ("from", "to", "delivered-to") for each in all_addresses(report.first(name))
    )
    returned = _message_ids(report, parts) if any(part.content_type in _RETURNED_PARTS for part in parts) else ()
    words = read_words(
        _text(report, parts), subject=decode_words(report.first("subject")), ids=returned, not_recipients=others
    )
    if words is None or not words.ids:
        return None
    failed = all_addresses(report.first("x-failed-recipients"))
    return Bounce(
        message_ids=words.ids,
        recipient=failed[0] if failed else words.recipient,
        action=words.action,
        status=words.status,
        diagnostic=_diagnostic(words.reason),
    )


def _text(report: Entity, parts: Sequence[Entity]) -> str:
    """What a report says in words, one part below the other."""
    if not parts:  # also where a boundary is missing or wrong
        return _said(report)
    leaves = [leaf for part in parts for leaf in _leaves(part, 0)]
    return "\n\n".join(map(_said, [leaf for leaf in leaves if leaf.content_type.startswith("text/")]))


def _leaves(part: Entity, depth: int) -> Iterable[Entity]:
    if not part.content_type.startswith("multipart/"):
        return [part]
    inner = islice(part.children(), MAX_PARTS) if depth < MAX_DEPTH else ()
    return [leaf for child in inner for leaf in _leaves(child, depth + 1)]


def _said(leaf: Entity) -> str:
    text = Entity(leaf.fields, leaf.body[:MAX_STATUS]).text()[0]
    return plain(html_to_text(text) if leaf.content_type == "text/html" else text)


def _groups(part: Entity) -> list[Entity]:
    """The groups of fields in a status part: one for the mail, then one for each recipient (RFC 3464, 2.1)."""
    groups: list[Entity] = []
    rest = part.content()[:MAX_STATUS]
    while rest and len(groups) <= MAX_RECIPIENTS:  # the first group is the mail's own
        groups.append(parse_entity(rest))
        rest = groups[-1].body.lstrip()
    return groups


def _fates(groups: Iterable[Entity]) -> Iterable[tuple[Action, Entity]]:
    for group in groups:
        if action := _action(group):
            yield action, group


def _action(group: Entity) -> Action | None:
    """What was done for a recipient; where that is missing, what the class of the status says."""
    if "action" not in group.fields:
        return _CLASSES.get(_status(group)[:1])
    word = _WORD.match(group.first("action"))
    return _ACTIONS.get(word[1].lower()) if word else None


def _status(group: Entity) -> str:
    found = _STATUS.match(group.first("status"))
    return found[1] if found else ""


def _recipient(group: Entity) -> str:
    for name in ("final-recipient", "original-recipient"):
        if address := one_address(_TYPED.sub("", group.first(name), count=1)):
            return address
    return ""


def _diagnostic(field: str) -> str:
    said = " ".join(plain(_TYPED.sub("", field, count=1)).split())
    return said if len(said) <= MAX_DIAGNOSTIC else f"{said[: MAX_DIAGNOSTIC - 1]}…"


def _message_ids(report: Entity, parts: Iterable[Entity]) -> tuple[str, ...]:
    """The mail's Message-ID: in what came back of it, else in what the report answers, as Exchange and Gmail do it."""
    returned = (part.content()[:MAX_STATUS].lstrip() for part in parts if part.content_type in _RETURNED_PARTS)
    fields = [*(parse_entity(mail).first("message-id") for mail in returned), report.first("in-reply-to")]
    return tuple(dict.fromkeys(found[0] for field in fields if (found := MESSAGE_ID.search(field))))
