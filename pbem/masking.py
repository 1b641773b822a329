"""What opens a seat or a server, kept out of listings, logs and notes.

Tokens, reply codes and Message-IDs are known by their form. A password has
none: whoever reads one says so (`remember`), and from then on no text that
passes here tells it.
"""

from __future__ import annotations

import re

MASK = "********"

TOKEN_BYTES = 10
"""A token is twice as many hex digits: 80 random bits, which need no slow hash."""

CODE_CHARACTERS = 16
"""Of a reply code: lower-case letters and the digits 2 to 7."""

ID_CHARACTERS = 26
"""Of the local part of a Message-ID, in the same letters."""

LEAST_SECRET = 4
"""Characters; a shorter secret would mask half of every text, and keeps nobody out."""

_KEYS = (
    re.compile(
        r"(?im)^(?P<kept>(?:[>|]|[^\S\n])*+(?:orders|player)[^\S\n]++\S++[^\S\n]++\S++[^\S\n]++)(?!(?:wait|final)\b)[^\s;#]++"
    ),
    re.compile(rf"(?i)(?P<kept>)\b[0-9a-f]{{{2 * TOKEN_BYTES}}}\b"),
    re.compile(rf"(?i)(?P<kept>)\b[a-z2-7]{{{ID_CHARACTERS}}}\b"),
    re.compile(rf"(?i)(?P<kept>\+|\[[^\[\]\s]{{1,40}}+\s++)[a-z2-7]{{{CODE_CHARACTERS}}}(?=[@\]])"),
    # A code on its own is told from a long word by its digits.
    re.compile(rf"(?i)(?P<kept>)\b(?=[a-z]{{0,{CODE_CHARACTERS - 1}}}+[2-7])[a-z2-7]{{{CODE_CHARACTERS}}}\b"),
)

_TOKEN = re.compile(rf"(?i)\b[0-9a-f]{{{2 * TOKEN_BYTES}}}\b")
_FRAME = re.compile(r"(?i)\A[>|\s]*+(?:orders|player|gm)\b")
_KEYLIKE = re.compile(
    rf"(?i)\b(?:(?=[a-z]{{0,24}}+[0-9])[0-9a-f]{{15,25}}|(?=[a-z]{{0,15}}+[2-7])[a-z2-7]{{{CODE_CHARACTERS}}})\b"
)
"""A token, with or without a slip of the pen in it, or a reply code."""

_SECRETS: set[str] = set()


def remember(secret: str) -> str:
    """Has a password or access token masked from now on, for as long as the process lives; returns it."""
    _SECRETS.update(form for form in (secret, secret.replace(" ", "")) if len(form) >= LEAST_SECRET)
    return secret


def without_secrets(text: str) -> str:
    """The text with every remembered secret masked, as a server might repeat one or an error quote it."""
    for secret in sorted(_SECRETS, key=len, reverse=True):
        text = text.replace(secret, MASK)
    return text


def without_keys(line: str) -> str:
    """A line as it was written, for what is kept and shown again: only what is surely a key in it is masked.

    That is a token wherever it stands, and on a line that begins as a frame does, well-formed or not, also what is
    like a token or a code.
    """
    line = _TOKEN.sub(MASK, line)
    return _KEYLIKE.sub(MASK, line) if _FRAME.match(line) else line


def masked(text: str) -> str:
    """The text with every secret and key in it masked, and without signs that would steer a terminal."""
    text = without_secrets(text)
    for key in _KEYS:
        text = key.sub(rf"\g<kept>{MASK}", text)
    return "".join(sign if sign.isprintable() or sign in "\n\t" else "�" for sign in text)
