"""What a refusal means, told from its codes (RFC 5321, 4.2; RFC 3463) and, where they are used loosely, its words."""

from __future__ import annotations

import re

from pbem.errors import CarrierDown, PermanentPostError, PostError, TemporaryPostError

_STATUS = re.compile(r"(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?![\d.])")
_TOO_MUCH = re.compile(r"(?<![\d.:])552[ -]")
_CONTENT = re.compile(r"\b(?:content|attachments?|html|virus|malware|too (?:big|large)|size limit)\b", re.IGNORECASE)

_SIZE = ("5.2.3", "5.3.4")
_LOOSE = ("5.0.", "5.3.0", "5.7.")
"""Statuses that some servers give for a mail whose content they dislike, and for much else."""

_SPENT_QUOTA = "5.4.5"
"""So Gmail answers once a day's mails are spent, whomever the next is for."""


def failure(code: int, said: str) -> type[PostError]:
    """The error for a refusal with this code, in these words.

    421, 454 and 5.4.5 (a spent quota) hold for all mail; 5.7.z is a policy that
    may be lifted, unless it is about what stands in the mail.
    """
    status = _status(said)
    if code in (421, 454) or status == _SPENT_QUOTA:
        return CarrierDown
    if code >= 500 and (not status.startswith("5.7.") or about_content(said)):
        return PermanentPostError
    return TemporaryPostError


def about_content(said: str) -> bool:
    """Whether a permanent refusal is about a mail's size or content, so that less of it might pass."""
    status = _status(said)
    if status in _SIZE or status.startswith("5.6."):
        return True
    if status.startswith(_LOOSE):
        return bool(_TOO_MUCH.search(said) or _CONTENT.search(said))
    return not status and bool(_TOO_MUCH.search(said))


def _status(said: str) -> str:
    found = _STATUS.search(said)
    return found[0] if found else ""
