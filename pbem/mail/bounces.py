"""Read delivery reports (RFC 3464 and older forms).

Exim, qmail, GMX, Yahoo, Mail.ru and programs older than RFC 3464 report in free
text. Such a text has no fixed form, but three things in common: the header of the
mail, above it a statement that it did not arrive, and mostly an SMTP code.
Without one of the known phrases nothing is a bounce.

Any sender can write such a report. It is credible if it names the Message-ID of
the mail it is about, which only that mail's readers know; the caller has to look
it up.

Parsing is total: any bytes make a bounce or none, in linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Literal

from pbem.mail.headers import MESSAGE_ID, answered_id, find_addresses, is_role_address, parse_address, without_codes
from pbem.mail.html_text import html_to_text
from pbem.mail.machines import MAX_PARTS, MAX_STATUS, REPORT_PARTS, is_from_mailer_daemon, is_rejection
from pbem.mail.mailbox import MAX_MAIL
from pbem.mail.message import walk_leaves
from pbem.mail.mime import Part, decode_words, parse_entity, without_envelope
from pbem.mail.phrases import load_phrases
from pbem.mail.reply_parser import normalise_text

Action = Literal["failed", "delayed", "delivered"]

MAX_IDS = 10
"""Message-IDs considered: the first is the mail's, unless those after it are of mails inside it."""

_ID = re.compile(rf"^[ \t>|]*+message-id[ \t]*+:\s*+({MESSAGE_ID.pattern})", re.IGNORECASE | re.MULTILINE)
_HEADER_LINE = re.compile(r"\A(?:[ \t>|]*+[A-Za-z][\w-]*+[ \t]*+:(?:\s|\Z)|[ \t]++\S)")
_TO = re.compile(r"^[ \t>|]*+to[ \t]*+:([^\n]*+)", re.IGNORECASE | re.MULTILINE)

_WORDS = load_phrases("bounces")
_FAILED = re.compile(_WORDS["failed"], re.IGNORECASE)
_DELAYED = re.compile(_WORDS["delayed"], re.IGNORECASE)
_FOR_GOOD = re.compile(_WORDS["for_good"], re.IGNORECASE)
_DELIVERED = re.compile(r"success(?:fully|ful)?\b.{0,40}\bdeliver|\bdelivered[ ](?:successfully|to)\b", re.IGNORECASE)

# The gap between two paragraphs.
_BETWEEN = re.compile(r"\n[ \t]*+\n")

_STATUS_IN_TEXT = re.compile(r"(?<![\w.])([45]\.\d{1,3}\.\d{1,3})(?![\w.]*\d)")
_CODED = re.compile(r"(?<![\d.:])[45][0-5]\d[ -]\S|(?<![\w.])[45]\.\d{1,3}\.\d{1,3}(?![\w.]*\d)")


def find_message_ids(text: str) -> tuple[str, ...]:
    """Return the Message-IDs in the headers that a text shows."""
    found = (answered_id(match[1]) for match, _ in zip(_ID.finditer(text), range(MAX_IDS), strict=False))
    return tuple(dict.fromkeys(found))


def _above_header(text: str) -> str:
    """Return the text above the first header of a mail; all of it if there is none."""
    found = _ID.search(text)
    if found is None:
        return text
    lines = text[: found.start()].split("\n")
    while lines and (not lines[-1] or _HEADER_LINE.match(lines[-1])) and lines[-1].strip(" \t>|"):
        lines.pop()
    return "\n".join(lines)


def _action_in_text(said: str) -> Action | None:
    if _DELAYED.search(said) and not _FOR_GOOD.search(said):
        return "delayed"
    if _FAILED.search(said):
        return "failed"
    return "delivered" if _DELIVERED.search(said) else None


def _find_recipient(text: str, above: str, others: frozenset[str]) -> str:
    """Return the first address that the report names; else the one in the To field of the quoted header."""
    to = _TO.search(text, len(above))
    named = [*find_addresses(above), *(find_addresses(to[1]) if to else ())]
    return next((each for each in named if each.lower() not in others and not is_role_address(each)), "")


def _find_reason(above: str, recipient: str) -> str:
    """Return the paragraph with an SMTP code, from that code on; else the line right below or beside the recipient."""
    for paragraph in _BETWEEN.split(above):
        if found := _CODED.search(paragraph):
            return " ".join(paragraph[found.start() :].split())
    lines = above.split("\n")
    below = (after for line, after in pairwise(lines) if recipient and line.strip(" \t<>:") == recipient)
    beside = (line.removeprefix(f"{recipient}:") for line in lines if recipient and line.startswith(f"{recipient}: "))
    return next((" ".join(line.split()) for line in (*below, *beside) if line[:1].isspace()), "")


