"""Mail addresses and Message-IDs in header fields, read so that a trick yields no address rather than a wrong one."""

from __future__ import annotations

import re

MAX_ADDRESS = 254
"""Characters: with its angle brackets an address has 256 at most in SMTP (RFC 5321, 4.5.3.1.3)."""

MESSAGE_ID = re.compile(r"<[!-;=?-~]{1,198}>")
"""A Message-ID; one with other characters could not be named in an answer's header."""

_ADDRESS = r'[^\s<>()\[\]\\,;:@"]{1,64}+@[^\W_](?:[^\W_]|[.-]){0,252}+'
_ANYWHERE = re.compile(_ADDRESS)
_BARE = re.compile(rf"\A\s*+({_ADDRESS})\s*+")
_NAMED = re.compile(rf"\A([^<>]*+)<\s*+({_ADDRESS})\s*+>\s*+")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.?)*+("|\Z)')
"""A quoted string, also one without an end: then the group is empty."""

_COMMENT = re.compile(r"\([^()]*+\)")
_ROBOT = re.compile(
    r"\A(?:mail(?:er)?[_.-]?daemon|mdaemon|post[_.]?master|(?:no|do-?not)[_.-]?reply|(?:double-)?bounces?"
    r"|mail-?delivery(?:-?sub)?-?system|auto-?(?:reply|respon(?:der|se))|microsoftexchange[0-9a-f]{16,40})(?:[+-][^@]*+)?@",
    re.IGNORECASE,
)


def one_address(field: str) -> str | None:
    """The only address of a From field, its domain in lower case; None if it names none, several, or is malformed.

    A display name may hold another address only in quotes, or the same one.
    """
    without_quoted = _QUOTED.sub(lambda found: "" if found[1] else '"', field)
    text = _COMMENT.sub(" ", without_quoted)
    if '"' in text or "(" in text or ")" in text:
        return None
    if match := _BARE.fullmatch(text):
        # A bare address has no display name: what was quoted beside it may as well be the one that is meant.
        return _settled(match[1]) if without_quoted == field else None
    match = _NAMED.fullmatch(text)
    if match is None or ("@" in match[1] and match[1].strip().lower() != match[2].lower()):
        return None
    return _settled(match[2])


def all_addresses(field: str) -> list[str]:
    """Everything in a field that looks like an address, domains in lower case."""
    return [address for found in _ANYWHERE.findall(field) if (address := _settled(found))]


def is_robot(address: str) -> bool:
    """Whether an address is one from which programs write, so that it must not be answered."""
    return _ROBOT.match(address) is not None


def _settled(address: str) -> str | None:
    """The address with its domain in lower case; None for one that is too long, or has signs that nobody sees."""
    local, _, domain = address.rpartition("@")
    usable = len(address) <= MAX_ADDRESS and address.isprintable()
    return f"{local}@{domain.lower().rstrip('.-')}" if usable else None
