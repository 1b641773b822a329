"""Reply codes: how an answer finds its seat and turn without a word from the player.

A code is an HMAC under the campaign's `mail_key`, so nobody can guess another
seat's. It goes out three ways, any of which may come back: in the Reply-To
address, in the subject, and in the Message-ID that replies name.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re

from pbem.post.reading import Message
from pbem.util import CODE_CHARACTERS, ID_CHARACTERS

_CODE = rf"[a-z2-7]{{{CODE_CHARACTERS}}}"
_WORD = re.compile(_CODE)
_TAG = re.compile(rf"\[(?:[^\[\]\s]{{1,40}}+\s++|(?=[a-z]*+[2-7]))({_CODE})\]", re.IGNORECASE)
"""A code in brackets; before it, in the mails of earlier versions, the name of its campaign."""


def reply_code(mail_key: bytes, *parts: str | int) -> str:
    """The code of what `parts` name, such as campaign, seat and turn: 16 lower-case letters and digits, 80 bits.

    It has a digit, by which a code that stands alone is told from a word, and masked.
    """
    code = _keyed(mail_key, "reply", parts)[:CODE_CHARACTERS]
    return reply_code(mail_key, *parts, "again") if code.isalpha() else code


def message_id(mail_key: bytes, domain: str, *parts: str | int) -> str:
    """The Message-ID of what `parts` name, with its angle brackets; always the same for the same parts."""
    return f"<{_keyed(mail_key, 'message', parts)[:ID_CHARACTERS]}@{domain}>"


def _keyed(mail_key: bytes, purpose: str, parts: tuple[str | int, ...]) -> str:
    """An HMAC in lower-case base32, of the parts as JSON: there no two lists of parts are written alike."""
    digest = hmac.digest(mail_key, json.dumps([purpose, *parts]).encode(), hashlib.sha256)
    return base64.b32encode(digest).decode().lower()


def plus_address(address: str, code: str) -> str:
    """The order address with a code, as Reply-To (RFC 5233): "orders+code@example.org"."""
    local, _, domain = address.rpartition("@")
    return f"{local}+{code}@{domain}"


def tagged_subject(campaign: str, subject: str, code: str = "") -> str:
    """A subject with its campaign before it, and behind it the code, if any: "[trap7] subject [code]"."""
    return f"[{campaign}] {subject} [{code}]" if code else f"[{campaign}] {subject}"


def without_codes(subject: str) -> str:
    """A subject without the tags that carry codes."""
    return _TAG.sub("", subject)


def find_codes(letter: Message, address: str) -> list[str]:
    """All that looks like a reply code in a letter, without doubles: its recipients first, then its subject."""
    found = [code for recipient in letter.recipients if (code := _plus(recipient.lower(), address.lower()))]
    found += [code.lower() for code in _TAG.findall(letter.subject)]
    return list(dict.fromkeys(found))


def _plus(recipient: str, address: str) -> str:
    """The code in an address with one, "" where there is none."""
    local, _, domain = recipient.rpartition("@")
    before, _, code = local.rpartition("+")
    return code if f"{before}@{domain}" == address and _WORD.fullmatch(code) else ""