def _find_statement(above: str) -> str:
    """Return what says that delivery failed: a line, or else a short paragraph, where its sentence is wrapped."""
    paragraphs = (each for each in _BETWEEN.split(above) if len(each) <= LONGEST_STATEMENT)
    texts = (" ".join(each.split()) for each in (*above.split("\n"), *paragraphs))
    return next(filter(_FAILED.search, texts), "")


LONGEST_STATEMENT = 300
"""Characters of a paragraph that is shown whole."""

MAX_DEPTH = 3
MAX_RECIPIENTS = 20
MAX_DIAGNOSTIC = 500

_STATUS_PARTS = REPORT_PARTS | {"message/global-delivery-status"}
# Reports of RFC 3464, and of RFC 6533 for addresses that are not ASCII.
_RETURNED_PARTS = frozenset(
    {"message/rfc822", "text/rfc822-headers", "message/rfc822-headers", "message/global", "message/global-headers"}
)

# Reports that a mail was read (RFC 8098), or reported as spam (RFC 5965): it arrived.
_OTHER_REPORTS = frozenset({"message/disposition-notification", "message/feedback-report"})

_GRAVITY: Sequence[Action] = ("failed", "delayed", "delivered")
_ACTIONS = dict(zip((*_GRAVITY, "relayed", "expanded"), (*_GRAVITY, "delivered", "delivered"), strict=True))
_CLASSES = dict(zip("542", _GRAVITY, strict=True))

