"""Mail addresses, Message-IDs and reply codes in header fields.

A reply code is an HMAC under the campaign's `mail_key`, so that the code of
another seat cannot be guessed. It is sent in three places, any of which may come
back: the Reply-To address, the subject, and the Message-ID that replies name.

A malformed address yields no address rather than a wrong one. Everything here
takes any bytes, never raises, and runs in linear time, which the email package
does not (docs/decisions/0039).
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from pbem.errors import CampaignError
from pbem.util import CODE_CHARACTERS, ID_CHARACTERS

MAX_ADDRESS = 254
"""Characters: with its angle brackets an address has 256 at most in SMTP (RFC 5321, 4.5.3.1.3)."""

MESSAGE_ID = re.compile(r"<[!-;=?-~]{1,198}>")
"""A Message-ID; one with other characters could not be named in an answer's header."""

# Possessive quantifiers (++, *+) do not backtrack, so that hostile input takes linear time.
_ADDRESS = r'[^\s<>()\[\]\\,;:@"]{1,64}+@[^\W_](?>(?:[^\W_]|[.-]){0,252})'
_ANYWHERE = re.compile(_ADDRESS)
_BARE = re.compile(rf"\A\s*+({_ADDRESS})\s*+")
_NAMED = re.compile(rf"\A([^<>]*+)<\s*+({_ADDRESS})\s*+>\s*+")
# A quoted string, also one without an end: then the group is empty.
_QUOTED = re.compile(r'"[^"\\]*+(?>(?:\\.?[^"\\]*+)*)("|\Z)')

_COMMENT = re.compile(r"\([^()]*+\)")
_ROBOT = re.compile(
    r"\A(?:mail(?:er)?[_.-]?daemon|mdaemon|post[_.]?master|(?:no|do-?not)[_.-]?reply|(?:double-)?bounces?"
    r"|mail-?delivery(?:-?sub)?-?system|auto-?(?:reply|respon(?:der|se))|microsoftexchange[0-9a-f]{16,40})(?:[+-][^@]*+)?@",
    re.IGNORECASE,
)


def parse_address(field: str) -> str | None:
    """Return the only address of a From field, its domain in lower case; None if there is none, several, or a bad one.

    A display name may hold another address only in quotes, or the same one.
    """
    without_quoted = _QUOTED.sub(lambda found: "" if found[1] else '"', field)
    text = _COMMENT.sub(" ", without_quoted)
    if '"' in text or "(" in text or ")" in text:
        return None
    if match := _BARE.fullmatch(text):
        # A bare address has no display name: a quoted string beside it may be the address that is meant.
        return _normalise_address(match[1]) if without_quoted == field else None
    match = _NAMED.fullmatch(text)
    if match is None or ("@" in match[1] and match[1].strip().lower() != match[2].lower()):
        return None
    return _normalise_address(match[2])


def find_addresses(field: str) -> list[str]:
    """Return everything in a field that looks like an address, domains in lower case."""
    return [address for found in _ANYWHERE.findall(field) if (address := _normalise_address(found))]


def is_role_address(address: str) -> bool:
    """Return True for an address of a program, which must not be answered."""
    return _ROBOT.match(address) is not None


def _normalise_address(address: str) -> str | None:
    """Return the address, its domain in lower case; None if it is too long or has invisible characters."""
    local, _, domain = address.rpartition("@")
    usable = len(address) <= MAX_ADDRESS and address.isprintable()
    return f"{local}@{domain.lower().rstrip('.-')}" if usable else None


REPLY_CODE = rf"[a-z2-7]{{{CODE_CHARACTERS}}}"

SUBJECT_TAG = re.compile(rf"\[(?:[^\[\]\s]{{1,40}}+\s++|(?=[a-z]*+[2-7]))({REPLY_CODE})\]", re.IGNORECASE)
"""A code in brackets; before it, in the mails of earlier versions, the name of its campaign."""


def reply_code(mail_key: bytes, *parts: str | int) -> str:
    """Return the code for `parts`, such as campaign, seat and turn: 16 lower-case letters and digits, 80 bits.

    It contains a digit, so that a code that stands alone is not taken for a word, and can be masked; and no "cv", for
    which some mail programs ask whether an attachment was forgotten.
    """
    code = _hmac_base32(mail_key, "reply", parts)[:CODE_CHARACTERS]
    # One code in thirty has letters alone: it would be taken for a word, and not be masked.
    return reply_code(mail_key, *parts, "again") if code.isalpha() or "cv" in code else code


def message_id(mail_key: bytes, domain: str, *parts: str | int) -> str:
    """Return the Message-ID for `parts`, with its angle brackets; always the same for the same parts."""
    return f"<{_hmac_base32(mail_key, 'message', parts)[:ID_CHARACTERS]}@{domain}>"


_IN_TEXT = re.compile(r"\A<([^.@]++)\.text@(.*+)")


def text_id(message_id: str) -> str:
    """Return the Message-ID of the text of one of our mails, sent in its place: mailboxes drop one that they know."""
    return message_id.replace("@", ".text@", 1)


def answered_id(message_id: str) -> str:
    """Return the Message-ID under which a mail was written, also for that of its text alone."""
    return _IN_TEXT.sub(r"<\1@\2", message_id)


def _hmac_base32(mail_key: bytes, purpose: str, parts: tuple[str | int, ...]) -> str:
    """Return an HMAC in lower-case base32, of the parts as JSON, which is different for different lists."""
    digest = hmac.digest(mail_key, json.dumps([purpose, *parts]).encode(), hashlib.sha256)
    return base64.b32encode(digest).decode().lower()


def tagged_subject(campaign: str, subject: str, code: str) -> str:
    """Return a subject with its campaign, and the code if any: "[trap7] subject [code]"."""
    return f"[{campaign}] {subject} [{code}]" if code else f"[{campaign}] {subject}"


def without_codes(subject: str) -> str:
    """Return a subject without the tags that carry codes."""
    return SUBJECT_TAG.sub("", subject)


LONGEST_NAME = 60
"""Characters of the name of a person, or of the title of a campaign."""

_NO_NAME = re.compile(r"[@<>\"\\]|://|www\.", re.IGNORECASE)


def is_name(text: str) -> bool:
    """Return True if a text can be shown as a name in all mails: short, on one line, and no address or link."""
    return 0 < len(text) <= LONGEST_NAME and text.isprintable() and text == text.strip() and not _NO_NAME.search(text)


def require_name(text: str, whose: str) -> str:
    """Return a name with single blanks.

    Raises:
        CampaignError: It is too long, or has what names do not have, so that a mail could seem to be another's.
    """
    name = " ".join(text.split())
    if not is_name(name):
        hint = f"it has 1 to {LONGEST_NAME} characters, and no address or link in it"
        raise CampaignError(f"{name[:LONGEST_NAME]!r} cannot be the name of {whose}: {hint}")
    return name


def with_name(name: str, address: str) -> str:
    """Return an address as it is shown to people, with the name if there is one: "Eve Smith (eve@example.org)"."""
    return f"{name} ({address})" if name else address


MAX_HEAD = 100_000
MAX_FIELD = 8_192

_MAILBOX = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@([A-Za-z0-9-]+\.)+[A-Za-z0-9-]+")


def require_address(text: str, whose: str, own_address: str) -> str:
    """Return the address, its domain in lower case.

    Raises:
        CampaignError: It is malformed, is the order address, or belongs to a program, whose mail is not answered.
    """
    address = text.strip()
    if not _MAILBOX.fullmatch(address) or len(address) > 254:
        raise CampaignError(f"{text!r} cannot be the address of {whose}: write it like ann@example.org")
    if address.casefold() == own_address.casefold():
        raise CampaignError(f"{address} cannot be the address of {whose}: orders are sent there")
    if is_role_address(address):
        raise CampaignError(f"{address} cannot be the address of {whose}: its mail would be taken for a program's")
    local, _, domain = address.rpartition("@")
    return f"{local}@{domain.lower()}"


_LONGEST_DATE = 100


def parse_date(text: str) -> datetime | None:
    """Return a date of a header field by the clock of its writer, None if it cannot be read, or not be told in UTC."""
    try:
        date = parsedate_to_datetime(text[:_LONGEST_DATE])
        date = date if date.tzinfo else date.replace(tzinfo=UTC)
        date.astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return date