_WORD = re.compile(r"\A\s*+([a-z]++)", re.IGNORECASE)
_STATUS = re.compile(r"\A\s*+([245]\.\d{1,3}\.\d{1,3})(?!\d)")
# The type before an address or a diagnostic: "rfc822;", "smtp;".
_TYPED = re.compile(r"\A\s*+[\w.-]{1,40}+\s*+;\s*+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounce:
    """Result of a delivery report for one mail.

    `message_ids` are those in the report, with angle brackets, the mail's own first
    if it can be told. `recipient` is the address that could not be reached, or "".
    `status` is a code of RFC 3463 such as "5.1.1", or "". `diagnostic` is one line in
    the words of the other server, or "".
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


def parse_bounce(raw: bytes) -> Bounce | None:
    """Return what a delivery report says, of several recipients the worst off; None if it is none. Never raises."""
    report = parse_entity(without_envelope(raw[:MAX_MAIL]))
    parts = list(islice(report.children(), MAX_PARTS)) if report.content_type.startswith("multipart/") else []
    statuses = [part for part in parts if part.content_type in _STATUS_PARTS]
    groups = [group for part in statuses for group in _groups(part)]
    rejected = any(is_rejection(report, group) for group in groups)
    fates = [(action, group) for group in groups if (action := "failed" if rejected else _action(group))]
    if fates and (rejected or report.content_type == "multipart/report" or _is_from_system(report)):
        return _read_status_report(report, parts, fates, rejected=rejected)
    if any(part.content_type in _OTHER_REPORTS for part in parts):
        return None
    return _read_text_report(report, parts) if _is_from_system(report) else None


def _is_from_system(report: Part) -> bool:
    return is_from_mailer_daemon(report, parse_address(report.first("from")), decode_words(report.first("subject")))


def _read_status_report(
    report: Part, parts: Sequence[Part], fates: Sequence[tuple[Action, Part]], *, rejected: bool
) -> Bounce:
    action, fields = min(fates, key=lambda fate: _GRAVITY.index(fate[0]))
    recipient, text = _recipient(fields), _report_text(report, parts)
    said = _report_text(report, [part for part in parts if part.content_type not in _RETURNED_PARTS])
    # Exim and OpenSMTPD give the reason in the text alone, and so do Sieve scripts.
    above = _above_header(said)
    words = " ".join(above.split()) if rejected else _find_reason(above, recipient)
    diagnostic = _diagnostic(fields.first("diagnostic-code") or words)
    return Bounce(
        message_ids=_message_ids(report, parts) or find_message_ids(text),
        recipient=recipient,
        action="failed" if action == "delayed" and _has_given_up(report, above) else action,
        status=_specific_status(_status(fields), diagnostic),
        diagnostic=diagnostic,
    )


def _has_given_up(report: Part, above: str) -> bool:
    """Return True if what is called delayed is not tried again: by nullmailer, and by OpenSMTPD 6."""
    return ".nullmailer@" in report.first("message-id") or _EXPIRED.search(above) is not None


_EXPIRED = re.compile(r"^[^\s@]++@[^\s:]++: Envelope expired$", re.MULTILINE)


def _specific_status(status: str, diagnostic: str) -> str:
    """Return the code in the words of the other server in place of one that says nothing, such as 5.0.0."""
    found = _STATUS_IN_TEXT.search(diagnostic) if status.endswith(".0.0") else None
    return found[1] if found and found[1][0] == status[0] else status


def _read_text_report(report: Part, parts: Sequence[Part]) -> Bounce | None:
    """Parse a report in free text; None if it names no mail, as other mail of a mail system does not."""
    others = frozenset(
        each.lower() for name in ("from", "to", "delivered-to") for each in find_addresses(report.first(name))
    )
    returned = _message_ids(report, parts) if any(part.content_type in _RETURNED_PARTS for part in parts) else ()
    text, subject = _report_text(report, parts), decode_words(report.first("subject"))
    ids = tuple(dict.fromkeys([*returned, *find_message_ids(text)]))[:MAX_IDS]
    above = _above_header(text)
    action = _action_in_text(f"{' '.join(subject.split())}\n{' '.join(above.split())}")
    if action is None or not ids:
        return None
    status = _STATUS_IN_TEXT.search(above)
    failed = find_addresses(report.first("x-failed-recipients"))
    recipient = failed[0] if failed else _find_recipient(text, above, others)
    return Bounce(
        message_ids=ids,
        recipient=recipient,
        action=action,
        status=status[1] if status else "",
        diagnostic=_diagnostic(_find_reason(above, recipient) or _find_statement(above)),
    )


def _report_text(report: Part, parts: Sequence[Part]) -> str:
    """Return the text of a report, one part below the other."""
    if not parts:  # also where a boundary is missing or wrong
        return _leaf_text(report)
    leaves = [leaf for part in parts for leaf in walk_leaves(part, most=MAX_PARTS, deepest=MAX_DEPTH)]
    return "\n\n".join(map(_leaf_text, [leaf for leaf in leaves if leaf.content_type.startswith("text/")]))


def _leaf_text(leaf: Part) -> str:
    text = Part(leaf.fields, leaf.body[:MAX_STATUS]).text()[0]
    return normalise_text(html_to_text(text) if leaf.content_type == "text/html" else text)


def _groups(part: Part) -> list[Part]:
    """Return the groups of fields in a status part: one for the mail, then one for each recipient (RFC 3464, 2.1)."""
    groups: list[Part] = []
    rest = part.content()[:MAX_STATUS]
    while rest and len(groups) <= MAX_RECIPIENTS:  # the first group is the mail's own
        groups.append(parse_entity(rest))
        rest = groups[-1].body.lstrip()
    return groups


def _action(group: Part) -> Action | None:
    """Return what was done for a recipient, by the Action field, or the class of the status where it is missing."""
    if "action" not in group.fields:
        return _CLASSES.get(_status(group)[:1])
    word = _WORD.match(group.first("action"))
    return _ACTIONS.get(word[1].lower()) if word else None


def _status(group: Part) -> str:
    found = _STATUS.match(group.first("status"))
    return found[1] if found else ""


def _recipient(group: Part) -> str:
    for name in ("final-recipient", "original-recipient"):
        if address := parse_address(_TYPED.sub("", group.first(name), count=1)):
            return address
    return ""


def _diagnostic(field: str) -> str:
    said = " ".join(without_codes(normalise_text(_TYPED.sub("", field, count=1))).split())
    return said if len(said) <= MAX_DIAGNOSTIC else f"{said[: MAX_DIAGNOSTIC - 1]}…"


def _message_ids(report: Part, parts: Iterable[Part]) -> tuple[str, ...]:
    """Return the Message-IDs in the returned header and in In-Reply-To, where Exchange and Gmail put the mail's."""
    returned = (part.content()[:MAX_STATUS].lstrip() for part in parts if part.content_type in _RETURNED_PARTS)
    fields = [*(parse_entity(mail).first("message-id") for mail in returned), report.first("in-reply-to")]
    return tuple(dict.fromkeys(answered_id(found[0]) for field in fields if (found := MESSAGE_ID.search(field))))
